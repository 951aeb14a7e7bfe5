"""Small pictures inside a card: a trend without axes. What they show is told in words beside them."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

from pages.shared import charts
from pages.shared.text import Html
from pages.shared.verdicts import Colour

WIDTH, HEIGHT = 220.0, 44.0


def line(values: Sequence[float | None], words: str, *, colour: Colour = "blue", level: float | None = None) -> Html:
    """A line through the values (None is a gap), a dashed level where there is one; ``words`` for screen readers."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return Html("")
    ends = [*known, level] if level is not None else known
    low, high = min(ends), max(ends)
    wide = WIDTH / (len(values) - 1)

    def y(value: float) -> float:
        return HEIGHT - 4 - (value - low) / ((high - low) or 1) * (HEIGHT - 8)

    runs: list[list[str]] = [[]]
    for number, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append(f"{number * wide:.1f},{y(value):.1f}")
    thin = 'vector-effect="non-scaling-stroke"'
    stroke = f'fill="none" stroke="{charts.colour(colour)}" stroke-width="2" stroke-linejoin="round" {thin}'
    parts = [f'<polyline {stroke} points="{" ".join(run)}"/>' for run in runs if run]
    if level is not None:
        dashed = f'stroke="{charts.colour("gray")}" stroke-dasharray="4 4" {thin}'
        parts.append(f'<line {dashed} x1="0" x2="{WIDTH}" y1="{y(level):.1f}" y2="{y(level):.1f}"/>')
    return _picture(parts, words)


def bars(values: Sequence[tuple[int, int]], words: str) -> Html:
    """Two stacked numbers for each step: the first green, the second red; nothing where all are 0."""
    most = max((one + other for one, other in values), default=0)
    if not most:
        return Html("")
    wide = WIDTH / len(values)
    parts = []
    tints: tuple[Colour, Colour] = ("green", "red")
    for number, pair in enumerate(values):
        base = HEIGHT
        for count, tint in zip(pair, tints, strict=True):
            tall = count / most * (HEIGHT - 2)
            base -= tall
            if count:
                parts.append(
                    f'<rect fill="{charts.colour(tint)}" x="{number * wide + 1:.1f}" y="{base:.1f}" '
                    f'width="{wide - 2:.1f}" height="{tall:.1f}"/>'
                )
    return _picture(parts, words)


def _picture(parts: Sequence[str], words: str) -> Html:
    """As an image, because Streamlit takes SVG out of HTML; its colours are those of the theme at this moment."""
    body = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" preserveAspectRatio="none">'
        f"{''.join(parts)}</svg>"
    )
    source = "data:image/svg+xml;base64," + base64.b64encode(body.encode()).decode()
    return Html(f'<img class="ts-spark" src="{source}" alt="{html.escape(words, quote=True)}">')
