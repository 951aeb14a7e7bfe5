"""Keep what was made of files until one of them changes: only changed files are read again."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, TypeVar

from core.files.read import Stamp

V = TypeVar("V")
Seen = tuple[tuple[str, Stamp], ...]


def seen(*places: Path) -> Seen:
    """The stamps of every file at or below the places, by path: one stat a file, links followed into a folder once.

    Hidden files and folders below a place are left out: they are somebody's temporary or private ones.
    """
    found: list[tuple[str, Stamp]] = []
    for place in places:
        _walk(str(place), found)
    return tuple(sorted(found))


def _walk(path: str, found: list[tuple[str, Stamp]]) -> None:
    try:
        with os.scandir(path) as entries:
            inside = [entry for entry in entries if not entry.name.startswith(".")]
    except NotADirectoryError:
        inside = []
        _take(path, os.stat(path), found)
    except OSError:
        return  # not there, or not ours to read: no stamp, so that its coming is a change
    for entry in inside:
        if entry.is_dir(follow_symlinks=False):
            _walk(entry.path, found)
            continue
        if entry.is_dir():
            _linked(entry.path, found)
        try:
            _take(entry.path, entry.stat(), found)
        except OSError:
            found.append((entry.path, Stamp(0, 0, 0)))  # a link to nowhere


def _linked(path: str, found: list[tuple[str, Stamp]]) -> None:
    """The files right inside a linked folder: deeper, links could lead in circles."""
    with suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.is_file():
                _take(entry.path, entry.stat(), found)


def _take(path: str, status: os.stat_result, found: list[tuple[str, Stamp]]) -> None:
    found.append((path, Stamp(status.st_mtime_ns, status.st_size, status.st_ino)))


@dataclass(frozen=True, slots=True)
class _Kept(Generic[V]):
    because: Hashable
    until: datetime | None
    value: V


class Memo(Generic[V]):
    """Values by key, each with what it was made from. Holds the ``most`` last used; safe to share between threads.

    A value is made again when ``because`` (stamps, the state of the log) differs, or when ``now`` reaches the time
    until which it holds.
    """

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, _Kept[V]] = OrderedDict()
        self._guard = threading.Lock()

    def get(
        self, key: Hashable, because: Hashable, make: Callable[[], tuple[V, datetime | None]],
        now: datetime | None = None,
    ) -> V:  # fmt: skip
        """The kept value, or a new one: ``make`` returns it with the time at which the clock alone changes it."""
        with self._guard:
            kept = self._kept.get(key)
            if kept is not None and kept.because == because and _holds(kept.until, now):
                self._kept.move_to_end(key)
                return kept.value
        value, until = make()
        with self._guard:
            self._kept[key] = _Kept(because, until, value)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value


def _holds(until: datetime | None, now: datetime | None) -> bool:
    return until is None or (now is not None and now < until)
