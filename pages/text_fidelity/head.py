"""The first line of an eval: does it pass, does its freeze hold, what is marked; and where that comes from."""

from __future__ import annotations

from core import numbers
from core.text_fidelity.aggregate import meets
from core.text_fidelity.approval import FreezeState
from core.text_fidelity.view import Book
from pages.shared import text
from pages.shared.frame import Context


def show(ctx: Context, made: Book, frozen: FreezeState) -> None:
    """Chips, then one grey line."""
    chips = [_verdict(made, frozen), _freeze(ctx, frozen), *_marks(made)]
    text.show(text.tag("div", text.chips(*chips), text.grey(_source(made)), cls="tf-head"))


def _verdict(made: Book, frozen: FreezeState) -> text.Html:
    """Pass or fail only while it holds: for this freeze, and with no run since that gave no score."""
    row = made.reading.latest
    if row is None:
        return text.verdict("unscored", "nothing scored yet")
    value = float(made.reading.runs.composite[row])
    threshold = made.policy.threshold if made.policy else None
    if threshold is None:
        return text.verdict("unscored", f"{numbers.composite(value)}, no threshold to compare with")
    passed = meets(value, threshold)
    words = f"{numbers.composite(value)} {'≥' if passed else '<'} {_limit(threshold)}"
    why = standing_no_more(made, frozen)
    return text.verdict("unscored", f"{words}, {why}") if why else text.verdict("pass" if passed else "fail", words)


def standing_no_more(made: Book, frozen: FreezeState) -> str:
    """Why the latest score is no verdict on the eval as it stands; "" where it is."""
    row, runs = made.reading.latest, made.reading.runs
    if row is None or not frozen.fresh:
        return "before it went stale"
    if runs.definition.word(row) != frozen.definition_hash:
        return "under an earlier definition"
    if runs.freeze.word(row) not in (None, frozen.freeze_id):
        return "before it was frozen again"
    return "and a run without a score since" if made.failed_since else ""


def _limit(threshold: float) -> str:
    return f"{threshold:.2f}" if round(threshold, 2) == threshold else f"{threshold:g}"


def _freeze(ctx: Context, frozen: FreezeState) -> text.Html:
    if frozen.errors:
        return text.verdict("env_error", "config refused")
    if frozen.stale:
        return text.verdict("stale", "stale" if frozen.freeze_id else "draft, never frozen")
    at = frozen.approved
    when = text.clock(at.utc, ctx.zone).rpartition(" ")[0] if at else "at an unknown time"
    return text.chip(f"frozen {when}", "gray", "lock")


def _marks(made: Book) -> list[text.Html]:
    reading = made.reading
    found: list[text.Html] = []
    series = reading.series_of(reading.latest) if reading.latest is not None else None
    if series is not None:
        inside = set(series.rows.tolist())
        counts: dict[str, int] = {}
        for row, names in reading.drifted().items():
            for name in names if row in inside else []:
                counts[name] = counts.get(name, 0) + 1
        found += [text.verdict("drift", f"{name} drifted {times_}×") for name, times_ in counts.items()]
        if series.plateau():
            found.append(text.verdict("plateau", f"plateau: {series.without_gain} runs without a gain above δ"))
    if made.failed_since is not None:
        outcome = made.failed_since.outcome
        found.append(text.verdict(outcome, f"{outcome}: the last run gave no score"))
    if made.practice:
        found.append(text.chip("practice judge: no model", "violet", "school"))
    return found


def _source(made: Book) -> str:
    policy = made.policy
    if policy is None:
        return f"{made.folder.label} · its config cannot be used, so only its history is shown"
    samples = policy.samples
    cases = numbers.count(len(policy.cases), "case")
    judge = f"{policy.judge.model}, n={samples.n}, k={samples.k:g}, δ={samples.delta:g}"
    return f"scores with confidence on {cases}; it proves nothing else · {judge} · {made.folder.label}"
