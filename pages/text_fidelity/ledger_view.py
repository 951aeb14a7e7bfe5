"""The ledger: the chart, what is marked on it in words, every case small beside the others."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core import numbers
from core.text_fidelity.chart import CaseLine, Chart
from core.text_fidelity.noise import advice
from core.text_fidelity.view import Book, noise
from pages.shared import charts, text
from pages.shared.frame import Context
from pages.text_fidelity import keys, load, picture

_MOST_CASES = 9


def show(ctx: Context, made: Book, chosen: int | None) -> None:
    """Draw it; a click on a run opens it below."""
    window = keys.WINDOWS[keys.WINDOW.get()]
    chart, lines = load.drawn(made, window)
    rows = picture.rows_of(made, chart)
    breaks, gaps = picture.break_rows(made, chart), picture.gap_rows(chart)
    line = int(made.reading.runs.line[chosen]) if chosen is not None else None
    spec = picture.ledger(made, chart, rows, breaks, gaps, line, height=250)
    key = f"tf_chart_{keys.part(made.folder.label + keys.WINDOW.get())}"

    def picked() -> None:
        found = (st.session_state.get(key) or {}).get("selection", {}).get("pick") or []
        if found:
            keys.RUN.set(str(found[0]["line"]))

    with st.container(horizontal=True, vertical_alignment="center", key="tf_chart_head"):
        if chart.total > min(size for size in keys.WINDOWS.values() if size is not None):
            st.segmented_control(
                "Runs", list(keys.WINDOWS), key=keys.WINDOW.id, required=True, label_visibility="collapsed"
            )
        text.show(_legend(made))
    charts.show(
        spec, key=key, name=f"{made.folder.name} ledger", rows=rows, height=250, on_select=picked, selection_mode="pick"
    )  # fmt: skip
    _words(ctx, made, chart, breaks)
    by_case(made, chart, lines)


def _legend(made: Book) -> text.Html:
    marks = [("tf-full", "gain above δ"), ("tf-hollow", "flat"), ("tf-drop", "dropped beyond δ")]
    if len(made.reading.drift):
        marks.append(("tf-drift", "generator drift"))
    if made.failures:
        marks.append(("tf-gap", "no score"))
    inner = [text.tag("span", text.tag("i", cls=f"tf-mark {name}"), text.esc(words)) for name, words in marks]
    return text.tag("div", *inner, cls="tf-legend")


def _words(ctx: Context, made: Book, chart: Chart, breaks: picture.Rows) -> None:
    """What the marks mean, in words: nothing that matters is only in a hover."""
    parts: list[text.Html] = []
    for gap in list(chart.gaps)[-4:]:
        many = f" · {gap.count} runs" if gap.count > 1 else ""
        where = f"after run {int(gap.x - 0.5)}{many}" if gap.x > 1 else f"before the first run{many}"
        parts.append(
            text.chips(text.verdict(gap.last.outcome), text.grey(where), text.tag("bdi", text.esc(gap.last.reason)))
        )
    if len(chart.gaps) > 4:
        parts.append(text.grey(f"and {len(chart.gaps) - 4} earlier gaps: see All runs"))
    off = chart.off_axis
    if off:
        some = ", ".join(
            f"line {int(made.reading.runs.line[row])} ({made.reading.runs.composite[row]:g})" for row in off[:5]
        )
        words = f"{numbers.count(len(off), 'record')} not on the axis"
        parts.append(
            text.chips(
                text.verdict("unreadable", words), note=f"out of range, in the future or without a definition: {some}"
            )
        )
    ahead = len(made.history.failures) - len(made.failures)
    if ahead:
        words = f"{numbers.count(ahead, 'run')} without a score in the future"
        parts.append(text.chips(text.verdict("unreadable", words), note="clock skew: not counted; see All runs"))
    if chart.thinned:
        parts.append(text.grey(f"{chart.total:,} runs: each stretch is drawn by its lowest and highest."))
    if parts:
        text.show(text.tag("div", *parts, cls="ts-stack tf-marks"))


def by_case(made: Book, chart: Chart, lines: Sequence[CaseLine]) -> None:
    """Small multiples on one scale."""
    if not lines:
        return
    text.show(text.tag("h2", text.esc("By case: lower bound, and every sample"), cls="ts-title"))
    values = [bound for line in lines for _, bound, _ in line.bounds] + [s for line in lines for _, s in line.samples]
    low = float(picture.axis(values)["low"])
    shown = lines[:_MOST_CASES]
    for start in range(0, len(shown), 3):
        for column, line in zip(st.columns(3, gap="medium"), shown[start : start + 3], strict=False):
            with column:
                weight = _weight(made, line)
                heading = text.tag("h3", text.esc(line.case), cls="tf-case")
                text.show(text.tag("div", heading, text.grey(weight), cls="ts-chips"))
                spec = picture.case(chart.first, chart.last, low=low)
                charts.show(
                    spec,
                    key=f"tf_case_{keys.part(line.case)}",
                    name=f"{line.case} samples",
                    rows=picture.case_rows(line),
                    height=130,
                )
    if len(lines) > _MOST_CASES:
        text.show(text.grey(f"and {len(lines) - _MOST_CASES} more cases: open a run to see them"))


def _weight(made: Book, line: CaseLine) -> str:
    """As recorded; servo records none, so the present config's says it."""
    if line.weight is not None:
        return f"weight {line.weight:g}"
    cases = made.policy.cases if made.policy else ()
    return next((f"weight {case.weight:g} (config)" for case in cases if case.id == line.case), "weight not recorded")


def advice_on_n(made: Book, chosen: int | None) -> None:
    found = noise(made, chosen) if chosen is not None else []
    if made.policy is None or not found:
        return
    k, delta = made.policy.samples.k, made.policy.samples.delta
    lines = [text.tag("li", text.esc(advice(one, k=k, delta=delta))) for one in found]
    with st.expander("How many samples? Judge noise by case", icon=":material/tune:", key="tf_advice"):
        text.show(
            text.grey("Pooled over the runs of this definition; the n that brings k·stderr under δ."),
            text.tag("ul", *lines, cls="tf-list"),
        )
