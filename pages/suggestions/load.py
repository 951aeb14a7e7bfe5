"""What the page reads: the three files as lists in the order people see them, kept until a file or the day changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from core.decisions import UNDO, Record, undone
from core.errors import Problem
from core.suggestions import confirm, queue, store
from core.suggestions.blocklist import Blocklist
from core.suggestions.entries import Document, Kind
from core.suggestions.queue import Suggestion
from core.workspace import Workspace
from pages.shared import data
from pages.shared.frame import Context


@dataclass(frozen=True)
class Rows:
    """Suggestions in the order people see them; what is asked of the whole list is counted once, not at every run."""

    all: Sequence[Suggestion]

    @cached_property
    def ids(self) -> list[str]:
        """The ids in order."""
        return [one.entry.id for one in self.all]

    @cached_property
    def days(self) -> Counter[date | None]:
        """How many there are of each day."""
        return Counter(one.entry.day for one in self.all)


@dataclass(frozen=True)
class Shelf:
    """One of the three files: its document and its suggestions, each once, in order."""

    document: Document
    rows: Rows

    @property
    def suggestions(self) -> Sequence[Suggestion]:
        """All of them in order."""
        return self.rows.all

    @property
    def number(self) -> str:
        """How many there are; of a file that could only be read in part, at least how many."""
        return f"{len(self.suggestions):,}{'' if self.document.complete else '+'}"

    @cached_property
    def by_id(self) -> dict[str, Suggestion]:
        """Every suggestion by its id."""
        return {one.entry.id: one for one in self.suggestions}

    @cached_property
    def problems(self) -> list[Problem]:
        """What could not be read in the file and in its entries."""
        return [*self.document.problems, *self.document.entry_problems()]


def version(workspace: Workspace) -> Hashable:
    """What the page is drawn from, as stamps."""
    places = workspace.suggestions
    return data.version([places.pending, places.reviewed, places.filtered, places.blocklist])


def shelf(ctx: Context, kind: Kind) -> Shelf:
    """The pending queue (today first), the reviewed or the filtered list (newest first)."""
    path = getattr(ctx.workspace.suggestions, kind)
    # Only a review dated in the future depends on the clock, and a minute is fine enough for that.
    minute = ctx.now.replace(second=0, microsecond=0) if kind == "reviewed" else None
    return data.cached(
        _shelf, ctx.workspace, kind, paths=[path], extra=(ctx.today, minute), given=(ctx.today, ctx.now)
    )  # fmt: skip


def _shelf(workspace: Workspace, kind: Kind, today: str, now: datetime) -> Shelf:
    document = store.of_workspace(workspace, kind)
    found = queue.distinct(document, now)
    day = date.fromisoformat(today)
    if kind == "pending":
        return Shelf(document, Rows(queue.queue_order(found, day)))
    if kind == "reviewed":
        return Shelf(document, Rows(sorted(reversed(found), key=lambda one: _reviewed_at(one, now), reverse=True)))
    return Shelf(document, Rows(list(reversed(found))))


def _reviewed_at(suggestion: Suggestion, now: datetime) -> float:
    """When it was reviewed; a time that is unknown or lies in the future is never among the latest."""
    moment = suggestion.entry.reviewed
    return moment.utc.timestamp() if moment and not moment.in_future(now) else float("-inf")


def standing(ctx: Context, records: Sequence[Record]) -> list[Record]:
    """Those of the records (oldest first) that nobody has undone, whoever made them."""
    gone = undone(ctx.log.records(action=UNDO, after=records[0].seq)) if records else {}
    return [record for record in records if record.seq not in gone]


def patterns(workspace: Workspace) -> Blocklist:
    """The blocklist as it is now; an absent one has no patterns. Raises BadInput when it cannot be read."""
    return confirm.current(workspace)
