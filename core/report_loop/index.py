"""The list of runs: each read once, and again only where its files, what people decided, or the time changed it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core import files
from core.errors import BadInput
from core.report_loop import inputs
from core.report_loop.decisions import NONE, RunDecisions
from core.report_loop.feedback import document
from core.report_loop.feedback.model import Feedback
from core.report_loop.feedback.trend import Trend, trend
from core.report_loop.journal import RECORDS, RECORDS_AS_LIST
from core.report_loop.named import named_receipt
from core.report_loop.runs import META, ONE_RECEIPT, RECEIPTS, RunFiles, read_head
from core.report_loop.stop import in_order
from core.report_loop.view import Row, row_of
from core.report_loop.view.receipts import turning_points
from core.report_loop.view.status import times_of
from core.workspace import Workspace

_LOOKED_AT = ("", META, RECORDS, RECORDS_AS_LIST, RECEIPTS, ONE_RECEIPT, document.FILE)
# What tells nearly every change: a file that came, went or was replaced (the two folders), an iteration appended.
_QUICK = (0, 2, 4)
_AS_LIST = 3
_WHOLE_LOOK = 10.0  # seconds after which a file that was rewritten in place is noticed, too
Seen = tuple[tuple[int, int] | None, ...]


@dataclass(slots=True)
class _Entry:
    """One run as last read. ``until`` is when the clock alone makes its row another one."""

    seen: Seen
    receipt: str
    head: RunFiles
    feedback: Feedback | None
    made: RunDecisions | None = None
    row: Row | None = None
    until: datetime | None = None


class RunsIndex:
    """The runs of one workspace, safe to share between threads. `refresh` costs a few stats a run."""

    def __init__(self, workspace: Workspace, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` gives seconds; it decides only when the next whole look is due."""
        self.workspace = workspace
        self.version = 0
        self.reads = 0
        self._clock = clock
        self._whole = float("-inf")
        self._guard = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def refresh(self) -> int:
        """Take in what changed and return the version, which grows whenever anything has.

        New, replaced and removed files and appended iterations are seen at once; a file that somebody rewrote in place,
        which no folder tells, at the next whole look.
        """
        with self._guard:
            found: dict[str, _Entry] = {}
            before = self.reads
            whole = self._clock() - self._whole > _WHOLE_LOOK
            if whole:
                self._whole = self._clock()
            for folder in self.workspace.runs():
                known = self._entries.get(str(folder))
                if known is None or not _same(known, str(folder), whole):
                    known = self._read(folder)
                found[str(folder)] = known
            if self.reads != before or found.keys() != self._entries.keys():
                self._entries = found
                self.version += 1
            return self.version

    def _read(self, folder: Path) -> _Entry:
        self.reads += 1
        looked = _seen(str(folder), "")  # before reading, so that a change meanwhile is seen next time
        head = read_head(self.workspace, folder)
        named = named_receipt(in_order(head.records)[0])
        receipt = head.receipts[0].name if named is not None else ""
        return _Entry((*looked[:-1], _stat(f"{folder}/{receipt}")), receipt, head, _feedback(self.workspace, folder))

    def rows(self, decisions: Mapping[str, RunDecisions], now: datetime) -> list[Row]:
        """The list as of the last `refresh`: what waits for a person first, then the newest."""
        with self._guard:
            rows = [_row(entry, decisions.get(entry.head.run, NONE), now) for entry in self._entries.values()]
        return sorted(
            rows, key=lambda row: (not row.escalated, -(row.latest.timestamp() if row.latest else 0.0), row.run)
        )

    def trend(self) -> Trend:
        """What reviewers still had to change, over all runs with feedback, as of the last `refresh`."""
        with self._guard:
            given = [
                (entry.head.title, entry.head.started.utc if entry.head.started else None, entry.feedback)
                for entry in self._entries.values()
                if entry.feedback is not None
            ]
        return trend(given)


def _same(known: _Entry, folder: str, whole: bool) -> bool:
    """True when the run's files are as they were read, as far as one looks."""
    if whole:
        return known.seen == _seen(folder, known.receipt)
    looked = _QUICK if known.seen[_AS_LIST] is None else (*_QUICK, _AS_LIST)
    return all(_stat(f"{folder}/{_LOOKED_AT[number]}") == known.seen[number] for number in looked)


def _seen(folder: str, receipt: str) -> Seen:
    return tuple(_stat(f"{folder}/{name}") for name in (*_LOOKED_AT, receipt))


def _stat(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a record may name a receipt that cannot be a file's name
        return None
    return found.st_mtime_ns, found.st_size


def _feedback(workspace: Workspace, folder: Path) -> Feedback | None:
    """The run's feedback.json; where only the two versions are there, they are compared. Unreadable: none."""
    try:
        path = inputs.locate(workspace.root, folder, document.FILE)
        if path is not None:
            return document.read(files.read_json(path, document.FILE))
        pair = document.find_pair(folder, workspace.root)
        return document.compare(*pair) if pair else None
    except BadInput:  # the run itself shows the problem (`read_run`), and the inbox has it as a finding
        return None


def _row(entry: _Entry, made: RunDecisions, now: datetime) -> Row:
    if entry.row is None or entry.made != made or (entry.until is not None and now >= entry.until):
        entry.row, entry.made, entry.until = row_of(entry.head, made, now), made, _until(entry.head, now)
    return entry.row


def _until(head: RunFiles, now: datetime) -> datetime | None:
    """The next moment at which the clock alone changes the row: a receipt's, or a time that was still to come."""
    moments = [*turning_points(head.receipts), *times_of(head, in_order(head.records)[0])]
    return min((moment for moment in moments if moment > now), default=None)
