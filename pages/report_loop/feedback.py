"""What reviewers still had to change: this report's edits, and the trend over all reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core import numbers, times
from core.report_loop.feedback.model import Feedback, Judged
from core.report_loop.feedback.trend import Trend
from core.report_loop.view import RunView
from core.report_loop.words import DIMENSIONS
from core.stats import Estimate
from pages.report_loop import deeds, keys
from pages.shared import charts, tables, text, widgets
from pages.shared.frame import Context

_LATEST = 40  # reports drawn; the CSV and the figures are of all


def edits(ctx: Context, view: RunView) -> None:
    """The edits of this report, each with its class and why; one of them can be classified."""
    found = view.feedback
    text.show(text.tag("h3", text.esc("What the reviewer still had to change"), cls="ts-h"))
    if found is None:
        text.show(text.grey("Put shipped.html and reviewed.html (or .md, .txt) into the run folder: every edit between "
                            "them is listed here and classified."))  # fmt: skip
        return
    text.show(_summary(found))
    if not found.edits:
        return
    tables.table([_row(one) for one in found.edits], key="report_loop_edits", name="reviewer edits")
    _classify(ctx, view, found)


def _summary(found: Feedback) -> text.Html:
    parts = [
        text.chip(f"{found.count('substantive')} substantive", "blue", "psychology"),
        text.chip(f"{found.count('mechanical')} mechanical", "red" if found.count("mechanical") else "gray", "build"),
    ]
    if found.count("undecided"):
        parts.append(text.verdict("undecided", f"{found.count('undecided')} undecided"))
    return text.chips(*parts, note=f"substantive {_share(found.share)}")


def _share(share: Estimate) -> str:
    if share.value is None or share.interval is None:
        return "n/a: nothing decided"
    interval = numbers.interval(share.interval.low, share.interval.high)
    return f"{numbers.percent_of(share.value)} of {share.n} decided ({interval})"


def _row(one: Judged) -> dict[str, Any]:
    ruling = one.ruling
    by = {"rule": "rule", "judge": "judge", "person": ruling.reviewer or "a person", "nobody": "nobody yet"}
    return {
        "class": ruling.cls, "missed by": ruling.dimension or "", "before": one.edit.before, "after": one.edit.after,
        "why": ruling.reason, "decided by": by[ruling.decided_by], "line": one.edit.line, "node": one.edit.node,
    }  # fmt: skip


def _classify(ctx: Context, view: RunView, found: Feedback) -> None:
    """A person's word on one edit is final; offered first is what nobody has decided."""
    by_id = {one.id: one for one in sorted(found.edits, key=lambda one: one.ruling.cls != "undecided")}
    edit = keys.edit(view.run)
    if edit.get() not in by_id:
        edit.set(next(iter(by_id)))
    st.selectbox(
        "Edit to classify", list(by_id), key=edit.id,
        format_func=lambda name: _said(by_id[name]),
    )  # fmt: skip
    one = by_id[edit.get()]
    text.show(
        text.tag("div", text.tag("del", text.esc(one.edit.context or one.edit.before or "(nothing)")), cls="ts-quote"),
        text.tag("div", text.tag("ins", text.esc(one.edit.now or one.edit.after or "(nothing)")), cls="ts-quote"),
    )
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        widgets.action("Substantive", key="report_loop_substantive", icon="psychology",
                       on_click=deeds.classify, args=(ctx, view, one.id, "substantive"))  # fmt: skip
        text.show(text.grey("or mechanical, missed by"))
        for name in DIMENSIONS:
            widgets.action(name.capitalize(), key=f"report_loop_missed_{name}",
                           on_click=deeds.classify, args=(ctx, view, one.id, name))  # fmt: skip


def _said(one: Judged) -> str:
    before, after = (text.label(words or "(nothing)", 60) for words in (one.edit.before, one.edit.after))
    return f"{one.ruling.cls}: {before} → {after}"


def over_reports(found: Trend) -> None:
    """Does auto-QA leave the reviewer only substantive feedback?"""
    text.show(text.tag("h3", text.esc("Feedback over all reports"), cls="ts-h"))
    if not found.points:
        text.show(text.grey("No report has a reviewed version yet."))
        return
    text.show(_answer(found))
    if not keys.SETTLED.get():
        text.show(text.grey("The pictures follow."))
        return
    left, right = st.columns([3, 2], gap="medium")
    points = found.points[-_LATEST:]
    with left:
        charts.show(share_spec(points), key="report_loop_trend", name="Share of substantive edits by report",
                    rows=[_figures(point) for point in found.points], height=230)  # fmt: skip
    with right:
        charts.show(misses_spec(found), key="report_loop_misses", name="Mechanical misses by dimension",
                    rows=miss_rows(found), height=230)  # fmt: skip


def _answer(found: Trend) -> text.Html:
    parts = [text.chip(f"substantive {_share(found.overall)}", "blue", "psychology")]
    parts += [
        text.chip(f"tighten {one.dimension}: it missed something in {one.reports} reports", "orange", "tune")
        for one in found.tighten
    ]
    if found.undecided:
        parts.append(text.verdict("undecided", f"{found.undecided} undecided"))
    note = f"{numbers.count(len(found.points), 'report')}; it tunes the bars and gates no release"
    return text.chips(*parts, note=note)


def _figures(point: Any) -> dict[str, Any]:
    interval = point.share.interval
    return {
        "report": point.report, "at": times.iso(point.at) if point.at is not None else "",
        "substantive": point.substantive, "mechanical": point.mechanical,
        "undecided": point.undecided, "share": point.share.value, "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }  # fmt: skip


def share_spec(points: Sequence[Any]) -> charts.Spec:
    """The share of substantive edits per report with its interval; a report with nothing decided has no dot."""
    values = [
        {**_figures(point), "n": point.share.n, "words": f"n = {point.share.n}", "order": number}
        for number, point in enumerate(points)
    ]
    x = {
        "field": "order", "type": "ordinal", "title": None,
        "axis": {"labelExpr": f"{[point.report for point in points]}[datum.value]", "labelAngle": 0, "labelLimit": 110,
                 "labelOverlap": "parity"},
    }  # fmt: skip
    scale = {"domain": [0, 1]}
    y = {
        "field": "share",
        "type": "quantitative",
        "title": None,
        "scale": scale,
        "axis": {"format": ".0%", "tickCount": 5},
    }
    band = {
        "field": "low",
        "type": "quantitative",
        "title": None,
        "scale": scale,
        "axis": {"format": ".0%", "tickCount": 5},
    }
    hue = charts.colour("blue")
    return {
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "rule", "strokeWidth": 2, "color": hue, "opacity": 0.4},
             "encoding": {"x": x, "y": band, "y2": {"field": "high"}}},
            {"mark": {"type": "point", "filled": True, "size": 70, "color": hue},
             "encoding": {"x": x, "y": y, "tooltip": [{"field": name} for name in ("report", "share", "n")]}},
            {"mark": {"type": "text", "dy": -14, "fontSize": 11.5, "color": charts.grey()},
             "encoding": {"x": x, "y": y, "text": {"field": "words", "type": "nominal"}}},
        ],
    }  # fmt: skip


def miss_rows(found: Trend) -> list[dict[str, Any]]:
    """Mechanical edits by dimension over all reports."""
    return [
        {"dimension": name.capitalize(), "edits": sum(point.misses.get(name, 0) for point in found.points),
         "reports": sum(1 for point in found.points if point.misses.get(name))}
        for name in DIMENSIONS
    ]  # fmt: skip


def misses_spec(found: Trend) -> charts.Spec:
    """Bars of mechanical misses; those that recur in three reports or more in orange."""
    named = {one.dimension.capitalize() for one in found.tighten}
    values = [
        {**row, "hue": charts.colour("orange" if row["dimension"] in named else "gray"),
         "words": f"{row['edits']} in {numbers.count(row['reports'], 'report')}" if row["edits"] else "none"}
        for row in miss_rows(found)
    ]  # fmt: skip
    y = {"field": "dimension", "type": "nominal", "sort": None, "title": None}
    x = {"field": "edits", "type": "quantitative", "title": None, "axis": None, "scale": {"domainMin": 0}}
    return {
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "bar", "cornerRadiusEnd": 3, "height": 18},
             "encoding": {"y": y, "x": x, "color": {"field": "hue", "type": "nominal", "scale": None}}},
            {"mark": {"type": "text", "align": "left", "dx": 6},
             "encoding": {"y": y, "x": x, "text": {"field": "words", "type": "nominal"}}},
        ],
    }  # fmt: skip
