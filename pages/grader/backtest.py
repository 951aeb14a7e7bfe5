"""Backtest: one stored run at a threshold. Everything on it moves with the slider, and no judge is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core import numbers, times
from core.stats import Estimate
from core.suggestions import backtest as rules
from core.suggestions.backtest import AtThreshold, Quadrant, Row, Tally
from core.suggestions.backtest_report import WORDS, decision, report, support
from core.suggestions.runs import Run
from pages.grader import keys, pictures, run_panel
from pages.grader.load import Stored
from pages.shared import charts, tables, text, widgets
from pages.shared.frame import Context
from pages.shared.text import Html
from pages.shared.verdicts import Colour

_SHORT: dict[Quadrant | None, str] = {"fp": "leak", "fn": "miss", None: "excluded", "tp": "agree", "tn": "agree"}
_WIDTHS = {
    name: st.column_config.TextColumn(width=width)
    for name, width in (("kind", 70), ("date", 95), ("suggestion", 190), ("next step", 230), ("rubric", 165),
                        ("reviewer", 190))
}  # fmt: skip
_KINDS = {"leak": "Leaks", "miss": "Misses", "excluded": "Excluded", "agree": "Agreed"}


def show(ctx: Context, stored: Stored, run: Run | None, in_force: int, *, busy: bool) -> None:
    """Draw the view; ``busy``: a backtest runs, so no other is offered."""
    if run is None:
        widgets.empty(
            "No backtest has been run here",
            "A backtest grades a sample of reviewed suggestions again, by their original text alone, and holds the "
            "rubric's decisions against the reviewers'.", "rule",
        )  # fmt: skip
        if not busy:
            run_panel.form(ctx)
        return
    limit = _slider(in_force)
    counted = stored.tallies[run.id]
    at = rules.at_threshold(counted, limit)
    _figures(at)
    _pictures(at, counted, limit)
    _disagreements(run, limit)
    _dimensions(counted)
    _advice(run, counted, limit)
    _report(ctx, run, limit)


def caption(run: Run, ctx: Context, excluded: int) -> Html:
    """The grey line that says where the figures come from; the practice judge is marked."""
    accepted = sum(row.actual == "accept" for row in run.rows)
    parts = [
        f"run {text.clock(times.parse_instant(run.at).utc, ctx.zone)}",
        f"{accepted} accepted + {len(run.rows) - accepted} rejected, seed {run.seed}", run.judge.label,
        f"{numbers.count(excluded, 'entry', 'entries')} excluded" if excluded else "",
        "stopped before its end" if run.stopped else "",
    ]  # fmt: skip
    line = text.grey(" · ".join(part for part in parts if part))
    if not run.judge.practice:
        return line
    return text.join([text.chips(text.chip("practice judge: no model judged this", "orange", "school")), line])


def _slider(in_force: int) -> int:
    if keys.THRESHOLD.id not in st.session_state:
        keys.THRESHOLD.set(in_force)
    return int(st.slider(
        "Pass at total ≥", 0, rules.HIGHEST_TOTAL, key=keys.THRESHOLD.id, step=1,
        help=f"Moves every figure on this page; asks no judge and changes nothing. {in_force} is in force.",
    ))  # fmt: skip


def _figures(at: AtThreshold) -> None:
    names = (("Accuracy", "accuracy"), ("Precision", "precision"), ("Recall", "recall"), ("Specificity", "specificity"))
    cells = [_figure(words, getattr(at.figures, name)) for words, name in names]
    text.show(text.tag("div", *cells, cls="ts-gauges"), key="grader_figures")


def _figure(words: str, estimate: Estimate) -> Html:
    value = text.tag("p", text.esc(numbers.score(estimate.value)), cls="ts-gauge")
    return text.tag("div", text.tag("p", text.esc(words), cls="ts-gauge-name"), value, text.grey(support(estimate)))


def _pictures(at: AtThreshold, counted: Tally, limit: int) -> None:
    left, right = st.columns([5, 6], gap="medium")
    with left:
        text.show(text.tag("h2", text.esc("Rubric against reviewer"), cls="ts-title"))
        charts.show(pictures.matrix(), key="grader_matrix", name="rubric against reviewer",
                    rows=pictures.matrix_rows(at.table), height=270)  # fmt: skip
        text.show(text.grey(_sentence(at)), key="grader_sentence")
    with right:
        text.show(text.tag("h2", text.esc("Every threshold"), cls="ts-title"))
        rows = pictures.threshold_rows(rules.at_every_threshold(counted))
        charts.show(pictures.thresholds(rows, limit), key="grader_thresholds", name="precision and recall by threshold",
                    rows=rows, height=270)  # fmt: skip


def _sentence(at: AtThreshold) -> str:
    kappa, f1 = at.figures.kappa, at.figures.f1
    inner = kappa.interval
    shown = f" (95% {numbers.score(inner.low)}–{numbers.score(inner.high)})" if inner else ""
    leaks = numbers.count(at.table.fp, "leak")
    misses = numbers.count(at.table.fn, "good one")
    return (
        f"κ {numbers.score(kappa.value)}{shown}, F1 {numbers.score(f1.value)}. "
        f"{leaks} would have reached the queue; {misses} would not."
    )


def _disagreements(run: Run, limit: int) -> None:
    ordered = rules.disagreements_first(run.rows, limit)
    counts = {kind: sum(_SHORT[quadrant] == kind for quadrant, _ in ordered) for kind in _KINDS}
    text.show(text.tag("h2", text.esc("Disagreements first"), cls="ts-title"))
    only = st.pills(
        "Only", [kind for kind in _KINDS if counts[kind]], key=keys.ONLY.id, label_visibility="collapsed",
        format_func=lambda kind: f"{_KINDS[kind]} {counts[kind]:,}",
    )  # fmt: skip
    chosen = [(quadrant, row) for quadrant, row in ordered if only is None or _SHORT[quadrant] == only]
    tables.table(
        [_cells(quadrant, row, limit) for quadrant, row in chosen], key="grader_rows", name="sampled entries",
        columns=["kind", "date", "suggestion", "next step", "rubric", "reviewer"],
        height=min(420, 40 + 35 * len(chosen)), config=_WIDTHS,
        on_pick=lambda cells: keys.PICKED.set(str(cells["id"])),
    )  # fmt: skip
    picked = next(((quadrant, row) for quadrant, row in ordered if row.id == keys.PICKED.get()), None)
    if picked:
        _detail(*picked, limit)


def _cells(quadrant: Quadrant | None, row: Row, limit: int) -> dict[str, Any]:
    reviewer = "accepted" if row.actual == "accept" else "rejected"
    return {
        "kind": _SHORT[quadrant], "date": row.date, "suggestion": row.title, "next step": row.next_step,
        "rubric": decision(row, limit), "reviewer": f"{reviewer}: {row.comment}" if row.comment else reviewer,
        "id": row.id,
    }  # fmt: skip


def _detail(quadrant: Quadrant | None, row: Row, limit: int) -> None:
    colours: dict[Quadrant | None, Colour] = {"fp": "red", "fn": "orange", None: "gray"}
    colour = colours.get(quadrant, "green")
    judge = row.reasoning or row.reason or "the judge said nothing"
    with st.container(border=True, key="grader_detail"):
        marks = [text.chip(WORDS[quadrant], colour), text.chip(decision(row, limit))]
        said = row.comment or ("accepted" if row.actual == "accept" else "rejected")
        text.show(
            text.tag("h2", text.esc(row.title), cls="ts-title"),
            text.chips(*marks, note=f"{row.source} · {row.date}"),
            _said("Next step", row.next_step or "none given"),
            _said("Judge", judge),
            _said("Reviewer", said),
        )
        with st.container(horizontal=True, gap="small"):
            widgets.go("Open the suggestion", "suggestions", icon="open_in_full", id=row.id)
            st.button("Close", key="grader_detail_close", type="tertiary", on_click=keys.PICKED.set, args=("",))


def _said(who: str, words: str) -> Html:
    return text.tag("p", text.tag("strong", text.esc(f"{who}. ")), text.tag("bdi", text.esc(words)), cls="ts-step")


def _dimensions(counted: Tally) -> None:
    found = rules.dimensions(counted)
    text.show(text.tag("h2", text.esc("Which dimension separates accepts from rejects"), cls="ts-title"))
    left, right = st.columns(2, gap="medium")
    with left:
        rows = pictures.dimension_rows(found)
        charts.show(pictures.dimensions(rows), key="grader_dimensions", name="separation by dimension", rows=rows,
                    height=190)  # fmt: skip
    with right:
        shares = pictures.part_rows(found)
        charts.show(pictures.parts(shares), key="grader_parts", name="scores given by dimension", rows=shares,
                    height=220)  # fmt: skip


def _advice(run: Run, counted: Tally, limit: int) -> None:
    text.show(text.tag("h2", text.esc("What this supports"), cls="ts-title"))
    found: Sequence[rules.Recommendation] = rules.recommendations(run.rows, counted, limit)
    if not found:
        text.show(text.grey("No figure here supports a change."))
    lines = [text.tag("li", text.esc(one.advice), text.Html(" "), text.tag("span", text.esc(one.figure), cls="ts-grey"))
             for one in found]  # fmt: skip
    if lines:
        text.show(text.tag("ul", *lines, cls="ts-advice"))


def _report(ctx: Context, run: Run, limit: int) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        widgets.action("Write the report", key="grader_write", icon="description",
                       on_click=run_panel.save_report, args=(ctx, run, limit))  # fmt: skip
        st.download_button("Download the report", lambda: report(run, limit).encode(), f"rubric_backtest_{run.id}.md",
                           "text/markdown", key="grader_download", icon=":material/download:", on_click="ignore",
                           type="tertiary")  # fmt: skip
