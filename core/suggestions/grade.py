"""Grading: veto, ambiguity, score, route, in this order (suggestions contract, Grade).

A run that is killed or stopped is simply run again: entries that arrived stand in a file and are known, answers that
came back stand in the judge's store and cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from core.decisions import Log
from core.errors import BadInput
from core.judge.protocol import Cancel, Judge, Progress
from core.suggestions import confirm
from core.suggestions.backtest import DEFAULT_THRESHOLD, HIGHEST_TOTAL
from core.suggestions.blocklist import Blocklist
from core.suggestions.content import topic_text
from core.suggestions.entries import Document, Entry
from core.suggestions.fields import Score
from core.suggestions.queue import distinct
from core.suggestions.routing import Routed, check_targets, deliver, known_ids
from core.suggestions.scoring import Judged, Rubric, judged, read_rubric, requests, total_cost
from core.workspace import Workspace

Outcome = Literal["hard_veto", "ambiguity", "passed", "below_threshold", "ungraded", "known"]
_AT_ONCE = 64
"""Entries asked about before the next are routed: what is lost to a kill is at most the routing of these."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one entry.

    `reason` is the filter reason, why it is ungraded, or where it is known from; `reasoning` the judge's sentence;
    `note` what a reader must know of the answer. An ungraded entry was routed nowhere and is where it was.
    """

    entry: Entry
    outcome: Outcome
    reason: str = ""
    score: Score | None = None
    reasoning: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Graded:
    """A grading run: one result for each distinct entry, in file order.

    `asked` counts the entries a judge was asked about now, `cost_usd` what that cost (None: unknown); `practice` tells
    that the practice judge answered.
    """

    results: tuple[Result, ...]
    asked: int
    cost_usd: float | None
    practice: bool

    def count(self, *outcomes: Outcome) -> int:
        """How many results are one of these."""
        return sum(result.outcome in outcomes for result in self.results)


@dataclass(frozen=True, slots=True)
class Step:
    """Where a grading run stands: entries done of all, and the judge's own progress while it is asked."""

    done: int
    total: int
    judge: Progress | None


def grade(
    workspace: Workspace, log: Log, document: Document, open_judge: Callable[[], Judge], *, now: datetime,
    threshold: int = DEFAULT_THRESHOLD, on_step: Callable[[Step], None] | None = None, cancel: Cancel | None = None,
) -> Graded:  # fmt: skip
    """Grade the entries of a document and append each to pending or filtered; the document itself is not changed.

    `open_judge` is called only when some entry needs a judge. Entries that stand in one of the three files already, or
    carry a review, are left alone. Raises BadInput for files that cannot be read or written to their end, ValueError
    for a threshold outside 0…6, and what `open_judge` raises.
    """
    if not 0 <= threshold <= HIGHEST_TOTAL:
        raise ValueError(f"a threshold lies between 0 and {HIGHEST_TOTAL}, not {threshold}")
    if not document.complete:
        raise BadInput(document.problems[0])
    log.heal()
    check_targets(workspace)
    patterns, rubric = confirm.whole(workspace), read_rubric(workspace)
    entries = [one.entry for one in distinct(document, now)]
    first = _first_look(entries, patterns, known_ids(workspace))
    by_id = {result.entry.id: result for result in first}
    vetoed = [result for result in first if result.outcome in ("hard_veto", "ambiguity")]
    by_id |= _delivered(workspace, log, document, vetoed)
    waiting = [result.entry for result in first if result.outcome == "ungraded"]
    step = _Steps(len(entries), len(entries) - len(waiting), on_step)
    step.tell(None)
    answers: list[Judged] = []
    judge = open_judge() if waiting else None
    for start in range(0, len(waiting), _AT_ONCE):
        chunk = waiting[start : start + _AT_ONCE]
        answers += _ask(judge, chunk, rubric, answers[-1:], step.tell, cancel)
        scored = [_result(entry, answer, threshold) for entry, answer in zip(chunk, answers[start:], strict=True)]
        by_id |= _delivered(workspace, log, document, scored)
        step.done += len(chunk)
        step.tell(None)
    return Graded(
        results=tuple(by_id[entry.id] for entry in entries), asked=sum(answer.asked for answer in answers),
        cost_usd=total_cost(answers), practice=bool(judge and judge.spec.practice),
    )  # fmt: skip


class _Steps:
    """Tells where the run stands."""

    def __init__(self, total: int, done: int, on_step: Callable[[Step], None] | None) -> None:
        self.total, self.done, self._on_step = total, done, on_step

    def tell(self, progress: Progress | None) -> None:
        if self._on_step:
            self._on_step(Step(self.done + (progress.done if progress else 0), self.total, progress))


def _first_look(entries: Sequence[Entry], patterns: Blocklist, known: dict[str, str]) -> list[Result]:
    """What needs no judge: known entries and vetoes; the rest is ungraded so far."""
    found: list[Result] = []
    for entry in entries:
        if entry.id in known:
            found.append(Result(entry, "known", f"stands in {known[entry.id]} already"))
        elif entry.decision is not None:
            found.append(Result(entry, "known", "carries a review already"))
        else:
            verdict = patterns.check(topic_text(entry), entry.next_step)
            outcome: Outcome = "ungraded" if verdict.outcome == "clear" else verdict.outcome
            found.append(Result(entry, outcome, verdict.reason or ""))
    return found


def _ask(
    judge: Judge | None, entries: Sequence[Entry], rubric: Rubric, last: Sequence[Judged],
    tell: Callable[[Progress], None], cancel: Cancel | None,
) -> list[Judged]:  # fmt: skip
    """The answers; where the last one said that nobody can be asked any more, nobody is, for the same reason."""
    if judge is None or (last and last[0].ends_run):
        return [replace(last[0], asked=False, cost_usd=0.0) for _ in entries]
    return [judged(samples[0]) for samples in judge.ask_many(requests(entries, rubric), tell, cancel)]


def _result(entry: Entry, answer: Judged, threshold: int) -> Result:
    score = answer.score
    if score is None:
        return Result(entry, "ungraded", answer.reason)
    passed = score.total >= threshold
    return Result(
        entry, "passed" if passed else "below_threshold",
        "" if passed else f"Below threshold ({score.total} < {threshold})", score, answer.reason, answer.note,
    )  # fmt: skip


def _delivered(workspace: Workspace, log: Log, document: Document, results: Iterable[Result]) -> dict[str, Result]:
    """Route what has a place to go; one that somebody else put into a file meanwhile is known."""
    going = [result for result in results if result.outcome != "ungraded"]
    written = deliver(workspace, log, [
        Routed(one.entry, document, "pending" if one.outcome == "passed" else "filtered", one.score, one.reason)
        for one in going
    ]) if going else set()  # fmt: skip
    late = "was put into a file by somebody else while it was graded"
    return {one.entry.id: one for one in results if one.outcome == "ungraded"} | {
        one.entry.id: one if one.entry.id in written else replace(one, outcome="known", reason=late) for one in going
    }
