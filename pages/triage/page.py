"""Needs human: what is next, and can I finish it here?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import streamlit as st

from core.triage.life import Item
from pages.shared import frame, hotkeys, inbox, tables, text, widgets
from pages.triage import browse, deeds, item, keys

ctx = frame.begin("Needs human", watch=inbox.version, keys=keys.HELP)
found = inbox.known(ctx.workspace, ctx.now)
if found.at is None and not found.items:
    widgets.empty("The files are being read for the first time", "The inbox appears here by itself.", "hourglass_top")
    st.stop()
figures = browse.figures(ctx, found)
lost = browse.follow_address(found)
rows = browse.filters(ctx, found, figures)
if found.at is None:
    text.show(
        text.chips(text.chip("As last seen; the files are being read.", "gray", "hourglass_top")),
        key="triage_remembered",
    )
if lost:
    text.show(text.chips(text.verdict("unreadable", "not found"), note=f"No finding has the address {lost} any more."))

left, right = widgets.split()
with left:
    browse.narrow(found)
    chosen: Item | None = browse.in_work(rows)
    browse.draw_list(ctx, rows, chosen)
with right:
    if chosen is not None:
        item.show(ctx, rows, chosen)
    elif found.waiting:
        widgets.empty(
            "Nothing here fits the filters", f"{len(found.waiting)} findings wait elsewhere.", "filter_alt_off"
        )
        item.undo_button(ctx)
    else:
        widgets.empty("Nothing needs a person", "What a pipeline cannot settle by its rules appears here.", "task_alt")
        item.undo_button(ctx)
    text.show(text.grey(f"{figures.closed_today} closed today · {figures.waiting} left"), key="triage_progress")

doing = st.expander(
    "How the inbox is doing", icon=":material/monitoring:", key="triage_stats", on_change="rerun"
)  # fmt: skip
if doing.open:  # a table costs the browser more to load than all the rest of the page
    with doing:
        day: Callable[[date], str] = date.isoformat
        tables.table(
            [{"day": day(one.day), "opened": one.opened, "closed": one.closed} for one in figures.days],
            key="triage_days", name="inbox_days",
        )  # fmt: skip
        tables.table(
            [{"kind": kind, "waiting": count} for kind, count in figures.by_kind.items()],
            key="triage_kinds", name="inbox_kinds",
        )  # fmt: skip
widgets.problems(found.problems)


def _open(_: hotkeys.Press) -> None:
    if chosen is not None:
        keys.GO.set(chosen.finding.id)


hotkeys.listen(
    {
        "j": lambda _: browse.move(rows, 1),
        "k": lambda _: browse.move(rows, -1),
        "e": lambda press: deeds.claim_or_release(ctx, rows, press.item),
        "s": lambda press: deeds.snooze(ctx, rows, press.item),
        "u": lambda _: deeds.undo(ctx),
        "o": _open,
        **{
            key: lambda press, number=number: deeds.decide(ctx, rows, press.item, number)
            for number, key in enumerate(keys.DECIDE)
        },
    },
    item=chosen.finding.id if chosen else "",
    focus={"/": keys.SEARCH.id, "c": keys.note(chosen.finding.id).id if chosen else ""},
)
if chosen is not None and keys.GO.get() == chosen.finding.id:
    keys.GO.set(None)
    view, query = item.address(chosen)
    if (Path(__file__).parents[1] / view / "page.py").is_file():
        st.switch_page(f"{view}/page.py", query_params=query)
