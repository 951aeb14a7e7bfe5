"""What the decision log holds: records, their canonical form and their hashes (triage contract, The decision log)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.times import parse_instant

GENESIS = "sha256:" + "0" * 64
"""The ``prev_hash`` of the first record."""

UNDO = "undo"
UNDOES = "undoes"
NOT_WRITTEN = "not_written"
HEALED_AT = "healed_at"
_OURS = (NOT_WRITTEN, HEALED_AT)


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision before it is recorded: ``action`` on ``subject``, with a JSON-able ``payload``."""

    action: str
    subject: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """One decision as recorded. ``seq`` counts from 1 without gaps; ``at`` is UTC with six decimals of a second.

    ``problem`` is set, and ``payload`` is ``{"unreadable": text}``, when the stored payload cannot be read, which only
    tampering brings about.
    """

    seq: int
    at: str
    reviewer: str
    action: str
    subject: str
    payload: Mapping[str, Any]
    prev_hash: str
    hash: str
    problem: str | None = None

    @property
    def instant(self) -> datetime:
        """``at`` as an aware datetime. Raises ValueError where tampering left no time."""
        return parse_instant(self.at).utc

    @property
    def undoes(self) -> int | None:
        """The ``seq`` that this record takes back, if it is an undo."""
        seq = self.payload.get(UNDOES) if self.action == UNDO else None
        return seq if isinstance(seq, int) else None

    @property
    def not_written(self) -> list[Mapping[str, str]]:
        """Files ({``file``, ``reason``}) that this decision should have changed and did not: to be shown to people."""
        return list(self.payload.get(NOT_WRITTEN, ()))

    def as_dict(self) -> dict[str, Any]:
        """The eight fields of the contract, in its order."""
        return {name: getattr(self, name) for name in FIELDS}


FIELDS = ("seq", "at", "reviewer", "action", "subject", "payload", "prev_hash", "hash")


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no white space, ASCII with escapes.

    Raises ValueError for what has no exact JSON form: NaN, Infinity, a key that is not text, other types.
    """
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
        same = bool(json.loads(text) == _listed(value))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"no exact JSON form: {error}") from None
    if not same:
        raise ValueError("no exact JSON form: an object's keys must be text")
    return text


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, (list, tuple)) else value


def hash_of(seq: int, at: str, reviewer: str, action: str, subject: str, payload: str, prev_hash: str) -> str:
    """``sha256:…`` over the canonical JSON of the other seven fields; ``payload`` is its canonical text as stored."""
    known = {"action": action, "at": at, "prev_hash": prev_hash, "reviewer": reviewer, "seq": seq, "subject": subject}
    # The stored payload text goes in as it is, so that a change of one blank in it shows.
    fields = {key: canonical(value) for key, value in known.items()} | {"payload": payload}
    text = ",".join(f'"{key}":{fields[key]}' for key in sorted(fields))
    return "sha256:" + hashlib.sha256(f"{{{text}}}".encode("utf-8", "surrogatepass")).hexdigest()


def checked(entry: Entry) -> Entry:
    """A copy of the entry that can be recorded.

    Raises ValueError for an empty action or subject, a NUL, and a payload that has no exact JSON form or a key that
    only the log itself writes.
    """
    for key in _OURS:
        if key in entry.payload:
            raise ValueError(f"{key!r} in a payload is written by the log alone")
    payload = json.loads(canonical(dict(entry.payload)))
    return Entry(checked_name(entry.action, "action"), checked_name(entry.subject, "subject"), payload)


def checked_name(text: str, what: str) -> str:
    """The text, if both databases can keep it. Raises ValueError where it is empty, has a NUL or is no Unicode."""
    if not text or "\0" in text or text != text.encode("utf-8", "replace").decode():
        raise ValueError(f"{text!r} cannot be the {what} of a decision")
    return text


def written(moment: datetime) -> str:
    """An aware datetime as the log writes it: UTC, always six decimals, so that order of text is order of time."""
    if moment.tzinfo is None:
        raise ValueError("a time without a zone")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
