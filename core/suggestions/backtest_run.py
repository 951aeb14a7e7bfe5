"""Running a backtest: sample, veto, ask (suggestions contract, Backtest)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from core import times
from core.judge.protocol import Cancel, Judge, JudgeRequest, OnProgress
from core.suggestions import confirm
from core.suggestions.backtest import DEFAULT_THRESHOLD, HIGHEST_TOTAL, Outcome, Row
from core.suggestions.blocklist import Verdict
from core.suggestions.content import topic_text
from core.suggestions.entries import Entry
from core.suggestions.maintain import decided_reviews
from core.suggestions.queue import Suggestion
from core.suggestions.runs import JudgeUsed, Run
from core.suggestions.scoring import (
    Judged,
    Rubric,
    RubricReply,
    hash_of,
    judged,
    read_rubric,
    requests,
    total_cost,
)
from core.workspace import Workspace

DEFAULT_PER_SIDE = 20


def sample(reviewed: Sequence[Suggestion], per_side: int, seed: int) -> list[Entry]:
    """Up to `per_side` accepted and as many rejected entries: a stratified sample that the seed repeats.

    Each entry's place in the draw follows from the seed and its id alone, so that one more review changes at most one
    member of the sample. Raises ValueError for `per_side` below 1.
    """
    if per_side < 1:
        raise ValueError("a sample holds at least one entry of each kind")
    drawn: list[Entry] = []
    for decision in ("accept", "reject"):
        group = [one.entry for one in reviewed if one.entry.decision == decision]
        drawn += sorted(group, key=lambda entry: _digest(str(seed), entry.id))[:per_side]
    return drawn


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Prepared:
    """A sample and all that is asked about it: `questions` for the entries that no pattern vetoes, in their order."""

    entries: Sequence[Entry]
    verdicts: Mapping[str, Verdict]
    questions: Sequence[JudgeRequest[RubricReply]]
    rubric: Rubric
    blocklist: str
    available: tuple[int, int]


def prepare(workspace: Workspace, now: datetime, *, per_side: int, seed: int, series: str = "") -> Prepared:
    """Draw the sample, veto, and word the questions; asks nobody. Raises BadInput and ValueError as `run` does."""
    patterns, rubric = confirm.whole(workspace), read_rubric(workspace)
    reviewed = decided_reviews(workspace, now)
    entries = sample(reviewed, per_side, seed)
    verdicts = {entry.id: patterns.check(topic_text(entry), entry.next_step) for entry in entries}
    clear = [entry for entry in entries if verdicts[entry.id].outcome == "clear"]
    decisions = [one.entry.decision for one in reviewed]
    return Prepared(
        entries, verdicts, requests(clear, rubric, series=series), rubric, hash_of(patterns),
        (decisions.count("accept"), decisions.count("reject")),
    )  # fmt: skip


def run(
    workspace: Workspace, judge: Judge, *, now: datetime, per_side: int = DEFAULT_PER_SIDE, seed: int = 0,
    threshold: int = DEFAULT_THRESHOLD, afresh: bool = False, on_progress: OnProgress | None = None,
    cancel: Cancel | None = None,
) -> Run:  # fmt: skip
    """Run a backtest and return it; stores nothing. Vetoed entries cost no judge call.

    Answers to unchanged questions come from the workspace's store, unless `afresh`. An entry the judge failed on stays
    in the run as `ungraded` with the reason. Raises BadInput for files that cannot be read to their end, ValueError for
    a sample size below 1 or a threshold outside 0…6.
    """
    if not 0 <= threshold <= HIGHEST_TOTAL:
        raise ValueError(f"a threshold lies between 0 and {HIGHEST_TOTAL}, not {threshold}")
    made = prepare(workspace, now, per_side=per_side, seed=seed, series=f"backtest {times.iso(now)}" if afresh else "")
    answers = judge.ask_many(made.questions, on_progress, cancel) if made.questions else []
    by_id = {
        question.key: judged(samples[0]) for question, samples in zip(made.questions, answers, strict=True)
    }  # fmt: skip
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%S")
    return Run(
        id=f"{stamp}-{_digest(times.iso(now), judge.spec.model, str(seed), str(per_side))[:6]}",
        at=times.iso(now), per_side=per_side, seed=seed, threshold=threshold,
        judge=JudgeUsed.of(judge, judge.fingerprint(made.questions[0]).endpoint if made.questions else ""),
        rubric=made.rubric.hash, rubric_source=made.rubric.source, blocklist=made.blocklist,
        asked=sum(one.asked for one in by_id.values()), cost_usd=total_cost(by_id.values()),
        stopped=any(one.stopped for one in by_id.values()),
        available=made.available,
        rows=tuple(_row(entry, made.verdicts[entry.id], by_id.get(entry.id)) for entry in made.entries),
    )  # fmt: skip


def _row(entry: Entry, verdict: Verdict, answer: Judged | None) -> Row:
    outcome: Outcome = verdict.outcome if verdict.outcome != "clear" else "ungraded"
    reason, reasoning, score = verdict.reason or "", "", None
    if answer is not None:
        score = answer.score
        outcome = "ungraded" if score is None else "scored"
        reason, reasoning = (answer.reason, "") if score is None else (answer.note, answer.reason)
    return Row(
        id=entry.id, date=entry.date, source=entry.source, title=entry.title, url=entry.url, next_step=entry.next_step,
        category=entry.category, actual="accept" if entry.decision == "accept" else "reject", comment=entry.comment,
        outcome=outcome, reason=reason, reasoning=reasoning,
        a=score.a if score else None, p=score.p if score else None, g=score.g if score else None,
    )  # fmt: skip
