"""Maintain: what reviewers' decisions say about the blocklist and the threshold (suggestions contract, Maintain).

Reads the workspace; writes nothing, whatever it finds.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.decisions import UNDO, Log, Record
from core.errors import BadInput
from core.files import Problem
from core.suggestions import confirm, store, threshold
from core.suggestions.backtest import DEFAULT_THRESHOLD
from core.suggestions.blocklist import Blocklist
from core.suggestions.calibration import Calibration, Month, by_month, calibrate
from core.suggestions.entries import Document
from core.suggestions.proposals import History, Proposal, propose
from core.suggestions.queue import Suggestion, distinct
from core.suggestions.refusals import NO, refusals
from core.workspace import Workspace

_LIMIT = 8


@dataclass(frozen=True)
class Maintenance:
    """What there is to ask and to say. `incomplete`: a file could be read in part only, so the figures are partial."""

    proposals: tuple[Proposal, ...]
    calibration: Calibration
    months: tuple[Month, ...]
    history: History
    incomplete: bool
    problems: tuple[Problem, ...]

    def proposal(self, topic: str) -> Proposal | None:
        """The proposal of that topic, if it is offered."""
        return next((one for one in self.proposals if one.topic == topic), None)


def maintain(workspace: Workspace, log: Log, now: datetime) -> Maintenance:
    """Proposals and calibration of a workspace as it is now. Raises BadInput, Unavailable for what cannot be read."""
    reviewed, pending = store.of_workspace(workspace, "reviewed"), store.of_workspace(workspace, "pending")
    patterns = confirm.current(workspace)
    history = _history(workspace.root, reviewed, pending, patterns, now)
    decided = distinct(reviewed, now)
    limit, wrong = _threshold(workspace, log)
    return Maintenance(
        proposals=tuple(propose(history, refusals(noes(log)))),
        calibration=calibrate(decided, limit),
        months=tuple(by_month(decided, now)),
        history=history,
        incomplete=not (reviewed.complete and pending.complete and patterns.complete),
        problems=(*reviewed.problems, *pending.problems, *patterns.problems, *wrong),
    )


def _threshold(workspace: Workspace, log: Log) -> tuple[int, tuple[Problem, ...]]:
    """The threshold in force; where the settings name none that is one, the customer's rule and what is wrong."""
    try:
        return threshold.in_force(workspace, log).value, ()
    except BadInput as error:
        return DEFAULT_THRESHOLD, (error.problem,)


def decided_reviews(workspace: Workspace, now: datetime) -> list[Suggestion]:
    """The distinct reviewed suggestions that a mark decides: what a backtest draws from.

    Raises BadInput when the file can be read in part only: what stands behind would be missing from every figure.
    """
    document = store.of_workspace(workspace, "reviewed")
    if not document.complete:
        raise BadInput(document.problems[0])
    return [one for one in distinct(document, now) if one.entry.decision in ("accept", "reject")]


def noes(log: Log) -> list[Record]:
    """The records that remembered noes are folded from."""
    return sorted([*log.records(action=NO), *log.records(action=UNDO)], key=lambda record: record.seq)


@dataclass(frozen=True, slots=True)
class _Kept:
    reviewed: Document
    pending: Document
    patterns: Blocklist
    history: History


_kept: OrderedDict[Path, _Kept] = OrderedDict()
_lock = threading.Lock()


def _history(root: Path, reviewed: Document, pending: Document, patterns: Blocklist, now: datetime) -> History:
    """The folded history, made anew only when one of its three files changed: mining 20,000 reviews takes seconds."""
    with _lock:
        kept = _kept.get(root)
    if kept and kept.reviewed is reviewed and kept.pending is pending and kept.patterns == patterns:
        return kept.history
    history = History(distinct(reviewed, now), distinct(pending, now), patterns)
    if kept and kept.reviewed is reviewed:
        history.topics = kept.history.topics  # mined from the reviews alone
    with _lock:
        _kept[root] = _Kept(reviewed, pending, patterns, history)
        _kept.move_to_end(root)
        while len(_kept) > _LIMIT:
            _kept.popitem(last=False)
    return history
