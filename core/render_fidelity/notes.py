"""Notes pinned to a region of a page: they become repair requests or hallucinated elements (contract, The page).

The verifier never changes the pack; a note says what its author should do. A note is in the log from the moment it is
pinned and is taken back by an undo.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from core.decisions import Log, Record, undone
from core.errors import BadInput
from core.people import Person
from core.render_fidelity.rubric import AXES, Axis
from core.render_fidelity.views import subject_of

PINNED = "render.note_pinned"
Kind = Literal["repair", "invented"]


@dataclass(frozen=True, slots=True)
class Note:
    """A note on a region [x, y, width, height] of a render page, in its pixels, made for one render hash."""

    kind: Kind
    page: int
    region: tuple[int, int, int, int]
    text: str
    axis: Axis
    render: str
    seq: int = 0
    reviewer: str = ""

    def as_entry(self) -> dict[str, Any]:
        """The form in the deliverable: a repair request has an axis, an invented element has none."""
        entry: dict[str, Any] = {"page": self.page, "region": list(self.region), "text": self.text}
        return {"axis": self.axis} | entry if self.kind == "repair" else entry


def pin(log: Log, person: Person, slug: str, note: Note, *, once: str = "") -> Record:
    """Put a note into the log; the same ``once`` a second time is the note that is there already.

    Raises BadInput for an empty text, an unknown axis, a region of nothing; NotAllowed.
    """
    text = " ".join(note.text.split())
    if not text:
        raise BadInput.of(slug, "a note needs words")
    if note.axis not in AXES or min(note.region[2:]) < 1 or min(note.region[:2]) < 0:
        raise BadInput.of(slug, f"a note needs an axis and a region, not {note.axis!r} {list(note.region)}")
    pinned = log.records(subject=subject_of(slug), action=PINNED)
    told = [record for record in pinned if record.payload.get("once") == once]
    if once and told:
        return told[0]
    payload = {
        "once": once, "kind": note.kind, "page": note.page, "region": list(note.region), "text": text[:2000],
        "axis": note.axis, "render": note.render,
    }  # fmt: skip
    return log.append(person, PINNED, subject_of(slug), payload)


def notes(log: Log, slug: str, renders: dict[str, str]) -> list[Note]:
    """Everybody's notes for the renders that lie there now (page number in text to hash), oldest first."""
    records = log.records(subject=subject_of(slug))
    gone = undone(records)
    found = []
    for record in records:
        if record.action == PINNED and record.seq not in gone:
            note = _read(record)
            if note is not None and renders.get(str(note.page)) == note.render:
                found.append(note)
    return found


def _read(record: Record) -> Note | None:
    """A note from the log; None for a payload that this version does not know (the log page still shows it)."""
    payload = record.payload
    region, axis = payload.get("region"), payload.get("axis")
    known = next((name for name in AXES if name == axis), None)
    kind: Kind = "invented" if payload.get("kind") == "invented" else "repair"
    if known is None or not isinstance(region, list) or len(region) != 4 or not isinstance(payload.get("page"), int):
        return None
    x, y, width, height = (int(value) for value in region)
    return Note(
        kind, payload["page"], (x, y, width, height), str(payload.get("text")), known, str(payload.get("render")),
        record.seq, record.reviewer,
    )  # fmt: skip
