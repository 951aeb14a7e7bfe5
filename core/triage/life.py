"""The life of a finding: what the log adds up to (triage contract, Findings, "Life").

Pure: events and findings in, items out. A resolved finding stays resolved while its evidence is the same; changed
evidence reopens it and says what changed; one whose cause has gone closes by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from core.decisions.sightings import Sighting
from core.findings import Finding

State = Literal["open", "claimed", "resolved", "snoozed", "closed"]
Deed = Literal["claim", "release", "resolve", "snooze", "reopen"]

CLAIM_LASTS = timedelta(minutes=30)
_SEVERITIES = {"blocking": 0, "attention": 1, "notice": 2}


@dataclass(frozen=True, slots=True)
class Event:
    """One triage record of the log that was not undone. ``evidence`` is what the person had before them."""

    seq: int
    at: datetime
    reviewer: str
    deed: Deed
    finding: str
    evidence_hash: str = ""
    evidence: Mapping[str, Any] | None = None
    decision: str = ""
    note: str = ""
    until: datetime | None = None


class Resolution(BaseModel):
    """How a person ended it."""

    model_config = ConfigDict(frozen=True)

    decision: str
    note: str
    reviewer: str
    at: datetime
    seq: int


class Item(BaseModel):
    """A finding with its life.

    ``open_since`` is when its present wait began: first seen, seen again, or reopened. ``changed`` names what differs
    in the evidence since a person resolved or snoozed it. ``gone_at`` is when its cause was noticed to be gone.
    ``openings`` and ``closings`` are all the times at which it began to wait and was ended, as far as they are known.
    """

    model_config = ConfigDict(frozen=True)

    finding: Finding
    state: State
    seen_first: datetime
    open_since: datetime
    claimed_by: str | None = None
    claimed_until: datetime | None = None
    snoozed_until: datetime | None = None
    resolution: Resolution | None = None
    changed: tuple[str, ...] = ()
    ended_at: datetime | None = None
    gone_at: datetime | None = None
    openings: tuple[datetime, ...] = ()
    closings: tuple[datetime, ...] = ()

    @property
    def needs_a_person(self) -> bool:
        """True while it is open or claimed."""
        return self.state in ("open", "claimed")


def items(sightings: Iterable[Sighting], events: Iterable[Event], now: datetime) -> list[Item]:
    """Every finding ever seen with its state at ``now``, in the order of the inbox: severity, then age."""
    by_finding: dict[str, list[Event]] = {}
    for event in sorted(events, key=lambda event: event.seq):
        by_finding.setdefault(event.finding, []).append(event)
    made = [item_of(sighting, by_finding.get(sighting.finding.id, []), now) for sighting in sightings]
    return sorted(made, key=inbox_order)


def inbox_order(item: Item) -> tuple[int, datetime, str]:
    """Severity first, then the one that has waited longest; the id settles a tie."""
    return (_SEVERITIES[item.finding.severity], item.open_since, item.finding.id)


def claim_of(events: Sequence[Event], now: datetime) -> Event | None:
    """The claim that holds at ``now``: the last one neither released, ended nor 30 minutes without activity."""
    held: Event | None = None
    for event in events:
        if event.deed == "claim" and (held is None or held.reviewer == event.reviewer or _lapsed(held, event.at)):
            held = event
        elif event.deed in ("release", "resolve", "snooze"):
            held = None
    return None if held is None or _lapsed(held, now) else held


def _lapsed(claim: Event, now: datetime) -> bool:
    return now - claim.at >= CLAIM_LASTS


def item_of(sighting: Sighting, events: Sequence[Event], now: datetime) -> Item:
    """One finding with its state at ``now``, from its own events in order of ``seq``."""
    item = _state_of(sighting, events, now)
    opened = {sighting.seen_first, sighting.since, *(event.at for event in events if event.deed == "reopen")}
    resolved = [event for event in events if event.deed == "resolve"]
    closed = {event.at for event in resolved}
    if any(event.at < sighting.evidence_at and not _same(event, sighting.finding) for event in resolved):
        opened.add(sighting.evidence_at)
    if item.state == "closed" and sighting.gone_at is not None:
        closed.add(sighting.gone_at)
    return item.model_copy(update={"openings": tuple(sorted(opened)), "closings": tuple(sorted(closed))})


def _state_of(sighting: Sighting, events: Sequence[Event], now: datetime) -> Item:
    finding = sighting.finding
    ending = next((event for event in reversed(events) if event.deed in ("resolve", "snooze", "reopen")), None)
    plain: dict[str, Any] = {
        "finding": finding, "seen_first": sighting.seen_first, "gone_at": sighting.gone_at,
        "open_since": _since(sighting, ending),
    }  # fmt: skip
    if ending is not None and ending.deed == "resolve" and _same(ending, finding):
        resolution = Resolution(
            decision=ending.decision, note=ending.note, reviewer=ending.reviewer, at=ending.at, seq=ending.seq
        )
        return Item(**plain, state="resolved", resolution=resolution, ended_at=ending.at)
    if sighting.gone_at is not None:
        return Item(**plain, state="closed", ended_at=sighting.gone_at)
    if _sleeps(ending, finding, now) and ending is not None:
        return Item(**plain, state="snoozed", snoozed_until=ending.until)
    changed = () if ending is None or ending.deed == "reopen" else changes(ending.evidence, finding.evidence)
    held = claim_of(events, now)
    if held is None:
        return Item(**plain, state="open", changed=changed)
    until = held.at + CLAIM_LASTS
    return Item(**plain, state="claimed", claimed_by=held.reviewer, claimed_until=until, changed=changed)


def _since(sighting: Sighting, ending: Event | None) -> datetime:
    """When the present wait began: a finding that a person had ended waits again from what reopened it."""
    if ending is None or ending.deed == "snooze":
        return sighting.since
    return max(sighting.since, ending.at if ending.deed == "reopen" else sighting.evidence_at)


def _same(event: Event, finding: Finding) -> bool:
    return event.evidence_hash == finding.evidence_hash


def _sleeps(ending: Event | None, finding: Finding, now: datetime) -> bool:
    """A snoozed finding sleeps until its time, unless its evidence changes before."""
    if ending is None or ending.deed != "snooze" or ending.until is None:
        return False
    return _same(ending, finding) and now < ending.until


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> tuple[str, ...]:
    """What differs between two evidences, one line a key: "score: 0.71 → 0.74", "pages: new", "legs: gone"."""
    old = dict(before or {})
    lines = []
    for key in sorted(old.keys() | after.keys()):
        if key not in old:
            lines.append(f"{key}: new ({_short(after[key])})")
        elif key not in after:
            lines.append(f"{key}: gone (was {_short(old[key])})")
        elif old[key] != after[key]:
            lines.append(f"{key}: {_short(old[key])} → {_short(after[key])}")
    return tuple(lines)


def _short(value: Any) -> str:
    text = ", ".join(str(part) for part in value) if isinstance(value, list) else str(value)
    return text if len(text) <= 80 else text[:79] + "…"
