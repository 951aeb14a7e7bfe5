"""A person's decisions about suggestions: accept, reject, restore, undo (suggestions contract, Review).

Each goes through the decision log, which takes the files' locks, so that what is read here is what is changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal

from core.decisions import BatchPlan, Log, Plan, Record, open_log, undone
from core.errors import BadInput, Conflict
from core.files.ops import RemoveBlocks
from core.people import Person, require
from core.suggestions import edits
from core.suggestions.entries import Document, Kind
from core.suggestions.moves import (
    Move,
    Piece,
    check_writable,
    document_of,
    find_again,
    id_of,
    locks_of,
    path_of,
    put_back,
    subject_of,
)
from core.suggestions.places import Neighbours, Place
from core.suggestions.queue import distinct
from core.workspace import Workspace

Choice = Literal["accept", "reject"]
_DONE = {"accept": "accepted", "reject": "rejected", "restore": "moved to pending"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """One decision to take: the suggestion's id, what is decided, and the person's words."""

    id: str
    decision: Choice
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of many decisions: the records of those taken, and for the others why not ({id: who and what})."""

    records: tuple[Record, ...]
    refused: Mapping[str, str]


def decide(
    workspace: Workspace, person: Person, entry_id: str, decision: Choice, *, comment: str = "", now: datetime
) -> Record:
    """Accept or reject one pending suggestion: it goes to the reviewed file, out of pending, and into the log.

    All copies of a duplicate go together. Raises Conflict, saying who decided what, when it is no longer pending;
    BadInput when there is no such suggestion or a file is damaged; NotAllowed; Unavailable.
    """
    outcome = decide_many(workspace, person, [Wanted(entry_id, decision, comment)], now=now)
    for reason in outcome.refused.values():
        raise Conflict(reason)
    return outcome.records[0]


def decide_many(workspace: Workspace, person: Person, wanted: Sequence[Wanted], *, now: datetime) -> Outcome:
    """Take many decisions with one change of the files; those that somebody else took first are told, the rest stand.

    Raises as `decide` does, except for Conflict; an id that was never known is refused like one that is gone.
    """
    require(person, workspace, "decide")
    log = open_log(workspace)
    refused = _gone(workspace, log, wanted)
    if refused and len(refused) == len({one.id for one in wanted}):
        return Outcome((), refused)  # told at once, without waiting for anybody's lock

    def plan() -> BatchPlan:
        refused.clear()
        move = Move.read(workspace, "pending", "reviewed")
        chosen = {one.id: one for one in wanted}
        groups = move.groups(chosen)
        refused.update({one: _who_was_first(workspace, log, one, now) for one in chosen if one not in groups})
        added = {
            one: edits.review_lines(chosen[one].decision, chosen[one].comment, now) for one in groups
        }  # fmt: skip
        payloads = {one: {"decision": chosen[one].decision, "comment": chosen[one].comment} for one in groups}
        actions: dict[str, str] = {one: chosen[one].decision for one in groups}
        return move.plan(groups, added, actions, payloads)

    records = log.decide_many(person, plan, lock_on=locks_of(workspace), at=now)
    return Outcome(tuple(records), dict(refused))


def restore(workspace: Workspace, person: Person, entry_id: str, *, now: datetime) -> Record:
    """A person overrules the filter: a filtered entry goes to pending, without its filter reason, and into the log.

    Raises Conflict when it is pending already or no longer filtered, and as `decide` does.
    """
    log = open_log(workspace)

    def plan() -> BatchPlan:
        move = Move.read(workspace, "filtered", "pending")
        groups = move.groups({entry_id})
        if any(entry.id == entry_id for entry in move.target.entries):
            raise Conflict(f"{_named(move.target, entry_id)} is pending already")
        if not groups:
            raise Conflict(_who_was_first(workspace, log, entry_id, now, kind="filtered"))
        reason = move.source.entries[groups[entry_id][0]].filtered
        return move.plan(groups, {entry_id: []}, {entry_id: "restore"}, {entry_id: {"reason": reason}})

    return log.decide_many(person, plan, lock_on=locks_of(workspace), at=now)[0]


def undo(workspace: Workspace, person: Person, seq: int, *, now: datetime) -> Record:
    """Take one decision back, by the number of its record: `undo_many` for one."""
    return undo_many(workspace, person, [seq], now=now)[0]


def undo_many(workspace: Workspace, person: Person, seqs: Sequence[int], *, now: datetime) -> list[Record]:
    """Take decisions back, all or none: their entries return to their places, byte for byte, and records say so.

    Raises Conflict when somebody has undone one already, or when an entry was changed or decided again since; BadInput
    when a record is no decision about a suggestion, or moved between other files than the first.
    """
    log = open_log(workspace)

    def plan(records: list[Record]) -> Plan:
        moves = [_moved(record) for record in records]
        kinds: tuple[Kind, Kind] = (moves[0]["from"], moves[0]["to"])
        source, target = document_of(workspace, kinds[0]), document_of(workspace, kinds[1])
        check_writable(source, target)
        for record, moved in zip(records, moves, strict=True):
            _check_latest(log, record)
            if (moved["from"], moved["to"]) != kinds:
                raise BadInput.of(log.place, f"record {record.seq} moved between other files; undo it by itself")
        cuts = [find_again(target, id_of(record.subject), _moved(record)["put"]) for record in records]
        pieces = [
            Piece(id_of(record.subject), Place.of(kept))
            for record, moved in zip(records, moves, strict=True)
            for kept in moved["taken"]
        ]
        back = put_back(source, path_of(workspace, kinds[0]), pieces, kinds[0], _neighbours(log, kinds[0]))
        return Plan([back, RemoveBlocks(path_of(workspace, kinds[1]), cuts)], {})

    return log.undo_many(person, seqs, plan, lock_on=locks_of(workspace), at=now)


def _moved(record: Record) -> Mapping[str, Any]:
    """What a decision moved, of its payload. Raises BadInput where it is no decision about a suggestion."""
    moved = record.payload.get("moved")
    if record.action not in _DONE or not isinstance(moved, Mapping):
        raise BadInput.of("decision log", f"record {record.seq} ({record.action}) is no decision about a suggestion")
    return moved


def _neighbours(log: Log, kind: Kind) -> Neighbours:
    """Who stood beside an entry in that file when it was last taken out, as the log remembers it."""

    @cache
    def of(entry_id: str) -> tuple[str | None, str | None]:
        for record in log.records(subject=subject_of(entry_id), newest_first=True):
            moved = record.payload.get("moved")
            if isinstance(moved, Mapping) and moved["from"] == kind:
                return moved["taken"][0]["before"], moved["taken"][-1]["after"]
        return None, None

    return of


def last_decision(workspace: Workspace, entry_id: str) -> Record | None:
    """The latest decision about a suggestion that was not undone; None when there is none."""
    standing = _standing(open_log(workspace).records(subject=subject_of(entry_id)))
    return standing[-1] if standing else None


def _standing(records: Sequence[Record]) -> list[Record]:
    taken_back = undone(records)
    return [record for record in records if record.action in _DONE and record.seq not in taken_back]


def _check_latest(log: Log, record: Record) -> None:
    last = _standing(log.records(subject=record.subject))[-1]
    if last.seq != record.seq:
        raise Conflict(f"{last.reviewer} {_DONE[last.action]} it since, at {last.at}; undo that first")


def _gone(workspace: Workspace, log: Log, wanted: Sequence[Wanted]) -> dict[str, str]:
    """Those that are out of pending and whose decision the log holds: no lock is needed to know that."""
    there = {entry.id for entry in document_of(workspace, "pending").entries}
    lost: dict[str, str] = {}
    for one in wanted:
        if one.id not in there:
            standing = _standing(log.records(subject=subject_of(one.id)))
            if standing:
                lost[one.id] = _told(standing[-1])
    return lost


def _told(last: Record) -> str:
    comment = f" ({last.payload['comment']})" if last.payload.get("comment") else ""
    return f"{last.reviewer} {_DONE[last.action]} {last.payload.get('title', last.subject)!r} at {last.at}{comment}"


def _who_was_first(workspace: Workspace, log: Log, entry_id: str, now: datetime, *, kind: Kind = "pending") -> str:
    """Why a suggestion is not where it was thought to be: from the log, else from the reviewed file."""
    standing = _standing(log.records(subject=subject_of(entry_id)))
    if standing:
        return _told(standing[-1])
    reviewed = document_of(workspace, "reviewed")
    if any(entry.id == entry_id for entry in reviewed.entries):
        found = next(one.entry for one in distinct(reviewed, now) if one.entry.id == entry_id)
        when = f" at {found.reviewed_at}" if found.reviewed_at else ""
        return f"somebody {_DONE.get(str(found.decision), 'reviewed')} {found.title!r}{when} ({reviewed.file})"
    return f"{entry_id} is not in {workspace.label(path_of(workspace, kind))}: it was taken out by somebody else"


def _named(document: Document, entry_id: str) -> str:
    return next((repr(entry.title) for entry in document.entries if entry.id == entry_id), entry_id)
