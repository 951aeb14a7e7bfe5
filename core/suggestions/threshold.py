"""The threshold in force: a person's decision, else touchstone.toml's, else 4 (suggestions contract, Grade)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.decisions import UNDO, Log, Record, undone
from core.errors import BadInput, Conflict
from core.people import Person
from core.suggestions.backtest import DEFAULT_THRESHOLD, HIGHEST_TOTAL
from core.workspace import SETTINGS, Workspace

ACTION, SUBJECT = "threshold", "suggestions:threshold"


@dataclass(frozen=True, slots=True)
class Threshold:
    """`value` 0–6, and where it comes from, in words; `record` is the decision that set it, if one did."""

    value: int
    source: str
    record: Record | None = None


def in_force(workspace: Workspace, log: Log) -> Threshold:
    """The threshold that grading uses now. Raises BadInput when touchstone.toml names one that is none."""
    records = [*log.records(action=ACTION, subject=SUBJECT), *log.records(action=UNDO, subject=SUBJECT)]
    return _decided(records) or _configured(workspace)


def _decided(records: list[Record]) -> Threshold | None:
    """The latest decision about the threshold that was not undone."""
    ordered = sorted(records, key=lambda record: record.seq)
    gone = undone(ordered)
    for record in reversed(ordered):
        value = record.payload.get("to")
        if record.action == ACTION and record.seq not in gone and isinstance(value, int):
            return Threshold(value, f"set by {record.reviewer} at {record.at}", record)
    return None


def _configured(workspace: Workspace) -> Threshold:
    given = workspace.settings.get("suggestions", {}).get("threshold")
    if given is None:
        return Threshold(DEFAULT_THRESHOLD, "the customer's rule")
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= HIGHEST_TOTAL:
        raise BadInput.of(
            SETTINGS, f"[suggestions] threshold must be a whole number 0 to {HIGHEST_TOTAL}, not {given!r}"
        )
    return Threshold(given, SETTINGS)


def decide(workspace: Workspace, log: Log, person: Person, value: int, *, because: str, now: datetime) -> Record:
    """A person's decision to grade with another threshold from now on; `because` is the figure it rests on.

    Changes no file; `log.undo` takes it back. Raises ValueError outside 0…6, Conflict when it is in force already;
    NotAllowed; Unavailable.
    """
    if not 0 <= value <= HIGHEST_TOTAL:
        raise ValueError(f"a threshold lies between 0 and {HIGHEST_TOTAL}, not {value}")
    before = in_force(workspace, log)

    def check(records: list[Record]) -> None:
        standing = _decided(records) or _configured(workspace)
        if standing.value == value:
            raise Conflict(f"the threshold is {value} already ({standing.source})")

    return log.append(
        person, ACTION, SUBJECT, {"from": before.value, "to": value, "because": because}, check=check, at=now
    )
