"""The queue: list left, one suggestion large, decided by key or button, one or many."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import numbers
from core.suggestions.queue import Suggestion
from pages.shared import hotkeys, text, widgets
from pages.shared.frame import Context
from pages.suggestions import browse, bulk, card, deeds, keys, load, source
from pages.suggestions.load import Rows, Shelf

Handler = Callable[[hotkeys.Press], None]


def show(ctx: Context, shelf: Shelf) -> DeltaGenerator:
    """Draw the tab; its right side, for what follows there."""
    left, right = widgets.split()
    with left:
        words = browse.search_field("pending")
        rows = browse.found(shelf, words)
        chosen = browse.in_work("pending", rows)
        if keys.SELECTING.get():
            bulk.bar(ctx, rows)
        browse.draw_list("pending", rows, chosen, ctx, "Pending suggestions")
    with right:
        if chosen is not None:
            _item(ctx, chosen, len(shelf.suggestions), rows)
        elif words.strip() and shelf.suggestions:
            browse.nothing_found("pending", words)
        else:
            _all_done(ctx)
    _listen(ctx, chosen, rows)
    return right


def _listen(ctx: Context, chosen: Suggestion | None, rows: Rows) -> None:
    field = keys.comment(chosen.entry.id).id if chosen else ""
    handlers: dict[str, Handler] = {
        "a": lambda press: deeds.decide(ctx, press.item, "accept"),
        "r": lambda press: deeds.decide(ctx, press.item, "reject"),
        "j": lambda _: browse.move("pending", rows, 1),
        "k": lambda _: browse.move("pending", rows, -1),
        "u": lambda _: deeds.undo(ctx),
        "x": lambda _: bulk.toggle(),
    }
    focus = {"/": keys.search("pending").id, "c": field}
    hotkeys.listen(handlers, item=chosen.entry.id if chosen else "", focus=focus)


def _item(ctx: Context, chosen: Suggestion, waiting: int, rows: Rows) -> None:
    entry = chosen.entry
    with st.container(border=True, key="suggestion_card"):
        text.show(card.head(chosen, ctx), card.next_step(entry), card.why(entry, source.rubric(ctx.workspace)))
        st.text_input(
            "Comment", key=keys.comment(entry.id).id, placeholder="Comment (c)", label_visibility="collapsed",
            max_chars=2000,
        )  # fmt: skip
        with st.container(horizontal=True, gap="small"):
            widgets.action("Accept", hint="a", key="suggestion_accept", icon="check", kind="primary",
                           on_click=deeds.decide, args=(ctx, entry.id, "accept"))  # fmt: skip
            widgets.action("Reject", hint="r", key="suggestion_reject", icon="close",
                           on_click=deeds.decide, args=(ctx, entry.id, "reject"))  # fmt: skip
            widgets.action("Next", hint="j", key="suggestion_next", icon="arrow_downward", kind="tertiary",
                           on_click=browse.move, args=("pending", rows, 1))  # fmt: skip
            widgets.action("Previous", hint="k", key="suggestion_previous", icon="arrow_upward", kind="tertiary",
                           on_click=browse.move, args=("pending", rows, -1))  # fmt: skip
            _undo_button(ctx)
    progress(ctx, waiting)
    with st.expander("Why it passed the gate", icon=":material/rule:", key="suggestions_gate"):
        text.show(card.gate(entry, load.patterns(ctx.workspace), source.threshold(ctx)))
    source.report(ctx, entry)
    browse.whole_text(chosen)


def _undo_button(ctx: Context) -> None:
    nothing = not deeds.latest(ctx)
    widgets.action(
        "Undo", hint="u", key="suggestion_undo", icon="undo", kind="tertiary", on_click=deeds.undo, args=(ctx,),
        disabled=nothing, why="You have decided nothing in the last 12 hours." if nothing else "",
    )  # fmt: skip


def progress(ctx: Context, waiting: int) -> None:
    """How far this reviewer is today: decided, left, and the median time from one decision to the next."""
    today = deeds.mine(ctx).today
    parts = [f"{today.decided:,} decided today", f"{waiting:,} left"]
    if today.each is not None:
        words = numbers.span(today.each) if today.each >= timedelta(seconds=1) else "under 1 s"
        parts.append(f"median {words} each")
    text.show(text.grey(" · ".join(parts)), key="suggestions_progress")


def _all_done(ctx: Context) -> None:
    today = deeds.mine(ctx).today.decided
    where = ctx.workspace.label(ctx.workspace.suggestions.pending)
    title = "All decided" if today else "No suggestion waits"
    widgets.empty(title, f"When a pipeline appends to {where}, it appears here within seconds.", "task_alt")
    if deeds.latest(ctx):
        with st.container(horizontal=True, horizontal_alignment="center"):
            _undo_button(ctx)
