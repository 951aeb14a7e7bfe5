"""Moving entries from one suggestions file to another, and back (suggestions contract, Review).

Everything here is called while the decision log holds the locks of the three files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import chain
from pathlib import Path
from typing import Any

from core.decisions import BatchPlan
from core.decisions import Entry as Decided
from core.errors import BadInput, Conflict
from core.files.ops import AppendBlock, Cut, InsertBlocks, Op, RemoveBlocks
from core.suggestions import edits, store
from core.suggestions.entries import Document, Entry, Kind, read_entry
from core.suggestions.lines import REVIEW, Name
from core.suggestions.markup import plain_lines
from core.suggestions.places import Neighbours, Place, find, places_of, stood_before
from core.workspace import Workspace


def subject_of(entry_id: str) -> str:
    """What the decision log calls a suggestion."""
    return f"suggestion:{entry_id}"


def id_of(subject: str) -> str:
    """The suggestion's id in what the decision log calls it."""
    return subject.removeprefix("suggestion:")


def path_of(workspace: Workspace, kind: Kind) -> Path:
    """Where one of the three files is, or would be."""
    path: Path = getattr(workspace.suggestions, kind)
    return path


def document_of(workspace: Workspace, kind: Kind) -> Document:
    """One of the three files as it is now."""
    return store.of_workspace(workspace, kind)


def locks_of(workspace: Workspace) -> tuple[Path, ...]:
    """All three files, always in this order: no two decisions wait for each other."""
    places = workspace.suggestions
    return (places.pending, places.reviewed, places.filtered)


def check_writable(*documents: Document) -> None:
    """Raises BadInput for a file that could only be read in part: it is not written until a person has mended it."""
    for document in documents:
        if not document.complete:
            raise BadInput(document.problems[0])


@dataclass(frozen=True, slots=True)
class Move:
    """Both files of a move as they are now, under the lock."""

    workspace: Workspace
    source: Document
    target: Document
    kinds: tuple[Kind, Kind]

    @classmethod
    def read(cls, workspace: Workspace, source: Kind, target: Kind) -> Move:
        """Read both. Raises BadInput where one of them may not be written."""
        move = cls(workspace, document_of(workspace, source), document_of(workspace, target), (source, target))
        check_writable(move.source, move.target)
        return move

    def groups(self, ids: Collection[str]) -> dict[str, list[int]]:
        """The indices of all copies of each of these ids that the source holds, in the order of the file."""
        found: dict[str, list[int]] = {}
        for index, entry in enumerate(self.source.entries):
            if entry.id in ids:
                found.setdefault(entry.id, []).append(index)
        return found

    def plan(
        self, groups: Mapping[str, list[int]], added: Mapping[str, list[str]], actions: Mapping[str, str],
        payloads: Mapping[str, Mapping[str, Any]],
    ) -> BatchPlan:  # fmt: skip
        """The change of both files, and for each suggestion its record with all that an undo needs."""
        if not groups:
            return BatchPlan([], [])
        units = [(index, edits.unit(self.source, index)) for index in sorted(chain.from_iterable(groups.values()))]
        places = dict(zip([index for index, _ in units], places_of(self.source, units), strict=True))
        blocks = self._blocks(groups, added)
        decided = [
            Decided(actions[one], subject_of(one), {
                **payloads[one],
                **_summary(self.source.entries[indices[0]]),
                "moved": {
                    "from": self.kinds[0], "to": self.kinds[1], "put": blocks[one],
                    "taken": [places[index].as_dict() for index in indices],
                },
            })
            for one, indices in groups.items()
        ]  # fmt: skip
        newline = edits.newline_for(self.target, self.source)
        append = AppendBlock(
            path_of(self.workspace, self.kinds[1]), "".join(blocks.values()).encode(),
            edits.opening_for(self.kinds[1], newline),
        )  # fmt: skip
        cuts = [Cut(one.offset, one.data) for _, one in units]
        return BatchPlan([append, RemoveBlocks(path_of(self.workspace, self.kinds[0]), cuts)], decided)

    def _blocks(self, groups: Mapping[str, list[int]], added: Mapping[str, list[str]]) -> dict[str, str]:
        """The text that each suggestion becomes in the target, without the marks of earlier reviews and filters."""
        gap = edits.needs_gap(self.target)
        newline = edits.newline_for(self.target, self.source)
        blocks: dict[str, str] = {}
        for one, indices in groups.items():
            entry = self.source.entries[indices[0]]
            gone: set[Name] = {"filtered"} if self.kinds[1] == "pending" else set()
            if entry.decision is not None:  # else a Comment line is the suggestion's own
                gone |= REVIEW
            blocks[one] = edits.block_for(_bare(entry, frozenset(gone)), added[one], newline, gap=gap)
            gap = True
        if self.target.open_ended and any(map(edits.could_close, blocks.values())):
            raise BadInput(self.target.problems[-1])
        return blocks


def _bare(entry: Entry, gone: frozenset[Name]) -> str:
    """The entry's own lines without the fields ``gone``.

    Where the next step would run on into what stood behind them, which would make it another suggestion, a blank line
    keeps their place.
    """
    own, nested = edits.own_text(entry), entry.feedback is not None
    bare = edits.without_fields(own, gone, nested=nested)
    if bare == own or read_entry(plain_lines(bare), bare, None).id == entry.id:
        return bare
    return edits.without_fields(own, gone, nested=nested, gap="\n")


def _summary(entry: Entry) -> dict[str, Any]:
    """What a reader of the log needs to recognise the suggestion by."""
    return {
        "title": entry.title, "url": entry.url, "source": entry.source, "date": entry.date,
        "next_step": entry.next_step, "category": entry.category,
        "score": list(entry.score) if entry.score else None,
    }  # fmt: skip


def find_again(document: Document, entry_id: str, put: str) -> Cut:
    """Where what a decision appended still stands unchanged (the last copy). Raises Conflict when it does not."""
    lead, _, own = put.partition("### ")
    for index in range(len(document.entries) - 1, -1, -1):
        entry = document.entries[index]
        if entry.id == entry_id and edits.own_text(entry) == f"### {own}":
            cut = edits.place_of(document, index, lead) or edits.place_of(document, index, "")
            if cut is not None:
                return cut
    raise Conflict(f"{document.file} no longer holds the entry as it was decided; it was changed or decided again")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece that an undo brings back, and the entry that it is of."""

    entry_id: str
    place: Place


def put_back(document: Document, path: Path, pieces: Sequence[Piece], kind: Kind, neighbours: Neighbours) -> Op:
    """The one change that brings pieces back to where they stood; whole lines, unless the last ends the file."""
    end = len(document.raw)
    spots = [(find(document, piece.place, piece.entry_id, neighbours), piece) for piece in pieces]

    def order(one: tuple[int, Piece], other: tuple[int, Piece]) -> int:
        if one[0] != other[0] or one[1].entry_id == other[1].entry_id:
            return one[0] - other[0]
        return -1 if stood_before(one[1].entry_id, other[1].entry_id, neighbours) else 1

    spots.sort(key=cmp_to_key(order))
    texts = [piece.place.text for _, piece in spots]
    ended = [text if text.endswith("\n") else text + document.newline for text in texts[:-1]]
    last = texts[-1] if texts[-1].endswith("\n") or spots[-1][0] >= end else texts[-1] + document.newline
    cuts = [Cut(spot, text.encode()) for (spot, _), text in zip(spots, [*ended, last], strict=True)]
    return InsertBlocks(path, cuts, edits.opening_for(kind, document.newline))
