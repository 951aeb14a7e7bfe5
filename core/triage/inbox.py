"""The inbox as it stands now, and what a person does with an item (triage contract, "Life").

State is what the log adds up to; nothing here is kept beside it but when a finding was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from core.decisions import UNDO, Log, Record, open_log, undone
from core.decisions.fold import Undone
from core.errors import BadInput, Conflict
from core.people import Person, require
from core.times import iso
from core.triage import choices, effects
from core.triage.life import CLAIM_LASTS, Deed, Event, Item, claim_of
from core.triage.standing import PREFIX, Inbox, effect_of, open_inbox, standing
from core.workspace import STATE, Workspace

__all__ = ["Inbox", "claim", "claim_next", "open_inbox", "release", "resolve", "snooze", "undo"]


# ---- deeds


def claim(workspace: Workspace, person: Person, item: Item, now: datetime) -> Record:
    """Take an item, or renew the claim on it. Raises Conflict naming who holds it until when, or who has ended it."""

    def check(events: list[Event]) -> None:
        _refuse_if_held(events, person, now)
        _refuse_if_ended(events, item)

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

    def check(events: list[Event]) -> None:
        _refuse_if_held(events, person, now)
        if claim_of(events, now) is None:
            raise Conflict(f"nobody holds {item.finding.subject}: the claim has lapsed or was given back")

    return _append(workspace, person, "release", item, {}, now, check)


def resolve(
    workspace: Workspace, person: Person, item: Item, decision: str, *, note: str = "", now: datetime,
    given: Mapping[str, Any] | None = None,
) -> Record:  # fmt: skip
    """End an item by one of its kind's decisions; what the decision changes is written where it belongs, first.

    ``given`` is what a decision asks for beside the note (an edited topic, the named residue). Raises BadInput for a
    decision that the kind does not offer or a note that is missing, Conflict when somebody else holds or has ended it
    or its cause is gone, NotAllowed, Unavailable, and what the system's own decision raises.
    """
    require(person, workspace, "decide")
    choice = choices.choice(item.finding.kind, decision)
    if choice.needs_note and not note.strip():
        raise BadInput.of("inbox", f"{choice.label}: say why, it goes into the record")

    def check(events: list[Event]) -> None:
        _refuse_if_held(events, person, now)
        _refuse_if_ended(events, item)

    log = open_log(workspace)
    with _turn(workspace, item.finding.id):
        check(list(standing(log.records(subject=item.finding.id), _taken_back(log))))
        effect = effects.carry_out(workspace, person, item.finding, decision, note, dict(given or {}), now)
        payload = {"decision": decision, "note": note, "effect": None if effect is None else effect.seq}
        return _append(workspace, person, "resolve", item, payload, now, check)


def snooze(workspace: Workspace, person: Person, item: Item, until: datetime, now: datetime, note: str = "") -> Record:
    """Put an item aside until then, or until its evidence changes.

    Raises BadInput for a time that has passed, Conflict when somebody else holds or has ended it.
    """
    if until <= now:
        raise BadInput.of("inbox", f"{iso(until)} has passed")

    def check(events: list[Event]) -> None:
        _refuse_if_held(events, person, now)
        _refuse_if_ended(events, item)

    return _append(workspace, person, "snooze", item, {"until": iso(until), "note": note}, now, check)


def undo(workspace: Workspace, person: Person, seq: int, now: datetime) -> Record:
    """Take a deed back by its record; what a resolution had changed elsewhere is taken back first, unless it was.

    Raises BadInput when it is no triage record, Conflict when it was undone already, when somebody else holds the item,
    when it is somebody else's claim, or when the effect cannot be undone.
    """
    require(person, workspace, "decide")
    log = open_log(workspace)
    target = log.record(seq)
    if target is None or not target.action.startswith(PREFIX):
        raise BadInput.of("inbox", f"record {seq} is no deed of the inbox")
    with _turn(workspace, target.subject):
        taken_back = _taken_back(log)
        events = list(standing(log.records(subject=target.subject), taken_back))
        _refuse_if_held(events, person, now)
        if target.action in (PREFIX + "claim", PREFIX + "release"):
            _refuse_unless_last(events, target, person)
        effect = effect_of(target)
        if effect is not None and not {seq, effect} & taken_back.keys():
            effects.take_back(workspace, person, effect, now)
        return log.undo(person, seq, at=now)


def _turn(workspace: Workspace, finding_id: str) -> AbstractContextManager[None]:
    """One deed on a finding at a time, in all processes and on all servers: what a decision changes elsewhere and the
    record that it was taken are two writes, and nobody may come between them. Two findings seldom share a lock.
    """
    return open_log(workspace).lock(workspace.root / STATE / f"inbox-{finding_id[:2]}")


def _append(
    workspace: Workspace, person: Person, deed: Deed, item: Item, payload: Mapping[str, Any], now: datetime,
    check: Callable[[list[Event]], None],
) -> Record:  # fmt: skip
    finding = item.finding
    told = {
        "kind": finding.kind, "subject": finding.subject, "summary": finding.summary,
        "evidence_hash": finding.evidence_hash, **payload,
    }  # fmt: skip
    if deed in ("resolve", "snooze"):
        told["evidence"] = finding.evidence
    require(person, workspace, "decide")
    log = open_log(workspace)
    with _turn(workspace, finding.id):
        taken_back = _taken_back(log)
        return log.append(
            person, PREFIX + deed, finding.id, told, at=now,
            check=lambda records: check(list(standing(records, taken_back))),
        )  # fmt: skip


def _taken_back(log: Log) -> Undone:
    return undone(log.records(action=UNDO))


def holder(workspace: Workspace, finding_id: str, now: datetime) -> str | None:
    """Who holds an item now, by the log; None when nobody does."""
    log = open_log(workspace)
    held = claim_of(list(standing(log.records(subject=finding_id), _taken_back(log))), now)
    return None if held is None else held.reviewer


def _refuse_if_held(events: list[Event], person: Person, now: datetime) -> None:
    held = claim_of(events, now)
    if held is not None and held.reviewer != person.name:
        raise Conflict(f"{held.reviewer} holds this until {iso(held.at + CLAIM_LASTS)}")


def _refuse_if_ended(events: list[Event], item: Item) -> None:
    ending = next((e for e in reversed(events) if e.deed in ("resolve", "snooze", "reopen")), None)
    if ending is not None and ending.deed == "resolve" and ending.evidence_hash == item.finding.evidence_hash:
        raise Conflict(f"{ending.reviewer} resolved this at {iso(ending.at)}: {ending.decision}")
    if item.gone_at is not None:
        raise Conflict(f"{item.finding.subject}: its cause was gone at {iso(item.gone_at)}, nothing is left to decide")


def _refuse_unless_last(events: list[Event], target: Record, person: Person) -> None:
    """A claim and its giving back are their author's, and history once something came after them."""
    if target.reviewer != person.name:
        raise Conflict(f"record {target.seq} is {target.reviewer}'s: a claim lapses by itself after 30 minutes")
    if events and events[-1].seq > target.seq:
        raise Conflict(f"record {target.seq} was followed by {events[-1].reviewer}'s {events[-1].deed}")
