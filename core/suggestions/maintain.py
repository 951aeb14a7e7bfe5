"""Maintain: what reviewers' decisions say about the blocklist and the threshold (suggestions contract, Maintain).

Reads the workspace; writes nothing, whatever it finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.decisions import UNDO, Log, Record
from core.errors import BadInput
from core.files import Problem, read_text
from core.suggestions import blocklist, store
from core.suggestions.blocklist import Blocklist
from core.suggestions.calibration import Calibration, Month, by_month, calibrate
from core.suggestions.proposals import History, Proposal, propose
from core.suggestions.queue import Suggestion, distinct
from core.suggestions.refusals import NO, refusals
from core.workspace import Workspace


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
    patterns = read_blocklist(workspace)
    decided = distinct(reviewed, now)
    history = History(decided, distinct(pending, now), patterns)
    return Maintenance(
        proposals=tuple(propose(history, refusals(noes(log)))),
        calibration=calibrate(decided),
        months=tuple(by_month(decided)),
        history=history,
        incomplete=not (reviewed.complete and pending.complete),
        problems=(*reviewed.problems, *pending.problems, *patterns.problems),
    )


def decided_reviews(workspace: Workspace, now: datetime) -> Sequence[Suggestion]:
    """The distinct reviewed suggestions that a mark decides."""
    return [
        one
        for one in distinct(store.of_workspace(workspace, "reviewed"), now)
        if one.entry.decision in ("accept", "reject")
    ]


def read_blocklist(workspace: Workspace) -> Blocklist:
    """The patterns of the workspace's blocklist file; a missing file has none.

    Raises BadInput when it is no file. One that stops being UTF-8 gives the patterns up to there, and a problem.
    """
    path = workspace.suggestions.blocklist
    if not path.exists():
        return Blocklist(())
    source = read_text(path, workspace.label(path))
    found = blocklist.parse(source.text, source.file)
    return Blocklist(found.patterns, (*source.problems, *found.problems))


def complete_blocklist(workspace: Workspace) -> Blocklist:
    """The patterns for grading, which must know all of them. Raises BadInput when the file was read in part only."""
    path = workspace.suggestions.blocklist
    if path.exists() and not (source := read_text(path, workspace.label(path))).complete:
        raise BadInput(source.problems[0])
    return read_blocklist(workspace)


def noes(log: Log) -> list[Record]:
    """The records that remembered noes are folded from."""
    return sorted([*log.records(action=NO), *log.records(action=UNDO)], key=lambda record: record.seq)
