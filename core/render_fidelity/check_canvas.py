"""Canvas checks: declared ratio against actual within 0.5% in integers, one size, declared pixels."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import Any

from core.render_fidelity.outcome import Found, failed, held, unknown
from core.render_fidelity.pack import Pack, PackPage

_PAIR = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*[:x×/*]\s*(\d{1,6}(?:\.\d{1,6})?)\s*(?:px)?\s*", re.IGNORECASE)
_ALONE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,9})?)\s*")
SLIDE = Fraction(16, 9)
"""What a slide pack that declares nothing is held against."""


def read_ratio(value: Any) -> Fraction | None:
    """A ratio as written, else None: ``"16:9"``, ``"2560x1440"``, ``[16, 9]``, ``"1.78"``, ``{"w": 16, "h": 9}``."""
    if isinstance(value, dict):
        value = [value.get("width", value.get("w")), value.get("height", value.get("h"))]
    if isinstance(value, list) and len(value) == 2:
        value = f"{value[0]}:{value[1]}"
    text = value if isinstance(value, str) else f"{value}" if isinstance(value, int | float) else ""
    pair, alone = _PAIR.fullmatch(text), _ALONE.fullmatch(text)
    if pair and Fraction(pair[2]):
        return Fraction(pair[1]) / Fraction(pair[2]) or None
    return (Fraction(alone[1]) or None) if alone and not isinstance(value, bool) else None


def within(width: int, height: int, declared: Fraction) -> bool:
    """True when width/height lies within 0.5% of the declared ratio, exactly 0.5% included; no floating point."""
    wanted, actual = height * declared.numerator, width * declared.denominator
    return abs(actual - wanted) * 1000 <= 5 * wanted


def _declared(pack: Pack) -> tuple[Fraction | None, str]:
    """The first thing declared, and how it is written; it decides even where it is no ratio (None)."""
    canvas = (pack.manifest or {}).get("canvas")
    own = [canvas.get("declared"), canvas.get("ratio")] if isinstance(canvas, dict) else [canvas]
    places = [*((value, "canvas") for value in own), (pack.meta.get("aspect_ratio"), "meta.yaml")]
    for value, where in [*places, (pack.reference.get("aspect_ratio"), "reference")]:
        if value is not None and value != "":
            return read_ratio(value), f"{str(value)[:60]} ({where})"
    return (SLIDE, "16:9 (nothing declared; a slide pack)") if pack.track == "ppt" else (None, "")


def _readable(pack: Pack) -> list[PackPage]:
    return [page for page in pack.declared if page.header is not None]


def ratio(pack: Pack) -> Found:
    """The declared ratio against every page that can be read; also the manifest's own actual_px."""
    declared, words = _declared(pack)
    pages = _readable(pack)
    if declared is None:
        return unknown(f"no ratio can be read from {words}" if words else "no canvas ratio is declared")
    if not pages:
        return unknown("no page can be read")
    wrong = [
        f"page {page.number} {page.header.width}×{page.header.height}"
        for page in pages
        if page.header and not within(page.header.width, page.header.height, declared)
    ]
    canvas = (pack.manifest or {}).get("canvas")
    stated = read_ratio(canvas.get("actual_px")) if isinstance(canvas, dict) else None
    if stated is not None and not within(stated.numerator, stated.denominator, declared):
        wrong.append(f"the manifest's own actual_px {canvas['actual_px']}")  # type: ignore[index]  # a dict, just tested
    if wrong:
        return failed(f"more than 0.5% off {words}: {', '.join(wrong)}")
    if len(pages) < len(pack.declared):
        return unknown(f"{len(pack.declared) - len(pages)} of {len(pack.declared)} pages cannot be read")
    return held(f"{len(pages)} pages within 0.5% of {words}")


def one_size(pack: Pack) -> Found:
    """``ppt``: one pixel size for all pages; ``web``: one width. The odd ones are named."""
    pages = _readable(pack)
    if not pages:
        return unknown("no page can be read")
    sizes = [
        (page, (page.header.width, page.header.height if pack.track == "ppt" else 0)) for page in pages if page.header
    ]
    common, _ = Counter(size for _, size in sizes).most_common(1)[0]
    odd = [f"page {page.number} {_size(size)}" for page, size in sizes if size != common]
    if odd:
        distinct = len({size for _, size in sizes})
        return failed(f"{distinct} sizes; most pages are {_size(common)}, these are not: {', '.join(odd)}")
    if len(pages) < len(pack.declared):
        return unknown(f"{len(pack.declared) - len(pages)} of {len(pack.declared)} pages cannot be read")
    return held(f"{'every page' if pack.track == 'ppt' else 'one width'} {_size(common)}")


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}×{size[1]}" if size[1] else f"{size[0]} wide"


def declared_px(pack: Pack) -> Found | None:
    """The manifest's ``px`` of each page against the file; None where it declares none."""
    rows = (pack.manifest or {}).get("pages")
    if not isinstance(rows, list):
        return None
    declared = [row for row in rows if isinstance(row, dict) and isinstance(row.get("px"), list)]
    stated = {row["file"]: row["px"] for row in declared if isinstance(row.get("file"), str)}
    pairs = [(page, stated[page.file]) for page in _readable(pack) if page.file in stated]
    if not pairs:
        return None
    wrong = [
        f"page {page.number} is {page.header.width}×{page.header.height}, declared {px}"
        for page, px in pairs
        if page.header and px != [page.header.width, page.header.height]
    ]
    return failed("; ".join(wrong)) if wrong else held(f"{len(pairs)} pages have the pixels the manifest says")
