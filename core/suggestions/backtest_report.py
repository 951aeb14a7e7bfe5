"""The backtest report as Markdown (suggestions contract, Backtest: `.tmp/rubric_backtest_report.md`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from core import numbers
from core.decisions import open_log
from core.files import read_bytes, replace
from core.stats import Estimate
from core.suggestions.backtest import (
    AtThreshold,
    Quadrant,
    Row,
    Tally,
    at_every_threshold,
    at_threshold,
    dimensions,
    disagreements_first,
    recommendations,
    tally,
)
from core.suggestions.runs import Run
from core.workspace import Workspace

PLACE = ".tmp/rubric_backtest_report.md"
METRICS = (
    ("accuracy", "Accuracy"), ("precision", "Precision"), ("recall", "Recall"), ("specificity", "Specificity"),
    ("f1", "F1"), ("kappa", "Cohen's κ"),
)  # fmt: skip
WORDS: dict[Quadrant | None, str] = {
    "fp": "leak: rejected, passed", "fn": "miss: accepted, failed", None: "excluded: no score", "tp": "agree: accepted",
    "tn": "agree: rejected",
}  # fmt: skip
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$!&])")


def write_report(workspace: Workspace, run: Run, threshold: int) -> Path:
    """Write the report of a run at a threshold (0–6) into the workspace and return where it stands."""
    path = workspace.path(PLACE)
    before = read_bytes(path, PLACE) if path.exists() else None
    replace(path, report(run, threshold).encode(), expected=before, lock=open_log(workspace).lock)
    return path


def report(run: Run, threshold: int) -> str:
    """The whole report: settings, metrics, matrix, thresholds, dimensions, recommendations, every sampled entry."""
    counted = tally(run.rows)
    parts = [
        ["# Rubric backtest"], _settings(run, threshold, counted), _metrics(at_threshold(counted, threshold)),
        _matrix(at_threshold(counted, threshold)), _thresholds(counted, threshold), _dimensions(counted),
        _advice(run.rows, counted, threshold), _entries(run.rows, threshold),
    ]  # fmt: skip
    return "\n".join("\n".join(part) + "\n" for part in parts)


def figure(estimate: Estimate) -> str:
    """A figure as it is printed everywhere: "0.75"; "n/a" when undefined."""
    return numbers.score(estimate.value)


def support(estimate: Estimate) -> str:
    """What a figure rests on: "15 of 20 · 95% 0.53–0.89", "n = 20 · 95% …", "0 of 0"."""
    counts = f"{estimate.k} of {estimate.n}" if estimate.k is not None else f"n = {estimate.n}"
    inner = estimate.interval
    return counts if inner is None else f"{counts} · 95% {numbers.score(inner.low)}–{numbers.score(inner.high)}"


def _settings(run: Run, threshold: int, counted: Tally) -> Iterator[str]:
    accepted = sum(row.actual == "accept" for row in run.rows)
    yield f"- Run {run.id}, {run.at}; judge {_plain(run.judge.label)}" + (
        ", endpoint " + _plain(run.judge.endpoint) if run.judge.endpoint else ""
    )
    if run.judge.practice:
        yield "- **Practice judge**: no model judged this. The figures show how a backtest works, not how good it is."
    yield (
        f"- {accepted} accepted of {run.available[0]}, {len(run.rows) - accepted} rejected of {run.available[1]}; "
        f"seed {run.seed}; pass at total ≥ {threshold}"
    )
    yield f"- Rubric {_plain(run.rubric_source)} ({run.rubric}); blocklist {run.blocklist}"
    yield f"- {counted.n} entries count, {counted.excluded} excluded because the judge gave no score"
    if run.stopped:
        yield "- The run was stopped before its end."


def _metrics(at: AtThreshold) -> Iterator[str]:
    yield "## Metrics"
    yield ""
    yield "| metric | value | rests on |"
    yield "|---|---|---|"
    for name, words in METRICS:
        estimate: Estimate = getattr(at.figures, name)
        yield f"| {words} | {figure(estimate)} | {support(estimate)} |"


def _matrix(at: AtThreshold) -> Iterator[str]:
    yield "## Confusion matrix"
    yield ""
    yield "| reviewer | rubric passes | rubric fails |"
    yield "|---|---|---|"
    yield f"| accepted | TP {at.table.tp} | FN {at.table.fn} |"
    yield f"| rejected | FP {at.table.fp} | TN {at.table.tn} |"


def _thresholds(counted: Tally, threshold: int) -> Iterator[str]:
    yield "## Every threshold"
    yield ""
    yield "| pass at total ≥ | TP | FP | TN | FN | accuracy | precision | recall | specificity | κ |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for at in at_every_threshold(counted):
        mark = " (in use)" if at.threshold == threshold else ""
        table, names = at.table, ("accuracy", "precision", "recall", "specificity", "kappa")
        shown = " | ".join(figure(getattr(at.figures, name)) for name in names)
        yield f"| {at.threshold}{mark} | {table.tp} | {table.fp} | {table.tn} | {table.fn} | {shown} |"


def _dimensions(counted: Tally) -> Iterator[str]:
    yield "## What separates accepts from rejects"
    yield ""
    yield "The chance that an accepted entry scores higher than a rejected one; 0.50 is no separation."
    yield ""
    yield "| dimension | separation | rests on | accepted 0 / 1 / 2 | rejected 0 / 1 / 2 |"
    yield "|---|---|---|---|---|"
    for one in dimensions(counted):
        accepted, rejected = (" / ".join(map(str, side)) for side in (one.accepted, one.rejected))
        yield f"| {one.name} | {figure(one.separation)} | {support(one.separation)} | {accepted} | {rejected} |"


def _advice(rows: Sequence[Row], counted: Tally, threshold: int) -> Iterator[str]:
    yield "## Recommendations"
    yield ""
    found = recommendations(rows, counted, threshold)
    for one in found:
        yield f"- {_plain(one.advice)} ({one.figure})"
    if not found:
        yield "- None: no figure here supports a change."


def _entries(rows: Sequence[Row], threshold: int) -> Iterator[str]:
    yield "## Sampled entries, disagreements first"
    yield ""
    yield "| | date | suggestion | next step | rubric | reviewer | judge |"
    yield "|---|---|---|---|---|---|---|"
    for quadrant, row in disagreements_first(rows, threshold):
        reviewer = "accepted" if row.actual == "accept" else "rejected"
        comment = f": {_plain(row.comment)}" if row.comment else ""
        yield (
            f"| {WORDS[quadrant]} | {_plain(row.date)} | {_plain(row.title)} | {_plain(row.next_step)} "
            f"| {_plain(decision(row, threshold))} | {reviewer}{comment} | {_plain(row.reasoning)} |"
        )


def decision(row: Row, threshold: int) -> str:
    """What the rubric decided: "pass 5/6 (A:2 P:1 G:2)", "fail: Hard-veto: Web3", "no score: the judge refused"."""
    if row.total is None:
        return f"fail: {row.reason}" if row.passes(threshold) is False else f"no score: {row.reason or 'not asked'}"
    word = "pass" if row.passes(threshold) else "fail"
    return f"{word} {row.total}/6 (A:{row.a} P:{row.p} G:{row.g})"


def _plain(text: str) -> str:
    """Untrusted text on one line, shown as it is: nothing in it is markup."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
