"""The inbox as it stands now, and what a person does with an item (triage contract, "Life").

State is what the log adds up to; nothing here is kept beside it but when a finding was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.decisions import UNDO, Record, open_log, undone
from core.decisions.fold import Fold
from core.decisions.sightings import Sightings
from core.errors import BadInput, Conflict, Problem, Unavailable
from core.findings import Finding
from core.people import Person
from core.times import iso, parse_instant
from core.triage import choices, effects
from core.triage.gather import gather
from core.triage.life import CLAIM_LASTS, Deed, Event, Item, claim_of, items
from core.workspace import Workspace

_PREFIX = "triage."
_DEEDS: tuple[Deed, ...] = ("claim", "release", "resolve", "snooze", "reopen")


@dataclass(frozen=True)
class Inbox:
    """Every item, in the order of the inbox, and what kept a system from being asked."""

    items: list[Item]
    problems: list[Problem]

    @property
    def waiting(self) -> list[Item]:
        """What is open or claimed."""
        return [item for item in self.items if item.needs_a_person]

    def find(self, wanted: str) -> Item:
        """The item with this id, or the only one whose id starts so. Raises BadInput."""
        found = [item for item in self.items if item.finding.id == wanted]
        found = found or [item for item in self.items if wanted and item.finding.id.startswith(wanted)]
        if len(found) != 1:
            raise BadInput.of("inbox", f"{len(found) or 'no'} findings have the id {wanted!r}")
        return found[0]


def open_inbox(workspace: Workspace, now: datetime) -> Inbox:
    """Gather the findings, note when they were seen, and add the log to them. Raises Unavailable without a database."""
    found = gather(workspace, now)
    present = {finding.id: finding for finding in found.findings}
    seen = Sightings(workspace).look(present, found.systems, now)
    return Inbox(items(seen.values(), _events(workspace), now), found.problems)


# ---- the log as events


class _Events:
    """The triage records of the log, with what was undone left out."""

    def __init__(self) -> None:
        self.records: dict[int, Record] = {}
        self.undos: list[Record] = []

    def take(self, record: Record) -> None:
        if record.action.startswith(_PREFIX):
            self.records[record.seq] = record
        elif record.action == UNDO:
            self.undos.append(record)

    def standing(self) -> list[Event]:
        taken_back = undone(self.undos)
        return [_event(record) for seq, record in self.records.items() if seq not in taken_back]


_folds: dict[str, Fold[_Events]] = {}


def _events(workspace: Workspace) -> list[Event]:
    log = open_log(workspace)
    fold = _folds.setdefault(f"{workspace.root}|{log.place}", Fold(_Events, _Events.take))
    return fold.upto(log).standing()


def _event(record: Record) -> Event:
    payload = record.payload
    until = payload.get("until")
    return Event(
        seq=record.seq, at=record.instant, reviewer=record.reviewer, deed=_deed(record), finding=record.subject,
        evidence_hash=str(payload.get("evidence_hash", "")), evidence=payload.get("evidence"),
        decision=str(payload.get("decision", "")), note=str(payload.get("note", "")),
        until=parse_instant(until).utc if isinstance(until, str) else None,
    )  # fmt: skip


def _deed(record: Record) -> Deed:
    name = record.action.removeprefix(_PREFIX)
    for deed in _DEEDS:
        if deed == name:
            return deed
    raise Unavailable(
        f"record {record.seq} of the decision log says {record.action!r}, which this Touchstone knows not"
    )


# ---- deeds


def claim(workspace: Workspace, person: Person, item: Item, now: datetime) -> Record:
    """Take an item, or renew the claim on it. Raises Conflict naming who holds it, and until when."""

    def check(records: list[Record]) -> None:
        _refuse_if_held(records, person, now)

    return _append(workspace, person, "claim", item, {}, now, check)


def claim_next(workspace: Workspace, person: Person, wanted: Iterable[Item], now: datetime) -> Record | None:
    """Claim the first of these items that nobody else gets first; None when all are gone."""
    for item in wanted:
        try:
            return claim(workspace, person, item, now)
        except Conflict:
            continue
    return None


def release(workspace: Workspace, person: Person, item: Item, now: datetime) -> Record:
    """Give an item back. Raises Conflict when somebody else holds it, or nobody does."""

    def check(records: list[Record]) -> None:
        _refuse_if_held(records, person, now)
        if claim_of(_standing(records), now) is None:
            raise Conflict(f"nobody holds {item.finding.subject}: the claim has lapsed or was given back")

    return _append(workspace, person, "release", item, {}, now, check)


def resolve(
    workspace: Workspace, person: Person, item: Item, decision: str, *, note: str = "", now: datetime,
    given: Mapping[str, Any] | None = None,
) -> Record:  # fmt: skip
    """End an item by one of its kind's decisions; what the decision changes is written where it belongs, first.

    ``given`` is what a decision asks for beside the note (an edited topic, the named residue). Raises BadInput for a
    decision that the kind does not offer or a note that is missing, Conflict when somebody else holds or has ended it,
    NotAllowed, Unavailable, and what the system's own decision raises.
    """
    choice = choices.choice(item.finding.kind, decision)
    if choice.needs_note and not note.strip():
        raise BadInput.of("inbox", f"{choice.label}: say why, it goes into the record")

    def check(records: list[Record]) -> None:
        _refuse_if_held(records, person, now)
        _refuse_if_ended(records, item.finding)

    check(open_log(workspace).records(subject=item.finding.id))
    effect = effects.carry_out(workspace, person, item.finding, decision, note, dict(given or {}), now)
    payload = {"decision": decision, "note": note, "effect": None if effect is None else effect.seq}
    return _append(workspace, person, "resolve", item, payload, now, check)


def snooze(workspace: Workspace, person: Person, item: Item, until: datetime, now: datetime, note: str = "") -> Record:
    """Put an item aside until then, or until its evidence changes. Raises BadInput for a time that has passed."""
    if until <= now:
        raise BadInput.of("inbox", f"{iso(until)} has passed")

    def check(records: list[Record]) -> None:
        _refuse_if_held(records, person, now)

    return _append(workspace, person, "snooze", item, {"until": iso(until), "note": note}, now, check)


def undo(workspace: Workspace, person: Person, seq: int, now: datetime) -> Record:
    """Take a deed back by its record; what a resolution had changed elsewhere is taken back first.

    Raises BadInput when it is no triage record, Conflict when it was undone already or the effect cannot be.
    """
    log = open_log(workspace)
    target = log.record(seq)
    if target is None or not target.action.startswith(_PREFIX):
        raise BadInput.of("inbox", f"record {seq} is no deed of the inbox")
    effect = target.payload.get("effect")
    if isinstance(effect, int) and seq not in undone(log.records(subject=target.subject, action=UNDO)):
        effects.take_back(workspace, person, effect, now)
    return log.undo(person, seq, at=now)


def _append(
    workspace: Workspace, person: Person, deed: Deed, item: Item, payload: Mapping[str, Any], now: datetime, check: Any
) -> Record:
    finding = item.finding
    told = {
        "kind": finding.kind, "subject": finding.subject, "summary": finding.summary,
        "evidence_hash": finding.evidence_hash, **payload,
    }  # fmt: skip
    if deed in ("resolve", "snooze"):
        told["evidence"] = finding.evidence
    return open_log(workspace).append(person, _PREFIX + deed, finding.id, told, check=check, at=now)


def _standing(records: list[Record]) -> list[Event]:
    taken_back = undone(records)
    return [_event(r) for r in records if r.action.startswith(_PREFIX) and r.seq not in taken_back]


def _refuse_if_held(records: list[Record], person: Person, now: datetime) -> None:
    held = claim_of(_standing(records), now)
    if held is not None and held.reviewer != person.name:
        raise Conflict(f"{held.reviewer} holds this until {iso(held.at + CLAIM_LASTS)}")


def _refuse_if_ended(records: list[Record], finding: Finding) -> None:
    ending = next((e for e in reversed(_standing(records)) if e.deed in ("resolve", "snooze", "reopen")), None)
    if ending is not None and ending.deed == "resolve" and ending.evidence_hash == finding.evidence_hash:
        raise Conflict(f"{ending.reviewer} resolved this at {iso(ending.at)}: {ending.decision}")
