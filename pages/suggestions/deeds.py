"""What a reviewer does here. Every function is a callback: it may refuse, and says so in one line that stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.decisions import Record
from core.suggestions import pace, review
from core.suggestions.entries import Kind
from core.suggestions.review import Choice, Wanted
from pages.shared import data, notices
from pages.shared.frame import Context
from pages.shared.place import Place
from pages.suggestions import keys, load

_WORD = {"accept": "Accepted", "reject": "Rejected"}
#: How far back `u` reaches.
_REACH = timedelta(hours=12)


def decide(ctx: Context, entry_id: str, decision: Choice) -> None:
    """Accept or reject one suggestion with the words in its comment field; a second press of the key is nothing."""
    if not entry_id or _done_already(ctx, entry_id, decision, "pending"):
        return
    words = keys.comment(entry_id).get()
    record: list[Record] = []

    def deed() -> None:
        record.append(
            review.decide(ctx.workspace, ctx.person, entry_id, decision, comment=words, now=ctx.clock())
        )  # fmt: skip

    if notices.attempt(deed):
        notices.add("done", f"{_WORD[decision]}: {record[0].payload.get('title')} (u takes it back)")
        keys.comment(entry_id).clear()


def _done_already(ctx: Context, entry_id: str, action: str, kind: Kind) -> bool:
    """Whether this reviewer has done just this and it stands: by file and log, for others may have undone it since."""
    if entry_id in load.shelf(ctx, kind).by_id:
        return False
    last = review.last_decision(ctx.workspace, entry_id)
    return last is not None and (last.reviewer, last.action) == (ctx.person.name, action)


def decide_ticked(ctx: Context, decision: Choice) -> None:
    """Accept or reject everything that is ticked, in one change of the files; those already decided are named."""
    wanted = [Wanted(one, decision, keys.BULK_COMMENT.get()) for one in keys.TICKED.get()]
    outcome: list[review.Outcome] = []
    if not wanted or not notices.attempt(
        lambda: outcome.append(review.decide_many(ctx.workspace, ctx.person, wanted, now=ctx.clock()))
    ):
        return
    done, refused = outcome[0].records, outcome[0].refused
    keys.TICKED.set([])
    keys.BULK_COMMENT.clear()
    if done:
        notices.add("done", f"{_WORD[decision]} {len(done)} (u takes them back)")
    if refused:
        first = next(iter(refused.values()))
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        notices.add("conflict", first + more)
        if keys.drawn("pending").get() in refused:
            keys.drawn("pending").set("")  # told here, with the others


def restore(ctx: Context, entry_id: str) -> None:
    """Overrule the filter: the suggestion goes to pending; a second press of the key is nothing."""
    if _done_already(ctx, entry_id, "restore", "filtered"):
        return
    notices.attempt(
        lambda: review.restore(ctx.workspace, ctx.person, entry_id, now=ctx.clock()),
        "Moved to pending (u takes it back)",
    )


def undo(ctx: Context) -> None:
    """Take back this reviewer's latest decision that still stands (all of it, if it was about many); go to its item."""
    last = latest(ctx)
    if not last:
        notices.add("error", "There is no decision of yours from the last 12 hours to take back.")
        return
    words = str(last[0].payload.get("title")) if len(last) == 1 else f"{len(last)} decisions"
    seqs = [record.seq for record in last]
    if notices.attempt(
        lambda: review.undo_many(ctx.workspace, ctx.person, seqs, now=ctx.clock()), f"Taken back: {words}"
    ):
        ids = [record.subject.partition(":")[2] for record in last]
        kind: Kind = "filtered" if last[0].action == "restore" else "pending"
        keys.TAB.set(kind)
        keys.search(kind).set("")
        keys.place(kind).set(Place(ids[0], 0))


@dataclass(frozen=True, slots=True)
class Mine:
    """This reviewer's standing decisions of the last hours, oldest first, and how they are getting on today."""

    standing: Sequence[Record]
    today: pace.Pace


def mine(ctx: Context) -> Mine:
    """Read from the log, again only when the log changed or the day did."""
    return data.cached(
        _mine, ctx.workspace, ctx.person.name, extra=(ctx.log.version(), ctx.today), given=(ctx,)
    )  # fmt: skip


def _mine(_workspace: object, name: str, ctx: Context) -> Mine:
    midnight = ctx.now.astimezone(ctx.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    records = ctx.log.records(reviewer=name, since=min(midnight, ctx.now - _REACH))
    standing = load.standing(ctx, [one for one in records if one.action in ("accept", "reject", "restore")])
    return Mine(
        standing, pace.pace(one.instant for one in standing if one.instant >= midnight and one.action != "restore")
    )


def latest(ctx: Context) -> list[Record]:
    """What `u` takes back: the latest decision, with all that were made together with it."""
    standing = mine(ctx).standing
    return [one for one in standing if (one.at, one.action) == (standing[-1].at, standing[-1].action)]


def tell_if_gone(ctx: Context) -> None:
    """Say what became of the item on the screen when it is no longer pending and this reviewer did not decide it."""
    before = keys.drawn("pending").get()
    if before and before not in load.shelf(ctx, "pending").by_id:
        word = gone(ctx, before)
        if word:
            notices.add("conflict", word)


def gone(ctx: Context, entry_id: str) -> str | None:
    """Who took an item away; None when this reviewer did."""
    last = review.last_decision(ctx.workspace, entry_id)
    if last is None:
        return "The suggestion you were on is no longer in the file. This is the next one."
    if last.reviewer == ctx.person.name:
        return None
    word = {"accept": "accepted", "reject": "rejected"}.get(last.action, "moved")
    return f"{last.reviewer} {word} “{last.payload.get('title')}” while you were on it. This is the next one."
