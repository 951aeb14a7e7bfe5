"""What the pages of a pack have in common: a substitution that stands on every page need not be looked at ten times.

Pure. A change that recurs at the same place keeps its rank where it is first met and comes after the page's own changes
later on. Where it is missing on a page that has something at that place, that is worth a look too: what should have
been substituted may have been copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from core.render_fidelity.imaging.regions import Region

RECURS = 3
"""On so many pages a change at one place is a rule of the pack and not an event."""
_MOST_PAGES = 0.6
"""On this share of the pages it is so much a rule that its absence is pointed out."""
_TRACE = 0.25
_NEAR = 28
"""Page pixels by which the same thing may lie elsewhere on another page."""


@dataclass(frozen=True, slots=True)
class Change:
    """A region in its final order. ``also``: the other pages with the same change at the same place."""

    region: Region
    also: tuple[int, ...]


@dataclass(frozen=True)
class PageRegions:
    """The ranked regions of one page; ``busy(x, y, w, h)`` says whether anything stands at a place of its render."""

    regions: Sequence[Region]
    busy: frozenset[tuple[int, int]]
    tile: int

    def anything_at(self, region: Region) -> bool:
        """True when some tile that the region touches is not blank."""
        columns = range(region.x // self.tile, (region.x + region.width - 1) // self.tile + 1)
        rows = range(region.y // self.tile, (region.y + region.height - 1) // self.tile + 1)
        return any((column, row) in self.busy for column in columns for row in rows)


def same_place(one: Region, other: Region) -> bool:
    """True for two regions of two pages that are the same place: edges within 28 px of each other."""
    if "shift" in (one.what, other.what):
        return False
    edges = (
        (one.x, other.x), (one.y, other.y),
        (one.x + one.width, other.x + other.width), (one.y + one.height, other.y + other.height),
    )  # fmt: skip
    return all(abs(mine - theirs) <= _NEAR for mine, theirs in edges)


def order(pages: Mapping[int, PageRegions]) -> dict[int, list[Change]]:
    """The changes of every page in the order to look at them, across the whole pack."""
    result = {}
    for number, page in sorted(pages.items()):
        own: list[Change] = []
        later: list[Change] = []
        for region in page.regions:
            also = tuple(other for other in sorted(pages) if other != number and _has(pages[other], region))
            met_before = len(also) + 1 >= RECURS and any(other < number for other in also)
            (later if met_before else own).append(Change(region, also))
        result[number] = [*_with_absent(number, own, pages), *later]
    return result


def _has(page: PageRegions, region: Region) -> bool:
    """The same change at the same place; a trace of one, a few edges that fell otherwise, is not the change."""
    return any(same_place(region, other) and other.weight >= _TRACE * region.weight for other in page.regions)


def _with_absent(number: int, own: list[Change], pages: Mapping[int, PageRegions]) -> list[Change]:
    """The page's own changes and, by their weight, the rules of the pack that this page breaks."""
    absent: list[Change] = []
    for other, page in sorted(pages.items()):
        for region in page.regions:
            known = _has(pages[number], region) or any(same_place(region, change.region) for change in absent)
            if other == number or known or not pages[number].anything_at(region):
                continue
            peers = [place for place in sorted(pages) if place != number and _has(pages[place], region)]
            if len(peers) >= RECURS and len(peers) >= _MOST_PAGES * (len(pages) - 1):
                absent.append(Change(_alike(region, peers, pages), tuple(peers)))
    whole = [change for change in own if change.region.what == "shift"]
    rest = sorted([change for change in own if change not in whole] + absent, key=lambda change: -change.region.weight)
    return whole + rest


def _alike(region: Region, peers: Sequence[int], pages: Mapping[int, PageRegions]) -> Region:
    weights = [other.weight for place in peers for other in pages[place].regions if same_place(region, other)]
    return Region(region.x, region.y, region.width, region.height, 0.0, 0.0, 1.0, round(median(weights), 3), "alike")
