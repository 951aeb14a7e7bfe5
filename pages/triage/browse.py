"""Which items are shown, and which of them is in work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from core import numbers
from core.triage.life import Item
from core.triage.standing import Inbox
from core.triage.statistics import Statistics, statistics
from pages.shared import address, data, items, text, verdicts, widgets
from pages.shared.frame import Context
from pages.shared.place import Place, page_holding, settle, step
from pages.triage import keys

_STATE_WORDS = {
    "waiting": "Waiting",
    "mine": "Claimed by me",
    "snoozed": "Snoozed",
    "resolved": "Resolved",
    "closed": "Gone",
}


def figures(ctx: Context, found: Inbox) -> Statistics:
    """How the inbox is doing; computed again when something changed and every minute."""
    minute = ctx.now.replace(second=0, microsecond=0)
    return data.cached(_figures, ctx.workspace, ctx.zone.key, extra=(found.serial, minute), given=(found, ctx))


def _figures(_root: object, _zone: str, found: Inbox, ctx: Context) -> Statistics:
    return statistics(found.items, ctx.now, ctx.zone)


def follow_address(found: Inbox) -> str | None:
    """Go where the address points that the visitor came by; the id when no finding has it."""
    if address.arrived():
        keys.WANTED.set(address.query("id") or "")
    wanted = keys.WANTED.get()
    for item in found.items:
        if item.finding.id == wanted:
            keys.TAB.set("all")
            keys.KIND.set(None)
            keys.SEARCH.set("")
            keys.STATE.set("waiting" if item.needs_a_person else item.state)
            go_to(wanted)
            return None
    if found.at is None:
        return None  # the files are still being read: it may yet come
    keys.WANTED.set("")
    return wanted or None


def filters(ctx: Context, found: Inbox, figures: Statistics) -> list[Item]:
    """The tabs, the state, the kind and the search; what they leave, in the order of the inbox."""
    state_wanted, me = keys.STATE.among(keys.STATES), ctx.person.name
    in_state = [item for item in found.items if _in_state(item, state_wanted, me)]
    counts: Counter[str] = Counter(item.finding.system for item in in_state)
    counts.update(item.finding.severity for item in in_state)
    counts["all"] = len(in_state)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        keys.TAB.among(keys.TABS)
        st.segmented_control(
            "Which", list(keys.TABS), key=keys.TAB.id, required=True, label_visibility="collapsed",
            format_func=lambda tab: f"{keys.TABS[tab]} {counts[tab]:,}",
        )  # fmt: skip
        text.show(text.grey(waiting_words(figures)), key="triage_waits")
    tab, kind, words = keys.TAB.get(), keys.KIND.get(), keys.SEARCH.get().casefold().split()
    return [item for item in in_state if _in_tab(item, tab) and _fits(item, kind, words)]


def narrow(found: Inbox) -> None:
    """Search, state and kind, above the list."""
    st.text_input(
        "Search", key=keys.SEARCH.id, placeholder="Search subject and summary ( / )", label_visibility="collapsed",
        type="search", live=True,
    )  # fmt: skip
    first, second = st.columns(2, gap="small")
    keys.STATE.among(keys.STATES)
    first.selectbox("State", keys.STATES, key=keys.STATE.id, format_func=_STATE_WORDS.get, label_visibility="collapsed")
    kinds = sorted({item.finding.kind for item in found.items})
    if keys.KIND.get() not in kinds:
        keys.KIND.set(None)
    second.selectbox("Kind", kinds, key=keys.KIND.id, placeholder="Any kind", label_visibility="collapsed")


def _in_state(item: Item, wanted: str, me: str) -> bool:
    if wanted == "waiting":
        return item.needs_a_person
    return item.claimed_by == me if wanted == "mine" else item.state == wanted


def _in_tab(item: Item, tab: str) -> bool:
    return tab == "all" or tab in (item.finding.severity, item.finding.system)


def _fits(item: Item, kind: str | None, words: list[str]) -> bool:
    if kind not in (None, item.finding.kind):
        return False
    if not words:
        return True
    body = f"{item.finding.subject} {item.finding.summary} {item.finding.kind}".casefold()
    return all(word in body for word in words)


def waiting_words(figures: Statistics) -> str:
    """How long items wait and how many ended today, in words."""
    if figures.oldest_wait is None or figures.median_wait is None:
        return f"{figures.closed_today} closed today"
    waits = f"oldest {numbers.span(figures.oldest_wait)} · median wait {numbers.span(figures.median_wait)}"
    return f"{waits} · {figures.closed_today} closed today"


def in_work(rows: Sequence[Item]) -> Item | None:
    """The item in work; the list turns to its page when it has changed, and the address names it."""
    now = settle([item.finding.id for item in rows], keys.PLACE.get())
    keys.PLACE.set(now)
    if now.id != keys.DRAWN.get():
        keys.DRAWN.set(now.id)
        keys.NUMBER.set(page_holding(now.index, keys.SIZE))
    address.put(id=keys.WANTED.get() or now.id or None)
    return rows[now.index] if now.id else None


def draw_list(ctx: Context, rows: Sequence[Item], chosen: Item | None) -> None:
    """The rows of one page, and the pages."""
    shown, pages = widgets.page_of(rows, keys.NUMBER, size=keys.SIZE)
    lines = [_row(ctx, item) for item in shown]
    items.show(
        [items.Group("", lines)], chosen.finding.id if chosen else "", go_to, key="triage_list", label="Findings"
    )
    widgets.pager(keys.NUMBER, pages)


def _row(ctx: Context, item: Item) -> items.Row:
    finding = item.finding
    waits = numbers.span((item.ended_at or ctx.now) - item.open_since) if item.needs_a_person else item.state
    held = f" · {item.claimed_by}" if item.claimed_by else ""
    how = verdicts.look(finding.kind if item.needs_a_person else item.state)
    colour = "red" if finding.severity == "blocking" and item.needs_a_person else how.colour
    return items.Row(
        finding.id, finding.summary, f"{keys.SYSTEMS[finding.system]} · {finding.kind}{held}", waits, colour
    )


def go_to(finding_id: str) -> None:
    """Take an item into work (a callback)."""
    keys.WANTED.set("")
    keys.PLACE.set(Place(finding_id, keys.PLACE.get().index))


def move(rows: Sequence[Item], by: int) -> None:
    """Next or previous (a callback), counted from where the reviewer is now."""
    keys.WANTED.set("")
    keys.PLACE.set(step([item.finding.id for item in rows], keys.PLACE.get(), by))
