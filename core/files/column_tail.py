"""A JSON Lines file of any size as columns, read once and then only where it has grown."""

from __future__ import annotations

import os
import stat as stat_module
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.errors import BadInput, Problem
from core.files.columns import LENGTH, LINE, START, BlockReader, OddLine, Part, breaks_in, split_lines
from core.files.jsonl import TORN
from core.files.read import Stamp, stamp

_BLOCK = 4 << 20
_THREADS = 2
_EDGE = 256
_MOST_CHUNKS = 64


@dataclass(frozen=True, slots=True)
class Columns:
    """What a file holds: ``table`` with the schema's columns (null where a record has none) and the three places.

    Rows stand in the file's order. Byte-identical records count once (``duplicates`` were set aside). ``torn``: the
    last line has no ending and cannot be read.
    """

    table: pa.Table
    odd: tuple[OddLine, ...]
    problems: tuple[Problem, ...]
    duplicates: int
    torn: bool


@dataclass
class _State:
    """What was read up to ``offset``, where the first line without an ending starts; ``edge``: the bytes before it."""

    table: pa.Table
    offset: int = 0
    line: int = 1
    odd: list[tuple[OddLine, bytes]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    duplicates: int = 0
    head: bytes = b""
    edge: bytes = b""
    rest: bytes = b""


class ColumnTail:
    """A growing JSON Lines file: `refresh` reads only the bytes that are new; an unchanged file costs one stat.

    ``keep`` names the columns that are wanted (None: all), every record is held to the whole schema all the same.
    ``key`` names the text column, a kept one, by which byte-identical records are looked for. A file that shrank, was
    replaced or was rewritten in place is read again from its start. ``version`` grows whenever `columns` may have
    changed, ``bytes_read`` counts what was read. Safe to share between threads.
    """

    def __init__(
        self, path: Path, schema: pa.Schema, key: str, file: str | None = None, keep: Sequence[str] | None = None
    ) -> None:
        self.path, self.file, self.key = path, file or str(path), key
        self.version, self.bytes_read = 0, 0
        self._reader = BlockReader(schema, self.file, keep)
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._state = self._empty()
        self._columns = Columns(self._state.table, (), (), 0, False)

    def _empty(self) -> _State:
        return _State(self._reader.placed.empty_table())

    def columns(self) -> Columns:
        """What the file held at the last `refresh`."""
        with self._lock:
            return self._columns

    def refresh(self) -> int:
        """Take in what is new and return the version. Raises BadInput when it is not a regular, readable file."""
        with self._lock:
            now = stamp(self.path)
            if now == self._stamp:
                return self.version
            if now is None:
                self._state = self._empty()
                self._columns = Columns(self._state.table, (), (), 0, False)
            else:
                with _opened(self.path, self.file) as handle:
                    self._columns = self._read(handle, now)
            self._stamp = now
            self.version += 1
            return self.version

    def _read(self, handle: int, now: Stamp) -> Columns:
        grown = self._stamp is not None and now.inode == self._stamp.inode and now.size > self._stamp.size
        if not (grown and self._same_edges(handle)):
            self._state = self._empty()
        state = self._state
        self._join(state, self._parts(handle, state), handle)
        state.head = self._pread(handle, min(_EDGE, state.offset), 0)
        state.edge = self._pread(handle, min(_EDGE, state.offset), max(0, state.offset - _EDGE))
        return self._with_last_line(state, handle)

    def _same_edges(self, handle: int) -> bool:
        """Whether the file still starts as it did, and still holds the same bytes before the place read up to."""
        state = self._state
        head = self._pread(handle, len(state.head), 0)
        return head == state.head and self._pread(handle, len(state.edge), state.offset - len(state.edge)) == state.edge

    def _pread(self, handle: int, length: int, at: int) -> bytes:
        found = os.pread(handle, length, at) if length else b""
        self.bytes_read += len(found)
        return found

    def _parts(self, handle: int, state: _State) -> list[Part]:
        """Read every whole line from ``state.offset`` on, block by block; moves the state's place forward."""
        parts: list[Part] = []
        waiting: list[Future[Part]] = []
        with ThreadPoolExecutor(_THREADS) as pool:
            while (block := self._block(handle, state)) is not None:
                waiting.append(pool.submit(self._parse, *block))
                if len(waiting) > 2 * _THREADS:  # a bound on the blocks in memory
                    parts.append(waiting.pop(0).result())
            return parts + [pending.result() for pending in waiting]

    def _parse(self, raw: bytes, breaks: np.ndarray, line: int, offset: int) -> Part:
        return self._reader.read(split_lines(raw, breaks, int(breaks[-1]) + 1, line, offset))

    def _block(self, handle: int, state: _State) -> tuple[bytes, np.ndarray, int, int] | None:
        """The next whole lines (bytes, their line feeds, line number, place), or None when only a rest is left."""
        size, raw, end = _BLOCK, b"", 0
        while not end and (not raw or len(raw) == size // 2):
            raw = self._pread(handle, size, state.offset)
            end = raw.rfind(b"\n") + 1
            if not raw:
                break
            size *= 2  # a line longer than a block: read again, further
        if not end:
            state.rest = raw
            return None
        breaks = breaks_in(raw, end)
        block = raw, breaks, state.line, state.offset
        state.line += len(breaks)
        state.offset += end
        return block

    def _join(self, state: _State, parts: list[Part], handle: int) -> None:
        """Take parsed blocks into the state, in the file's order and without byte-identical copies."""
        tables = [table for part in parts for table in part.tables]
        if tables:
            new = pa.concat_tables(tables)
            if (np.diff(new[LINE].to_numpy()) < 0).any():  # a block with damage was read in pieces
                new = new.take(pc.sort_indices(new[LINE]))
            fresh = self._first_copies(new, state.table, handle)
            state.duplicates += new.num_rows - fresh.num_rows
            state.table = pa.concat_tables([state.table, fresh])
            if state.table[LINE].num_chunks > _MOST_CHUNKS:
                state.table = state.table.combine_chunks()
        odd = sorted((item for part in parts for item in part.odd), key=lambda item: item[0].line)
        seen = {body for _, body in state.odd}
        for item in odd:
            state.duplicates += item[1] in seen
            if item[1] not in seen:
                seen.add(item[1])
                state.odd.append(item)
        state.problems += sorted((problem for part in parts for problem in part.problems), key=lambda p: p.line or 0)

    def _first_copies(self, new: pa.Table, old: pa.Table, handle: int) -> pa.Table:
        """The rows of ``new`` whose bytes stand neither in ``old`` nor earlier in ``new``."""
        keys = new[self.key]
        counts = pc.value_counts(keys)
        if not old.num_rows and len(counts) == len(keys):
            return new
        repeated = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
        before = old.filter(pc.is_in(old[self.key], value_set=keys.combine_chunks())) if old.num_rows else old
        known = before[self.key].combine_chunks()
        suspects = pc.or_(pc.is_in(keys, value_set=repeated), pc.is_in(keys, value_set=known))
        if not pc.any(suspects).as_py():
            return new
        seen = {self._bytes_of(before, row, handle) for row in range(before.num_rows)}
        keep = np.ones(new.num_rows, bool)
        for row in np.flatnonzero(suspects.to_numpy(zero_copy_only=False)):
            body = self._bytes_of(new, int(row), handle)
            keep[row] = body not in seen
            seen.add(body)
        return new.filter(pa.array(keep))

    def _bytes_of(self, table: pa.Table, row: int, handle: int) -> bytes:
        return os.pread(handle, table[LENGTH][row].as_py(), table[START][row].as_py())

    def _with_last_line(self, state: _State, handle: int) -> Columns:
        """The state, and the last line if it is whole although its ending is missing."""
        part = Part()
        if state.rest.strip():
            end = len(state.rest)
            part = self._reader.read(split_lines(state.rest, breaks_in(state.rest, 0), end, state.line, state.offset))
        if part.problems:
            cut = Problem(self.file, f"{TORN} ({part.problems[0].reason})", line=state.line)
            problems = (*state.problems, cut)
            return Columns(state.table, tuple(line for line, _ in state.odd), problems, state.duplicates, True)
        whole = _State(state.table, 0, 0, list(state.odd), list(state.problems), state.duplicates)
        self._join(whole, [part], handle)
        return Columns(
            whole.table, tuple(line for line, _ in whole.odd), tuple(whole.problems), whole.duplicates, False
        )


@contextmanager
def _opened(path: Path, label: str) -> Iterator[int]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise BadInput.of(label, f"cannot be opened: {error.strerror}") from None
    try:
        if not stat_module.S_ISREG(os.fstat(handle).st_mode):
            raise BadInput.of(label, "is not a regular file")
        yield handle
    finally:
        os.close(handle)
