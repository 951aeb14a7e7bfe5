"""A person's yes and no to what is blocked: the only code that changes `rubric_blocklist.md` (suggestions contract).

`block` and `unblock` are the two confirmations; `undo` takes one of them back through the other. Nothing else in
Touchstone writes the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core.decisions import Plan, Record, open_log
from core.errors import BadInput, Conflict
from core.files import TextFile, decode, read_bytes, stamp
from core.files.memo import Memo
from core.files.ops import ReplaceFile
from core.people import Person
from core.suggestions import bullets
from core.suggestions.blocklist import Blocklist, Match, Section, alternatives, first_match, fold, parse
from core.suggestions.bullets import Change
from core.suggestions.edits import one_line
from core.suggestions.refusals import NO, subject_of
from core.workspace import Workspace

_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_OR = {"block": "unblock the topic", "unblock": "block the topic again"}


@dataclass(frozen=True, slots=True)
class _Now:
    """The blocklist as it is under the lock; ``raw`` is None where there is no file."""

    raw: bytes | None
    source: TextFile
    blocklist: Blocklist


def block(
    workspace: Workspace, person: Person, topic: str, *, now: datetime, section: Section = "topic",
    because: Mapping[str, Any] | None = None, undo_of: int | None = None,
) -> Record:  # fmt: skip
    """Add a bullet, as the person confirmed it, to the blocklist; ``because`` is what the proposal showed (logged).

    The bullet may list alternatives with `` / `` and end in a note. With ``undo_of`` it takes back that `unblock`
    instead. Raises Conflict when all of it is blocked already, BadInput when it holds no pattern or the file is
    damaged, NotAllowed, Unavailable.
    """
    if undo_of is not None:
        return _take_back(workspace, person, undo_of, "unblock", now)
    bullet = one_line(topic)
    wanted = alternatives(bullet)
    if not wanted:
        raise BadInput.of("topic", f"{topic!r} holds no pattern")

    def plan() -> Plan:
        seen = _read(workspace)
        there = {fold(pattern.text) for pattern in seen.blocklist.of(section)}
        if all(fold(pattern) in there for pattern in wanted):
            raise Conflict(f"{bullet!r} is blocked already")
        change = bullets.seen_in(seen.raw or b"", bullets.added(seen.source, section, bullet))
        if change.gone or sorted(change.come or ()) != sorted((section, text) for text in wanted):
            raise BadInput.of("topic", "this text would not be read back from the blocklist as it was confirmed")
        return _plan(workspace, seen, [change], {"topic": bullet, "section": section, "because": dict(because or {})})

    return _decide(workspace, person, "block", bullet, plan, now)


def unblock(
    workspace: Workspace, person: Person, topic: str = "", *, now: datetime, undo_of: int | None = None
) -> Record:
    """Take a pattern (or a whole bullet, by its text) out of the blocklist, wherever it stands in it.

    With ``undo_of`` it takes back that `block` instead: the file is then byte for byte what it was, if nobody changed
    that place since. Raises BadInput when there is no such pattern or it cannot go alone, and as `block` does.
    """
    if undo_of is not None:
        return _take_back(workspace, person, undo_of, "block", now)

    def plan() -> Plan:
        seen = _read(workspace)
        changes = bullets.removed(seen.source, topic)
        if not changes:
            raise BadInput.of(seen.source.file, f"no pattern {topic!r}")
        raw = seen.raw or b""
        for change in changes:
            if not change.reads_well(raw):
                wrong = f"{topic!r} cannot be taken out without changing what else its bullet blocks: edit it by hand"
                raise BadInput.of(seen.source.file, wrong)
            raw = change.apply(raw)
        return _plan(workspace, seen, changes, {"topic": one_line(topic)})

    return _decide(workspace, person, "unblock", topic, plan, now)


def undo(workspace: Workspace, person: Person, record: Record, *, now: datetime) -> Record:
    """Take back a yes, an unblock or a no. Raises Conflict when that is no longer possible."""
    if record.action == "block":
        return unblock(workspace, person, now=now, undo_of=record.seq)
    if record.action == "unblock":
        return block(workspace, person, "", now=now, undo_of=record.seq)
    if record.action == NO:
        return open_log(workspace).undo(person, record.seq, at=now)
    raise BadInput.of("decision log", f"record {record.seq} ({record.action}) is no decision about the blocklist")


def current(workspace: Workspace) -> Blocklist:
    """The blocklist as it is now; a missing file has no patterns. Raises BadInput when it cannot be read.

    One that could be read in part only is not `complete`. Read again only when the file changed.
    """
    path = workspace.suggestions.blocklist
    return _kept.get(path, stamp(path), lambda: (_read(workspace, whole=False).blocklist, None))


def whole(workspace: Workspace) -> Blocklist:
    """The blocklist for who must know all of it: `current`, which raises BadInput too when it was read in part only."""
    found = current(workspace)
    if not found.complete:
        raise BadInput(found.problems[0])
    return found


def still_blocked(workspace: Workspace, topic: str) -> Match | None:
    """What vetoes a topic by itself now, a wider pattern or its other form of writing; None when nothing does."""
    return first_match(current(workspace).of("topic"), topic)


_kept: Memo[Blocklist] = Memo(most=64)


# ---- the file


def _decide(
    workspace: Workspace, person: Person, action: str, topic: str, plan: Callable[[], Plan], now: datetime
) -> Record:
    if _NO_TEXT.search(topic):
        raise BadInput.of("topic", f"{topic!r} holds what neither the file nor the log can keep")
    path = workspace.suggestions.blocklist
    return open_log(workspace).decide(person, action, subject_of(one_line(topic)), plan, lock_on=path, at=now)


def _take_back(workspace: Workspace, person: Person, seq: int, action: str, now: datetime) -> Record:
    log = open_log(workspace)

    def plan(record: Record) -> Plan:
        if record.action != action:
            raise BadInput.of(log.place, f"record {seq} is {record.action}, not {action}")
        seen = _read(workspace)
        raw, back = seen.raw or b"", []
        for kept in reversed(record.payload.get("changes", [record.payload.get("change")])):
            change = Change.of(kept).reversed().found_in(raw)
            if change is None:
                raise Conflict(f"{seen.source.file} was changed at that place since; edit it by hand, or {_OR[action]}")
            back.append(change)
            raw = change.apply(raw)
        return _plan(workspace, seen, back, {})

    return log.undo(person, seq, plan, lock_on=workspace.suggestions.blocklist, at=now)


def _read(workspace: Workspace, *, whole: bool = True) -> _Now:
    path = workspace.suggestions.blocklist
    raw = None if stamp(path) is None else read_bytes(path, workspace.label(path))
    source = decode(raw or b"", workspace.label(path))
    if whole and not source.complete:
        raise BadInput(source.problems[0])
    blocklist = parse(source.text, source.file)
    return _Now(raw, source, Blocklist(blocklist.patterns, (*source.problems, *blocklist.problems), source.complete))


def _plan(workspace: Workspace, seen: _Now, changes: Sequence[Change], payload: Mapping[str, Any]) -> Plan:
    raw, kept = seen.raw or b"", []
    for change in changes:
        kept.append(replace(bullets.seen_in(raw, change), creates=False, deletes=False))
        raw = change.apply(raw)
    after = None if changes[-1].deletes and not raw else raw  # the file was made by what is taken back here
    kept[-1] = replace(kept[-1], creates=seen.raw is None, deletes=after is None)
    op = ReplaceFile(workspace.suggestions.blocklist, seen.raw, after)
    return Plan([op], {**payload, "changes": [one.as_dict() for one in kept]})
