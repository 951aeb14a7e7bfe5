"""The timeline as one picture: an iteration a column, a dimension a row, what the ratchet did beneath.

In a cell stand the judged median, the anchor in words, and below them the three samples as dots on a strip with the bar
as a tick. The dimension that was revised is framed. Everything is placed here; the spec only draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.report_loop.dimensions import exact
from core.report_loop.view import Cell, Column, RunView
from pages.shared import charts
from pages.shared.verdicts import Colour

_COLOURS: dict[str, Colour] = {
    "pass": "green", "fail": "red", "unverified": "orange", "undersampled": "orange", "awaiting_judge": "gray",
    "unreadable": "outline",
}  # fmt: skip
_MOVES: dict[str, tuple[str, Colour]] = {
    "baseline": ("baseline", "gray"), "accepted": ("✓ accepted", "green"), "reverted": ("↩ reverted", "red"),
    "scored again": ("⟳ scored again", "gray"), "improved": ("✓ improved", "green"),
    "not improved": ("– not improved", "orange"), "unknown": ("? not recorded", "gray"),
}  # fmt: skip
_STOPS: dict[str, Colour] = {
    "PASS": "green", "plateau": "violet", "cap": "violet", "stale": "orange", "unverified": "orange", "fail": "red",
}  # fmt: skip
_SIGNS = {"anchor red": "✕", "awaiting judge": "…", "unverified": "unv."}
_HALF, _INSET = 0.47, 0.41
_MOVE_ROW = 3.84
_BOTTOM = 4.98
_NARROW = 92  # pixels of a column below which signs stand for words
_ROW_PX = 58
_LEAST = 3  # a run of one iteration does not fill the width
_FIELDS = (
    "iteration",
    "dimension",
    "status",
    "anchor",
    "median",
    "samples",
    "bar",
    "target",
    "move",
    "why",
    "node",
    "diff",
)


def height() -> int:
    """Height of the picture in pixels."""
    return round((_BOTTOM + 0.5) * _ROW_PX) + 26


def lowest(view: RunView) -> float:
    """Where the strips begin: 0.5, or a tenth below the lowest sample."""
    values = [
        value for column in view.columns for cell in column.cells for value in (*cell.samples, cell.median or 1.0)
    ]
    return min(0.5, int(min(values, default=1.0) * 10) / 10)


def rows(view: RunView) -> list[dict[str, Any]]:
    """The figures behind the picture, for the CSV: a row an iteration and dimension."""
    return [
        dict(zip(_FIELDS, (
            column.index, cell.dimension, cell.words, cell.anchor, cell.median, " ".join(map(exact, cell.samples)),
            cell.bar, cell.target, column.move, column.why, column.node, column.diff,
        ), strict=True))
        for column in view.columns
        for cell in column.cells
    ]  # fmt: skip


def spec(view: RunView, chosen: int | None) -> charts.Spec:
    """The Vega-Lite spec of one run; ``chosen`` is the iteration whose column is marked."""
    first = lowest(view)
    places = {column.index: number for number, column in enumerate(view.columns, start=1)}
    layers = [
        _column_mark(places.get(chosen or 0)),
        *_cells(view.columns, places),
        *_strips(view.columns, places, first),
        *_moves(view.columns, places, view),
        _stop(view, len(places)),
    ]
    filled = [layer for layer in layers if layer is not None and layer["values"]]  # an empty one is a nameless mark
    drawn = [_framed(layer, view, len(places), number) for number, layer in enumerate(filled)]
    return {
        # One table for all layers: Streamlit hands over one, and a layer takes its own rows from it.
        "data": {"values": [row for layer in drawn for row in layer.pop("values")]},
        "layer": drawn,
        "height": height(),
        "config": {"axisX": {"labelFontSize": 13}, "axisY": {"labelFontSize": 13, "labelColor": charts.ink()}},
    }


def _framed(layer: charts.Spec, view: RunView, count: int, number: int) -> charts.Spec:
    """Every layer states the same two scales, or the axes would start at 0."""
    wide = max(count, _LEAST)
    names = ["Accurate", "Dynamic", "Inclusive", "Polished"]
    numbers = [column.index for column in view.columns]
    x = {
        "type": "quantitative", "scale": {"domain": [0.5, wide + 0.5], "nice": False, "zero": False}, "title": None,
        "axis": {"orient": "top", "values": list(range(1, count + 1)), "grid": False,
                 "labelExpr": f"'Iteration ' + {numbers}[datum.value - 1]", "labelOverlap": False},
    }  # fmt: skip
    y = {
        "type": "quantitative", "title": None,
        "scale": {"domain": [-0.5, _BOTTOM], "reverse": True, "nice": False, "zero": False},
        "axis": {"values": [0, 1, 2, 3], "grid": False, "labelExpr": f"{names}[datum.value]", "labelOverlap": False},
    }  # fmt: skip
    encoding = {**layer["encoding"], "x": {"field": "x", **x}, "y": {"field": "y", **y}}
    values = [{**row, "layer": number} for row in layer["values"]]
    mine = [{"filter": f"datum.layer === {number}"}, *layer.get("transform", [])]
    return {**layer, "values": values, "transform": mine, "encoding": encoding}


def _layer(mark: dict[str, Any], values: Sequence[dict[str, Any]], **encoding: Any) -> charts.Spec:
    return {"mark": mark, "values": list(values), "encoding": encoding}


def _hue(field: str) -> dict[str, Any]:
    return {"field": field, "type": "nominal", "scale": None}


def _column_mark(place: int | None) -> charts.Spec | None:
    if place is None:
        return None
    row = {"x": place - 0.5, "x2": place + 0.5, "y": -0.5, "y2": _BOTTOM}
    mark = {"type": "rect", "cornerRadius": 6, "fill": charts.colour("gray", "tint"), "opacity": 0.75, "tooltip": None}
    return _layer(mark, [row], x2={"field": "x2"}, y2={"field": "y2"})


def _cells(columns: Sequence[Column], places: dict[int, int]) -> list[charts.Spec]:
    """Tinted rectangles with their number and, at the right, the anchor in words; a click chooses the iteration."""
    boxes, words, anchors, notes = [], [], [], []
    for column in columns:
        at = places[column.index]
        for row, cell in enumerate(column.cells):
            hue = _COLOURS[cell.state]
            boxes.append({
                "x": at - _HALF, "x2": at + _HALF, "y": row - 0.44, "y2": row + 0.44, "iteration": column.index,
                "fill": charts.colour(hue, "tint"), "edge": charts.ink() if cell.target else charts.colour(hue, "tint"),
                "said": _said(column, cell),
            })  # fmt: skip
            place = {"y": row - 0.13, "hue": charts.colour(hue, "text")}
            words.append({**place, "x": at - _INSET, "text": cell.words, "sign": _SIGNS.get(cell.words, cell.words)})
            if cell.anchor is not None and cell.words != "anchor red":
                sign = "✓" if cell.anchor else "✕"
                tone = charts.colour("green" if cell.anchor else "red", "text")
                place = {"x": at + _INSET, "y": row - 0.13, "hue": tone}
                anchors.append({**place, "text": f"anchor {sign}", "sign": sign})
            if cell.dimension == "accurate" and cell.reason:
                notes.append({"x": at - _INSET, "y": row + 0.2, "text": cell.reason})
    box = _layer(
        {"type": "rect", "cornerRadius": 5, "strokeWidth": 1.6, "cursor": "pointer"}, boxes, x2={"field": "x2"},
        y2={"field": "y2"}, fill=_hue("fill"), stroke=_hue("edge"), tooltip={"field": "said", "type": "nominal"},
    )  # fmt: skip
    box["params"] = [{"name": "iteration", "select": {"type": "point", "fields": ["iteration"], "on": "click"}}]
    text = {"type": "text", "baseline": "middle", "tooltip": None, "limit": {"expr": _width(len(places), 0.8)}}
    strong, small = {"align": "left", "fontSize": 14, "fontWeight": 600}, {"align": "right", "fontSize": 11}
    made = [box, _by_width({**text, **strong}, words, len(places)), _by_width({**text, **small}, anchors, len(places))]
    note = {**text, "align": "left", "fontSize": 11, "color": charts.grey()}
    return [*made, _layer(note, notes, text={"field": "text"})]


def _width(count: int, share: float) -> str:
    return f"width / {max(count, _LEAST)} * {share}"


def _said(column: Column, cell: Cell) -> str:
    claim = f" (its record says {cell.claimed})" if cell.claimed else ""
    return f"Iteration {column.index}, {cell.dimension}: {cell.words}{claim}. {cell.reason}"


def _strips(columns: Sequence[Column], places: dict[int, int], first: float) -> list[charts.Spec]:
    """Samples as pale dots, the median as a diamond, the bar as a tick, on one line from ``first`` to 1."""
    lines, ticks, dots, medians = [], [], [], []
    for column in columns:
        at = places[column.index]

        def across(value: float, at: int = at) -> float:
            return at - _INSET + 2 * _INSET * (max(first, value) - first) / (1 - first)

        for row, cell in enumerate(column.cells):
            if cell.median is None and not cell.samples:
                continue
            hue = charts.colour(_COLOURS[cell.state], "mark")
            lines.append({"x": at - _INSET, "x2": at + _INSET, "y": row + 0.22})
            if cell.bar is not None:
                ticks.append({"x": across(cell.bar), "y": row + 0.09, "y2": row + 0.35})
            dots += [{"x": across(value), "y": row + 0.22, "hue": hue} for value in cell.samples]
            if cell.median is not None:
                medians.append({"x": across(cell.median), "y": row + 0.22, "hue": hue})
    line = {"type": "rule", "strokeWidth": 1, "color": charts.colour("gray"), "opacity": 0.35}
    tick = {"type": "rule", "strokeWidth": 1.5, "strokeDash": [3, 2], "color": charts.ink()}
    point = {"type": "point", "filled": True, "tooltip": None}
    return [
        _layer(line, lines, x2={"field": "x2"}),
        _layer(tick, ticks, y2={"field": "y2"}),
        _layer({**point, "size": 44, "opacity": 0.45}, dots, color=_hue("hue")),
        _layer({**point, "size": 70, "opacity": 1, "shape": "diamond"}, medians, color=_hue("hue")),
    ]


def _moves(columns: Sequence[Column], places: dict[int, int], view: RunView) -> list[charts.Spec]:
    """What happened to each candidate: accepted or reverted, the node and its changes, and why."""
    names = {node.node: node.name for node in view.nodes}
    heads, notes = [], []
    for column in columns:
        at = places[column.index]
        word, hue = _MOVES[column.move]
        sign = word.split()[0] if not word[0].isalpha() else word
        place = {"x": at - _INSET, "y": _MOVE_ROW, "hue": charts.colour(hue, "text")}
        heads.append({**place, "text": word, "sign": sign})
        node = names.get(column.node) or column.node
        changed = "no edit" if not column.diff else f"{column.diff} {'line' if column.diff == 1 else 'lines'} changed"
        lines = [line for line in (node, changed, column.short) if line]
        notes += [
            {"x": at - _INSET, "y": _MOVE_ROW + 0.3 + 0.28 * number, "text": line} for number, line in enumerate(lines)
        ]
    text = {"type": "text", "align": "left", "baseline": "middle", "limit": {"expr": _width(len(places), 0.86)}}
    strong = {**text, "fontSize": 12.5, "fontWeight": 600}
    return [
        _by_width(strong, heads, len(places)),
        _layer({**text, "fontSize": 11.5, "color": charts.grey()}, notes, text={"field": "text"}),
    ]


def _by_width(mark: dict[str, Any], values: Sequence[dict[str, Any]], count: int) -> charts.Spec:
    """Words, or their signs where a column is narrow: only the browser knows how wide it is."""
    layer = _layer(mark, values, text={"field": "said", "type": "nominal"}, color=_hue("hue"))
    said = f"{_width(count, 1)} >= {_NARROW} ? datum.text : datum.sign"
    return {**layer, "transform": [{"calculate": said, "as": "said"}]}


def _stop(view: RunView, count: int) -> charts.Spec | None:
    """A rule after the last iteration where the loop stopped; the chips above say why."""
    hue = _STOPS.get(view.headline.word)
    if hue is None or count == 0:
        return None
    mark = {"type": "rule", "strokeWidth": 3, "strokeCap": "round", "color": charts.colour(hue, "mark")}
    return _layer(mark, [{"x": count + 0.5, "y": -0.44, "y2": 3.44}], y2={"field": "y2"})
