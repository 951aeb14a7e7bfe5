"""The runs on the left, and which of them and which iteration is looked at."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core import numbers
from core.report_loop.view import Row, RunView
from pages.report_loop import keys
from pages.shared import address, items, verdicts, widgets
from pages.shared.frame import Context

_EDITS = "feedback"  # the tab that a finding about reviewer edits links to
_DIGITS = 9  # of an iteration in an address; Python refuses to read a number of thousands


def follow_address() -> None:
    """Go where the address points that the visitor came by."""
    run, iteration = address.query("run"), address.query("iteration") or ""
    if not address.arrived() or run is None:
        return
    keys.RUN.set(run)
    keys.ITERATION.set(int(iteration) if iteration.isdecimal() and len(iteration) <= _DIGITS else None)
    keys.EDITS_FIRST.set(run if address.query("tab") == _EDITS else "")
    keys.SEARCH.set("")


def keep_address(run: str, iteration: int | None) -> None:
    """The address names what is looked at, so that it can be sent to a colleague."""
    tab = _EDITS if edits_first(run) else None
    address.put(run=run or None, iteration=None if iteration is None else str(iteration), tab=tab)


def edits_first(run: str) -> bool:
    """True when the visitor came for what the reviewer changed in this run: shown first until they go to another."""
    return keys.EDITS_FIRST.get() == run


def choose(rows: Sequence[Row]) -> Sequence[Row]:
    """The search field, and the rows it leaves: every word in title, name, state or what holds it back."""
    words = st.text_input(
        "Search runs", key=keys.SEARCH.id, placeholder="Search runs ( / )", type="search",
        label_visibility="collapsed",
    )  # fmt: skip
    wanted = (words or "").casefold().split()
    return [row for row in rows if all(word in _hay(row) for word in wanted)] if wanted else rows


def _hay(row: Row) -> str:
    return f"{row.title} {row.run} {row.words} {' '.join(row.held_back)}".casefold()


def in_work(rows: Sequence[Row]) -> str:
    """The run that is looked at: the chosen one while it is there, else the first."""
    names = [row.run for row in rows]
    if keys.RUN.get() not in names and names:
        keys.RUN.set(names[0])
        keys.ITERATION.set(None)
    chosen = keys.RUN.get() if names else ""
    if chosen and chosen != keys.DRAWN.get():
        keys.DRAWN.set(chosen)
        keys.NUMBER.set(names.index(chosen) // keys.SIZE + 1)
    return chosen


def draw_list(ctx: Context, rows: Sequence[Row], chosen: str) -> None:
    """One page of the list, those that wait for a person under their own heading."""
    shown, pages = widgets.page_of(rows, keys.NUMBER, size=keys.SIZE)
    waiting = sum(1 for row in rows if row.escalated)
    groups = [
        items.Group(f"{label} · {count:,}", [_row(ctx, row) for row in shown if row.escalated is escalated])
        for label, count, escalated in (("Needs a decision", waiting, True), ("Others", len(rows) - waiting, False))
        if any(row.escalated is escalated for row in shown)
    ]
    items.show(groups, chosen, pick, key="report_loop_list", label="Runs")
    widgets.pager(keys.NUMBER, pages)


def _row(ctx: Context, row: Row) -> items.Row:
    look = verdicts.look("overclaim" if row.overclaim and row.word != "fail" else row.word)
    parts = [_day(ctx, row), ", ".join(row.held_back) or numbers.count(row.iterations, "iteration")]
    if row.overclaim:
        parts.append("over-claim")
    if row.damaged:
        parts.append("damaged")
    if row.skewed:
        parts.append("clock skew")
    return items.Row(row.run, row.title, " · ".join(part for part in parts if part), row.words, look.colour, look.icon)


def _day(ctx: Context, row: Row) -> str:
    try:
        return f"{row.latest.astimezone(ctx.zone):%-d %b}" if row.latest else ""
    except OverflowError:  # the first or last day there is has no other zone
        return f"{row.latest:%-d %b}"


def pick(run: str) -> None:
    """Look at a run (a callback)."""
    keys.RUN.set(run)
    keys.ITERATION.set(None)
    keys.EDITS_FIRST.clear()


def move(rows: Sequence[Row], by: int) -> None:
    """Next or previous run (a callback)."""
    names = [row.run for row in rows]
    if names:
        at = names.index(keys.RUN.get()) if keys.RUN.get() in names else 0
        pick(names[min(max(0, at + by), len(names) - 1)])


def iteration_of(view: RunView) -> int | None:
    """The iteration that is looked at: the chosen one, else the latest."""
    indices = [column.index for column in view.columns]
    chosen = keys.ITERATION.get()
    return chosen if chosen in indices else indices[-1] if indices else None


def look_at(iteration: int) -> None:
    """Look at an iteration (a callback)."""
    keys.ITERATION.set(iteration)


def step(view: RunView, by: int) -> None:
    """Earlier or later iteration (a callback)."""
    indices = [column.index for column in view.columns]
    now = iteration_of(view)
    if now is not None:
        keys.ITERATION.set(indices[min(max(0, indices.index(now) + by), len(indices) - 1)])
