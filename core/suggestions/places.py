"""Where an entry stood, remembered so that an undo puts it back byte for byte (suggestions contract, Review). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.suggestions.edits import Unit, unit
from core.suggestions.entries import Document

_CONTEXT = 96


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


def find(document: Document, place: Place) -> int:
    """The byte at which the piece goes in again: the start of a line, or the end of the file.

    Exactly its old place where what stood around it still does; else before the entry that followed it, else behind
    the one that preceded it, else the end.
    """
    raw = document.raw
    before, after = (bytes.fromhex(side) for side in place.near)
    if raw[max(0, place.offset - len(before)) : place.offset] == before and _follows(raw, place.offset, after):
        return place.offset
    around = before + after
    first = raw.find(around)
    if first >= 0 and raw.find(around, first + 1) < 0 and _follows(raw, first + len(before), after):
        return first + len(before)
    ids = [entry.id for entry in document.entries]
    if place.after in ids:
        return unit(document, ids.index(place.after)).offset
    if place.before in ids:
        found = unit(document, len(ids) - 1 - ids[::-1].index(place.before))
        return found.offset + len(found.data)
    return len(raw)


def _follows(raw: bytes, at: int, after: bytes) -> bool:
    return raw.startswith(after, at) if len(after) == _CONTEXT else raw[at:] == after
