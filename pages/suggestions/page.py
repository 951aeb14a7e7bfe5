"""Suggestions: is this one worth doing? Pending, reviewed and filtered, from file to decision and back."""

from __future__ import annotations

import streamlit as st

from pages.shared import address, frame, text, widgets
from pages.suggestions import browse, bulk, deeds, grade_new, history, keys, load, pending, proposals

ctx = frame.begin("Suggestions", watch=load.version, keys=keys.HELP, first=deeds.tell_if_gone)
shelves = {kind: load.shelf(ctx, kind) for kind in keys.KINDS}
lost = browse.follow_address(shelves)
keys.TAB.among(keys.TABS)
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="suggestions_head"):
    tab = st.segmented_control(
        "Which", keys.TABS, key=keys.TAB.id, required=True, label_visibility="collapsed",
        format_func=lambda one: f"{one.capitalize()} {shelves[one].number}" if one in shelves else "Proposals",
    )  # fmt: skip
    if tab == "pending" and shelves["pending"].suggestions:
        bulk.offer()
    grade_new.offer(ctx)
grade_new.progress(ctx)
if lost:
    text.show(
        text.chips(text.verdict("unreadable", "not found"), note=f"No suggestion has the address {lost} any more.")
    )
for kind in keys.KINDS:
    if not shelves[kind].document.complete:
        note = f"{shelves[kind].document.problems[0]}. It is not written to until it is mended."
        text.show(text.chips(text.verdict("PARTIAL", "incomplete"), note=note))
if tab != "proposals":
    address.put(tab=None, topic=None)
if tab == "proposals":
    right = proposals.show(ctx)
elif tab is None or tab == "pending":
    right = pending.show(ctx, shelves["pending"])
else:
    right = history.show(ctx, shelves[tab], tab)
with right:
    problems = [problem for shelf in shelves.values() for problem in shelf.problems]
    widgets.problems([*ctx.workspace.problems, *problems, *load.patterns(ctx.workspace).problems])
