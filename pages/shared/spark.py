"""Small pictures inside a card: a trend without axes. What they show is told in words beside them."""

from __future__ import annotations

from collections.abc import Sequence

from pages.shared import text
from pages.shared.text import Html
from pages.shared.verdicts import Colour

WIDTH, HEIGHT = 220.0, 44.0


def line(values: Sequence[float | None], words: str, *, colour: Colour = "blue", level: float | None = None) -> Html:
    """A line through the values (None is a gap), a dashed level where there is one; ``words`` for screen readers."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return Html("")
    low, high = (
        min([*known, *([level] if level is not None else [])]),
        max([*known, *([level] if level is not None else [])]),
    )
    wide = WIDTH / max(1, len(values) - 1)

    def y(value: float) -> float:
        return HEIGHT - 4 - (value - low) / ((high - low) or 1) * (HEIGHT - 8)

    runs: list[list[str]] = [[]]
    for number, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append(f"{number * wide:.1f},{y(value):.1f}")
    paths = [f'<polyline points="{" ".join(run)}"/>' for run in runs if run]
    if level is not None:
        paths.append(f'<line class="ts-level" x1="0" x2="{WIDTH}" y1="{y(level):.1f}" y2="{y(level):.1f}"/>')
    return _svg(paths, words, f"ts-stroke-{colour}")


def bars(values: Sequence[tuple[int, int]], words: str) -> Html:
    """Two stacked numbers for each step: the first green, the second red; nothing where both are 0."""
    most = max((one + other for one, other in values), default=0)
    if not most:
        return Html("")
    wide = WIDTH / len(values)
    paths = []
    for number, (one, other) in enumerate(values):
        base = HEIGHT
        for count, tint in ((one, "green"), (other, "red")):
            tall = count / most * (HEIGHT - 2)
            base -= tall
            if count:
                paths.append(
                    f'<rect class="ts-fill-{tint}" x="{number * wide + 1:.1f}" y="{base:.1f}" '
                    f'width="{wide - 2:.1f}" height="{tall:.1f}" rx="1"/>'
                )
    return _svg(paths, words, "")


def _svg(paths: Sequence[str], words: str, cls: str) -> Html:
    return Html(
        f'<svg class="ts-spark {cls}" role="img" aria-label="{text.esc(words)}" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" '
        f'preserveAspectRatio="none">{"".join(paths)}</svg>'
    )
