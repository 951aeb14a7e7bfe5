"""What stands in the inbox: findings as they were seen, with the log added to them (triage contract, "Life").

Two halves, because one is slow and one is not. `survey` reads the files of four systems; `stand` adds the decision log
to a survey and costs next to nothing when little was decided since: only the items that a record or the clock touched
are made again.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from core.decisions import Record, open_log
from core.decisions.fold import Fold, Undone
from core.decisions.sightings import Sighting, Sightings
from core.errors import BadInput, Problem, Unavailable
from core.times import parse_instant
from core.triage.gather import gather
from core.triage.life import Deed, Event, Item, inbox_order, item_of
from core.workspace import STATE, Workspace

PREFIX = "triage."
_DEEDS: tuple[Deed, ...] = ("claim", "release", "resolve", "snooze", "reopen")


@dataclass(frozen=True)
class Inbox:
    """Every item, in the order of the inbox, and what kept a system from being asked.

    ``at`` is when the files were first seen so (None: not looked at, it is what was seen the last time); ``serial``
    differs between any two inboxes that differ.
    """

    items: list[Item]
    problems: list[Problem]
    at: datetime | None
    serial: int

    @cached_property
    def waiting(self) -> list[Item]:
        """What is open or claimed."""
        return [item for item in self.items if item.needs_a_person]

    def says_so_too(self, found: Survey) -> bool:
        """True when a survey met the same problems and was as much a look at the files as this one's."""
        return self.problems == found.problems and (self.at is None) == (found.at is None)

    def find(self, wanted: str) -> Item:
        """The item with this id, or the only one whose id starts so. Raises BadInput."""
        found = [item for item in self.items if item.finding.id == wanted]
        found = found or [item for item in self.items if wanted and item.finding.id.startswith(wanted)]
        if len(found) != 1:
            raise BadInput.of("inbox", f"{len(found) or 'no'} findings have the id {wanted!r}")
        return found[0]


@dataclass(frozen=True)
class Survey:
    """The findings as they were seen at ``at`` (None: remembered, not looked at now), and the problems met."""

    sightings: list[Sighting]
    problems: list[Problem]
    at: datetime | None


def survey(workspace: Workspace, now: datetime) -> Survey:
    """Gather the findings and note when they were seen. Raises Unavailable when the database cannot be read."""
    found = gather(workspace, now)
    present = {finding.id: finding for finding in found.findings}
    sightings = Sightings(workspace)
    try:
        seen = sightings.look(present, found.systems, now)
    except Unavailable as error:  # a workspace that may only be read is shown all the same
        seen = sightings.imagine(present, found.systems, now)
        found.problems.append(Problem(STATE, f"how long findings wait is not kept: {error}"))
    return Survey(list(seen.values()), found.problems, now)


def remembered(workspace: Workspace) -> Survey:
    """The findings as they were last seen, without reading any file of the systems. Raises Unavailable."""
    return Survey(list(Sightings(workspace).all().values()), list(workspace.problems), None)


def stand(workspace: Workspace, found: Survey, now: datetime) -> Inbox:
    """A survey with the log as it is at this moment. Raises Unavailable."""
    log = open_log(workspace)
    key = f"{workspace.root}|{log.place}"
    with _guard:
        board = _boards.setdefault(key, _Board())
    return board.stand(found, board.fold.upto(log), now)


def open_inbox(workspace: Workspace, now: datetime) -> Inbox:
    """Look at the files and add the log. Raises Unavailable without a database."""
    return stand(workspace, survey(workspace, now), now)


# ---- the log as events


class _Told:
    """The triage records of the log by finding, with what was undone left out."""

    def __init__(self) -> None:
        self._records: dict[str, list[Record]] = {}
        self._undone = Undone()
        self._effects: dict[int, str] = {}
        self._roots: dict[int, int] = {}
        self._events: dict[str, tuple[Event, ...]] = {}
        self.taken = 0

    def take(self, record: Record) -> None:
        self._undone.take(record)
        if record.undoes is not None:
            root = self._roots[record.seq] = self._roots.get(record.undoes, record.undoes)
            self._news(self._effects.get(root))
        if record.action.startswith(PREFIX):
            self._records.setdefault(record.subject, []).append(record)
            effect = effect_of(record)
            if effect is not None:
                self._effects[effect] = record.subject
        self._news(record.subject)

    def _news(self, finding: str | None) -> None:
        if finding in self._records:
            self._events.pop(finding, None)
            self.taken += 1

    def events(self, finding: str) -> tuple[Event, ...]:
        """The events of a finding; the same object while nothing about it comes."""
        kept = self._events.get(finding)
        if kept is None:
            kept = self._events[finding] = tuple(standing(self._records.get(finding, ()), self._undone))
        return kept


def standing(records: Iterable[Record], taken_back: Container[int]) -> Iterator[Event]:
    """The events among the records of one finding that hold, given every record that was undone.

    A resolution holds no longer when what it had changed elsewhere was taken back there.
    """
    for record in records:
        if record.action.startswith(PREFIX) and record.seq not in taken_back and effect_of(record) not in taken_back:
            yield _event(record)


def effect_of(record: Record) -> int | None:
    """The record of what a resolution changed beyond the inbox."""
    effect = record.payload.get("effect")
    return effect if isinstance(effect, int) else None


def _event(record: Record) -> Event:
    payload = record.payload
    try:
        at, until = record.instant, payload.get("until")
        wakes = parse_instant(until).utc if isinstance(until, str) else None
    except ValueError as error:
        raise Unavailable(f"record {record.seq} of the decision log cannot be read: {error}") from None
    return Event(
        seq=record.seq, at=at, reviewer=record.reviewer, deed=_deed(record), finding=record.subject,
        evidence_hash=str(payload.get("evidence_hash", "")), evidence=payload.get("evidence"),
        decision=str(payload.get("decision", "")), note=str(payload.get("note", "")),
        until=wakes,
    )  # fmt: skip


def _deed(record: Record) -> Deed:
    name = record.action.removeprefix(PREFIX)
    for deed in _DEEDS:
        if deed == name:
            return deed
    raise Unavailable(
        f"record {record.seq} of the decision log says {record.action!r}, which this Touchstone knows not"
    )


# ---- the items, made again only where something changed


_SAME_MOMENT = timedelta(minutes=1)
"""Askers of one moment come in any order: a page asks with the time of its beginning, a watch with that of its look."""


@dataclass(frozen=True, slots=True)
class _Made:
    """An item, what it was made of, and between which times it holds."""

    sighting: Sighting
    events: tuple[Event, ...]
    item: Item
    since: datetime

    def holds(self, sighting: Sighting, events: tuple[Event, ...], now: datetime) -> bool:
        until = self.item.claimed_until or self.item.snoozed_until
        same = self.sighting is sighting and self.events is events
        return same and self.since - now <= _SAME_MOMENT and (until is None or now < until)


class _Board:
    """The items of one workspace."""

    def __init__(self) -> None:
        self.fold = Fold(_Told, _Told.take)
        self._guard = threading.Lock()
        self._made: dict[str, _Made] = {}
        self._last: Inbox | None = None
        self._because: tuple[Survey, _Told, int] | None = None
        self._holds: tuple[datetime, datetime | None] | None = None

    def stand(self, found: Survey, told: _Told, now: datetime) -> Inbox:
        """The inbox of a survey and the log; the same object while nothing differs."""
        with self._guard:
            if self._last is not None and self._same(found, told, now):
                return self._last
            made = {one.finding.id: self._make(one, told.events(one.finding.id), now) for one in found.sightings}
            ends = [until for one in made.values() if (until := one.item.claimed_until or one.item.snoozed_until)]
            self._because, self._holds = (found, told, told.taken), (now, min(ends, default=None))
            last = self._last
            if last is not None and made == self._made and last.says_so_too(found):
                return last
            items = sorted((one.item for one in made.values()), key=inbox_order)
            inbox = Inbox(items, found.problems, found.at, next(_serials))
            self._made, self._last = made, inbox
            return inbox

    def _same(self, found: Survey, told: _Told, now: datetime) -> bool:
        """True when neither survey, log nor clock can have changed anything since the last time."""
        if self._because is None or self._holds is None:
            return False
        (since, until), (seen, before, taken) = self._holds, self._because
        same = seen is found and before is told and taken == told.taken
        return same and since - now <= _SAME_MOMENT and (until is None or now < until)

    def _make(self, sighting: Sighting, events: tuple[Event, ...], now: datetime) -> _Made:
        kept = self._made.get(sighting.finding.id)
        if kept is not None and kept.holds(sighting, events, now):
            return kept
        return _Made(sighting, events, item_of(sighting, events, now), now)


_boards: dict[str, _Board] = {}
_guard = threading.Lock()
_serials = itertools.count(1)
