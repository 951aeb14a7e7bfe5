"""Grader: may the rubric be trusted? Backtest, calibration, two runs side by side."""

from __future__ import annotations

import streamlit as st

from pages.grader import backtest, calibration, compare, keys, load, run_panel
from pages.shared import address, frame, text, widgets

ctx = frame.begin("Grader", watch=load.version)
if address.arrived():
    asked = address.query("view")
    keys.VIEW.set(asked if asked in keys.VIEWS else keys.VIEW.get())
    keys.RUN.set(address.query("run") or keys.RUN.get())
run_panel.settle(ctx)
stored = load.stored(ctx)
in_force = load.in_force(ctx.workspace, ctx.log)
keys.VIEW.among(keys.VIEWS)
with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    view = st.segmented_control(
        "View", list(keys.VIEWS), key=keys.VIEW.id, required=True, label_visibility="collapsed",
        format_func=lambda one: keys.VIEWS[one],
    )  # fmt: skip
    run = stored.by_id.get(keys.RUN.get()) or (stored.runs[0] if stored.runs else None)
    if view == "backtest" and run is not None:
        if len(stored.runs) > 1:
            keys.RUN.set(run.id)
            st.selectbox(
                "Run", [one.id for one in stored.runs], key=keys.RUN.id, label_visibility="collapsed", width=420,
                format_func=lambda one: compare.label(stored.by_id[one], ctx),
            )  # fmt: skip
        run = stored.by_id[keys.RUN.get() or run.id]
        box = st.popover(
            "New backtest", icon=":material/play_circle:", width="content", key=keys.form("box"), on_change="rerun"
        )  # fmt: skip
        with box:
            if box.open:
                run_panel.form(ctx)
        text.show(backtest.caption(run, ctx, stored.tallies[run.id].excluded))
busy = run_panel.running(ctx)
address.put(view=view, run=run.id if view == "backtest" and run else None)
if view == "calibration":
    calibration.show(ctx, load.maintenance(ctx), in_force)
elif view == "compare":
    compare.show(ctx, stored, in_force.value)
else:
    backtest.show(ctx, stored, run, in_force.value, busy=busy)
widgets.problems([*ctx.workspace.problems, *stored.problems])
