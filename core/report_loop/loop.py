"""The driver: score a draft, revise its weakest dimension, accept or revert, and always stop (report-loop contract).

`run_loop` works on callables and on a journal; what a draft is does not matter to it, only whether two are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any, Generic, Protocol, TypeVar

from core.report_loop.dimensions import dimension_score
from core.report_loop.ratchet import accept_revision, movements, node_edit_budget_exceeded, ratchet
from core.report_loop.stop import Stop, standing, terminate
from core.report_loop.words import ITERATION_CAP, JUDGED, NODE_EDIT_BUDGET, PLATEAU_PATIENCE, STATUS_PASS

__all__ = [
    "Journal", "LoopResult", "MemoryJournal", "Revision", "Scoring", "Task", "accept_revision", "content_diff",
    "edit_counts", "node_edit_budget_exceeded", "run_loop", "target_dimension", "terminate",
]  # fmt: skip

D = TypeVar("D", str, bytes)
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scoring:
    """What one scoring of a draft gave.

    ``scores`` has the shape of `score_all`; ``extra`` goes into the iteration record as it is (samples, judge
    fingerprint, receipt_fresh …); ``files`` are documents for the journal to keep beside it, by suffix.
    """

    scores: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Revision(Generic[D]):
    """A candidate draft and the node that was revised, where the reviser says so."""

    draft: D
    node_id: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What the reviser is told: its iteration, the scores that stand, and the nodes it must leave alone."""

    index: int
    target_dim: str
    scores: Mapping[str, Any]
    frozen: tuple[str, ...]
    edit_counts: Mapping[str, int]


Score = Callable[[D], Scoring | Mapping[str, Any]]
Revise = Callable[[D, str, Task], Revision[D] | D]


class Journal(Protocol[D]):
    """Where iterations are kept: each is there before the next begins."""

    def records(self) -> list[Record]:
        """Every iteration so far, in order."""
        ...

    def standing(self) -> D | None:
        """The draft that stands after them; None before the first."""
        ...

    def commit(self, record: Record, draft: D, scoring: Scoring | None) -> None:
        """Keep one iteration with its draft for good; only then may an accepted draft take the old one's place."""
        ...


class MemoryJournal(Generic[D]):
    """A journal that keeps everything in memory."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._standing: D | None = None

    def records(self) -> list[Record]:
        """Every iteration so far."""
        return list(self._records)

    def standing(self) -> D | None:
        """The draft that stands."""
        return self._standing

    def commit(self, record: Record, draft: D, scoring: Scoring | None) -> None:
        """Keep the record, and the draft unless it was reverted."""
        self._records.append(record)
        if record.get("accepted") is not False:
            self._standing = draft


@dataclass(frozen=True, slots=True)
class LoopResult(Generic[D]):
    """How a loop ended: the draft that stands, the stop verdict, every iteration, and the frozen nodes."""

    draft: D
    stop: Stop
    iterations: list[Record]
    frozen: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """True when it stopped with PASS."""
        return self.stop["status"] == STATUS_PASS


def run_loop(
    draft: D, score: Score[D], revise: Revise[D], *, cap: int = ITERATION_CAP,
    plateau_patience: int = PLATEAU_PATIENCE, budget: int = NODE_EDIT_BUDGET, journal: Journal[D] | None = None,
    more_edits: Mapping[str, int] | None = None, clock: Callable[[], datetime] | None = None,
    on_iteration: Callable[[Record], None] | None = None,
) -> LoopResult[D]:  # fmt: skip
    """Score, revise, accept or revert until PASS, cap or plateau; it stops after at most ``cap`` iterations.

    A journal that already holds iterations is resumed where it stood. ``more_edits`` are edits that a person granted a
    frozen node on top of the budget; ``clock`` dates the records. Raises what ``score`` and ``revise`` raise, with
    every finished iteration kept; ValueError for a cap, patience or budget below 1 or scores out of range.
    """
    kept: Journal[D] = MemoryJournal() if journal is None else journal
    run = _Run(score, revise, budget, dict(more_edits or {}))
    while True:
        records = kept.records()
        stop, verdict = terminate(records, cap, plateau_patience)
        standing = kept.standing()
        standing = draft if standing is None else standing
        if stop:
            return LoopResult(standing, verdict, records, run.frozen(records))
        record, candidate, scoring = run.iterate(standing, records)
        if clock is not None:
            record["at"] = clock().isoformat().replace("+00:00", "Z")
        kept.commit(record, candidate, scoring)
        if on_iteration is not None:
            on_iteration(record)


@dataclass(frozen=True)
class _Run(Generic[D]):
    """One loop's callables and limits."""

    score: Score[D]
    revise: Revise[D]
    budget: int
    more_edits: dict[str, int]

    def iterate(self, draft: D, records: Sequence[Record]) -> tuple[Record, D, Scoring | None]:
        """The next iteration: its record, the draft it is about, and how that was scored (None: it was not)."""
        index = max((record["index"] for record in records), default=0) + 1
        stands = standing(records)
        if stands is None:
            scoring = self._scored(draft)
            return _record(index, scoring.scores, scoring.extra), draft, scoring
        target = target_dimension(stands["scores"])
        if target is None:
            return self._rescore(index, draft, stands)
        return self._revise(index, draft, target, stands, records)

    def _rescore(self, index: int, draft: D, stands: Mapping[str, Any]) -> tuple[Record, D, Scoring | None]:
        """Nothing to revise, yet no pass (accuracy unproven, no judge, a stale receipt): measure again."""
        scoring = self._scored(draft)
        moves = movements(stands["scores"], scoring.scores).values()
        gained = any(move.direction > 0 for move in moves) and not any(move.direction < 0 for move in moves)
        record = _record(
            index, scoring.scores, scoring.extra, improved=gained, reason="nothing to revise: scored again"
        )
        return record, draft, scoring

    def _revise(
        self, index: int, draft: D, target: str, stands: Mapping[str, Any], records: Sequence[Record]
    ) -> tuple[Record, D, Scoring | None]:
        counts, frozen = edit_counts(records), self.frozen(records)
        made = self.revise(draft, target, Task(index, target, stands["scores"], frozen, counts))
        revision = made if isinstance(made, Revision) else Revision(made)
        node, diff = revision.node_id, content_diff(draft, revision.draft)
        refused = "the reviser changed nothing" if not diff else ""
        if diff and node is not None and node in frozen:
            refused = f"node {node} is frozen: its edit budget of {self.budget} is used up"
        if refused:
            return _revised(index, stands["scores"], {"scored": False}, target, node, diff, False, refused), draft, None
        scoring = self._scored(revision.draft)
        accepted, why = ratchet(stands["scores"], scoring.scores, target)
        record = _revised(index, scoring.scores, scoring.extra, target, node, diff, accepted, why)
        return record, revision.draft, scoring

    def _scored(self, draft: D) -> Scoring:
        result = self.score(draft)
        return result if isinstance(result, Scoring) else Scoring(result)

    def frozen(self, records: Sequence[Record]) -> tuple[str, ...]:
        """Nodes whose budget is used up, granted edits counted in."""
        counts = edit_counts(records)
        return tuple(
            node
            for node in counts
            if node_edit_budget_exceeded(counts, node, self.budget + self.more_edits.get(node, 0))
        )


def _record(
    index: int, scores: Mapping[str, Any], extra: Mapping[str, Any], improved: bool | None = None, reason: str = ""
) -> Record:
    record: Record = {
        "index": index, "scores": dict(scores), "content_diff_count": 0, "improved": improved, "target_dim": None,
        **extra,
    }  # fmt: skip
    return {**record, "reason": reason} if reason else record


def _revised(
    index: int, scores: Mapping[str, Any], extra: Mapping[str, Any], target: str, node: str | None, diff: int,
    accepted: bool, why: str,
) -> Record:  # fmt: skip
    return {
        "index": index, "scores": dict(scores), "content_diff_count": diff, "improved": accepted, "target_dim": target,
        "node_id": node, "accepted": accepted, "reason": why, **extra,
    }  # fmt: skip


def target_dimension(scores: Mapping[str, Any]) -> str | None:
    """The lowest failing dimension other than accurate, else None: one that passes is never polished further."""
    failing = [name for name in JUDGED if (scores.get(name) or {}).get("status") == "fail"]
    return min(failing, key=lambda name: dimension_score({**scores[name], "dimension": name}) or 0.0, default=None)


def edit_counts(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Revisions of each node that did not bring their target to the bar (report-loop contract, budget)."""
    counts: dict[str, int] = {}
    for record in records:
        node, scores = record.get("node_id"), record.get("scores")
        if not isinstance(node, str) or not record.get("content_diff_count") or record.get("scored") is False:
            continue
        name = record.get("target_dim")
        target = scores.get(name) if isinstance(scores, Mapping) and isinstance(name, str) else None
        reached = record.get("accepted") is True and isinstance(target, Mapping) and target.get("status") == "pass"
        counts[node] = counts.get(node, 0) + (not reached)
    return counts


def content_diff(before: D, after: D) -> int:
    """How many lines differ between two drafts: 0 only when they are the same byte for byte."""
    if before == after:
        return 0
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for kind, i1, i2, j1, j2 in changes if kind != "equal")
