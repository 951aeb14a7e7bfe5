"""Charts kept as dict specs (Vega-Lite): one look, the app's theme in light and dark, PNG and CSV for each.

Building an Altair object at every run costs about 65 ms to validate; a dict costs five. A page keeps its spec as a
constant or builds a dict, and its test passes it through `validate`, which is Altair's own check.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared import downloads, text
from pages.shared.verdicts import PALETTE, Colour

Spec = dict[str, Any]

#: Series, colour-blind safe, in this order; the same as chartCategoricalColors in .streamlit/config.toml.
SERIES = {
    "light": ["#2a6f97", "#c8553d", "#588157", "#8a5fa8", "#b08900", "#4d5864"],
    "dark": ["#6db3dd", "#f0907a", "#9fc79a", "#c6a5e0", "#e3c25a", "#a8b3bf"],
}
_INK = {"light": "#1b2430", "dark": "#e8edf2"}
_FAINT = {"light": "#e3e8ec", "dark": "#2a333c"}
FONT = "Inter, 'Noto Sans CJK TC', 'Noto Sans CJK SC', 'Noto Sans CJK KR', sans-serif"

_tools = st.components.v2.component(
    "touchstone_chart_tools",
    css=Path(__file__).with_name("chart_tools.css").read_text("utf-8"),
    js=Path(__file__).with_name("chart_tools.js").read_text("utf-8"),
)


def mode() -> str:
    """``"light"`` or ``"dark"``: what the visitor's browser shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


def colour(name: Colour, part: str = "mark") -> str:
    """A verdict colour in the visitor's theme; ``part`` is ``mark`` (lines, dots), ``tint`` (areas) or ``text``."""
    words, tint, mark = PALETTE[mode()][name]
    return {"text": words, "tint": tint, "mark": mark}[part]


def series(number: int) -> str:
    """The colour of the n-th series in the visitor's theme."""
    palette = SERIES[mode()]
    return palette[number % len(palette)]


def ink() -> str:
    """The colour of text in a chart."""
    return _INK[mode()]


def grey() -> str:
    """The colour of axis labels, rules and notes."""
    return colour("gray", "text")


def themed(spec: Spec) -> Spec:
    """The spec with the house's look: faint horizontal rules only, no frame, the app's fonts."""
    axis = {
        "labelFont": FONT, "titleFont": FONT, "labelColor": grey(), "titleColor": grey(), "labelFontSize": 12,
        "titleFontSize": 12, "titleFontWeight": "normal", "domain": False, "ticks": False, "labelPadding": 8,
        "gridColor": _FAINT[mode()],
    }  # fmt: skip
    config = {
        "background": "transparent", "font": FONT, "view": {"stroke": None},
        "axis": axis, "axisX": {"grid": False}, "axisY": {"grid": True},
        "text": {"font": FONT, "fontSize": 12, "color": ink()}, "rule": {"color": grey()},
        "title": {"font": FONT, "color": ink(), "fontSize": 13, "fontWeight": 600, "anchor": "start"},
        "header": {"labelFont": FONT, "titleFont": FONT, "labelColor": ink(), "titleColor": grey()},
        "legend": {"labelFont": FONT, "titleFont": FONT, "labelColor": ink(), "titleColor": grey()},
        "mark": {"color": SERIES[mode()][0]},
        "line": {"strokeWidth": 2}, "point": {"filled": True, "size": 42},
        "range": {"category": SERIES[mode()]},
    }  # fmt: skip
    return {**spec, "config": _merge(config, spec.get("config", {}))}


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = copy.deepcopy(dict(base))
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def show(
    spec: Spec,
    *,
    key: str,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    height: int = 260,
    on_select: Any = "ignore",
    selection_mode: Sequence[str] | str | None = None,
) -> Any:
    """Draw a chart with its PNG and CSV buttons; ``name`` says what it shows (screen readers, file names).

    ``rows`` are the figures behind it. They go into the CSV, and into the spec where that has no data of its own. Keep
    them under about 2,000: a core rule aggregates. Returns the selection state when ``on_select`` is given.
    """
    full = themed(spec)
    if "data" not in full:
        full["data"] = {"values": [dict(row) for row in rows]}
    full.setdefault("height", height)
    full.setdefault("autosize", {"type": "fit", "contains": "padding"})
    chosen: dict[str, Any] = {"on_select": on_select}
    if on_select != "ignore":
        chosen["selection_mode"] = selection_mode
    with st.container(key=f"{key}_box", gap=None):
        result = st.vega_lite_chart(spec=full, width="stretch", key=key, theme=None, alt=name, **chosen)
        with st.container(horizontal=True, horizontal_alignment="right", gap="small", key=f"{key}_tools"):
            target = {"box": f"st-key-{key}_box", "name": name.replace(" ", "_")}
            _tools(key=f"{key}_png", data=target, height="content", width="content")
            downloads.csv_button(rows, name.replace(" ", "_"), key=f"{key}_csv")
    return result


def legend(entries: Sequence[tuple[str, Colour]]) -> text.Html:
    """A line of words in their colours, where labels at the lines' ends will not do."""
    return text.chips(*(text.chip(words, tint) for words, tint in entries))


def validate(spec: Spec) -> None:
    """Check a spec with Altair (tests). Raises altair's SchemaValidationError."""
    import altair

    altair.Chart.from_dict({"data": {"values": []}, **spec}, validate=True)
