"""A contact sheet: the whole document at a glance, each page with its number, an unreadable one with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from core.errors import TouchstoneError
from core.render_fidelity.imaging.pictures import FileRef, Pictures

_COLUMNS = 5
_GAP = 16
_CAPTION = 26
_WIDTH = 320


@dataclass(frozen=True, slots=True)
class Cell:
    """One page of a sheet. ``file`` None: there is no picture, and ``reason`` says why."""

    caption: str
    file: FileRef | None
    reason: str = ""


def contact_sheet(sections: Sequence[tuple[str, Sequence[Cell]]], pictures: Pictures) -> Image.Image:
    """A picture of all pages, five a row, section under section; a page that cannot be read shows its reason."""
    cells = [cell for _, row in sections for cell in row]
    with ThreadPoolExecutor(2) as pool:
        thumbs = dict(zip(map(id, cells), pool.map(lambda cell: _thumb(cell, pictures), cells), strict=True))
    heights = [_section_height([thumbs[id(cell)] for cell in row]) for _, row in sections]
    sheet = Image.new("RGB", (_COLUMNS * (_WIDTH + _GAP) + _GAP, sum(heights) + _GAP), "#f4f6f8")
    top = _GAP
    for (title, row), height in zip(sections, heights, strict=True):
        _draw_section(sheet, title, [(cell, thumbs[id(cell)]) for cell in row], top)
        top += height
    return sheet


def _thumb(cell: Cell, pictures: Pictures) -> Image.Image | str:
    if cell.file is None:
        return cell.reason
    try:
        with Image.open(BytesIO(pictures.thumb(cell.file).content), formats=["PNG"]) as image:
            return image.convert("RGB")
    except TouchstoneError as error:
        return str(error)


def _cell_height(thumbs: Sequence[Image.Image | str]) -> int:
    return max([thumb.height for thumb in thumbs if isinstance(thumb, Image.Image)], default=180) + _CAPTION + _GAP


def _section_height(thumbs: Sequence[Image.Image | str]) -> int:
    rows = -(-len(thumbs) // _COLUMNS)
    return _CAPTION + _GAP + rows * _cell_height(thumbs)


def _draw_section(sheet: Image.Image, title: str, cells: Sequence[tuple[Cell, Image.Image | str]], top: int) -> None:
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(18)
    pen.text((_GAP, top), title, fill="#1b2430", font=font)
    height = _cell_height([thumb for _, thumb in cells])
    for place, (cell, thumb) in enumerate(cells):
        left = _GAP + place % _COLUMNS * (_WIDTH + _GAP)
        upper = top + _CAPTION + _GAP // 2 + place // _COLUMNS * height
        if isinstance(thumb, str):
            pen.rectangle((left, upper, left + _WIDTH - 1, upper + 179), outline="#c0392b", fill="#fbeae8")
            small = ImageFont.load_default(14)
            pen.multiline_text((left + 10, upper + 10), _wrapped(thumb), fill="#a3231b", font=small)
        else:
            sheet.paste(thumb, (left, upper))
            pen.rectangle((left - 1, upper - 1, left + thumb.width, upper + thumb.height), outline="#d5dbe1")
        bottom = upper + (180 if isinstance(thumb, str) else thumb.height) + 4
        pen.text((left, bottom), cell.caption[:36], fill="#4d5864", font=ImageFont.load_default(15))


def _wrapped(text: str, width: int = 42, rows: int = 7) -> str:
    return "\n".join(text[start : start + width] for start in range(0, min(len(text), width * rows), width))
