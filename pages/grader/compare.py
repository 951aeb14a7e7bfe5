"""Two stored runs side by side: another threshold, rubric, blocklist or model, on the entries both could judge."""

from __future__ import annotations

import streamlit as st

from core import numbers, times
from core.suggestions import backtest as rules
from core.suggestions.backtest import AtThreshold, Change, Row
from core.suggestions.backtest_report import METRICS, decision, support
from core.suggestions.runs import Run
from pages.grader import keys
from pages.grader.load import Stored
from pages.shared import state, tables, text, widgets
from pages.shared.frame import Context
from pages.shared.text import Html


def show(ctx: Context, stored: Stored, in_force: int) -> None:
    """Draw the view."""
    if not stored.runs:
        widgets.empty("No run to lay beside another", "Run a backtest first; every run is kept.", "compare_arrows")
        return
    ids = [run.id for run in stored.runs]
    left, right = st.columns(2, gap="medium")
    earlier = _comparable(stored)
    with left:
        first, before = _side(ctx, stored, "Before", keys.FIRST, keys.FIRST_LIMIT, earlier, in_force)
    with right:
        second, after = _side(ctx, stored, "After", keys.SECOND, keys.SECOND_LIMIT, ids[0], in_force)
    change = rules.compare(first.rows, second.rows, (before.threshold, after.threshold))
    heading = text.tag("h2", text.esc(_headline(change)), cls="ts-title")
    text.show(heading, text.grey(_detail(change)), key="grader_change_told")
    _table(before, after)
    _differences(first, second)
    _moved(first, second, before.threshold, after.threshold)


def _comparable(stored: Stored) -> str:
    """The run before the newest that drew the same sample; failing that the one before, or the only one."""
    newest, *older = stored.runs
    same = [run.id for run in older if (run.seed, run.per_side) == (newest.seed, newest.per_side)]
    return (same or [run.id for run in older] or [newest.id])[0]


def _side(
    ctx: Context, stored: Stored, words: str, key: state.Key[str], limit: state.Key[int], default: str, in_force: int
) -> tuple[Run, AtThreshold]:
    ids = [run.id for run in stored.runs]
    if key.get() not in ids:
        key.set(default)
    if limit.id not in st.session_state:
        limit.set(in_force)
    name = st.selectbox(words, ids, key=key.id, format_func=lambda one: label(stored.by_id[one], ctx))
    at = st.segmented_control("Pass at total ≥", list(rules.THRESHOLDS), key=limit.id, required=True,
                              label_visibility="collapsed")  # fmt: skip
    run = stored.by_id[name or default]
    return run, rules.at_threshold(stored.tallies[run.id], in_force if at is None else at)


def label(run: Run, ctx: Context) -> str:
    """How a run is named in a list: when, by which judge, how many, which seed."""
    when = text.clock(times.parse_instant(run.at).utc, ctx.zone)
    return f"{when} · {run.judge.label} · {numbers.count(len(run.rows), 'entry', 'entries')} · seed {run.seed}"


def _headline(change: Change) -> str:
    if not change.common:
        return "No entry stands in both runs"
    if change.p_value is None:
        return f"The same decision on all {change.common:,} entries both could judge"
    better = change.only_second_right - change.only_first_right
    word = "better" if better > 0 else "worse" if better < 0 else "different, neither better nor worse"
    return f"After is {word}" + ("" if change.settled or not better else ", but that can be chance")


def _detail(change: Change) -> str:
    if change.p_value is None:
        return "Choose runs with the same sample, or other thresholds."
    return (
        f"Of {change.common:,} entries in both, {change.only_second_right:,} are decided rightly only after, "
        f"{change.only_first_right:,} only before (exact McNemar p = {change.p_value:.3f})."
    )


def _table(before: AtThreshold, after: AtThreshold) -> None:
    rows = []
    for name, words in METRICS:
        one, two = getattr(before.figures, name), getattr(after.figures, name)
        delta = "n/a" if one.value is None or two.value is None else _signed(f"{two.value - one.value:+.2f}")
        rows.append(_line(words, numbers.score(one.value), support(one), numbers.score(two.value), support(two), delta))
    for name, words in (("tp", "TP"), ("fp", "FP, leaks"), ("tn", "TN"), ("fn", "FN, misses")):
        left, right = getattr(before.table, name), getattr(after.table, name)
        rows.append(_line(words, f"{left:,}", "", f"{right:,}", "", _signed(f"{right - left:+d}")))
    names = ("figure", "before", "rests on", "after", "rests on", "change")
    head = [text.tag("th", text.esc(words)) for words in names]
    text.show(text.tag("table", text.tag("tr", *head), *rows, cls="ts-figures"), key="grader_side_by_side")


def _signed(number: str) -> str:
    """A change as it is printed; none is "=", never +0."""
    return number if float(number) else "="


def _line(words: str, *cells: str) -> Html:
    kinds = ("", "ts-grey", "", "ts-grey", "")
    data = [text.tag("td", text.esc(cell), cls=kind) for cell, kind in zip(cells, kinds, strict=True)]
    return text.tag("tr", text.tag("th", text.esc(words)), *data)


def _differences(first: Run, second: Run) -> None:
    told = [
        (words, str(one), str(two))
        for words, one, two in (
            ("judge", first.judge.label, second.judge.label),
            ("rubric, goals, preferences", first.rubric, second.rubric),
            ("blocklist", first.blocklist, second.blocklist), ("seed", first.seed, second.seed),
            ("of each decision", first.per_side, second.per_side),
        )
        if one != two
    ]  # fmt: skip
    said = "; ".join(f"{words} {one} → {two}" for words, one, two in told)
    text.show(text.grey(f"What differs: {said}." if said else "The same judge, rubric, blocklist and sample."))


def _moved(first: Run, second: Run, before: int, after: int) -> None:
    earlier = {row.id: row for row in first.rows}
    moved = [
        (earlier[row.id], row)
        for row in second.rows
        if row.id in earlier and _passed(earlier[row.id], before) != _passed(row, after)
    ]
    text.show(text.tag("h2", text.esc(f"Decided otherwise · {len(moved):,}"), cls="ts-title"))
    if not moved:
        text.show(text.grey("No entry is decided otherwise."))
        return
    tables.table(
        [{"date": row.date, "suggestion": row.title, "before": decision(old, before), "after": decision(row, after),
          "reviewer": "accepted" if row.actual == "accept" else "rejected"} for old, row in moved],
        key="grader_moved", name="entries decided otherwise", height=min(420, 40 + 35 * len(moved)),
    )  # fmt: skip


def _passed(row: Row, limit: int) -> bool | None:
    return row.passes(limit)
