"""Lines of one shape: when one of them was read strictly, the others need not be, field by field.

The shape of a line is what is left without the characters of numbers and hexadecimal digits. A log that a program wrote
has few shapes. Two lines of one shape, both of them JSON, differ only inside numbers and strings, so that

- one nests as the other does, and a text, number, list or object stands in the same places (a list may be empty);
- an object of one has a key twice only if two keys of the other look alike when those characters are gone;
- NaN or Infinity stands in one only if it stands in the other.

So a template, one line of the shape that the strict reader accepts and whose keys stay apart, answers for all of them.
Lines with a backslash (an escaped key may equal one that is spelled out) and lines with a number of 300 digits or more
(too large for a column) are not compared.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from core.errors import BadInput
from core.files.json_ import parse_json

_GONE = b"0123456789.+-eEabcdfABCDF"
_TABLE = str.maketrans("", "", _GONE.decode())
_MOST_NEW, _MOST_KNOWN = 64, 4_096
_STRIDE = 16
_LONG_NUMBER = 300


class Shapes:
    """The shapes that were looked at, each with whether its template answers for it. Safe to share between threads."""

    def __init__(self, schema: pa.Schema, fits: Callable[[Any], bool]) -> None:
        """``fits`` says whether a record fits the columns of ``schema``."""
        self._kind = pa.struct(list(schema))
        self._fits = fits
        self._known: dict[bytes, bool] = {}
        self._lock = threading.Lock()
        self._usable = _names_apart(self._kind)

    def same(self, raw: bytes) -> bool:
        """Whether every line of ``raw`` (parted by line feeds) is of a shape whose template answers for it."""
        if not self._usable or b"\\" in raw or _long_number(raw):
            return False
        shapes = raw.translate(None, _GONE).split(b"\n")
        found = set(shapes)
        new = found - self._known.keys()
        if len(new) > _MOST_NEW:
            return False
        if new:
            self._look(raw, shapes, new)
        return all(self._known.get(shape, False) for shape in found)

    def _look(self, raw: bytes, shapes: list[bytes], new: set[bytes]) -> None:
        lines = raw.split(b"\n")
        with self._lock:
            if len(self._known) > _MOST_KNOWN:
                self._known = {}
            for index, shape in enumerate(shapes):
                if shape in new and shape not in self._known:
                    self._known[shape] = self._answers(lines[index])

    def _answers(self, line: bytes) -> bool:
        try:
            value = parse_json(line, "")
        except BadInput:
            return False
        return isinstance(value, dict) and self._fits(value) and _apart(value, self._kind)


def _long_number(raw: bytes) -> bool:
    """Whether there may be a run of 300 digits: every sixteenth byte is looked at."""
    looked = np.frombuffer(raw, np.uint8)[::_STRIDE]
    digits = np.cumsum((looked >= ord("0")) & (looked <= ord("9")), dtype=np.int64)
    width = _LONG_NUMBER // _STRIDE
    return bool(len(digits) > width and (digits[width:] - digits[:-width] == width).any())


def _stripped(key: str) -> str:
    return key.translate(_TABLE)


def _names_apart(kind: pa.DataType) -> bool:
    """Whether the columns' own names stay apart."""
    if pa.types.is_list(kind):
        return _names_apart(kind.value_type)
    if not pa.types.is_struct(kind):
        return True
    names = [_stripped(kind[i].name) for i in range(kind.num_fields)]
    return len(set(names)) == len(names) and all(_names_apart(kind[i].type) for i in range(kind.num_fields))


def _apart(value: Any, kind: pa.DataType | None) -> bool:
    """Whether keys stay apart when stripped, from each other and from the names of columns that they are not."""
    if isinstance(value, list):
        inner = kind.value_type if kind is not None and pa.types.is_list(kind) else None
        return all(_apart(item, inner) for item in value)
    if not isinstance(value, dict):
        return True
    fields = {}
    if kind is not None and pa.types.is_struct(kind):
        fields = {kind[i].name: kind[i].type for i in range(kind.num_fields)}
    columns = {_stripped(name): name for name in fields}
    keys = [_stripped(key) for key in value]
    if len(set(keys)) != len(keys):
        return False
    if any(columns.get(short, key) != key for short, key in zip(keys, value, strict=True)):
        return False
    return all(_apart(item, fields.get(key)) for key, item in value.items())
