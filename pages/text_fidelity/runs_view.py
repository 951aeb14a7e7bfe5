"""Every run as a table, newest first, and every failed one under it."""

from __future__ import annotations

import numpy as np

from core import numbers
from core.text_fidelity import report
from core.text_fidelity.view import Book
from pages.shared import tables, text
from pages.shared.frame import Context
from pages.text_fidelity import keys

_MOST = 2_000


def show(ctx: Context, made: Book) -> None:
    """Draw both tables; a row opens its run."""
    reading, runs = made.reading, made.reading.runs
    drift = reading.drifted()
    drawn = reading.order[reading.marks.compared[reading.order]]
    number = dict(zip(drawn.tolist(), range(1, len(drawn) + 1), strict=True))
    rows = [
        {
            "run": number.get(int(row)), "at": _at(int(runs.at[row])),
            "composite": numbers.composite(float(runs.composite[row])),
            "change": reading.change_word(int(row)) or "not compared", "drift": ", ".join(drift.get(int(row), [])),
            "flags": ", ".join(report.flags(reading, int(row))), "judge": runs.judge.word(int(row)) or "",
            "definition": (runs.definition.word(int(row)) or "none")[:19], "line": int(runs.line[row]),
        }
        for row in reading.order[::-1][:_MOST]
    ]  # fmt: skip
    text.show(text.tag("h2", text.esc(f"{len(reading.order):,} runs"), cls="ts-title"))
    if len(reading.order) > _MOST:
        text.show(text.grey(f"The newest {_MOST:,}; `python -m core text ledger` lists all."))
    tables.table(rows, key="tf_runs", name=f"{made.folder.name} runs", on_pick=_open)
    failures = made.history.failures
    if not failures:
        return
    text.show(text.tag("h2", text.esc(f"{len(failures):,} runs without a score"), cls="ts-title tf-space"))
    failed = [
        {
            "at": one.text_at, "outcome": one.outcome, "case": one.case or "", "reason": one.reason,
            "flags": ", ".join(report.failure_flags(one, made.now_us)), "line": one.line,
        }
        for one in sorted(failures, key=lambda one: one.at, reverse=True)[:_MOST]
    ]  # fmt: skip
    tables.table(failed, key="tf_failures", name=f"{made.folder.name} failures")


def _open(row: tables.Row) -> None:
    keys.RUN.set(str(row["line"]))
    keys.VIEW.set("ledger")


def _at(micros: int) -> str:
    return str(np.datetime64(micros, "us"))[:16].replace("T", " ") + "Z"
