"""JSON Lines: damaged lines are reported and the rest still loads; appends are atomic across processes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import BadInput, Problem
from core.files.json_ import parse_json
from core.files.jsontext import encoded
from core.files.read import BOM, Stamp, stamp
from core.files.write import Lock, append_bytes

TORN = "the last line is cut short: a write in progress, or a crash"


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One record: its line number (from 1), its value, its bytes without the line ending."""

    line: int
    value: Any
    raw: bytes


@dataclass(frozen=True, slots=True)
class JsonLines:
    """What a JSON Lines file holds.

    Byte-identical records count once (``duplicates`` says how many were set aside). ``torn`` is true when the last line
    has no line ending and cannot be read.
    """

    records: list[JsonLine]
    problems: list[Problem]
    torn: bool
    duplicates: int


def parse_jsonl(raw: bytes, file: str) -> JsonLines:
    """Read every line strictly (contract README, JSON Lines); never raises for what a line holds."""
    reader = _Lines(file)
    reader.feed(raw)
    return reader.result()


def read_jsonl(path: Path, file: str | None = None) -> JsonLines:
    """Read a JSON Lines file; a missing one holds nothing. Raises BadInput when it is not a regular, readable file."""
    from core.files.read import read_bytes

    label = file or str(path)
    return parse_jsonl(b"" if stamp(path) is None else read_bytes(path, label), label)


@dataclass
class _Lines:
    """The running state of a reader that is fed bytes in pieces; a last line without its ending waits in ``rest``."""

    file: str
    records: list[JsonLine] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    rest: bytes = b""
    line: int = 0
    duplicates: int = 0
    seen: set[bytes] = field(default_factory=set)

    def feed(self, chunk: bytes) -> None:
        whole, newline, rest = (self.rest + chunk).rpartition(b"\n")
        self.rest = rest
        if newline:
            for raw in whole.split(b"\n"):
                self.line += 1
                self._take(self.line, raw)

    def _take(self, line: int, raw: bytes) -> None:
        body = raw.removeprefix(BOM).rstrip(b"\r") if line == 1 else raw.rstrip(b"\r")
        if not body.strip():
            return
        if body in self.seen:
            self.duplicates += 1
            return
        try:
            value = parse_json(body, self.file, first_line=line)
        except BadInput as error:
            self.problems.append(Problem(self.file, error.problem.reason, line=line))
            return
        self.seen.add(body)
        self.records.append(JsonLine(line, value, body))

    def result(self) -> JsonLines:
        """With the last line taken in if it is whole although its ending is missing."""
        records, problems = list(self.records), list(self.problems)
        done = _Lines(self.file, records, problems, b"", self.line, self.duplicates, set(self.seen))
        if not self.rest.strip():
            return JsonLines(done.records, done.problems, False, done.duplicates)
        before = len(done.problems)
        done._take(self.line + 1, self.rest)
        torn = len(done.problems) > before
        if torn:
            done.problems[-1] = Problem(self.file, f"{TORN} ({done.problems[-1].reason})", line=self.line + 1)
        return JsonLines(done.records, done.problems, torn, done.duplicates)


def append_jsonl(path: Path, record: Mapping[str, Any], lock: Lock) -> None:
    """Append one record as one line, fsynced, atomic across processes; after a torn line it starts on a new one.

    Raises ValueError for a record that is not strict JSON (NaN, Infinity, keys that are not text).
    """
    line = json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
    append_bytes(path, encoded(line), lock)


class JsonlTail:
    """A JSON Lines file that grows: each `refresh` reads only the bytes that are new.

    A file that shrank, was replaced or was rewritten in place is read again from its start. ``version`` grows whenever
    what `lines` gives has changed. Safe to share between threads.
    """

    def __init__(self, path: Path, file: str | None = None) -> None:
        self.path, self.file = path, file or str(path)
        self.version = 0
        self.bytes_read = 0
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._head = b""
        self._offset = 0
        self._reader = _Lines(self.file)

    def refresh(self) -> int:
        """Take in what was appended and return the version: one stat when nothing changed."""
        with self._lock:
            now = stamp(self.path)
            if now == self._stamp:
                return self.version
            if now is None:
                self._restart()
            else:
                self._read(now)
            self._stamp = now
            self.version += 1
            return self.version

    def lines(self) -> JsonLines:
        """What the file held at the last `refresh`."""
        with self._lock:
            return self._reader.result()

    def _restart(self) -> None:
        self._offset, self._head, self._reader = 0, b"", _Lines(self.file)

    def _read(self, now: Stamp) -> None:
        with open(self.path, "rb") as opened:
            head = opened.read(256)
            moved = self._stamp is not None and now.inode != self._stamp.inode
            if moved or now.size <= self._offset or not head.startswith(self._head):
                self._restart()
            self._head = head[: len(self._head) or 256] if self._offset else head
            opened.seek(self._offset)
            chunk = opened.read(max(0, os.fstat(opened.fileno()).st_size - self._offset))
        self._reader.feed(chunk)
        self._offset += len(chunk)
        self.bytes_read += len(chunk)
