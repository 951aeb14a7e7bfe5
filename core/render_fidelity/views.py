"""Which pages a reviewer has really seen: full resolution, most of the page, bound to the pictures' hashes.

A page counts as reviewed only when this reviewer had it open at original resolution (render-fidelity contract, The
page). State is what the decision log adds up to; a changed render or original starts again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.decisions import Log, Record
from core.errors import BadInput, Stale
from core.people import Person

VIEWED = "render.page_viewed"
ENOUGH = 0.98
"""The share of a page that must have been on the screen at one image pixel a device pixel or more."""


def subject_of(slug: str) -> str:
    """What the log calls a pack."""
    return f"render:{slug}"


@dataclass(frozen=True, slots=True)
class PageKey:
    """A page as it looks now: its number, the hash of its render and of every source page beside it."""

    page: int
    render: str
    sources: tuple[str, ...] = ()


def record_view(log: Log, person: Person, slug: str, key: PageKey, current: PageKey, coverage: float) -> Record | None:
    """Record that this person has seen a page; None when that is known already.

    ``current`` is the page as it lies on disk now. Raises Stale when that is another picture than the one seen,
    BadInput when too little of it was seen, NotAllowed.
    """
    if key != current:
        raise Stale(f"page {key.page} of {slug} was changed while it was being looked at")
    if not ENOUGH <= coverage <= 1.0:
        raise BadInput.of(slug, f"page {key.page} was seen at full resolution only in part")
    if key.page in seen_pages(log, slug, person.name, {key.page: key}):
        return None
    payload: dict[str, Any] = {
        "page": key.page, "render": key.render, "sources": list(key.sources), "coverage": round(coverage, 4),
    }  # fmt: skip
    return log.append(person, VIEWED, subject_of(slug), payload)


def seen_pages(log: Log, slug: str, reviewer: str, current: Mapping[int, PageKey]) -> frozenset[int]:
    """The pages that this reviewer has seen as they look now."""
    seen = set()
    for record in log.records(subject=subject_of(slug), reviewer=reviewer, action=VIEWED):
        payload = record.payload
        page, sources = payload.get("page"), payload.get("sources")
        if not isinstance(page, int) or not isinstance(sources, list):
            continue
        if current.get(page) == PageKey(page, str(payload.get("render")), tuple(map(str, sources))):
            seen.add(page)
    return frozenset(seen)
