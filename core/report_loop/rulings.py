"""A person's word on an edit as the decision log keeps it, and what counts once it is taken back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from core import times
from core.decisions import Record, undone
from core.report_loop.decisions import CLASSIFY
from core.report_loop.feedback.model import Judged, Ruling

PERSON = "a person decided"


def payload_of(edit: Judged, word: Ruling) -> dict[str, Any]:
    """What the log keeps of a person's word on that edit.

    The ruling that gives way is kept with it: one by a judge, another tool or a person elsewhere stands nowhere else.
    """
    return {"class": word.cls, "dimension": word.dimension, "edit": edit.id, "replaced": asdict(edit.ruling)}


def edit_of(record: Record) -> str:
    """The id of the edit that a record is about; older records have it in their subject alone, slashes and all."""
    edit = record.payload.get("edit")
    return edit if isinstance(edit, str) else "/".join(record.subject.split("/")[3:])


def in_force(told: Sequence[Record], taken_back: Record, stands: Ruling) -> Ruling | None:
    """What counts for the edit once that record does not; None for the rules' own ruling.

    ``told`` are the records about the edit in order, ``stands`` is its ruling in the file. From the newest word in the
    log on back, the first that nobody took back counts, or what one that was taken back had replaced, if that came from
    elsewhere. A person's word in the file that is in no record was given elsewhere since, and stays.
    """
    edit = edit_of(taken_back)
    words = [one for one in told if one.action == CLASSIFY and one.problem is None and edit_of(one) == edit]
    said = {record.seq: _word(record) for record in words}
    if stands.decided_by == "person" and _plain(stands) not in said.values():
        return stands
    gone = {*undone(told), taken_back.seq}
    for record in reversed(words):
        if record.seq not in gone:
            return said[record.seq]
        # Older records kept what they replaced only where it was a judge's.
        replaced = record.payload.get("replaced", record.payload.get("judged"))
        if replaced is not None and _plain(Ruling(**replaced)) not in said.values():
            return Ruling(**replaced)
    return None


def _word(record: Record) -> Ruling:
    cls, dimension = record.payload["class"], record.payload["dimension"]
    return Ruling(cls, PERSON, dimension, "person", record.reviewer, times.iso(record.instant))


def _plain(ruling: Ruling) -> Ruling:
    """Without its reason, which another tool may have put differently: who said what, and when, makes it the same."""
    return replace(ruling, reason=PERSON)
