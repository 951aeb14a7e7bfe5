"""The list on the left and which of its items is in work; the same on all three tabs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import streamlit as st

from core.suggestions import queue
from core.suggestions.entries import Kind
from core.suggestions.queue import Suggestion
from pages.shared import address, items, text, widgets
from pages.shared.frame import Context
from pages.shared.place import Place, page_holding, settle, step
from pages.suggestions import card, keys
from pages.suggestions.load import Rows, Shelf


def follow_address(shelves: dict[Kind, Shelf]) -> str | None:
    """Go where the address points that the visitor came by. The id, if nobody has it any more."""
    if not address.arrived():
        return None
    if address.query("tab") == "proposals":
        keys.TAB.set("proposals")
        keys.TOPIC.set(address.query("topic") or keys.TOPIC.get())
        return None
    wanted = address.query("id")
    if wanted is None:
        return None
    for kind in keys.KINDS:
        if wanted in shelves[kind].by_id:
            keys.TAB.set(kind)
            keys.ONLY.set(None)
            keys.search(kind).set("")
            keys.place(kind).set(Place(wanted, 0))
            return None
    return wanted


def search_field(kind: Kind) -> str:
    """The search field; its words."""
    words = st.text_input(
        "Search", key=keys.search(kind).id, placeholder="Search title, source, next step ( / )",
        label_visibility="collapsed", type="search", live=True,
    )  # fmt: skip
    return words or ""


def found(shelf: Shelf, words: str, only: str | None = None) -> Rows:
    """What the search and the filter leave of a shelf, in its order."""
    if not words.strip() and only is None:
        return shelf.rows
    left = queue.search(shelf.suggestions, words)
    return Rows(left if only is None else [one for one in left if one.entry.decision == only])


def in_work(kind: Kind, rows: Rows) -> Suggestion | None:
    """The item in work; the list turns to its page when it has changed, and the address names it."""
    now = settle(rows.ids, keys.place(kind).get())
    keys.place(kind).set(now)
    if now.id != keys.drawn(kind).get():
        keys.drawn(kind).set(now.id)
        keys.number(kind).set(page_holding(now.index, keys.SIZE))
    address.put(id=now.id or None)
    return rows.all[now.index] if now.id else None


def draw_list(kind: Kind, rows: Rows, chosen: Suggestion | None, ctx: Context, label: str) -> None:
    """The rows of one page in their groups, and the pages."""
    shown, pages = widgets.page_of(rows.all, keys.number(kind), size=keys.SIZE)
    groups = (
        today_first(rows, shown, ctx.today)
        if kind == "pending"
        else [items.Group("", [card.row(one) for one in shown])]
    )
    selecting = kind == "pending" and keys.SELECTING.get()
    items.show(
        groups, chosen.entry.id if chosen else "", lambda picked: go_to(kind, picked), key=f"suggestions_list_{kind}",
        label=label, checked=keys.TICKED.get() if selecting else None,
        on_check=keys.TICKED.set if selecting else None,
    )  # fmt: skip
    widgets.pager(keys.number(kind), pages)


def today_first(rows: Rows, shown: Sequence[Suggestion], today: str) -> list[items.Group]:
    """The shown rows under "Today · n" and "Backlog · n" (the numbers are of the whole list)."""
    day = date.fromisoformat(today)
    number = rows.days[day]
    parts = [("Today", number, True), ("Backlog", len(rows.all) - number, False)]
    return [
        items.Group(f"{name} · {count:,}", [card.row(one) for one in shown if (one.entry.day == day) is is_today])
        for name, count, is_today in parts
        if any((one.entry.day == day) is is_today for one in shown)
    ]


def go_to(kind: Kind, entry_id: str) -> None:
    """Take an item into work (a callback); its place in the list is found when the page is drawn."""
    keys.place(kind).set(Place(entry_id, keys.place(kind).get().index))


def move(kind: Kind, rows: Rows, by: int) -> None:
    """Next or previous (a callback). Counts from where the reviewer is now, so that ten presses are ten steps."""
    keys.place(kind).set(step(rows.ids, keys.place(kind).get(), by))


def nothing_found(kind: Kind, words: str) -> None:
    """What stands on the right when the search leaves nothing."""
    widgets.empty(f"Nothing here matches “{words}”", "Every word must stand in title, source, next step or category.",
                  "search_off")  # fmt: skip
    st.button("Clear the search", key=f"suggestions_clear_{kind}", on_click=keys.search(kind).set, args=("",))


def whole_text(suggestion: Suggestion) -> None:
    """The entry as it stands in its file."""
    with st.expander("As it stands in the file", icon=":material/description:", key="suggestions_raw"):
        text.show(text.verbatim(suggestion.entry.text.strip("\n"), cls="ts-mono"))
