"""Suggestions: is this one worth doing? Pending, reviewed and filtered, from file to decision and back."""

from __future__ import annotations

import streamlit as st

from pages.shared import frame, text, widgets
from pages.suggestions import browse, bulk, deeds, history, keys, load, pending

ctx = frame.begin("Suggestions", watch=load.version, keys=keys.HELP, first=deeds.tell_if_gone)
shelves = {kind: load.shelf(ctx, kind) for kind in keys.KINDS}
lost = browse.follow_address(shelves)
keys.TAB.get()
with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    tab = st.segmented_control(
        "Which", keys.KINDS, key=keys.TAB.id, required=True, label_visibility="collapsed",
        format_func=lambda kind: f"{kind.capitalize()} {len(shelves[kind].suggestions):,}",
    )  # fmt: skip
    if tab == "pending" and shelves["pending"].suggestions:
        bulk.offer()
if lost:
    text.show(
        text.chips(text.verdict("unreadable", "not found"), note=f"No suggestion has the address {lost} any more.")
    )
problems = [problem for kind in keys.KINDS for problem in shelves[kind].problems]
problems += load.patterns(ctx.workspace).problems
if tab == "pending":
    pending.show(ctx, shelves["pending"])
elif tab is not None:
    history.show(ctx, shelves[tab], tab)
widgets.problems([*ctx.workspace.problems, *problems])
