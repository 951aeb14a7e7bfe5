"""The decision log of a workspace: the one road by which a person's decision reaches files and history."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection

from core import people
from core.decisions import store
from core.decisions.engine import Database
from core.decisions.fold import undone
from core.decisions.intents import Intents, labels, when
from core.decisions.locks import FileLocks
from core.decisions.records import GENESIS, UNDO, UNDOES, Entry, Record, checked, checked_name
from core.decisions.store import Filter, Intent
from core.decisions.verify import Verdict, verify
from core.errors import BadInput, Conflict, Unavailable
from core.files import Lock
from core.files.ops import Op, prepare
from core.files.steps import to_dict
from core.people import Person
from core.workspace import Workspace

_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """What a decision changes: file ops, made in this order, and what the record says beside who, when and what."""

    ops: Sequence[Op]
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """Many decisions at once: one list of ops for all, one record for each entry."""

    ops: Sequence[Op]
    entries: Sequence[Entry]


class _HalfDoneError(Exception):
    """A killed process left a decision about these files half done."""

    def __init__(self, files: Sequence[str]) -> None:
        super().__init__(", ".join(files))
        self.files = files


class Version(NamedTuple):
    """The state of the log: differs whenever a record was added (or the log is another one)."""

    seq: int
    hash: str


class Log:
    """Reading never creates the database; writing asks `core.people.require` first, then takes the files' locks."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._database = Database(workspace)
        self._locks = FileLocks(workspace, self._database)
        self._intents = Intents(workspace, self._database, self._locks)

    # ---- deciding

    def decide(
        self, person: Person, action: str, subject: str, plan: Callable[[], Plan], *,
        lock_on: Path | Sequence[Path], at: datetime | None = None,
    ) -> Record:  # fmt: skip
        """Take a decision that changes files; afterwards files and log both have it, whenever this is killed.

        ``plan`` is called under the locks of ``lock_on``, reads afresh, and may raise Conflict to say who was first.
        All decisions about one file name the same ``lock_on``. ``at`` is the time of the decision (default: now).
        Raises NotAllowed, what ``plan`` raises, Conflict when a file changed while it was planned, Unavailable.
        """

        def batch() -> BatchPlan:
            made = plan()
            return BatchPlan(made.ops, [Entry(action, subject, made.payload)])

        return self.decide_many(person, batch, lock_on=lock_on, at=at)[0]

    def decide_many(
        self,
        person: Person,
        plan: Callable[[], BatchPlan],
        *,
        lock_on: Path | Sequence[Path],
        at: datetime | None = None,
    ) -> list[Record]:
        """Take many decisions with one change of the files; all of them happen or none. No entries: nothing happens."""
        self._require(person)
        first = [lock_on] if isinstance(lock_on, Path) else list(lock_on)
        files = labels(self.workspace, first)
        wanted = set(files)
        for _ in range(_ROUNDS):
            self._intents.heal(wanted)
            try:
                with self._locks.hold(first):
                    self._refuse_half_done(files)
                    return self._decide_locked(person, plan(), first, at)
            except _HalfDoneError as found:  # finished at the next turn, in its own order of locks
                wanted.update(found.files)
        raise Unavailable(f"{', '.join(files)}: half-done decisions keep coming; try again")

    def _decide_locked(
        self, person: Person, plan: BatchPlan, first: Sequence[Path], at: datetime | None
    ) -> list[Record]:
        entries = tuple(checked(entry) for entry in plan.entries)
        others = self._others(plan, first)
        files = labels(self.workspace, [*first, *others])
        if not entries:
            return []
        with self._locks.hold(others):
            self._refuse_half_done(files)
            if not plan.ops:
                return self._record(person, entries, at)
            prepared = [prepare(op, self.workspace.label(op.path)) for op in plan.ops]
            steps = tuple(to_dict(one.step) for one in prepared)
            intent = Intent(str(uuid.uuid4()), when(at), person.name, files, entries, steps)
            return self._intents.run(intent, prepared)

    def _others(self, plan: BatchPlan, first: Sequence[Path]) -> list[Path]:
        """The files that the plan changes and whose locks are not held yet, in the order in which all take them."""
        paths = [op.path for op in plan.ops]
        if len(set(paths)) != len(paths):
            raise ValueError("two ops of one plan change the same file")
        if paths and not plan.entries:
            raise ValueError("files cannot change without a decision")
        return sorted(set(paths) - set(first))

    def _refuse_half_done(self, files: Sequence[str]) -> None:
        """Nobody decides on top of half a decision; we hold locks of its files, so its process is gone."""
        with self._database.read() as conn:
            if conn is not None and store.intents_on(conn, files):
                raise _HalfDoneError(files)

    def append(
        self, person: Person, action: str, subject: str, payload: Mapping[str, Any], *,
        check: Callable[[list[Record]], None] | None = None, at: datetime | None = None,
    ) -> Record:  # fmt: skip
        """Record a decision that changes no file (a claim, a note, a no).

        ``check`` gets the subject's records so far and may raise Conflict; between it and the record nobody else gets
        in. Raises NotAllowed, what ``check`` raises, Unavailable.
        """
        self._require(person)
        entry = checked(Entry(action, subject, payload))

        def checks(conn: Connection) -> None:
            if check is not None:
                check(store.records(conn, Filter(subject=subject)))

        return self._record(person, [entry], at, checks)[0]

    def undo(
        self, person: Person, seq: int, plan: Callable[[Record], Plan] | None = None, *,
        lock_on: Path | Sequence[Path] = (), at: datetime | None = None,
    ) -> Record:  # fmt: skip
        """Take back a decision by a new record that names it (``undoes``); ``plan`` puts the files back.

        ``lock_on`` is what the decision was locked on. An undo can itself be undone. Raises BadInput when there is no
        such record, Conflict when it was undone already (by whom), and what `decide` raises.
        """
        if plan is None:
            return self._undo_record(person, seq, at)

        def batch() -> BatchPlan:
            target = self._undoable(seq)
            made = plan(target)
            return BatchPlan(made.ops, [Entry(UNDO, target.subject, {**made.payload, UNDOES: seq})])

        return self.decide_many(person, batch, lock_on=lock_on, at=at)[0]

    def undo_many(
        self, person: Person, seqs: Sequence[int], plan: Callable[[list[Record]], Plan], *,
        lock_on: Path | Sequence[Path], at: datetime | None = None,
    ) -> list[Record]:  # fmt: skip
        """`undo` for many at once (a bulk decision), with one change of the files: all or none."""

        def batch() -> BatchPlan:
            targets = [self._undoable(seq) for seq in seqs]
            made = plan(targets)
            return BatchPlan(
                made.ops, [Entry(UNDO, target.subject, {**made.payload, UNDOES: target.seq}) for target in targets]
            )

        return self.decide_many(person, batch, lock_on=lock_on, at=at)

    def _undo_record(self, person: Person, seq: int, at: datetime | None) -> Record:
        self._require(person)
        target = self._undoable(seq)
        entry = Entry(UNDO, target.subject, {UNDOES: seq})
        return self._record(person, [entry], at, lambda conn: self._undoable_in(conn, seq))[0]

    def _undoable(self, seq: int) -> Record:
        with self._database.read() as conn:
            if conn is None:
                raise BadInput.of(self._database.place, f"there is no record {seq}")
            return self._undoable_in(conn, seq)

    def _undoable_in(self, conn: Connection, seq: int) -> Record:
        found = store.records(conn, Filter(after=seq - 1), limit=1)
        if not found or found[0].seq != seq:
            raise BadInput.of(self._database.place, f"there is no record {seq}")
        target = found[0]
        by = undone(store.records(conn, Filter(subject=target.subject, action=UNDO))).get(seq)
        if by is not None:
            raise Conflict(f"record {seq} was undone by {by.reviewer} already (record {by.seq})")
        return target

    def _record(
        self, person: Person, entries: Sequence[Entry], at: datetime | None,
        check: Callable[[Connection], object] | None = None,
    ) -> list[Record]:  # fmt: skip
        with self._database.write() as conn:
            store.serialise(conn, self._database.name)
            if check is not None:
                check(conn)
            return store.append(conn, when(at), person.name, entries)

    def _require(self, person: Person) -> None:
        people.require(person, self.workspace, "decide")
        checked_name(person.name, "reviewer")

    # ---- what a killed process left

    def heal(self) -> list[Record]:
        """Finish every half-done decision and return the records that came of it. Raises Unavailable."""
        return self._intents.heal()

    def half_done(self) -> list[Intent]:
        """Decisions that are being written now, or were left half done and wait for `heal`."""
        return self._intents.open()

    @property
    def lock(self) -> Lock:
        """The lock of a file for writers that decide nothing (a pipeline): under PostgreSQL it spans the servers."""
        return lambda path: self._locks.hold([path])

    # ---- reading

    @property
    def place(self) -> str:
        """Where the log is, for people."""
        return self._database.place

    def version(self) -> Version:
        """Cheap: one row. Made for the key of a cache."""
        with self._database.read() as conn:
            return Version(0, GENESIS) if conn is None else Version(*store.newest(conn))

    def records(
        self, *, after: int | None = None, subject: str | None = None, reviewer: str | None = None,
        action: str | None = None, since: datetime | None = None, until: datetime | None = None,
        newest_first: bool = False, limit: int | None = None,
    ) -> list[Record]:  # fmt: skip
        """The records that fit all that is given; ``since`` inclusive, ``until`` exclusive, both aware."""
        which = Filter(after, subject, reviewer, action, since, until)
        return self.find(which, newest_first=newest_first, limit=limit)

    def find(self, which: Filter, *, newest_first: bool = False, limit: int | None = None) -> list[Record]:
        """`records` for a filter that was made elsewhere."""
        with self._database.read() as conn:
            return [] if conn is None else store.records(conn, which, newest_first=newest_first, limit=limit)

    def record(self, seq: int) -> Record | None:
        """One record, if there is one with this number."""
        found = self.records(after=seq - 1, limit=1)
        return found[0] if found and found[0].seq == seq else None

    def last(self, subject: str) -> Record | None:
        """The newest record about a subject: who decided it, for a Conflict's message."""
        found = self.records(subject=subject, newest_first=True, limit=1)
        return found[0] if found else None

    def count(self, which: Filter | None = None) -> int:
        """How many records there are, or how many fit."""
        with self._database.read() as conn:
            return 0 if conn is None else store.count(conn, which or Filter())

    def values(self, column: Literal["reviewer", "action", "subject"]) -> list[str]:
        """The different reviewers, actions or subjects, sorted."""
        with self._database.read() as conn:
            return [] if conn is None else store.values(conn, column)

    def verify(self) -> Verdict:
        """Check the whole chain; ``.broken`` names every entry that was changed, is missing or changed places."""
        with self._database.read() as conn:
            return Verdict(0, ()) if conn is None else verify(conn)
