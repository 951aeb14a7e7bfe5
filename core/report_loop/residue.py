"""What no machine checked and a person must: the reviewer's checklist, never empty (report-loop contract, Receipt)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.report_loop.a11y import A11y
from core.report_loop.receipt import Receipt
from core.report_loop.words import LEG_CHECKS

Source = Literal["receipt", "leg", "accessibility"]

#: The nine things about accessibility that only a person can judge, and how an accessibility gate's own wording of
#: the same thing is recognised (its wording then takes the place of ours).
_CANONICAL: tuple[tuple[str, str], ...] = (
    ("Alt text says what each image shows, not only that there is some (WCAG 1.1.1)", r"1\.1\.1"),
    ("Read aloud in the order of the page, the report still makes sense (WCAG 1.3.2)", r"1\.3\.2"),
    ("Plain language: jargon and abbreviations are explained where they first stand (WCAG 3.1.5)", r"3\.1\.5"),
    ("Headings say how the report is built, not only how large the type is (WCAG 1.3.1)", r"heading"),
    ("Nothing is said by colour alone (WCAG 1.4.1)", r"1\.4\.1"),
    ("Merged and nested table headers belong to the cells they seem to (WCAG 1.3.1)", r"table"),
    ("Audio, video and dense charts have an equivalent in words (WCAG 1.2)", r"WCAG 1\.2\b"),
    ("Everything interactive works by keyboard, in a sensible order (WCAG 2.1.1, 2.4.3)", r"2\.1\.1|2\.4\.3"),
    ("As a whole the report is usable with assistive technology; the gate proves only its machine-checkable floor",
     r"overall"),
)  # fmt: skip
_REVIEW = re.compile(r"needs[-_ ]review", re.IGNORECASE)
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the checklist. ``id`` stays the same as long as its words do."""

    id: str
    source: Source
    text: str


def checklist(receipt: Receipt | None, a11y: A11y | None = None) -> tuple[Item, ...]:
    """The reviewer's checklist: the receipt's residue, what did not run, and the accessibility of the whole.

    Without a receipt it still holds the nine canonical items. A PASS never shortens it.
    """
    texts: list[tuple[Source, str]] = []
    if receipt is not None:
        texts += [("receipt", text) for text in receipt.manual_residue]
        texts += [("leg", text) for text in _from_legs(receipt)]
    texts += [("accessibility", text) for text in _accessibility(a11y.manual_residue if a11y else ())]
    return tuple(_items(texts))


def _items(texts: Sequence[tuple[Source, str]]) -> Iterator[Item]:
    seen: set[str] = set()
    for source, text in texts:
        key = hashlib.sha256(f"{source}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
        if key not in seen:
            seen.add(key)
            yield Item(key, source, text)


def _from_legs(receipt: Receipt) -> Iterator[str]:
    for standing in receipt.standings.values():
        if standing.name == "V1" and standing.verdict == "PARTIAL":
            yield "values-unverified: no live data route, so V1 checked bindings only; compare the figures by hand"
        if standing.verdict == "not_captured":
            yield f"{_named(standing.name)} did not run"
    for leg in receipt.legs:
        if _REVIEW.search(leg.evidence):
            cut = leg.evidence if len(leg.evidence) <= _LONGEST else leg.evidence[:_LONGEST].rstrip() + "…"
            yield f"needs-review-node {leg.name}: {cut}"
    for name in receipt.missing:
        yield f"{_named(name)} is missing from the receipt"


def _named(name: str) -> str:
    check = LEG_CHECKS.get(name)
    return f"{name} ({check})" if check else name


def _accessibility(own: Sequence[str]) -> Iterator[str]:
    """The nine canonical items, each in the gate's own words where it has some, then what else the gate lists."""
    left = list(own)
    for text, pattern in _CANONICAL:
        match = next((item for item in left if re.search(pattern, item, re.IGNORECASE)), None)
        if match is not None:
            left.remove(match)
        yield match or text
    yield from left
