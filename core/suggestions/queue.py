"""Distinct suggestions of a file, the order in which people see them, search (suggestions contract, Review). Pure."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from core.suggestions.edits import own_text
from core.suggestions.entries import Document, Entry


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggestion, however often it stands in its file.

    ``entry`` is the one that counts (in reviewed: the latest review), ``copies`` how many entries there are in all,
    ``history`` the earlier reviews in the order of their instants, byte-identical repeats left out.
    """

    entry: Entry
    copies: int = 1
    history: tuple[Entry, ...] = ()

    def problems(self, now: datetime) -> tuple[str, ...]:
        """What is wrong with it, what only the clock tells included; ``now`` is aware, in the zone of who looks."""
        return (*self.entry.problems, *time_problems(self.entry, now))


def time_problems(entry: Entry, now: datetime) -> Iterator[str]:
    """A day or a review in the future is said, never dropped (contract README, Times)."""
    if entry.day is not None and entry.day > now.date():
        yield f"the date {entry.date} lies in the future"
    if entry.reviewed is not None and entry.reviewed.in_future(now):
        yield f"the review time {entry.reviewed_at} lies in the future (clock skew), so it is never the latest"


def distinct(document: Document, now: datetime) -> tuple[Suggestion, ...]:
    """One suggestion for each id, in the order of their first entries.

    Of several reviews the later instant counts and the earlier are history; an entry repeated byte for byte counts
    once. A review without a time comes before all others; one from the future (clock skew) is never the latest unless
    there is no other (contract README, Times).
    """
    by_id: dict[str, list[Entry]] = {}
    for entry in document.entries:
        by_id.setdefault(entry.id, []).append(entry)
    return tuple([
        Suggestion(same[0]) if len(same) == 1 else _merged(same, now) for same in by_id.values()
    ])  # fmt: skip


def _merged(same: list[Entry], now: datetime) -> Suggestion:
    reviews = {own_text(entry).rstrip(): entry for entry in same if entry.decision is not None}
    if not reviews:
        return Suggestion(same[0], len(same))
    ordered = sorted(reviews.values(), key=lambda entry: _when(entry, now))  # stable: later in the file wins
    return Suggestion(ordered[-1], len(same), tuple(ordered[:-1]))


def _when(entry: Entry, now: datetime) -> tuple[int, float]:
    if entry.reviewed is None:
        return (0, 0.0)
    moment = entry.reviewed.utc.timestamp()
    return (1, -moment) if entry.reviewed.in_future(now) else (2, moment)


def queue_order(suggestions: Iterable[Suggestion], today: date) -> list[Suggestion]:
    """Today's first, then the backlog, newest first; then what is dated in the future, then what has no day.

    Within a day the order of the file stays.
    """
    return sorted(suggestions, key=lambda suggestion: _place(suggestion.entry.day, today))


def _place(day: date | None, today: date) -> tuple[int, int]:
    if day is None:
        return (3, 0)
    if day > today:
        return (2, day.toordinal())
    return (0, 0) if day == today else (1, -day.toordinal())


def search(suggestions: Iterable[Suggestion], words: str) -> list[Suggestion]:
    """Those that hold every word in title, source, next step or category, whatever the case and width of letters."""
    wanted = _folded(words).split()
    if not wanted:
        return list(suggestions)
    return [found for found in suggestions if all(word in _haystack(found.entry) for word in wanted)]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=65536)
def _folded_parts(title: str, source: str, next_step: str, category: str) -> str:
    return _folded(f"{title}\n{source}\n{next_step}\n{category}")


def _haystack(entry: Entry) -> str:
    return _folded_parts(entry.title, entry.source, entry.next_step, entry.category)


def counts(suggestions: Sequence[Suggestion]) -> Counter[str]:
    """How many are accepted, rejected and undecided; an accept rate is over the first two only."""
    return Counter(suggestion.entry.decision for suggestion in suggestions if suggestion.entry.decision is not None)
