"""Where an entry stood, remembered so that an undo puts it back byte for byte (suggestions contract, Review). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.suggestions.edits import Unit, unit
from core.suggestions.entries import Document

_CONTEXT = 96
_FAR = 1000
BEFORE, AFTER = 0, 1

Neighbours = Callable[[str], tuple[str | None, str | None]]
"""Who stood before and behind an entry when it was taken out; (None, None) for one that never was."""


@dataclass(frozen=True, slots=True)
class Place:
    """One piece that was taken out of a file.

    ``text`` is what was taken; ``offset`` the byte at which it stood in what was left, ``near`` the bytes around that
    place (hex), ``before`` and ``after`` the ids of its neighbours.
    """

    text: str
    offset: int
    near: tuple[str, str]
    before: str | None
    after: str | None

    def as_dict(self) -> dict[str, Any]:
        """The form in a decision's payload."""
        return {
            "text": self.text, "offset": self.offset, "near": list(self.near), "before": self.before,
            "after": self.after,
        }  # fmt: skip

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Place:
        """A place from a decision's payload."""
        near = kept["near"]
        return cls(kept["text"], kept["offset"], (near[0], near[1]), kept["before"], kept["after"])


def places_of(document: Document, units: Sequence[tuple[int, Unit]]) -> list[Place]:
    """The places of units (with the indices of their entries, rising) that leave the document together."""
    left = bytearray(document.raw)
    shift = 0
    spots: list[int] = []
    for _, one in units:
        spots.append(one.offset - shift)
        shift += len(one.data)
    for _, one in reversed(units):
        del left[one.offset : one.offset + len(one.data)]
    return [
        Place(
            one.text, spot, (left[max(0, spot - _CONTEXT) : spot].hex(), left[spot : spot + _CONTEXT].hex()),
            *_neighbours(document, index),
        )
        for (index, one), spot in zip(units, spots, strict=True)
    ]  # fmt: skip


def _neighbours(document: Document, index: int) -> tuple[str | None, str | None]:
    entries = document.entries
    return (
        entries[index - 1].id if index else None,
        entries[index + 1].id if index + 1 < len(entries) else None,
    )


def find(document: Document, place: Place, entry_id: str, neighbours: Neighbours) -> int:
    """The byte at which the piece of this entry goes in again: the start of a line, or the end of the file.

    Exactly its old place where what stood around it still does; else where the order of the entries that are known
    puts it (``neighbours`` tells who stood beside an entry when that was taken out, so that undos may come in any
    order); else the end.
    """
    raw = document.raw
    before, after = (bytes.fromhex(side) for side in place.near)
    if raw[max(0, place.offset - len(before)) : place.offset] == before and _follows(raw, place.offset, after):
        return place.offset
    around = before + after
    first = raw.find(around)
    if first >= 0 and raw.find(around, first + 1) < 0 and _follows(raw, first + len(before), after):
        return first + len(before)
    return _between(document, place, entry_id, neighbours)


def _between(document: Document, place: Place, entry_id: str, neighbours: Neighbours) -> int:
    """The place between the nearest entries that are known to have stood before and behind this one."""
    index = {entry.id: number for number, entry in enumerate(document.entries)}
    preceding = next((index[one] for one in chain(place.before, BEFORE, neighbours) if one in index), None)
    following = next((index[one] for one in chain(place.after, AFTER, neighbours) if one in index), None)
    low, high = -1 if preceding is None else preceding, len(index) if following is None else following
    for number in range(low + 1, high):
        other = document.entries[number].id
        if stood_before(entry_id, other, neighbours):
            following = number
            break
        if stood_before(other, entry_id, neighbours):
            preceding = number
    if following is not None:
        return unit(document, following).offset
    if preceding is not None:
        found = unit(document, preceding)
        return found.offset + len(found.data)
    return len(document.raw)


def chain(start: str | None, side: int, neighbours: Neighbours) -> Iterator[str]:
    """The entries that stood one beside the other on one side, as far as they were taken out one after the other."""
    seen: set[str] = set()
    while start is not None and start not in seen and len(seen) < _FAR:
        seen.add(start)
        yield start
        start = neighbours(start)[side]


def stood_before(one: str, other: str, neighbours: Neighbours) -> bool:
    """True when what is known of two entries says that the first stood before the second."""
    return one in chain(neighbours(other)[BEFORE], BEFORE, neighbours) or other in chain(
        neighbours(one)[AFTER], AFTER, neighbours
    )


def _follows(raw: bytes, at: int, after: bytes) -> bool:
    return raw.startswith(after, at) if len(after) == _CONTEXT else raw[at:] == after
