"""Half-done decisions: written down before the first file is touched, finished from there whatever happens.

The order, and why a kill at any instant loses nothing and doubles nothing, is in docs/decisions/0001-decision-order.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from core.decisions import store
from core.decisions.engine import Database, cannot
from core.decisions.locks import FileLocks
from core.decisions.records import HEALED_AT, NOT_WRITTEN, Record, written
from core.decisions.store import Intent
from core.errors import Conflict, TouchstoneError, Unavailable
from core.files.ops import Prepared
from core.files.steps import Step, from_dict, roll, sweep, untouched
from core.times import now, parse_instant
from core.workspace import Workspace

_LIVE = timedelta(seconds=10)


class Intents:
    """Runs decisions through their intents, and finishes those whose process is gone."""

    def __init__(self, workspace: Workspace, database: Database, locks: FileLocks) -> None:
        self.workspace, self.database, self.locks = workspace, database, locks

    def open(self) -> list[Intent]:
        """The decisions that are under way or were left half done, oldest first."""
        with self.database.read() as conn:
            return [] if conn is None else store.get_intents(conn)

    def heal(self, wanted: Collection[str] | None = None) -> list[Record]:
        """Finish the half-done decisions; the caller holds no lock. Two healers share the work, each record comes once.

        An intent whose process still runs is waited for, not taken over. ``wanted`` are the files that the caller is
        about to use: on other files young intents are left to their process, and one that cannot be finished is left
        for later. Raises Unavailable, after finishing all others, when a file cannot be written.
        """
        healed: list[Record] = []
        failure: Unavailable | None = None
        for intent in self.open():
            needed = wanted is None or not set(wanted).isdisjoint(intent.files)
            if not needed and _young(intent):
                continue
            try:
                healed += self._finish(intent)
            except Unavailable as error:
                failure = failure or (error if needed else None)
        if failure:
            raise failure
        return healed

    def _finish(self, intent: Intent) -> list[Record]:
        """Roll one intent forward, once its locks can be had: whoever held them is gone, or has finished it."""
        try:
            steps = [from_dict(step) for step in intent.steps]
            with self.locks.hold([self.workspace.path(file, kind="any") for file in intent.files]):
                with self.database.read() as conn:
                    if conn is None or store.get_intent(conn, intent.uuid) is None:
                        return []
                notes = [note for step in steps if (note := self._roll_again(step))]
                return self.record(intent, notes, {HEALED_AT: written(now())})
        except (TouchstoneError, OSError, ValueError, KeyError, TypeError) as error:
            raise Unavailable(f"{_whose(intent)} is half done and cannot be finished: {_told(error)}") from error

    def _roll_again(self, step: Step) -> dict[str, str] | None:
        path = self.workspace.path(step.file)
        sweep(path)
        outcome = roll(step, path)
        return {"file": step.file, "reason": outcome.refused} if outcome.refused else None

    def record(self, intent: Intent, notes: Sequence[dict[str, str]], extra: dict[str, str]) -> list[Record]:
        """Log the decisions and drop the intent in one transaction; if somebody else has, give what they logged."""
        added = {**extra, **({NOT_WRITTEN: list(notes)} if notes else {})}
        entries = [dataclasses.replace(entry, payload={**entry.payload, **added}) for entry in intent.entries]
        with self.database.write() as conn:
            store.serialise(conn, self.database.name)
            if not store.drop_intent(conn, intent.uuid):
                return store.of_intent(conn, intent.uuid)
            return store.append(conn, intent.created, intent.reviewer, entries, intent.uuid)

    def run(self, intent: Intent, prepared: Sequence[Prepared]) -> list[Record]:
        """Write the intent down, change the files, record: the caller holds the locks of all files.

        A failure before any file has changed takes the intent back and nothing has happened; a later one leaves it to
        be finished, and says so. Raises Conflict and Unavailable.
        """
        with self.database.write() as conn:
            store.put_intent(conn, intent)
        notes: list[dict[str, str]] = []
        begun = False
        for one in prepared:
            try:
                outcome = roll(one.step, one.path, one.known)
                if outcome.refused and not (begun or outcome.changed):
                    raise Conflict(f"{one.step.file} {outcome.refused}")
            except (OSError, TouchstoneError) as error:
                raise self._failed(intent, one, error, begun) from error
            if outcome.refused:
                notes.append({"file": one.step.file, "reason": outcome.refused})
            begun = begun or outcome.changed
        try:
            return self.record(intent, notes, {})
        except Unavailable as error:
            raise self._failed(intent, prepared[-1], error, True) from error

    def _failed(self, intent: Intent, one: Prepared, error: Exception, begun: bool) -> TouchstoneError:
        """Take the intent back if nothing has changed for certain, and say how the decision stands."""
        # A Conflict of a step comes before its rename: what the file holds now is somebody else's.
        if begun or not (isinstance(error, Conflict) or untouched(one.step, one.path)):
            return Unavailable(f"{_whose(intent)} stands, but {_told(error)}; it is finished as soon as that works")
        with self.database.write() as conn:
            store.drop_intent(conn, intent.uuid)
        kind = Conflict if isinstance(error, Conflict) else Unavailable
        return kind(f"nothing was decided: {_told(error)}")


def _young(intent: Intent) -> bool:
    return now() - parse_instant(intent.created).utc < _LIVE


def _whose(intent: Intent) -> str:
    entry = intent.entries[0]
    more = f" and {len(intent.entries) - 1} more" if len(intent.entries) > 1 else ""
    return f"the decision of {intent.reviewer} ({entry.action} on {entry.subject}{more})"


def _told(error: Exception) -> str:
    return cannot(error) if isinstance(error, OSError) else str(error)


def when(moment: datetime | None) -> str:
    """A decision's time as recorded: the one given, else the clock's."""
    return written(moment or now())


def labels(workspace: Workspace, paths: Sequence[Path]) -> tuple[str, ...]:
    """Paths inside the workspace, each once, in the order given. Raises UnsafePath for one outside."""
    found = tuple(dict.fromkeys(workspace.label(path) for path in paths))
    for label in found:
        workspace.path(label, kind="any")
    return found
