"""Report loop: did it get there, and if not, what holds it?"""

from __future__ import annotations

import streamlit as st

from pages.report_loop import browse, deeds, feedback, item, keys, load, person
from pages.shared import downloads, frame, widgets

ctx = frame.begin("Report loop", watch=load.version, keys=keys.HELP)
browse.follow_address()
rows = load.rows(ctx)
if not rows:
    widgets.empty(
        "No report run yet",
        "A run is a folder in .ravenclaude/runs (or where touchstone.toml says) with iterations and receipts; "
        "python -m core report loop makes one.",
        "show_chart",
    )
    widgets.problems(ctx.workspace.problems)
    st.stop()

left, right = widgets.split(5, 14)
with left:
    found = browse.choose(rows)
    chosen = browse.in_work(found)
    view = load.run(ctx, chosen) if chosen else None
    if view is not None:  # before anything is drawn, so that no key falls between two runs
        deeds.listen(ctx, view, found)
    browse.draw_list(ctx, found, chosen)
with right:
    if view is None:
        widgets.empty("Nothing here matches", "Every word must stand in a run's title, name or state.", "search_off")
        st.stop()
    iteration = browse.iteration_of(view)
    browse.keep_address(view.run, iteration)
    item.head(ctx, view)
    widgets.problems(view.problems, expanded=not view.columns, key=f"report_loop_problems_{view.run}")
    edits_first = browse.edits_first(view.run)
    if edits_first:
        feedback.edits(ctx, view)
    item.picture(view, iteration)
    with st.container(key="report_loop_detail"):
        legs, waiting = st.columns([8, 5], gap="large")
    with legs:
        item.iterations(view, iteration)
        item.detail(ctx, view, view.column(iteration) if iteration is not None else None)
        downloads.csv_button(item.figures(view), f"legs_{view.run}", key="report_loop_legs_csv", label="Legs as CSV")
    with waiting:
        person.decision(ctx, view)
        person.checklist(ctx, view)
    person.nodes(ctx, view)
    if not edits_first:
        feedback.edits(ctx, view)
    with st.container(horizontal=True):
        widgets.action("Undo my last decision", key="report_loop_undo", hint="u", icon="undo", kind="tertiary",
                       on_click=deeds.undo, args=(ctx,), disabled=not keys.LAST.get())  # fmt: skip
feedback.over_reports(load.trend(ctx))
widgets.problems(ctx.workspace.problems, key="report_loop_workspace_problems")
keys.SETTLED.set(True)  # the pictures below the first screen come with the next look at the files
