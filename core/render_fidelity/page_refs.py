"""Pages named by number or id: ``7``, ``"7"``, ``"cover"``, ``"01-cover"``, ``{"page": 7}`` (contract, Verdict).

Pure. A page counts once however often it is named; a page in both lists, or in neither, is not reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.render_fidelity.mapping import page_count
from core.render_fidelity.verdict import Viewed

_NUMBERED = re.compile(r"(\d{1,4})-(.+)")


def bare_id(name: str) -> str:
    """A page id without its number: ``"01-cover"`` -> ``"cover"``."""
    found = _NUMBERED.fullmatch(name.strip())
    return found[2] if found else name.strip()


@dataclass(frozen=True, slots=True)
class Refs:
    """The distinct pages that a list names, and the entries that name none."""

    pages: frozenset[str]
    unknown: tuple[str, ...]
    twice: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageIndex:
    """The pages of a pack: their number, and their ids where they are known (in order)."""

    count: int | None
    ids: tuple[str, ...] = ()

    def key(self, ref: Any) -> str | None:
        """The page that a reference names, as its number in text; its id where the pack is not at hand; else None."""
        if isinstance(ref, Mapping):
            ref = next((ref[name] for name in ("page", "number", "id") if name in ref), None)
        number = page_count(ref)
        if number is None and isinstance(ref, str) and ref.strip():
            return self._named(ref.strip())
        return str(number) if number is not None and self._exists(number) else None

    def _named(self, name: str) -> str | None:
        found = _NUMBERED.fullmatch(name)
        bare = found[2] if found else name
        if self.ids:
            places = [place for place, known in enumerate(self.ids, 1) if known in (bare, name)]
            if len(places) != 1 or (found and int(found[1]) != places[0]):
                return None
            return str(places[0])
        if found:
            return str(int(found[1])) if self._exists(int(found[1])) else None
        return None if self.count is not None else name

    def _exists(self, number: int) -> bool:
        return number >= 1 and (self.count is None or number <= self.count)

    def read(self, refs: Sequence[Any]) -> Refs:
        """The distinct pages of a list, what could not be matched, and what stands twice."""
        seen: set[str] = set()
        unknown, twice = [], []
        for ref in refs:
            key = self.key(ref)
            if key is None:
                unknown.append(str(ref)[:60])
            elif key in seen:
                twice.append(key)
            else:
                seen.add(key)
        return Refs(frozenset(seen), tuple(unknown), tuple(twice))


def _order(page: str) -> tuple[int, str]:
    return (int(page), "") if page.isdigit() else (10**9, page)


def viewed(index: PageIndex, reviewed: Sequence[Any], not_reviewed: Sequence[Any]) -> tuple[Viewed, list[str]]:
    """Coverage over the pack's pages, and what was odd about the two lists.

    Without a known number of pages both lists together give it: at least the highest page number that they name.
    """
    done, left = index.read(reviewed), index.read(not_reviewed)
    named = done.pages | left.pages
    numbers = [int(page) for page in named if page.isdigit()]
    count = index.count if index.count is not None else max(numbers, default=0)
    every = {str(number) for number in range(1, count + 1)} | {page for page in named if not page.isdigit()}
    counted = (done.pages - left.pages) & every
    oddities = [f"pages_reviewed names {ref!r}, which is no page here" for ref in done.unknown]
    oddities += [f"pages_not_reviewed names {ref!r}, which is no page here" for ref in left.unknown]
    oddities += [f"page {page} stands twice in pages_reviewed" for page in done.twice]
    both = sorted(done.pages & left.pages, key=_order)
    oddities += [f"page {page} stands in both lists: not reviewed" for page in both]
    oddities += [f"page {page} stands in neither list: not reviewed" for page in sorted(every - named, key=_order)]
    result = Viewed(
        len(every), tuple(sorted(counted, key=_order)), tuple(sorted(every - counted, key=_order)), bool(not_reviewed)
    )
    return result, oddities
