"""Calibration: does a higher score mean an accept, what does that support, and did it change over time."""

from __future__ import annotations

import streamlit as st

from core import numbers
from core.suggestions import answers
from core.suggestions.backtest import HIGHEST_TOTAL
from core.suggestions.calibration import ENOUGH, Advice, Calibration, Month
from core.suggestions.maintain import Maintenance
from core.suggestions.threshold import Threshold
from pages.grader import keys, pictures
from pages.shared import charts, notices, text, widgets
from pages.shared.frame import Context


def show(ctx: Context, found: Maintenance, in_force: Threshold) -> None:
    """Draw the view."""
    if found.incomplete:
        text.show(text.chips(text.verdict("partial", "partial figures"), note="a file could not be read to its end"))
    calibration = found.calibration
    if not calibration.enough:
        _collecting(calibration)
    else:
        _buckets(ctx, calibration, in_force)
    _threshold(ctx, in_force)
    if found.months:
        _drift(found.months)


def _collecting(found: Calibration) -> None:
    text.show(text.tag("p", text.esc(found.message), cls="ts-title"), key="grader_collecting")
    st.progress(found.n / ENOUGH)
    text.show(text.grey(
        "A review counts when the entry carries a rubric score and a mark decides it. Rates from fewer than "
        f"{ENOUGH} would be noise, so none is shown." + _undecided(found)
    ))  # fmt: skip


def _undecided(found: Calibration) -> str:
    if not found.undecided:
        return ""
    return f" {numbers.count(found.undecided, 'scored entry is', 'scored entries are')} undecided and in no rate."


def _buckets(ctx: Context, found: Calibration, in_force: Threshold) -> None:
    left, right = st.columns([6, 5], gap="medium")
    with left:
        text.show(text.tag("h2", text.esc("Accepted by rubric total"), cls="ts-title"))
        rows = pictures.bucket_rows(found)
        charts.show(pictures.buckets(rows), key="grader_buckets", name="accept rate by rubric total", rows=rows,
                    height=270)  # fmt: skip
    with right:
        text.show(text.tag("h2", text.esc("What this supports"), cls="ts-title"))
        if found.advice:
            _advice(ctx, found.advice, in_force)
        text.show(text.grey(found.message + _undecided(found)), key="grader_message")


def _advice(ctx: Context, advice: Advice, in_force: Threshold) -> None:
    if advice.threshold is None:
        mark = text.chip("no change", "gray", "check_circle")
    elif advice.supported:
        mark = text.chip("supported by the interval", "orange", "trending_up")
    else:
        mark = text.chip("not settled yet", "gray", "hourglass_empty")
    sentence = f"{advice.text[:1].upper()}{advice.text[1:]}."
    text.show(text.chips(mark), text.tag("p", text.esc(sentence), cls="ts-step"), key="grader_advice")
    if advice.threshold is not None and advice.threshold > in_force.value:
        widgets.action(
            f"Raise the threshold to {advice.threshold}", key="grader_raise", icon="arrow_upward",
            kind="primary" if advice.supported else "secondary", on_click=_change, args=(ctx, advice.threshold),
        )  # fmt: skip


def _threshold(ctx: Context, in_force: Threshold) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="grader_in_force"):
        text.show(text.chips(text.chip(f"pass at total ≥ {in_force.value}", "blue", "tune"),
                             note=f"in force: {in_force.source}"))  # fmt: skip
        if in_force.record is not None:
            widgets.action("Undo", key="grader_undo_threshold", icon="undo", kind="tertiary",
                           on_click=_undo, args=(ctx, in_force.record.seq))  # fmt: skip
        with st.popover("Change", icon=":material/tune:", width="content", key="grader_change"):
            options = [one for one in range(HIGHEST_TOTAL + 1) if one != in_force.value]
            value = st.segmented_control("Pass at total ≥", options, key="grader_new_threshold")
            widgets.action("Grade with it from now on", key="grader_set_threshold", disabled=value is None,
                           why="" if value is not None else "Choose a total first.",
                           on_click=_change, args=(ctx, value))  # fmt: skip


def _change(ctx: Context, value: int) -> None:
    if notices.attempt(lambda: answers.change_threshold(ctx.workspace, ctx.person, value, now=ctx.clock()),
                       f"Suggestions pass at {value} from now on"):  # fmt: skip
        keys.THRESHOLD.clear()


def _undo(ctx: Context, seq: int) -> None:
    if notices.attempt(lambda: ctx.log.undo(ctx.person, seq, at=ctx.clock()), "The threshold is what it was before"):
        keys.THRESHOLD.clear()


def _drift(months: tuple[Month, ...]) -> None:
    text.show(text.tag("h2", text.esc("Over time"), cls="ts-title"))
    rows = pictures.month_rows(months)
    left, right = st.columns(2, gap="medium")
    with left:
        charts.show(pictures.drift(), key="grader_drift", name="accept rate by month", rows=rows, height=220)
    with right:
        charts.show(pictures.totals(), key="grader_totals", name="mean rubric total by month", rows=rows, height=220)
    text.show(text.grey("By month of review, in UTC. A rubric or a reviewer that changes shows as a step here."))
