"""Documents kept as long as their files stay the same; a changed file is read again only where it changed.

An unchanged file costs one stat. After a decision a file differs in one place: what is equal at its two ends is found
by comparing bytes, and only the entries between are parsed.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from core.files import Stamp, read_bytes, stamp
from core.suggestions.entries import Document, Kind, missing, parse
from core.workspace import Workspace

_LIMIT = 24
_CHUNK = 1 << 16
_HEADING = len(b"### ")


@dataclass(frozen=True, slots=True)
class _Kept:
    stamp: Stamp
    document: Document


_kept: OrderedDict[tuple[Path, str], _Kept] = OrderedDict()
_lock = threading.Lock()


def load(path: Path, file: str, kind: Kind | None = None) -> Document:
    """The document of a file as it is now; a missing file is an empty document.

    Raises BadInput when the path is no regular file or may not be read.
    """
    before = stamp(path)
    if before is None:
        return missing(file, kind)
    with _lock:
        kept = _kept.get((path, file))
        if kept is not None:
            _kept.move_to_end((path, file))
    if kept is not None and kept.stamp == before:
        return kept.document
    document = _read(path, file, kind, kept.document if kept else None)
    if stamp(path) == before:  # else it changed while it was read, and the next call reads it again
        with _lock:
            _kept[path, file] = _Kept(before, document)
            while len(_kept) > _LIMIT:
                _kept.popitem(last=False)
    return document


def of_workspace(workspace: Workspace, kind: Kind) -> Document:
    """The pending, reviewed or filtered document of a workspace, as it is now."""
    path: Path = getattr(workspace.suggestions, kind)
    return load(path, workspace.label(path), kind)


def forget() -> None:
    """Empty the cache (tests, benches)."""
    with _lock:
        _kept.clear()


def _read(path: Path, file: str, kind: Kind | None, old: Document | None) -> Document:
    raw = read_bytes(path, file)
    return (old and reparse(old, raw)) or parse(raw, file, kind)


def reparse(old: Document, raw: bytes) -> Document | None:
    """What `parse` would make of ``raw``, using the entries of ``old`` where the bytes are the same.

    None where that cannot be relied on: an incomplete file, a change before the first entry, a comment or fence that
    nothing closes. Apart from those an entry depends on its own bytes alone, because what hides text ends within the
    entry in which it begins.
    """
    if not old.complete or not old.entries or old.open_ended:
        return None
    starts = list(accumulate(old.sizes, initial=old.first_byte))  # of every entry, and the end of the file
    head = common_start(old.raw, raw)
    first = bisect_right(starts, head - _HEADING, hi=len(old.entries)) - 1  # the last heading that is surely the same
    if first < 0:
        return None
    tail = min(common_end(old.raw, raw), min(len(old.raw), len(raw)) - head)
    last = bisect_left(starts, len(old.raw) - tail, hi=len(old.entries))
    stop = len(raw) - (len(old.raw) - starts[last])
    if last < len(old.entries) and raw[stop - 1 : stop] not in (b"\n", b"\r"):
        return None
    return _spliced(old, raw, first, last, old.raw[starts[first] : starts[last]], raw[starts[first] : stop])


def _spliced(old: Document, raw: bytes, first: int, last: int, was: bytes, now: bytes) -> Document | None:
    """The old document with the entries ``first`` to ``last``, whose bytes were ``was``, read again from ``now``."""
    before, between = parse(was, old.file, old.kind), parse(now, old.file, old.kind)
    if between.open_ended or not between.complete or between.opening:
        return None
    crlf = raw.count(b"\r\n") if b"\r" in raw else 0  # to look for one byte costs a tenth of counting two
    return replace(
        old, raw=raw,
        entries=(*old.entries[:first], *between.entries, *old.entries[last:]),
        sizes=(*old.sizes[:first], *between.sizes, *old.sizes[last:]),
        newline="\r\n" if crlf and crlf * 2 > raw.count(b"\n") else "\n",
        commented=old.commented - before.commented + between.commented,
    )  # fmt: skip


def common_start(one: bytes, other: bytes) -> int:
    """How many bytes two contents have in common at their beginning."""
    at, shortest = 0, min(len(one), len(other))
    while at < shortest and one[at : at + _CHUNK] == other[at : at + _CHUNK]:
        at += _CHUNK
    low, high = at, min(at + _CHUNK, shortest)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[at:middle] == other[at:middle] else (low, middle - 1)
    return min(low, shortest)


def common_end(one: bytes, other: bytes) -> int:
    """How many bytes two contents have in common at their end."""
    at, shortest = 0, min(len(one), len(other))
    while at < shortest and _from_end(one, at, at + _CHUNK) == _from_end(other, at, at + _CHUNK):
        at += _CHUNK
    low, high = at, min(at + _CHUNK, shortest)
    while low < high:
        middle = (low + high + 1) // 2
        same = _from_end(one, at, middle) == _from_end(other, at, middle)
        low, high = (middle, high) if same else (low, middle - 1)
    return min(low, shortest)


def _from_end(content: bytes, near: int, far: int) -> bytes:
    return content[max(0, len(content) - far) : len(content) - near]
