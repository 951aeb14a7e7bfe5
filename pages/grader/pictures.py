"""The grader's charts as Vega-Lite specs over small rows; aggregation is in core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import numbers
from core.stats import Confusion, Estimate
from core.suggestions.backtest import THRESHOLDS, AtThreshold, Dimension
from core.suggestions.calibration import LOWEST_RATE, Calibration, Month
from pages.shared import charts

Rows = list[dict[str, Any]]
_DRAWN = ("precision", "recall")
_TONES = {"light": ["#dbe6ee", "#8fb5cd", "#2a6f97"], "dark": ["#22333f", "#3d6d8c", "#6db3dd"]}
_RATE = {"domain": [0, 1]}
_SHARES = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1], "format": ".1f"}
_PERCENT = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1], "format": ".0%"}


def matrix_rows(table: Confusion) -> Rows:
    """The four cells, each with what it means."""
    return [
        {"reviewer": "accepted", "rubric": "pass", "entries": table.tp, "kind": "agree"},
        {"reviewer": "accepted", "rubric": "fail", "entries": table.fn, "kind": "miss"},
        {"reviewer": "rejected", "rubric": "pass", "entries": table.fp, "kind": "leak"},
        {"reviewer": "rejected", "rubric": "fail", "entries": table.tn, "kind": "agree"},
    ]


def matrix() -> charts.Spec:
    """Rubric against reviewer: agreement green, misses amber, leaks red, and each cell says which it is."""
    x = {"field": "rubric", "type": "nominal", "sort": ["pass", "fail"], "title": "rubric",
         "axis": {"orient": "top", "labelAngle": 0}}  # fmt: skip
    y = {"field": "reviewer", "type": "nominal", "sort": ["accepted", "rejected"], "title": "reviewer",
         "axis": {"grid": False}}  # fmt: skip
    kinds = ["agree", "miss", "leak"]
    colours = ["green", "orange", "red"]

    def coloured(part: str) -> dict[str, Any]:
        scale = {"domain": kinds, "range": [charts.colour(one, part) for one in colours]}  # type: ignore[arg-type]
        return {"field": "kind", "type": "nominal", "scale": scale, "legend": None}

    return {
        "encoding": {"x": x, "y": y},
        "resolve": {"scale": {"color": "independent"}},
        "layer": [
            {"mark": {"type": "rect", "cornerRadius": 4, "stroke": None}, "encoding": {"color": coloured("tint")}},
            {
                "mark": {"type": "text", "fontSize": 24, "fontWeight": 600, "dy": -6, "color": charts.ink()},
                "encoding": {"text": {"field": "entries", "type": "quantitative", "format": ",d"}},
            },
            {
                "mark": {"type": "text", "fontSize": 12, "dy": 16},
                "encoding": {"text": {"field": "kind"}, "color": coloured("text")},
            },
        ],
        "config": {"scale": {"bandPaddingInner": 0.03, "bandPaddingOuter": 0}, "axis": {"grid": False}},
    }


def threshold_rows(every: Sequence[AtThreshold]) -> Rows:
    """Precision and recall with their intervals at every threshold; an undefined figure has no value."""
    rows: Rows = []
    for at in every:
        for name in _DRAWN:
            one: Estimate = getattr(at.figures, name)
            rows.append({
                "threshold": at.threshold, "figure": name, "value": one.value, "n": one.n,
                "low": one.interval.low if one.interval else None, "high": one.interval.high if one.interval else None,
                "shown": numbers.score(one.value),
            })  # fmt: skip
    return rows


def thresholds(rows: Rows, limit: int) -> charts.Spec:
    """Precision and recall over the threshold, each with its 95% band and its name at the line's end."""
    colour = {"field": "figure", "type": "nominal", "legend": None,
              "scale": {"domain": ["precision", "recall"], "range": [charts.series(0), charts.series(1)]}}  # fmt: skip
    x = {"field": "threshold", "type": "quantitative", "title": "pass at total ≥",
         "scale": {"domain": [0, 7.1], "nice": False}, "axis": {"values": list(THRESHOLDS), "format": "d"}}  # fmt: skip
    y = {"field": "value", "type": "quantitative", "title": None, "scale": _RATE, "axis": _SHARES}
    ends = " || ".join(f"(datum.figure == '{name}' && datum.threshold == {_last(rows, name)})" for name in _DRAWN)
    here = [
        {"mark": {"type": "rule", "strokeDash": [4, 3], "color": charts.grey()},
         "data": {"values": [{"threshold": limit}]}, "encoding": {"x": x}},
    ]  # fmt: skip
    return {
        "layer": [
            {"mark": {"type": "area", "opacity": 0.14}, "encoding": {
                "x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}},
            {"mark": {"type": "line"}, "encoding": {"x": x, "y": y, "color": colour}},
            {"mark": {"type": "point", "size": 36}, "encoding": {
                "x": x, "y": y, "color": colour,
                "opacity": {"condition": {"test": f"datum.threshold == {limit}", "value": 1}, "value": 0.55},
                "tooltip": [{"field": "figure"}, {"field": "threshold"}, {"field": "shown"}, {"field": "n"}],
            }},
            {"mark": {"type": "text", "align": "left", "dx": 7}, "transform": [{"filter": ends}],
             "encoding": {"x": x, "y": y, "color": colour, "text": {"field": "figure"}}},
            *here,
        ],
    }  # fmt: skip


def _last(rows: Rows, name: str) -> int:
    """The highest threshold at which a figure is defined: where its name is written."""
    return max((row["threshold"] for row in rows if row["figure"] == name and row["value"] is not None), default=6)


def dimension_rows(found: Sequence[Dimension]) -> Rows:
    """Each dimension with its separation and interval."""
    return [
        {
            "dimension": one.name, "separation": one.separation.value, "n": one.separation.n,
            "low": one.separation.interval.low if one.separation.interval else None,
            "high": one.separation.interval.high if one.separation.interval else None,
            "shown": numbers.score(one.separation.value),
        }
        for one in found
    ]  # fmt: skip


def dimensions(rows: Rows) -> charts.Spec:
    """A dot and its interval for each dimension against one half, where a dimension tells nothing."""
    y = {"field": "dimension", "type": "nominal", "sort": [row["dimension"] for row in rows], "title": None,
         "axis": {"grid": False, "labelLimit": 180}}  # fmt: skip
    x = {"field": "separation", "type": "quantitative", "scale": _RATE,
         "title": "chance that an accepted entry scores higher", "axis": {**_SHARES, "grid": True}}  # fmt: skip
    return {
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [4, 3], "color": charts.grey()},
             "data": {"values": [{"separation": 0.5}]}, "encoding": {"x": x}},
            {"mark": {"type": "rule", "strokeWidth": 2.5, "color": charts.series(0), "opacity": 0.55},
             "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y}},
            {"mark": {"type": "point", "size": 90, "color": charts.series(0), "opacity": 1},
             "encoding": {"x": x, "y": y, "tooltip": [{"field": "dimension"}, {"field": "shown"}, {"field": "n"}]}},
            {"mark": {"type": "text", "dy": -13, "color": charts.ink()},
             "encoding": {"x": x, "y": y, "text": {"field": "shown"}}},
        ],
    }  # fmt: skip


def part_rows(found: Sequence[Dimension]) -> Rows:
    """How often each value 0, 1, 2 was given, by dimension and decision."""
    return [
        {"dimension": one.name, "decision": decision, "value": str(value), "entries": count}
        for one in found
        for decision, counts in (("accepted", one.accepted), ("rejected", one.rejected))
        for value, count in enumerate(counts)
    ]


def parts(rows: Rows) -> charts.Spec:
    """The shares of 0, 1 and 2 among accepted and rejected entries."""
    return {
        "mark": {"type": "bar", "height": {"band": 0.8}},
        "encoding": {
            "y": {"field": "dimension", "type": "nominal", "title": None, "axis": {"grid": False, "labelLimit": 180},
                  "sort": list(dict.fromkeys(row["dimension"] for row in rows))},
            "yOffset": {"field": "decision", "sort": ["accepted", "rejected"]},
            "x": {"field": "entries", "type": "quantitative", "stack": "normalize",
                  "title": "share of entries: accepted above, rejected below",
                  "axis": {"format": ".0%", "grid": False, "tickCount": 5}},
            "color": {"field": "value", "type": "nominal", "title": "score", "legend": {"orient": "top"},
                      "scale": {"domain": ["0", "1", "2"], "range": _TONES[charts.mode()]}},
            "order": {"field": "value"},
            "tooltip": [{"field": "dimension"}, {"field": "decision"}, {"field": "value"}, {"field": "entries"}],
        },
    }  # fmt: skip


def bucket_rows(found: Calibration) -> Rows:
    """The accept rate of each score bucket with its interval."""
    return [
        {
            "bucket": total, "rate": one.value, "accepted": one.k, "n": one.n,
            "low": one.interval.low if one.interval else None, "high": one.interval.high if one.interval else None,
            "shown": f"{numbers.percent(one.k or 0, one.n)} of {one.n}",
        }
        for total, one in found.buckets.items()
    ]  # fmt: skip


def buckets(rows: Rows) -> charts.Spec:
    """Accept rate by score, each with its 95% interval, against the 60% that bucket 4 should reach."""
    x = {"field": "bucket", "type": "ordinal", "title": "rubric total", "axis": {"labelAngle": 0}}
    y = {"field": "rate", "type": "quantitative", "title": "accepted", "scale": _RATE, "axis": _PERCENT}
    return {
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [4, 3], "color": charts.grey()},
             "data": {"values": [{"rate": LOWEST_RATE}]}, "encoding": {"y": y}},
            {"mark": {"type": "rule", "strokeWidth": 3, "color": charts.series(0), "opacity": 0.45},
             "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}},
            {"mark": {"type": "point", "size": 110, "color": charts.series(0), "opacity": 1},
             "encoding": {"x": x, "y": y}},
            {"mark": {"type": "text", "align": "left", "dx": 12, "color": charts.ink()},
             "encoding": {"x": x, "y": y, "text": {"field": "shown"}}},
        ],
    }  # fmt: skip


def month_rows(months: Sequence[Month]) -> Rows:
    """The accept rate and the mean stored total of every month."""
    return [
        {
            "month": one.month, "rate": one.accepted.value, "accepted": one.accepted.k, "n": one.accepted.n,
            "low": one.accepted.interval.low if one.accepted.interval else None,
            "high": one.accepted.interval.high if one.accepted.interval else None,
            "scored": one.scored, "mean_total": one.mean_total, "shown": numbers.percent_of(one.accepted.value),
        }
        for one in months
    ]  # fmt: skip


def drift() -> charts.Spec:
    """The accept rate month by month with its 95% band."""
    x = {"field": "month", "type": "ordinal", "title": None, "axis": {"labelAngle": 0, "labelOverlap": True}}
    y = {"field": "rate", "type": "quantitative", "title": "accepted", "scale": _RATE, "axis": _PERCENT}
    return {
        "layer": [
            {"mark": {"type": "area", "opacity": 0.14, "color": charts.series(0)},
             "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}},
            {"mark": {"type": "line", "color": charts.series(0)}, "encoding": {"x": x, "y": y}},
            {"mark": {"type": "point", "color": charts.series(0), "opacity": 1},
             "encoding": {"x": x, "y": y, "tooltip": [{"field": "month"}, {"field": "shown"}, {"field": "n"}]}},
        ],
    }  # fmt: skip


def totals() -> charts.Spec:
    """The mean stored total month by month."""
    x = {"field": "month", "type": "ordinal", "title": None, "axis": {"labelAngle": 0, "labelOverlap": True}}
    y = {"field": "mean_total", "type": "quantitative", "title": "mean total", "scale": {"domain": [0, 6]},
         "axis": {"values": [0, 2, 4, 6]}}  # fmt: skip
    return {
        "layer": [
            {"mark": {"type": "line", "color": charts.series(3)}, "encoding": {"x": x, "y": y}},
            {"mark": {"type": "point", "shape": "diamond", "filled": False, "color": charts.series(3), "opacity": 1,
                      "size": 60},
             "encoding": {"x": x, "y": y, "tooltip": [{"field": "month"}, {"field": "mean_total", "format": ".2f"},
                                                      {"field": "scored"}]}},
        ],
    }  # fmt: skip
