"""Records of the decision log as rows people can read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from core.decisions import Record
from pages.shared import text

COLUMNS = ("seq", "when", "reviewer", "action", "what", "words", "subject")
_NAMES = ("title", "finding_subject", "topic", "slug", "run", "summary", "name")
_WORDS = ("comment", "note", "reason", "decision")


def row(record: Record, undone: Mapping[int, Record], zone: ZoneInfo, about: Record | None = None) -> dict[str, Any]:
    """One record: its time in the reviewer's zone, what it was about in words, and whether it still stands.

    ``about`` is the record that an undo takes back, where it is at hand.
    """
    payload = record.payload
    what = named(about or record)
    words = next((str(payload[name]) for name in _WORDS if payload.get(name) and payload[name] != record.action), "")
    if record.undoes is not None:
        words = f"takes back record {record.undoes}"
    elif record.seq in undone:
        by = undone[record.seq]
        words = f"undone by {by.reviewer} in record {by.seq}" + (f" · {words}" if words else "")
    try:
        when = text.clock(record.instant, zone)
    except ValueError:
        when = f"{record.at} (unreadable)"
    return {
        "seq": record.seq, "when": when, "reviewer": record.reviewer, "action": record.action, "what": what,
        "words": words, "subject": record.subject,
    }  # fmt: skip


def rows(records: Sequence[Record], undone: Mapping[int, Record], zone: ZoneInfo) -> list[dict[str, Any]]:
    """The rows in the order of the records."""
    by_seq = {record.seq: record for record in records}
    return [row(record, undone, zone, by_seq.get(record.undoes or 0)) for record in records]


def named(record: Record) -> str:
    """What a record is about, in words where its payload has any."""
    return next((str(record.payload[name]) for name in _NAMES if record.payload.get(name)), record.subject)


#: Which page shows a subject, by the word before its colon: (folder, query parameter).
_PAGES = {"suggestion": ("suggestions", "id"), "finding": ("triage", "id")}


def page_of(subject: str) -> tuple[str, str, str] | None:
    """Folder, query parameter and id of the page that shows a subject; None where no page does."""
    word, _, rest = subject.partition(":")
    return (*_PAGES[word], rest) if word in _PAGES and rest else None


def whole(record: Record) -> str:
    """A record with all its fields, as text."""
    return json.dumps(record.as_dict(), ensure_ascii=False, indent=2)
