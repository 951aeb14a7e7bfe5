"""State is what the log adds up to: folding records, forward only, reading only what is new (triage contract)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from core.decisions.records import Record

S = TypeVar("S")


class Source(Protocol):
    """What a `Fold` reads from: a `Log`."""

    def records(self, *, after: int) -> list[Record]:
        """The records with a ``seq`` above ``after``."""


class Undone(dict[int, Record]):
    """Which records are taken back, and by which undo that is itself still in force: ``{seq: undo record}``.

    An undo can be undone; what it had taken back then stands again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._targets: dict[int, int] = {}

    def take(self, record: Record) -> None:
        """Take in the next record of the log."""
        target = record.undoes
        if target is None:
            return
        self[target] = record
        self._targets[record.seq] = target
        revived = self._targets.pop(target, None)
        if revived is not None:
            self.pop(revived, None)


def undone(records: Iterable[Record]) -> Undone:
    """Fold records, given in order of ``seq``, into what is undone after them."""
    state = Undone()
    for record in records:
        state.take(record)
    return state


class Fold(Generic[S]):
    """A running state: `upto` reads the records since the last call and takes each in. Safe to share between threads.

    ``start`` makes the state of an empty log, ``step`` takes one record into it. A log that is another one than before
    (restored, made anew) is folded from its beginning.
    """

    def __init__(self, start: Callable[[], S], step: Callable[[S, Record], None]) -> None:
        self._start, self._step = start, step
        self._guard = threading.Lock()
        self._last: Record | None = None
        self._state = start()

    def upto(self, log: Source) -> S:
        """The state after every record that is in the log now; to be read only. Raises Unavailable."""
        with self._guard:
            after = self._last.seq - 1 if self._last else 0
            records = log.records(after=after)
            if self._last:
                if records and records[0].hash == self._last.hash:
                    records = records[1:]
                else:
                    self._state, self._last = self._start(), None
                    records = log.records(after=0)
            for record in records:
                self._step(self._state, record)
                self._last = record
            return self._state
