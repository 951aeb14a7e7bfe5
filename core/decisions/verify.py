"""The hash chain read back: which records were changed, are missing, or changed places (triage contract)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row

from core.decisions import store
from core.decisions.records import GENESIS, hash_of

Kind = Literal["changed", "missing", "reordered"]


@dataclass(frozen=True, slots=True)
class Broken:
    """One entry that is not as it was written: the records ``seq`` to ``last`` (usually one), and why."""

    seq: int
    last: int
    kind: Kind
    reason: str

    def __str__(self) -> str:
        span = f"record {self.seq}" if self.seq == self.last else f"records {self.seq} to {self.last}"
        return f"{span}: {self.kind}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many records there are, and every broken entry by ``seq``. Nothing recorded is 0 records, not a success."""

    records: int
    broken: tuple[Broken, ...]

    @property
    def ok(self) -> bool:
        """True when nothing is broken."""
        return not self.broken


def verify(conn: Connection) -> Verdict:
    """Check every record and every link between them.

    What this cannot see: somebody who rewrites the whole chain from a record on, and the newest record kept beside it,
    with hashes computed anew. Against that an export is kept elsewhere.
    """
    walk = _Walk()
    for row in store.rows(conn):
        walk.take(row)
    walk.end(store.kept_newest(conn))
    moved = _reordered(conn, walk.mismatched)
    found = [*walk.found, *(_mismatch(row, moved.get(row.seq)) for row in walk.mismatched)]
    return Verdict(walk.count, tuple(sorted(found, key=lambda broken: (broken.seq, broken.last))))


class _Walk:
    """One pass through the rows in order of ``seq``."""

    def __init__(self) -> None:
        self.count = 0
        self.found: list[Broken] = []
        self.mismatched: list[Row[Any]] = []
        self._seq, self._hash, self._intact = 0, GENESIS, True

    def take(self, row: Row[Any]) -> None:
        """Check one row against itself and against the row before."""
        self.count += 1
        gap = row.seq - self._seq - 1
        if gap:
            self._missing(self._seq + 1, row.seq - 1)
        intact = _own(row, row.seq)
        if not intact:
            self.mismatched.append(row)
        elif not gap and self._intact and row.prev_hash != self._hash:
            self._unlinked(row.seq)
        self._seq, self._hash, self._intact = row.seq, row.hash, intact

    def _unlinked(self, seq: int) -> None:
        if seq == 1:
            self._changed(1, "does not begin the chain")
        else:
            self._changed(seq - 1, f"fits its own hash, but record {seq} was written after another record {seq - 1}")

    def end(self, newest: tuple[int, str] | None) -> None:
        """Check the last row against the newest record as kept beside the log."""
        if newest is None:
            behind = self._seq + 1
            self._missing(behind, behind, "the row that names the newest record is gone, perhaps others too")
            return
        seq, told = newest
        if seq > self._seq:
            self._missing(self._seq + 1, seq)
        elif seq < self._seq:
            self.found.append(Broken(seq + 1, self._seq, "changed", "stands behind the record that was written last"))
        elif told != self._hash and self._intact:
            self._changed(seq, "is not the record that was written last")

    def _missing(self, first: int, last: int, reason: str = "was written, and is not there") -> None:
        self.found.append(Broken(first, last, "missing", reason))

    def _changed(self, seq: int, reason: str) -> None:
        self.found.append(Broken(seq, seq, "changed", reason))


def _own(row: Row[Any], seq: int) -> bool:
    try:
        told = hash_of(seq, row.at, row.reviewer, row.action, row.subject, row.payload, row.prev_hash)
    except (ValueError, TypeError):
        return False
    return bool(told == row.hash)


def _mismatch(row: Row[Any], written_as: int | None) -> Broken:
    if written_as is not None:
        return Broken(row.seq, row.seq, "reordered", f"what stands here was written as record {written_as}")
    return Broken(row.seq, row.seq, "changed", "does not fit its hash")


def _reordered(conn: Connection, mismatched: Sequence[Row[Any]]) -> dict[int, int]:
    """Rows that fit their hash at another place: ``{seq where it stands: seq it was written as}``.

    The place a row was written at is one behind the row that its ``prev_hash`` names, which may have been moved itself.
    """
    wanted = {row.prev_hash for row in mismatched}
    behind = {GENESIS: 1}
    if wanted:
        behind |= {row.hash: row.seq + 1 for row in store.rows(conn) if row.hash in wanted and _own(row, row.seq)}
    moved: dict[int, int] = {}
    waiting = list(mismatched)
    while True:
        placed = [row for row in waiting if row.prev_hash in behind and _own(row, behind[row.prev_hash])]
        if not placed:
            return moved
        for row in placed:
            moved[row.seq] = behind[row.prev_hash]
            behind[row.hash] = behind[row.prev_hash] + 1
        waiting = [row for row in waiting if row.seq not in moved]
