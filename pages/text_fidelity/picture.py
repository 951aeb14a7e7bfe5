"""The ledger chart and the small ones by case, as Vega-Lite specs; what they draw is decided in core."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core import numbers
from core.text_fidelity import view
from core.text_fidelity.chart import CaseLine, Chart
from core.text_fidelity.view import Book
from pages.shared import charts

Rows = list[dict[str, Any]]
_X = {"field": "run", "type": "quantitative"}


def rows_of(made: Book, chart: Chart) -> Rows:
    """The drawn runs as rows: also what the CSV holds."""
    runs = made.reading.runs
    return [
        {
            "run": point.run, "composite": point.composite, "shown": numbers.composite(point.composite),
            "segment": point.segment, "change": point.change or "not compared", "drift": ", ".join(point.drift),
            "at": str(np.datetime64(int(runs.at[point.row]), "us"))[:16].replace("T", " ") + "Z",
            "line": int(runs.line[point.row]),
        }
        for point in chart.points
    ]  # fmt: skip


def break_rows(made: Book, chart: Chart) -> Rows:
    """Changes of definition or of frozen texts, with what changed in a few words."""
    found = []
    for mark in chart.breaks:
        words = view.what_changed(made, mark.before, mark.after)
        told = "; ".join(words[:2]) + (f" and {len(words) - 2} more" if len(words) > 2 else "")
        found.append({"run": mark.x, "words": f"re-frozen: {told}", "definition": mark.definition})
    return found


def gap_rows(chart: Chart) -> Rows:
    """Failed runs between scored ones."""
    return [
        {"run": gap.x, "count": gap.count, "outcome": gap.last.outcome, "reason": gap.last.reason,
         "shown": f"{gap.count}× {gap.last.outcome}" if gap.count > 1 else gap.last.outcome}
        for gap in chart.gaps
    ]  # fmt: skip


def axis(values: Sequence[float], *levels: float | None) -> dict[str, Any]:
    """Scale and ticks that hold all of it, within 0..1: steps of 0.1, or of 0.05 where it lies close together."""
    ends = [*values, *(level for level in levels if level is not None)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    step = 0.1 if high - low > 0.25 else 0.05
    first, last = max(0.0, math.floor(low / step - 0.4) * step), min(1.0, math.ceil(high / step + 0.4) * step)
    ticks = [round(first + step * i, 2) for i in range(round((last - first) / step) + 1)]
    thinner = ticks if len(ticks) <= 7 else [tick for tick in ticks if round(tick / step) % 2 == 0]
    return {"low": first, "high": last, "ticks": thinner, "format": ".1f" if step == 0.1 else ".2f"}


def ledger(
    made: Book, chart: Chart, rows: Rows, breaks: Rows, gaps: Rows, chosen: int | None, *, height: int
) -> charts.Spec:
    """Composite over runs; threshold dashed in its δ band; breaks, gaps and drift marked where they are."""
    policy = made.policy
    threshold, delta = (policy.threshold, policy.samples.delta) if policy else (None, None)
    ends = axis([row["composite"] for row in rows], threshold)
    y_scale = {"domain": [ends["low"], ends["high"]], "nice": False}
    x_scale = {"domain": [chart.first - 0.6, max(chart.last, chart.first) + 0.8], "nice": False}
    x = {**_X, "scale": x_scale, "title": None,
         "axis": {"labelExpr": "'run ' + datum.label", "tickMinStep": 1, "tickCount": 8, "format": "d"}}  # fmt: skip
    y = {"field": "composite", "type": "quantitative", "scale": y_scale, "title": None,
         "axis": {"format": ends["format"], "values": ends["ticks"]}}  # fmt: skip
    layers: list[dict[str, Any]] = []
    if threshold is not None:
        layers += _threshold(threshold, delta or 0.0, x, y, y_scale)
    # A layer without a mark in it has no name for a screen reader, so it is left out.
    layers += _breaks(breaks, x, y, y_scale) if breaks else []
    layers += _gaps(gaps, x, y, y_scale) if gaps else []
    layers += _runs(rows, chosen, x, y)
    return {"layer": layers, "height": height}


def _threshold(
    threshold: float, delta: float, x: dict[str, Any], y: dict[str, Any], scale: dict[str, Any]
) -> list[dict[str, Any]]:
    low, high = max(scale["domain"][0], threshold - delta), min(scale["domain"][1], threshold + delta)
    ends = {**y, "field": "low"}
    first, last = x["scale"]["domain"]
    words = f"threshold {threshold:g} ± δ {delta:g}"
    return [
        {"mark": {"type": "rect", "opacity": 0.55, "color": charts.colour("gray", "tint"), "clip": True},
         "data": {"values": [{"first": first, "last": last, "low": low, "high": high}]},
         "encoding": {"x": {**x, "field": "first"}, "x2": {"field": "last"}, "y": ends, "y2": {"field": "high"}}},
        {"mark": {"type": "rule", "strokeDash": [5, 4], "color": charts.grey(), "strokeWidth": 1.3},
         "data": {"values": [{"composite": threshold}]}, "encoding": {"y": y}},
        {"mark": {"type": "text", "align": "left", "baseline": "bottom", "dx": 4, "dy": -3, "color": charts.grey()},
         "data": {"values": [{"run": first, "composite": threshold, "words": words}]},
         "encoding": {"x": x, "y": y, "text": {"field": "words"}}},
    ]  # fmt: skip


def _breaks(breaks: Rows, x: dict[str, Any], y: dict[str, Any], scale: dict[str, Any]) -> list[dict[str, Any]]:
    bottom = scale["domain"][0]
    colour = {"condition": {"test": "datum.definition", "value": charts.ink()}, "value": charts.grey()}
    words = [{**row, "composite": bottom} for row in breaks]
    middle = (x["scale"]["domain"][0] + x["scale"]["domain"][1]) / 2

    sides = {
        "left": [row for row in words if row["run"] <= middle],
        "right": [row for row in words if row["run"] > middle],
    }
    labels = [
        {"mark": {"type": "text", "align": side, "baseline": "bottom", "dx": 6 if side == "left" else -6, "dy": -6,
                  "color": charts.ink(), "limit": 420},
         "data": {"values": found}, "encoding": {"x": x, "y": y, "text": {"field": "words"}}}
        for side, found in sides.items()
        if found
    ]  # fmt: skip
    rule = {
        "mark": {"type": "rule", "strokeWidth": 1.3},
        "data": {"values": words},
        "encoding": {"x": x, "color": colour},
    }
    return [rule, *labels]


def _gaps(gaps: Rows, x: dict[str, Any], y: dict[str, Any], scale: dict[str, Any]) -> list[dict[str, Any]]:
    """A cross at the foot of the gap; the reasons stand in words under the chart."""
    values = [{**row, "composite": scale["domain"][0]} for row in gaps]
    tip = [{"field": "outcome"}, {"field": "count", "title": "runs"}, {"field": "reason"}]
    red = charts.colour("outline", "mark")
    return [
        {"mark": {"type": "rule", "strokeDash": [2, 3], "color": red, "opacity": 0.55}, "data": {"values": values},
         "encoding": {"x": x}},
        {"mark": {"type": "point", "shape": "cross", "angle": 45, "size": 70, "filled": True, "color": red,
                  "yOffset": -7},
         "data": {"values": values}, "encoding": {"x": x, "y": y, "tooltip": tip}},
    ]  # fmt: skip


def _runs(rows: Rows, chosen: int | None, x: dict[str, Any], y: dict[str, Any]) -> list[dict[str, Any]]:
    line = charts.series(0)
    few = len(rows) <= 220
    tip = [
        {"field": "run"}, {"field": "shown", "title": "composite"}, {"field": "change"}, {"field": "drift"},
        {"field": "at"},
    ]  # fmt: skip
    paper = "#ffffff" if charts.mode() == "light" else "#11161b"
    edge = {"condition": {"test": "datum.change === 'dropped'", "value": charts.colour("red", "mark")}, "value": line}
    # Full: a gain above δ (or the first run). Hollow: within δ, or dropped.
    full = "datum.change === 'improved' || datum.change === 'first'"
    fill = {"condition": {"test": full, "value": line}, "value": paper}
    marks: list[dict[str, Any]] = [
        {"mark": {"type": "line", "color": line, "strokeWidth": 2, "strokeJoin": "round"},
         "encoding": {"x": x, "y": y, "detail": {"field": "segment", "type": "nominal"}}},
    ]  # fmt: skip
    if any(row["drift"] for row in rows):
        marks.append(
            {"mark": {"type": "point", "shape": "diamond", "size": 190, "filled": False, "strokeWidth": 1.6,
                      "color": charts.colour("orange", "mark")},
             "transform": [{"filter": "datum.drift !== ''"}], "encoding": {"x": x, "y": y}}
        )  # fmt: skip
    if any(row["line"] == chosen for row in rows):
        marks.append(
            {"mark": {"type": "point", "size": 210, "filled": False, "strokeWidth": 2, "color": charts.ink()},
             "transform": [{"filter": f"datum.line === {chosen}"}], "encoding": {"x": x, "y": y}}
        )  # fmt: skip
    marks.append(
        {"mark": {"type": "point", "size": 38 if few else 16, "opacity": 1, "strokeWidth": 1.6, "cursor": "pointer"},
         "params": [{"name": "pick", "select": {"type": "point", "fields": ["line"], "on": "click", "nearest": few}}],
         "encoding": {"x": x, "y": y, "stroke": edge, "fill": fill, "tooltip": tip}}
    )  # fmt: skip
    return marks


def case(first: int, last: int, *, low: float) -> charts.Spec:
    """One case's rows: its bound as a line, every sample as a pale dot under it."""
    x_scale = {"domain": [first - 0.6, max(last, first) + 0.8], "nice": False}
    y_scale = {"domain": [low, 1.0], "nice": False}
    x = {**_X, "scale": x_scale, "title": None, "axis": {"tickCount": 4, "format": "d", "tickMinStep": 1}}
    y = {"field": "value", "type": "quantitative", "scale": y_scale, "title": None,
         "axis": {"format": ".1f", "tickCount": 4}}  # fmt: skip
    return {
        "layer": [
            {"mark": {"type": "point", "filled": True, "size": 14, "opacity": 0.38, "color": charts.grey(),
                      "clip": True},
             "transform": [{"filter": "datum.kind === 'sample'"}], "encoding": {"x": x, "y": y}},
            {"mark": {"type": "line", "color": charts.series(0), "strokeWidth": 1.8, "clip": True},
             "transform": [{"filter": "datum.kind === 'lower bound'"}],
             "encoding": {"x": x, "y": y, "detail": {"field": "segment", "type": "nominal"}}},
        ],
        "height": 130,
    }  # fmt: skip


def case_rows(line: CaseLine) -> Rows:
    """A case's bounds and samples."""
    bounds = [
        {"run": run, "kind": "lower bound", "value": bound, "segment": segment} for run, bound, segment in line.bounds
    ]
    return bounds + [{"run": run, "kind": "sample", "value": sample, "segment": None} for run, sample in line.samples]
