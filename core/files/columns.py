"""JSON Lines by the million, as columns: the same answer as the strict reader, at the speed of pyarrow.

A ledger of 200,000 records is read in blocks. pyarrow parses a block only where it is as strict as `parse_json`: what
it would take and the strict reader refuses (NaN, two documents on a line, a document over two lines, bytes that are not
UTF-8, deep nesting, a last line without its ending) is sorted out before, what it refuses itself (duplicate keys, cut
lines, a value of another type) is halved until only the lines in question are left, and those go through `parse_json`.
Where all lines of a block have a known shape (`core.files.shapes`), only the columns that are kept are parsed.
``tests/core/files/test_columns.py`` holds both readers to one answer on generated damage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from core.errors import BadInput, Problem
from core.files.json_ import parse_json
from core.files.read import BOM
from core.files.shapes import Shapes

_FEW = 32
_DEEPEST = 60
_LONG, _MOST_BRACKETS = 2_000, 500
_POOL = pa.system_memory_pool()  # gives pages back less eagerly: half the system time of a large read
LINE, START, LENGTH = "_line", "_start", "_length"
"""Columns added to every table: line number (from 1), first byte in the file, bytes without the line ending."""


@dataclass(frozen=True, slots=True)
class OddLine:
    """A line that is strict JSON and does not fit the columns: another type of value, or no object at all."""

    line: int
    value: Any


@dataclass
class Part:
    """What one run of lines gave."""

    tables: list[pa.Table] = field(default_factory=list)
    odd: list[tuple[OddLine, bytes]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Lines:
    """Consecutive lines in one buffer: the first one's number and place in the file, and each one's slice."""

    raw: bytes
    first_line: int
    offset: int
    starts: np.ndarray
    ends: np.ndarray
    numbers: np.ndarray

    def pick(self, chosen: np.ndarray | slice) -> Lines:
        """Some of the lines, in the same buffer."""
        return Lines(
            self.raw, self.first_line, self.offset, self.starts[chosen], self.ends[chosen], self.numbers[chosen]
        )

    def __len__(self) -> int:
        return len(self.starts)

    def body(self, index: int) -> bytes:
        """One line's bytes."""
        return self.raw[self.starts[index] : self.ends[index]]


def breaks_in(raw: bytes, end: int) -> np.ndarray:
    """Where the line feeds of ``raw[:end]`` are."""
    return np.flatnonzero(np.frombuffer(raw, np.uint8)[:end] == 10)


def split_lines(raw: bytes, breaks: np.ndarray, end: int, first_line: int, offset: int) -> Lines:
    """The non-empty lines of ``raw[:end]``, without ``\\r`` and ``\\n``; ``offset`` is where it stands in the file."""
    data = np.frombuffer(raw, np.uint8)[:end]
    starts = np.concatenate(([0], breaks + 1))
    ends = np.concatenate((breaks, [end]))
    numbers = np.arange(first_line, first_line + len(starts))
    if first_line == 1 and raw.startswith(BOM):
        starts[0] = len(BOM)
    while True:
        before_end = data[np.maximum(ends - 1, 0)] if len(data) else np.zeros(len(ends), np.uint8)
        returns = (ends > starts) & (before_end == 13)
        if not returns.any():
            break
        ends = ends - returns
    some = ends > starts
    return Lines(raw, first_line, offset, starts[some], ends[some], numbers[some])


class BlockReader:
    """Parses runs of lines into tables of one schema; blocks may be read by several threads.

    Every line is held to the whole ``schema``; ``keep`` names the columns that are wanted in the tables (None: all).
    """

    def __init__(self, schema: pa.Schema, file: str, keep: Sequence[str] | None = None) -> None:
        self.schema, self.file = schema, file
        self.kept = schema if keep is None else pa.schema([schema.field(name) for name in keep])
        self.placed = self.kept
        for name in (LINE, START, LENGTH):
            self.placed = self.placed.append(pa.field(name, pa.int64()))
        self._parse = pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer")
        self._parse_kept = pj.ParseOptions(explicit_schema=self.kept, unexpected_field_behavior="ignore")
        self._shapes = Shapes(schema, lambda value: self._row(value) is not None)

    def read(self, lines: Lines) -> Part:
        """Every line of ``lines``: into a table, an odd line or a problem."""
        part = Part()
        if not len(lines):
            return part
        data = np.frombuffer(lines.raw, np.uint8)
        plain = (data[lines.starts] == ord("{")) & (data[lines.ends - 1] == ord("}"))
        if not lines.raw.isascii():
            plain &= _decodable(lines)
        for index in np.flatnonzero(lines.ends - lines.starts > _LONG):
            plain[index] &= _shallow(lines, int(index))
        if plain.all():
            self._fast(lines, part)
        else:
            self._fast(lines.pick(plain), part)
            self._strict(lines.pick(~plain), part)
        return part

    def _fast(self, lines: Lines, part: Part) -> None:
        if len(lines) <= _FEW:
            self._strict(lines, part)
            return
        table = self._arrow(lines)
        if table is not None:
            part.tables.append(table)
            return
        middle = len(lines) // 2
        self._fast(lines.pick(slice(0, middle)), part)
        self._fast(lines.pick(slice(middle, len(lines))), part)

    def _arrow(self, lines: Lines) -> pa.Table | None:
        """The lines as pyarrow reads them, or None where it is not certain to agree with the strict reader."""
        buffer = _joined(lines)
        options = pj.ReadOptions(use_threads=False, block_size=buffer.size + 1)
        slim = self.kept is not self.schema and self._shapes.same(buffer.to_pybytes())
        how = self._parse_kept if slim else self._parse
        try:
            table = pj.read_json(pa.BufferReader(buffer), options, how, memory_pool=_POOL)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        # Every line starts with "{" and ends with "}": as many rows as lines means one whole object on each of them.
        if table.num_rows != len(lines) or any(_depth(item.type) > _DEEPEST for item in table.schema):
            return None
        if not all(_finite(chunk) for column in table.columns for chunk in column.chunks):
            return None
        columns = [_projected(table[item.name].combine_chunks(), item.type) for item in self.kept]
        return self._placed(pa.Table.from_arrays(columns, schema=self.kept), lines)

    def _placed(self, table: pa.Table, lines: Lines) -> pa.Table:
        places = (lines.numbers, lines.starts + lines.offset, lines.ends - lines.starts)
        for name, values in zip((LINE, START, LENGTH), places, strict=True):
            table = table.append_column(name, pa.array(values, pa.int64()))
        return table

    def _strict(self, lines: Lines, part: Part) -> None:
        rows: list[dict[str, Any]] = []
        kept: list[int] = []
        for index in range(len(lines)):
            line, body = int(lines.numbers[index]), lines.body(index)
            if not body.strip():
                continue
            try:
                value = parse_json(body, self.file, first_line=line)
            except BadInput as error:
                part.problems.append(Problem(self.file, error.problem.reason, line=line))
                continue
            row = self._row(value)
            if row is None:
                part.odd.append((OddLine(line, value), body))
            else:
                rows.append(row)
                kept.append(index)
        if rows:
            table = pa.Table.from_pylist(rows, self.schema).select(self.kept.names)
            part.tables.append(self._placed(table, lines.pick(np.array(kept))))

    def _row(self, value: Any) -> dict[str, Any] | None:
        """The record as this schema's row, or None where a value has another type."""
        if not isinstance(value, dict):
            return None
        try:
            return {item.name: fitted(value.get(item.name), item.type) for item in self.schema}
        except _Misfit:
            return None


class _Misfit(ValueError):
    """A value that is not of its column's type."""


def fitted(value: Any, wanted: pa.DataType) -> Any:
    """A JSON value as a column of that type takes it from pyarrow's own reader. Raises ValueError where it does not."""
    if value is None:
        return None
    if pa.types.is_floating(wanted) and isinstance(value, int | float) and not isinstance(value, bool):
        return _float(value)
    if pa.types.is_string(wanted) and isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise _Misfit("half a surrogate pair")
        return value
    if pa.types.is_list(wanted) and isinstance(value, list):
        return [fitted(item, wanted.value_type) for item in value]
    if pa.types.is_struct(wanted) and isinstance(value, dict):
        return {wanted[i].name: fitted(value.get(wanted[i].name), wanted[i].type) for i in range(wanted.num_fields)}
    raise _Misfit(f"not a {wanted}")


def _float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _Misfit("larger than a number can be") from None


def _shallow(lines: Lines, index: int) -> bool:
    """False for a line that may be nested so deep that pyarrow runs out of stack (a crash, not an error)."""
    place = int(lines.starts[index]), int(lines.ends[index])
    return lines.raw.count(b"[", *place) + lines.raw.count(b"{", *place) <= _MOST_BRACKETS


def _decodable(lines: Lines) -> np.ndarray:
    try:
        str(memoryview(lines.raw)[: int(lines.ends[-1])], "utf-8")
    except UnicodeDecodeError:
        return np.array([_is_utf8(lines.body(index)) for index in range(len(lines))], bool)
    return np.ones(len(lines), bool)


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _joined(lines: Lines) -> pa.Buffer:
    """The lines as one buffer, copied only where there are others between them."""
    if len(lines) == int(lines.numbers[-1] - lines.numbers[0]) + 1:
        return pa.py_buffer(memoryview(lines.raw)[lines.starts[0] : lines.ends[-1]])
    return pa.py_buffer(b"\n".join(lines.body(index) for index in range(len(lines))))


def _finite(values: pa.Array) -> bool:
    """False when NaN or Infinity stands anywhere in it, at any depth: pyarrow takes them for numbers."""
    if pa.types.is_floating(values.type):
        total = pc.sum(
            values
        ).as_py()  # NaN and Infinity stay in a sum; so does an overflow, which is read strictly too
        return total is None or math.isfinite(total)
    if pa.types.is_list(values.type) or pa.types.is_struct(values.type):
        inner = values.flatten()
        return all(_finite(part) for part in inner) if isinstance(inner, list) else _finite(inner)
    return True


def _projected(values: pa.Array, wanted: pa.DataType) -> pa.Array:
    """The array without what pyarrow found beside the wanted fields (it infers more, so that nothing goes unread)."""
    if values.type == wanted:
        return values
    nulls = values.is_null()
    if pa.types.is_struct(wanted):
        fields = [_projected(values.field(wanted[i].name), wanted[i].type) for i in range(wanted.num_fields)]
        return pa.StructArray.from_arrays(fields, fields=[wanted[i] for i in range(wanted.num_fields)], mask=nulls)
    inner = _projected(values.values, wanted.value_type)
    return pa.ListArray.from_arrays(values.offsets, inner, type=wanted, mask=nulls)


def _depth(kind: pa.DataType) -> int:
    if pa.types.is_list(kind):
        return 1 + _depth(kind.value_type)
    if pa.types.is_struct(kind):
        return 1 + max((_depth(kind[i].type) for i in range(kind.num_fields)), default=0)
    return 0
