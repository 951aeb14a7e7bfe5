"""The inbox as it stands now, and what a person does with an item (triage contract, "Life").

State is what the log adds up to; nothing here is kept beside it but when a finding was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from core.decisions import UNDO, Record, open_log, undone
from core.errors import BadInput, Conflict
from core.findings import Finding
from core.people import Person, require
from core.times import iso
from core.triage import choices, effects
from core.triage.life import CLAIM_LASTS, Deed, Item, claim_of
from core.triage.standing import PREFIX, Inbox, open_inbox, standing
from core.workspace import STATE, Workspace

__all__ = ["Inbox", "claim", "claim_next", "open_inbox", "release", "resolve", "snooze", "undo"]


# ---- deeds


def claim(workspace: Workspace, person: Person, item: Item, now: datetime) -> Record:
    """Take an item, or renew the claim on it. Raises Conflict naming who holds it until when, or who has ended it."""

    def check(records: list[Record]) -> None:
        _refuse_if_held(records, person, now)
        _refuse_if_ended(records, item.finding)

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
        if claim_of(list(standing(records)), now) is None:
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
    require(person, workspace, "decide")
    choice = choices.choice(item.finding.kind, decision)
    if choice.needs_note and not note.strip():
        raise BadInput.of("inbox", f"{choice.label}: say why, it goes into the record")

    def check(records: list[Record]) -> None:
        _refuse_if_held(records, person, now)
        _refuse_if_ended(records, item.finding)

    with _turn(workspace, item.finding.id):
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
    require(person, workspace, "decide")
    log = open_log(workspace)
    target = log.record(seq)
    if target is None or not target.action.startswith(PREFIX):
        raise BadInput.of("inbox", f"record {seq} is no deed of the inbox")
    with _turn(workspace, target.subject):
        effect = target.payload.get("effect")
        if isinstance(effect, int) and seq not in undone(log.records(subject=target.subject, action=UNDO)):
            effects.take_back(workspace, person, effect, now)
        return log.undo(person, seq, at=now)


def _turn(workspace: Workspace, finding_id: str) -> AbstractContextManager[None]:
    """One deed on a finding at a time, in all processes and on all servers: what a decision changes elsewhere and the
    record that it was taken are two writes, and nobody may come between them. Two findings seldom share a lock.
    """
    return open_log(workspace).lock(workspace.root / STATE / f"inbox-{finding_id[:2]}")


def _append(
    workspace: Workspace, person: Person, deed: Deed, item: Item, payload: Mapping[str, Any], now: datetime,
    check: Callable[[list[Record]], None],
) -> Record:  # fmt: skip
    finding = item.finding
    told = {
        "kind": finding.kind, "subject": finding.subject, "summary": finding.summary,
        "evidence_hash": finding.evidence_hash, **payload,
    }  # fmt: skip
    if deed in ("resolve", "snooze"):
        told["evidence"] = finding.evidence
    require(person, workspace, "decide")
    with _turn(workspace, finding.id):
        return open_log(workspace).append(person, PREFIX + deed, finding.id, told, check=check, at=now)


def holder(workspace: Workspace, finding_id: str, now: datetime) -> str | None:
    """Who holds an item now, by the log; None when nobody does."""
    held = claim_of(list(standing(open_log(workspace).records(subject=finding_id))), now)
    return None if held is None else held.reviewer


def _refuse_if_held(records: list[Record], person: Person, now: datetime) -> None:
    held = claim_of(list(standing(records)), now)
    if held is not None and held.reviewer != person.name:
        raise Conflict(f"{held.reviewer} holds this until {iso(held.at + CLAIM_LASTS)}")


def _refuse_if_ended(records: list[Record], finding: Finding) -> None:
    ending = next((e for e in reversed(list(standing(records))) if e.deed in ("resolve", "snooze", "reopen")), None)
    if ending is not None and ending.deed == "resolve" and ending.evidence_hash == finding.evidence_hash:
        raise Conflict(f"{ending.reviewer} resolved this at {iso(ending.at)}: {ending.decision}")
