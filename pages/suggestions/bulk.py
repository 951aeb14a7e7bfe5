"""Many suggestions at once: tick, then accept or reject them all in one change of the files."""

from __future__ import annotations

import streamlit as st

from pages.shared import text, widgets
from pages.shared.frame import Context
from pages.suggestions import deeds, keys
from pages.suggestions.load import Rows


def toggle() -> None:
    """Begin or end selecting (a callback)."""
    keys.SELECTING.set(not keys.SELECTING.get())
    keys.TICKED.set([])


def offer() -> None:
    """The button that begins it."""
    if not keys.SELECTING.get():
        widgets.action(
            "Select several", hint="x", key="suggestions_select", icon="checklist", kind="tertiary", on_click=toggle
        )


def bar(ctx: Context, rows: Rows) -> None:
    """The bar above the list while several are being selected."""
    here = set(rows.ids)
    ticked = [one for one in keys.TICKED.get() if one in here]
    keys.TICKED.set(ticked)
    top = [one.entry.id for one in rows.all if one.entry.score is not None and one.entry.score.total == 6]
    with st.container(border=True, key="suggestions_bulk"):
        text.show(text.tag("p", text.esc(f"{len(ticked):,} selected"), cls="ts-h"))
        st.text_input("Comment for all selected", key=keys.BULK_COMMENT.id, label_visibility="collapsed",
                      placeholder="One comment for all of them")  # fmt: skip
        with st.container(horizontal=True, gap="small"):
            for word, decision, icon in (("Accept", "accept", "check"), ("Reject", "reject", "close")):
                widgets.action(
                    word, key=f"suggestions_bulk_{decision}", icon=icon, on_click=deeds.decide_ticked,
                    args=(ctx, decision), disabled=not ticked, why="" if ticked else "Tick some first.",
                )  # fmt: skip
        with st.container(horizontal=True, gap="small"):
            widgets.action(f"All 6/6 ({len(top):,})", key="suggestions_bulk_top", kind="tertiary",
                           on_click=keys.TICKED.set, args=(top,), disabled=not top)  # fmt: skip
            widgets.action("None", key="suggestions_bulk_none", kind="tertiary", on_click=keys.TICKED.set, args=([],))
            widgets.action("Done", hint="x", key="suggestions_bulk_done", kind="tertiary", on_click=toggle)
