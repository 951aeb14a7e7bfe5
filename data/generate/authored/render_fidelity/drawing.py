"""Slides drawn from a few words and figures: 2560×1440, flat colours, the one font that Pillow carries itself.

An original is drawn at three times the size and brought down, a render at twice: edges and glyphs differ a little
everywhere, as those of another engine do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 2560, 1440
MARGIN = 150


@dataclass(frozen=True)
class Theme:
    """Colours of a deck and its mark: ``mark`` is drawn in the corner of every page."""

    paper: str
    ink: str
    soft: str
    line: str
    accent: str
    second: str
    card: str
    mark: str
    name: str


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType")
    return font


class Slide:
    """One page under the pen. ``scale`` draws everything so many times as large."""

    def __init__(self, theme: Theme, scale: int) -> None:
        self.theme, self.scale = theme, scale
        self.image = Image.new("RGB", (WIDTH * scale, HEIGHT * scale), theme.paper)
        self.pen = ImageDraw.Draw(self.image)

    def box(self, x: float, y: float, w: float, h: float, fill: str = "", radius: float = 0, line: str = "") -> None:
        place = [v * self.scale for v in (x, y, x + w, y + h)]
        width = 3 * self.scale if line else 0
        self.pen.rounded_rectangle(place, radius * self.scale, fill=fill or None, outline=line or None, width=width)

    def text(
        self, x: float, y: float, words: str, size: int, colour: str = "", bold: bool = False, anchor: str = "ls"
    ) -> None:
        stroke = max(1, size // 34) * self.scale if bold else 0
        ink = colour or self.theme.ink
        place = (x * self.scale, y * self.scale)
        self.pen.text(
            place, words, fill=ink, font=_font(size * self.scale), anchor=anchor, stroke_width=stroke, stroke_fill=ink
        )

    def path(self, points: list[tuple[float, float]], colour: str, width: int) -> None:
        flat = [(x * self.scale, y * self.scale) for x, y in points]
        self.pen.line(flat, fill=colour, width=width * self.scale, joint="curve")

    def disc(self, x: float, y: float, r: float, fill: str = "", line: str = "", width: int = 6) -> None:
        place = [v * self.scale for v in (x - r, y - r, x + r, y + r)]
        self.pen.ellipse(place, fill=fill or None, outline=line or None, width=width * self.scale if line else 0)

    def shape(self, points: list[tuple[float, float]], fill: str) -> None:
        self.pen.polygon([(x * self.scale, y * self.scale) for x, y in points], fill=fill)

    def finish(self, shift: tuple[int, int] = (0, 0)) -> Image.Image:
        image = self.image.reduce(self.scale) if self.scale > 1 else self.image
        if shift != (0, 0):
            moved = Image.new("RGB", image.size, self.theme.paper)
            moved.paste(image, shift)
            image = moved
        return image.quantize(96, Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE)


def draw(page: dict[str, Any], theme: Theme, *, render: bool) -> Image.Image:
    """One page: ``kind`` is the layout; ``extra``, ``shift``, ``mark`` and ``without`` are what a render planted."""
    slide = Slide(theme, 2 if render else 3)
    LAYOUTS[page["kind"]](slide, page)
    _mark(slide, page.get("mark", theme.mark if not render else "neutral"))
    for thing in page.get("extra", ()):
        _extra(slide, thing)
    return slide.finish(tuple(page.get("shift", (0, 0))))  # type: ignore[arg-type]  # two numbers, as authored


def _mark(slide: Slide, kind: str) -> None:
    """The corner mark: the owner's own drawing, or the neutral one that takes its place."""
    x, y, theme = WIDTH - MARGIN - 46, MARGIN - 10, slide.theme
    if kind == "anchor":
        slide.disc(x, y - 34, 16, line=theme.accent, width=8)
        slide.path([(x, y - 18), (x, y + 44)], theme.accent, 9)
        slide.path([(x - 30, y), (x + 30, y)], theme.accent, 9)
        slide.path(
            [(x - 44, y + 14), (x - 26, y + 40), (x, y + 48), (x + 26, y + 40), (x + 44, y + 14)], theme.accent, 9
        )
    elif kind == "rays":
        for turn in range(12):
            angle = math.pi * turn / 6
            inner, outer = (26, 50) if turn % 2 else (26, 40)
            slide.path(
                [
                    (x + inner * math.cos(angle), y + inner * math.sin(angle)),
                    (x + outer * math.cos(angle), y + outer * math.sin(angle)),
                ],
                theme.accent,
                8,
            )
        slide.disc(x, y, 18, fill=theme.accent)
    elif kind == "peaks":
        slide.shape(
            [(x - 54, y + 40), (x - 14, y - 34), (x + 10, y + 10), (x + 24, y - 14), (x + 54, y + 40)], theme.accent
        )
    elif kind == "neutral":
        slide.box(x - 34, y - 34, 68, 68, line=theme.soft, radius=14)


def _extra(slide: Slide, thing: dict[str, Any]) -> None:
    x, y, size = thing["x"], thing["y"], thing["size"]
    if thing["what"] == "ring":
        slide.disc(x, y, size, line=slide.theme.accent, width=10)
    elif thing["what"] == "badge":
        slide.disc(x, y, size, fill=slide.theme.second)
        slide.text(x, y + size * 0.12, thing["words"], int(size * 0.34), slide.theme.paper, bold=True, anchor="ms")
    elif thing["what"] == "arrow":
        slide.shape(
            [(x, y), (x + size, y + size * 0.5), (x, y + size), (x + size * 0.3, y + size * 0.5)], slide.theme.second
        )


def _head(slide: Slide, page: dict[str, Any]) -> None:
    if "rule" not in page.get("without", ()):
        slide.box(MARGIN, 128, 14, 128, slide.theme.accent)
    slide.text(MARGIN + 46, 196, page["title"], 76, bold=True)
    slide.text(MARGIN + 46, 254, page.get("sub", ""), 36, slide.theme.soft)
    slide.text(MARGIN, HEIGHT - 84, page.get("foot", ""), 27, slide.theme.soft)
    slide.text(WIDTH - MARGIN, HEIGHT - 84, page.get("folio", ""), 27, slide.theme.soft, anchor="rs")


def _cover(slide: Slide, page: dict[str, Any]) -> None:
    theme = slide.theme
    if "facet" not in page.get("without", ()):
        slide.shape([(1500, 0), (WIDTH, 0), (WIDTH, HEIGHT), (1120, HEIGHT)], theme.card)
        slide.shape([(1760, 0), (WIDTH, 0), (WIDTH, 900)], theme.second)
        slide.shape([(1300, HEIGHT), (1990, HEIGHT), (2200, 780)], theme.accent)
    slide.text(MARGIN, 560, page["title"], 150, bold=True)
    slide.text(MARGIN, 660, page["sub"], 58, theme.soft)
    slide.box(MARGIN, 730, 260, 12, theme.accent)
    slide.text(MARGIN, HEIGHT - 130, page["foot"], 36, theme.soft)


def _kpi(slide: Slide, page: dict[str, Any]) -> None:
    _head(slide, page)
    theme, cards = slide.theme, page["cards"]
    columns = 3 if len(cards) > 4 else len(cards)
    rows = -(-len(cards) // columns)
    width = (WIDTH - 2 * MARGIN - 48 * (columns - 1)) / columns
    height = (HEIGHT - 360 - 170 - 48 * (rows - 1)) / rows
    for place, (value, name, note) in enumerate(cards):
        x = MARGIN + place % columns * (width + 48)
        y = 350 + place // columns * (height + 48)
        slide.box(x, y, width, height, theme.card, radius=24)
        if "rule" not in page.get("without", ()):
            slide.box(x, y + 40, 10, height - 80, theme.accent)
        slide.text(x + 60, y + height / 2 - 10, value, 112, theme.accent if place == 0 else theme.ink, bold=True)
        slide.text(x + 60, y + height / 2 + 62, name, 40)
        slide.text(x + 60, y + height / 2 + 118, note, 31, theme.soft)


def _bars(slide: Slide, page: dict[str, Any]) -> None:
    _head(slide, page)
    theme, bars = slide.theme, page["bars"]
    floor, top = 1190, 420
    most = max(value for _, value, _ in bars)
    step = (WIDTH - 2 * MARGIN) / len(bars)
    for line in range(5):
        y = floor - line * (floor - top) / 4
        slide.path([(MARGIN, y), (WIDTH - MARGIN, y)], theme.line, 2)
    for place, (name, value, shown) in enumerate(bars):
        height = (floor - top) * value / most
        x = MARGIN + place * step + step * 0.2
        slide.box(x, floor - height, step * 0.6, height, theme.accent if place == 0 else theme.second, radius=8)
        slide.text(x + step * 0.3, floor - height - 26, shown, 46, bold=True, anchor="ms")
        slide.text(x + step * 0.3, floor + 58, name, 36, theme.soft, anchor="ms")


def _lines(slide: Slide, page: dict[str, Any]) -> None:
    _head(slide, page)
    theme = slide.theme
    left, right, floor, top = MARGIN + 110, WIDTH - MARGIN - 260, 1190, 400
    for place, label in enumerate(page["axis"]):
        y = floor - place * (floor - top) / (len(page["axis"]) - 1)
        slide.path([(left, y), (right, y)], theme.line, 2)
        slide.text(left - 24, y + 10, label, 30, theme.soft, anchor="rs")
    for place, label in enumerate(page["steps"]):
        x = left + place * (right - left) / (len(page["steps"]) - 1)
        slide.text(x, floor + 58, label, 32, theme.soft, anchor="ms")
    for number, (name, values) in enumerate(page["series"]):
        colour = theme.accent if number == 0 else theme.second if number == 1 else theme.soft
        points = [
            (left + place * (right - left) / (len(values) - 1), floor - value * (floor - top) / 100)
            for place, value in enumerate(values)
        ]
        slide.path(points, colour, 9)
        for x, y in points:
            slide.disc(x, y, 13, fill=colour)
        slide.text(points[-1][0] + 34, points[-1][1] + 12, name, 36, colour, bold=True)


def _table(slide: Slide, page: dict[str, Any]) -> None:
    _head(slide, page)
    theme, rows = slide.theme, page["rows"]
    widths = page["widths"]
    total = sum(widths)
    height = min(120, (HEIGHT - 360 - 180) / len(rows))
    for number, row in enumerate(rows):
        y = 350 + number * height
        if number == 0:
            slide.box(MARGIN, y, WIDTH - 2 * MARGIN, height, theme.card, radius=12)
        else:
            slide.path([(MARGIN, y + height), (WIDTH - MARGIN, y + height)], theme.line, 2)
        x = float(MARGIN)
        for column, cell in enumerate(row):
            width = (WIDTH - 2 * MARGIN) * widths[column] / total
            bold = number == 0 or column == 0
            colour = theme.accent if page.get("hot") == [number, column] else ""
            if column == 0:
                slide.text(x + 30, y + height * 0.64, cell, 38, colour, bold=bold)
            else:
                slide.text(x + width - 30, y + height * 0.64, cell, 38, colour, bold=bold or bool(colour), anchor="rs")
            x += width


def _steps(slide: Slide, page: dict[str, Any]) -> None:
    _head(slide, page)
    theme, steps = slide.theme, page["items"]
    y, span = 640, (WIDTH - 2 * MARGIN) / len(steps)
    slide.path([(MARGIN + span / 2, y), (WIDTH - MARGIN - span / 2, y)], theme.line, 8)
    for place, (when, what, more) in enumerate(steps):
        x = MARGIN + span * (place + 0.5)
        slide.disc(x, y, 44, fill=theme.accent if place == 0 else theme.card, line=theme.accent, width=8)
        slide.text(x, y + 14, str(place + 1), 42, theme.paper if place == 0 else theme.ink, bold=True, anchor="ms")
        slide.text(x, y - 96, when, 42, theme.soft, anchor="ms")
        slide.text(x, y + 134, what, 44, bold=True, anchor="ms")
        for line, words in enumerate(more.split("|")):
            slide.text(x, y + 196 + line * 48, words, 33, theme.soft, anchor="ms")


def _split(slide: Slide, page: dict[str, Any]) -> None:
    _head(slide, page)
    theme = slide.theme
    slide.box(1430, 350, WIDTH - MARGIN - 1430, 900, theme.card, radius=24)
    for ring in range(7):
        slide.disc(1920, 800, 60 + ring * 58, line=theme.accent if ring % 2 == 0 else theme.second, width=10)
    for place, (name, words) in enumerate(page["points"]):
        y = 430 + place * 210
        slide.box(MARGIN, y - 44, 54, 54, theme.accent, radius=27)
        slide.text(MARGIN + 96, y, name, 50, bold=True)
        for line, part in enumerate(words.split("|")):
            slide.text(MARGIN + 96, y + 62 + line * 46, part, 35, theme.soft)


def _matrix(slide: Slide, page: dict[str, Any]) -> None:
    _head(slide, page)
    theme = slide.theme
    left, top, width, height = 560, 360, 1500, 850
    for column in range(2):
        for row in range(2):
            slide.box(
                left + column * width / 2 + 6,
                top + row * height / 2 + 6,
                width / 2 - 12,
                height / 2 - 12,
                theme.card,
                radius=18,
            )
    slide.text(left + width / 2, top + height + 56, page["across"], 36, theme.soft, anchor="ms")
    slide.text(left - 40, top + height / 2, page["up"], 36, theme.soft, anchor="rs")
    for name, across, up, hot in page["dots"]:
        x, y = left + width * across / 100, top + height * (100 - up) / 100
        slide.disc(x, y, 34, fill=theme.accent if hot else theme.second)
        slide.text(x + 54, y + 12, name, 38, bold=bool(hot))


def _quote(slide: Slide, page: dict[str, Any]) -> None:
    theme = slide.theme
    slide.box(0, 0, WIDTH, HEIGHT, theme.card)
    slide.box(MARGIN, 420, 16, 520, theme.accent)
    for line, words in enumerate(page["lines"]):
        slide.text(MARGIN + 90, 540 + line * 130, words, 96, bold=True)
    slide.text(MARGIN + 90, 920, page["who"], 42, theme.soft)


LAYOUTS = {
    "cover": _cover,
    "kpi": _kpi,
    "bars": _bars,
    "lines": _lines,
    "table": _table,
    "steps": _steps,
    "split": _split,
    "matrix": _matrix,
    "quote": _quote,
}
