"""What a person decides here. Every function is a callback: it may refuse, and says so in one line that stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from core.decisions import Record
from core.report_loop import decide
from core.report_loop.decisions import RunDecision
from core.report_loop.view import ChecklistLine, Row, RunView
from core.report_loop.words import DIMENSIONS, Dimension
from pages.report_loop import browse, keys
from pages.shared import hotkeys, notices
from pages.shared.frame import Context
from pages.shared.hotkeys import Press

_DONE = {
    "accept_as_it_stands": "Accepted as it stands", "send_back": "Sent back", "waive_residue": "Residue waived",
}  # fmt: skip


def _attempt(deed: list[Record], said: str) -> None:
    """Remember the record, so that `u` takes it back."""
    keys.LAST.set([*keys.LAST.get(), deed[0].seq])
    notices.add("done", f"{said} (u takes it back)")


def on_run(ctx: Context, view: RunView, decision: RunDecision, press: Press | None = None) -> None:
    """Decide on the run that was on the screen; a key that was pressed for another run is not obeyed."""
    if press is not None and press.item != view.run:
        return
    chosen = set(keys.waive(view.run).get())
    residue = [line.item for line in view.checklist if line.item.id in chosen] if decision == "waive_residue" else []
    made: list[Record] = []

    def deed() -> None:
        made.append(
            decide.decide_run(
                ctx.workspace, ctx.person, view.run, decision, note=keys.note(view.run).get(), residue=residue,
                seen=view.evidence, now=ctx.clock(),
            )
        )  # fmt: skip

    if notices.attempt(deed):
        _attempt(made, f"{_DONE[decision]}: {view.title}")
        keys.note(view.run).clear()
        keys.waive(view.run).clear()


def on_node(ctx: Context, view: RunView, node: str, unfreeze: bool) -> None:
    """One more edit for a frozen node, or accept it as it is."""
    made: list[Record] = []

    def deed() -> None:
        made.append(decide.decide_node(ctx.workspace, ctx.person, view.run, node, unfreeze=unfreeze, now=ctx.clock()))

    if notices.attempt(deed):
        _attempt(made, f"{node}: {'one more edit granted' if unfreeze else 'accepted as it is'}")


def tick(ctx: Context, view: RunView, wanted: Sequence[str]) -> None:
    """Tick the lines that are to be ticked and are not, and take the tick from those that are not to be.

    Compared with what this reviewer saw: a line that somebody else ticked meanwhile is left as it is.
    """
    for line in view.checklist:
        if line.waived is None and line.done != (line.item.id in wanted):
            _tick(ctx, view, line, not line.done)


def _tick(ctx: Context, view: RunView, line: ChecklistLine, ticked: bool) -> None:
    made: list[Record] = []

    def deed() -> None:
        made.append(
            decide.tick(ctx.workspace, ctx.person, view.run, line.item, ticked, draft=view.draft, now=ctx.clock())
        )

    if notices.attempt(deed):
        keys.LAST.set([*keys.LAST.get(), made[0].seq])


def classify(ctx: Context, view: RunView, edit: str, word: str) -> None:
    """A person's word on one edit: ``substantive``, or the dimension that missed a mechanical one."""
    dimension = cast("Dimension", word) if word in DIMENSIONS else None
    made: list[Record] = []

    def deed() -> None:
        made.append(
            decide.classify_edit(
                ctx.workspace, ctx.person, view.run, edit, "mechanical" if dimension else "substantive", dimension,
                now=ctx.clock(),
            )
        )  # fmt: skip

    if notices.attempt(deed):
        _attempt(made, f"Recorded: {'mechanical, missed by ' + dimension if dimension else 'substantive'}")
        keys.edit(view.run).clear()


def undo(ctx: Context) -> None:
    """Take back the last decision made in this session."""
    last = keys.LAST.get()
    if not last:
        notices.add("done", "Nothing to take back in this session")
        return
    if notices.attempt(lambda: decide.undo(ctx.workspace, ctx.person, last[-1], now=ctx.clock()), done="Taken back"):
        keys.LAST.set(last[:-1])


def listen(ctx: Context, view: RunView, rows: Sequence[Row]) -> None:
    """What the keyboard does on this page."""
    focus = {"/": keys.SEARCH.id, **({"c": keys.note(view.run).id} if view.headline.escalated else {})}
    hotkeys.listen(
        {
            "j": lambda _: browse.move(rows, 1),
            "k": lambda _: browse.move(rows, -1),
            "h": lambda _: browse.step(view, -1),
            "l": lambda _: browse.step(view, 1),
            "a": lambda press: on_run(ctx, view, "accept_as_it_stands", press),
            "s": lambda press: on_run(ctx, view, "send_back", press),
            "w": lambda press: on_run(ctx, view, "waive_residue", press),
            "u": lambda _: undo(ctx),
        },
        item=view.run, focus=focus, repeat=("j", "k", "h", "l"),
    )  # fmt: skip
