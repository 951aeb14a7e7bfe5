"""How a run stands, in words: never better than its receipt, and never "correct"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from core.report_loop.decisions import Decided, RunDecisions
from core.report_loop.dimensions import score_accurate
from core.report_loop.named import named_receipt, receipt_of
from core.report_loop.receipt import freshness, overclaims
from core.report_loop.runs import ONE_RECEIPT, ReceiptFile, RunFiles
from core.report_loop.stop import Stop, in_order, terminate, undersampled, unscored
from core.report_loop.words import DIMENSIONS, ITERATION_CAP, PLATEAU_PATIENCE
from core.times import Instant, parse_instant

Word = Literal["PASS", "plateau", "cap", "running", "stale", "unverified", "fail", "unreadable", "no iterations yet"]

RULE = (
    f"The loop stops at the first of these: every dimension passes (PASS), {ITERATION_CAP} iterations (cap), "
    f"{PLATEAU_PATIENCE} iterations in a row without improvement (plateau)."
)


@dataclass(frozen=True, slots=True)
class Headline:
    """A run in one line. ``word`` is its state, ``words`` say it in a chip, ``why`` in a sentence.

    ``stop`` is what the iterations say by themselves, ``held_back`` the dimensions below the bar, ``escalated`` True
    while a person has to decide, ``decided`` what somebody decided on exactly these iterations.
    """

    word: Word
    words: str
    why: str
    stop: Stop
    held_back: tuple[str, ...]
    escalated: bool
    decided: Decided | None
    violation: str


def latest_receipt(files: RunFiles, records: Sequence[Mapping[str, Any]], now: datetime) -> ReceiptFile | None:
    """The receipt of the draft that stands: the one its iteration names, readable or not.

    Where it names none, the newest that is not from the future, else the last, of those that no iteration names as its
    own: a receipt of another draft verifies nothing.
    """
    named = named_receipt(records)
    if named is not None:
        return next((file for file in files.receipts if file.goes_by(named)), ReceiptFile(named, None, None))
    others = [name for name in map(receipt_of, records) if name is not None and name != ONE_RECEIPT]
    left = [file for file in files.receipts if not any(map(file.goes_by, others))]
    dated = [
        (file.receipt.generated_at.utc, number, file)
        for number, file in enumerate(left)
        if file.receipt is not None and file.receipt.generated_at is not None
        and not file.receipt.generated_at.in_future(now)
    ]  # fmt: skip
    if dated:
        return max(dated, key=lambda entry: entry[:2])[2]
    return left[-1] if left else None


def headline(files: RunFiles, decisions: RunDecisions, now: datetime) -> Headline:
    """How the run stands at that time (pure)."""
    _, stop = terminate(files.records)
    records, _ = in_order(files.records)
    word, why = _word(files, stop, latest_receipt(files, records, now), now)
    latest = decisions.latest
    decided = latest if latest is not None and latest.evidence == files.evidence else None
    held = _held_back(records)
    at = stop["iterations"]
    words = {"PASS": f"PASS at {at}", "plateau": f"plateau at {at}", "cap": f"cap at {at}"}.get(word, word)
    return Headline(
        word=word,
        words=words,
        why=why,
        stop=stop,
        held_back=() if stop["status"] == "PASS" else held,
        escalated=stop["escalate_to_human"] and decided is None,
        decided=decided,
        violation=_violation(stop, records),
    )


def _word(files: RunFiles, stop: Stop, latest: ReceiptFile | None, now: datetime) -> tuple[Word, str]:
    if files.unreadable or (files.incomplete and not files.records):
        return "unreadable", "its iterations cannot be read"
    if not files.records:
        return "no iterations yet", "no iterations yet"
    if stop["status"] == "PASS" and files.incomplete:
        return "unverified", "the latest iteration that can be read passes, but not all of them can be read"
    if stop["status"] == "PASS":
        return _passed(stop, latest, now)
    if stop["status"] == "plateau":
        return "plateau", f"stopped because {stop['reason']}"
    if stop["status"] == "cap":
        return "cap", f"stopped because {stop['reason']} without every dimension at its bar"
    return "running", f"has not stopped: {stop['reason']}"


def _passed(stop: Stop, latest: ReceiptFile | None, now: datetime) -> tuple[Word, str]:
    """A PASS of the iterations is shown as one only on a fresh receipt whose legs say the same."""
    at = f"iteration {stop['iterations']}"
    if latest is None or latest.receipt is None:
        what = "there is no receipt" if latest is None else f"{latest.name[:120]} cannot be read"
        return "unverified", f"{at} passes, but {what}: nothing to verify it against"
    accurate = score_accurate(latest.receipt)
    if accurate["status"] != "pass":
        word: Word = "fail" if accurate["status"] == "fail" else "unverified"
        return word, f"{at} passes, but by its receipt accurate is {accurate['status']}: {accurate['reason']}"
    fresh = freshness(latest.receipt, now)
    if not fresh.fresh:
        return "stale", f"{at} passed, but its receipt is {'stale' if fresh.stale else 'of unknown age'}: {fresh.why}"
    return "PASS", f"every checked dimension cleared its bar at {at}; what is left for a person stands below"


def _held_back(records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The dimensions of the draft that stands which are not exactly `pass`."""
    for record in reversed(records):
        scores = record.get("scores")
        if record.get("accepted") is not False and isinstance(scores, Mapping):
            short = (*undersampled(record), *unscored(record))
            return tuple(
                name for name in DIMENSIONS
                if name in short or not isinstance(scores.get(name), Mapping) or scores[name].get("status") != "pass"
            )  # fmt: skip
    return DIMENSIONS if records else ()


def _violation(stop: Stop, records: Sequence[Mapping[str, Any]]) -> str:
    """Do no harm: a draft that was at the bar from the start must not have been touched."""
    if stop["status"] == "PASS" and stop["iterations"] == 1 and stop["content_diff_count"] != 0:
        count = stop["content_diff_count"]
        changes = "an unknown number of" if count is None else str(count)
        return f"do no harm is violated: it passed at iteration 1 and yet has {changes} content changes"
    return ""


@dataclass(frozen=True, slots=True)
class Row:
    """One run in the list. ``latest`` is when it last went on; ``skewed`` True where it says a time still to come."""

    run: str
    title: str
    word: Word
    words: str
    iterations: int
    held_back: tuple[str, ...]
    escalated: bool
    decided: str
    overclaim: bool
    damaged: bool
    started: Instant | None
    latest: datetime | None
    skewed: bool = False


def row_of(files: RunFiles, decisions: RunDecisions, now: datetime) -> Row:
    """The list's row of one run (pure)."""
    head = headline(files, decisions, now)
    records, _ = in_order(files.records)
    receipt = latest_receipt(files, records, now)
    latest, skewed = dated(files, records, now)
    return Row(
        run=files.run,
        title=files.title or files.run,
        word=head.word,
        words=head.words,
        iterations=len(records),
        held_back=head.held_back,
        escalated=head.escalated,
        decided=head.decided.action if head.decided else "",
        overclaim=bool(receipt and receipt.receipt and overclaims(receipt.receipt)),
        damaged=bool(files.problems),
        started=files.started,
        latest=latest,
        skewed=skewed,
    )


def dated(files: RunFiles, records: Sequence[Mapping[str, Any]], now: datetime) -> tuple[datetime | None, bool]:
    """When the run last went on, and whether it tells a time that is still to come: that one is never the latest."""
    moments = times_of(files, records)
    past = [moment for moment in moments if moment <= now]
    return (past[0] if past else None), len(past) < len(moments)


def times_of(files: RunFiles, records: Sequence[Mapping[str, Any]]) -> list[datetime]:
    """The times of the iterations, the last iteration's first, and that of the start."""
    found: list[datetime] = []
    for text in [record.get("at") for record in reversed(records)]:
        if isinstance(text, str):
            try:
                found.append(parse_instant(text).utc)
            except ValueError:
                continue  # shown in the timeline as it is written
    return [*found, files.started.utc] if files.started else found
