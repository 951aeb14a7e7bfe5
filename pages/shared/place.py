"""Where a reviewer is in a list that changes under them: pure, so that every case is a row in a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """The item in work and the position (from 0) at which it stood when it was last drawn."""

    id: str = ""
    index: int = 0


def settle(ids: Sequence[str], place: Place) -> Place:
    """The same item wherever it now stands; when it is gone, the one that moved up to its position, else the last."""
    if not ids:
        return Place()
    if place.id in ids:
        return Place(place.id, ids.index(place.id))
    index = min(max(0, place.index), len(ids) - 1)
    return Place(ids[index], index)


def step(ids: Sequence[str], place: Place, by: int) -> Place:
    """The item ``by`` further on, stopping at the ends."""
    here = settle(ids, place)
    if not here.id:
        return here
    index = min(max(0, here.index + by), len(ids) - 1)
    return Place(ids[index], index)


def page_holding(index: int, size: int) -> int:
    """The page (from 1) on which the item at ``index`` is shown."""
    return index // size + 1
