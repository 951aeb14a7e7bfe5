"""The reviewed and the filtered tab: what was decided, by whom, and what the gate kept out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.suggestions import queue
from core.suggestions.entries import Kind
from core.suggestions.queue import Suggestion
from pages.shared import downloads, hotkeys, text, widgets
from pages.shared.frame import Context
from pages.suggestions import browse, card, deeds, keys, source
from pages.suggestions.load import Rows, Shelf

Handler = Callable[[hotkeys.Press], None]


def show(ctx: Context, shelf: Shelf, kind: Kind) -> DeltaGenerator:
    """Draw the tab; its right side, for what follows there."""
    left, right = widgets.split()
    with left:
        words = browse.search_field(kind)
        only = _filter(shelf) if kind == "reviewed" else None
        rows = browse.found(shelf, words, only)
        chosen = browse.in_work(kind, rows)
        browse.draw_list(kind, rows, chosen, ctx, f"{kind.capitalize()} suggestions")
        if rows.all:
            downloads.csv_button(lambda: to_csv(rows.all), f"suggestions_{kind}", key=f"suggestions_csv_{kind}",
                                 label=f"CSV of {len(rows.all):,}")  # fmt: skip
    with right:
        if chosen is not None:
            _item(ctx, chosen, kind, rows)
        elif shelf.suggestions:
            browse.nothing_found(kind, words or str(only))
        else:
            _nothing(ctx, kind)
    handlers: dict[str, Handler] = {
        "j": lambda _: browse.move(kind, rows, 1),
        "k": lambda _: browse.move(kind, rows, -1),
        "u": lambda _: deeds.undo(ctx),
    }
    if kind == "filtered":
        handlers["a"] = lambda press: deeds.restore(ctx, press.item) if press.item else None
    hotkeys.listen(handlers, item=chosen.entry.id if chosen else "", focus={"/": keys.search(kind).id})
    return right


def _filter(shelf: Shelf) -> str | None:
    number = queue.counts(shelf.suggestions)
    words = {"accept": "Accepted", "reject": "Rejected", "undecided": "Undecided"}
    return st.pills(
        "Only", [one for one in words if number[one]], key=keys.ONLY.id, label_visibility="collapsed",
        format_func=lambda one: f"{words[one]} {number[one]:,}", wrap=True,
    )  # fmt: skip


def _item(ctx: Context, chosen: Suggestion, kind: Kind, rows: Rows) -> None:
    entry = chosen.entry
    with st.container(border=True, key="suggestion_card"):
        parts = [card.head(chosen, ctx)]
        if kind == "filtered":
            reason = entry.filtered or "no reason given"
            parts.append(text.tag("p", text.chip(reason, "orange", "filter_alt"), cls="ts-step"))
        parts.append(card.next_step(entry))
        parts.append(card.review(chosen, ctx) if kind == "reviewed" else text.Html(""))
        parts.append(card.why(entry, source.rubric(ctx.workspace)))
        text.show(*parts)
        with st.container(horizontal=True, gap="small"):
            if kind == "filtered":
                widgets.action(
                    "Should not have been filtered", hint="a", key="suggestion_restore", icon="move_to_inbox",
                    kind="primary", on_click=deeds.restore, args=(ctx, entry.id),
                )  # fmt: skip
            widgets.action("Next", hint="j", key="suggestion_next", icon="arrow_downward", kind="tertiary",
                           on_click=browse.move, args=(kind, rows, 1))  # fmt: skip
            widgets.action("Previous", hint="k", key="suggestion_previous", icon="arrow_upward", kind="tertiary",
                           on_click=browse.move, args=(kind, rows, -1))  # fmt: skip
            if deeds.latest(ctx):
                widgets.action("Undo", hint="u", key="suggestion_undo", icon="undo", kind="tertiary",
                               on_click=deeds.undo, args=(ctx,))  # fmt: skip
    source.report(ctx, entry)
    browse.whole_text(chosen)


def _nothing(ctx: Context, kind: Kind) -> None:
    where = ctx.workspace.label(getattr(ctx.workspace.suggestions, kind))
    if kind == "reviewed":
        widgets.empty(
            "Nothing reviewed yet", f"What you accept or reject on the pending tab goes to {where}.", "history"
        )
    else:
        widgets.empty(
            "Nothing was filtered", f"What the grader vetoes or scores too low goes to {where}.", "filter_alt"
        )


def to_csv(rows: Sequence[Suggestion]) -> bytes:
    """The rows as a table, one line a suggestion."""
    names = ("id", "date", "source", "title", "url", "category", "next_step", "decision", "comment", "reviewed_at",
             "filtered")  # fmt: skip
    return downloads.to_csv([
        {**{name: getattr(one.entry, name) for name in names},
         "total": one.entry.score.total if one.entry.score else None, "copies": one.copies}
        for one in rows
    ])  # fmt: skip
