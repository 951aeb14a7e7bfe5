"""What a reviewer does in the inbox: callbacks that may refuse, and then say so in one line that stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from core import times
from core.decisions import UNDO, Record, undone
from core.triage import choices, inbox
from core.triage.life import Item
from core.triage.standing import effect_of
from pages.shared import notices
from pages.shared.frame import Context
from pages.triage import keys

SNOOZE = timedelta(days=1)
_REACH = timedelta(hours=12)


def decide(ctx: Context, rows: Sequence[Item], finding_id: str, number: int) -> None:
    """The kind's decision with that number; nothing when the item on the screen was another, or offers fewer."""
    item = _on_screen(rows, finding_id)
    offered = choices.of_kind(item.finding.kind) if item is not None and item.needs_a_person else ()
    if item is None or number >= len(offered):
        return
    choice = offered[number]
    note = keys.note(finding_id)

    def deed() -> Record:
        return inbox.resolve(
            ctx.workspace, ctx.person, item, choice.decision, note=note.get(), now=ctx.clock(), given=_given(item)
        )

    if notices.attempt(deed, f"{choice.label}: {item.finding.subject} (u takes it back)"):
        note.clear()


def _given(item: Item) -> Mapping[str, Any]:
    """What the reviewer filled in beside the reason."""
    given: dict[str, Any] = {}
    if item.finding.kind == "blocklist_proposal":
        given["topic"] = keys.topic(item.finding.id).get()
    if item.finding.kind == "loop_escalated":
        given["residue"] = keys.residue(item.finding.id).get()
    return given


def claim_or_release(ctx: Context, rows: Sequence[Item], finding_id: str) -> None:
    """Claim the item, or give it back when it is this reviewer's."""
    item = _on_screen(rows, finding_id)
    if item is None or not item.needs_a_person:
        return
    # By the log as it is now: the page may have been drawn before this reviewer's last press was handled.
    if inbox.holder(ctx.workspace, finding_id, ctx.clock()) == ctx.person.name:
        notices.attempt(lambda: inbox.release(ctx.workspace, ctx.person, item, ctx.clock()), "Given back")
    else:
        notices.attempt(lambda: inbox.claim(ctx.workspace, ctx.person, item, ctx.clock()), "Yours for 30 minutes")


def snooze(ctx: Context, rows: Sequence[Item], finding_id: str, days: int = 1) -> None:
    """Put the item aside for some days, or until its evidence changes."""
    item = _on_screen(rows, finding_id)
    if item is None or not item.needs_a_person:
        return
    until = times.now() + SNOOZE * days
    note = keys.note(finding_id).get()
    notices.attempt(
        lambda: inbox.snooze(ctx.workspace, ctx.person, item, until, ctx.clock(), note), "Snoozed (u takes it back)"
    )


def undo(ctx: Context) -> None:
    """Take back this reviewer's latest deed here that still stands, and go to its item."""
    last = latest(ctx)
    if last is None:
        notices.add("error", "There is no deed of yours from the last 12 hours to take back.")
        return
    if notices.attempt(
        lambda: inbox.undo(ctx.workspace, ctx.person, last.seq, ctx.clock()),
        f"Taken back: {last.payload.get('subject')}",
    ):
        keys.STATE.set("waiting")
        keys.PLACE.set(type(keys.PLACE.get())(last.subject, 0))


def latest(ctx: Context) -> Record | None:
    """This reviewer's latest resolve or snooze of the last hours that nobody took back, here or elsewhere."""
    gone = undone(ctx.log.records(action=UNDO))
    mine = [
        record
        for record in ctx.log.records(reviewer=ctx.person.name, since=ctx.now - _REACH)
        if record.action in ("triage.resolve", "triage.snooze")
        and record.seq not in gone
        and effect_of(record) not in gone
    ]
    return mine[-1] if mine else None


def _on_screen(rows: Sequence[Item], finding_id: str) -> Item | None:
    return next((item for item in rows if item.finding.id == finding_id), None)
