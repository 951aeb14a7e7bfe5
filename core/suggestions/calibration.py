"""Accept rates by score bucket, and what they support (suggestions contract, Maintain). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core import numbers
from core.stats import Estimate, proportion, reviews_to_settle
from core.suggestions.backtest import DEFAULT_THRESHOLD
from core.suggestions.queue import Suggestion

ENOUGH = 30
"""Scored reviews before any rate is shown."""

JUDGED_BUCKET, LOWEST_RATE, HIGHER_THRESHOLD = 4, 0.6, 5
"""Under 60% accepted in bucket 4, the threshold should rise to 5 (the customer's rule)."""

SHOWN_BUCKETS = (4, 5, 6)


@dataclass(frozen=True, slots=True)
class Advice:
    """What the rates support. `threshold` is the recommended one, None where nothing is recommended.

    `supported` tells whether bucket 4's interval excludes 60%; `more_reviews` how many more reviews of that bucket
    would settle it at the present rate (0: settled, None: never at this rate, or nobody can say).
    """

    text: str
    threshold: int | None
    supported: bool
    more_reviews: int | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """`n` scored and decided reviews; `buckets` by total (empty under 30); `message` as the contract prints it.

    `undecided` counts scored entries in the reviewed file that no mark decides: they are in no rate.
    """

    n: int
    buckets: Mapping[int, Estimate]
    advice: Advice | None
    message: str
    undecided: int

    @property
    def enough(self) -> bool:
        """Whether there are the thirty reviews that any rate needs."""
        return self.n >= ENOUGH


def calibrate(reviewed: Iterable[Suggestion], in_force: int = DEFAULT_THRESHOLD) -> Calibration:
    """Accept rates of the score buckets over distinct reviewed suggestions (suggestions contract, Maintain).

    An entry counts when its 📊 score is one and a mark decides it; legacy entries, scores that are none and undecided
    entries do not. ``in_force`` is the threshold that suggestions are graded with now.
    """
    decided: Counter[tuple[int, str]] = Counter()
    undecided = 0
    for one in reviewed:
        if one.entry.score is None:
            continue
        if one.entry.decision in ("accept", "reject"):
            decided[one.entry.score.total, one.entry.decision] += 1
        else:
            undecided += 1
    n = decided.total()
    if n < ENOUGH:
        return Calibration(n, {}, None, f"📊 Rubric calibration: {n}/{ENOUGH} — collecting more data.", undecided)
    totals = sorted({*SHOWN_BUCKETS, *(total for total, _ in decided)})
    buckets = {
        total: proportion(decided[total, "accept"], decided[total, "accept"] + decided[total, "reject"])
        for total in totals
    }
    advice = advise(buckets[JUDGED_BUCKET], in_force)
    return Calibration(n, buckets, advice, _message(n, buckets), undecided)


def advise(bucket: Estimate, in_force: int = DEFAULT_THRESHOLD) -> Advice:
    """What bucket 4's accept rate supports, in the figures as they are printed (suggestions contract, Maintain).

    A threshold that is in force already is not recommended.
    """
    if bucket.value is None or bucket.interval is None or bucket.k is None:
        return Advice("no recommendation: no reviewed entry scored 4", None, False, None)
    rate, reviews = _percent(bucket.value), numbers.count(bucket.n, "review")
    below = _rounded(bucket.value) < _rounded(LOWEST_RATE)
    settled = not _rounded(bucket.interval.low) <= _rounded(LOWEST_RATE) <= _rounded(bucket.interval.high)
    more = 0 if settled else _more(bucket)
    raised = in_force >= HIGHER_THRESHOLD
    if not below:
        kept = "no reason to raise it again" if raised else f"keep the threshold at {in_force}"
        text = f"{kept}: {rate} of {reviews} in bucket {JUDGED_BUCKET} is not below 60%"
        return Advice(text + ("" if settled else f"; {_unsettled(more)}"), None, settled, more)
    done = f"the threshold is {in_force} already" if raised else f"raise to {HIGHER_THRESHOLD}"
    wanted = None if raised else HIGHER_THRESHOLD
    if settled:
        shown = numbers.interval(bucket.interval.low, bucket.interval.high)
        text = f"{done}: {rate} is below 60%, and {reviews} exclude 60% (interval {shown})"
        return Advice(text, wanted, True, 0)
    text = f"{done}: {rate} is below 60%, though {reviews} cannot exclude 60%; {_unsettled(more)}"
    return Advice(text, wanted, False, more)


def _rounded(rate: float) -> float:
    """A rate as it is printed, in percent: what is shown and what is decided agree."""
    return round(rate * 100, 1)


def _percent(rate: float) -> str:
    return numbers.percent_of(rate).replace(".0%", "%")


def _more(bucket: Estimate) -> int | None:
    if bucket.k is None or _rounded(bucket.k / bucket.n) == _rounded(LOWEST_RATE):
        return None
    more = reviews_to_settle(bucket.k, bucket.n, LOWEST_RATE)
    return more if more is None else max(1, more)


def _unsettled(more: int | None) -> str:
    if more is None:
        return "at exactly this rate no number of reviews would settle it"
    return f"{numbers.count(more, 'more review')} at this rate would settle it"


def _message(n: int, buckets: Mapping[int, Estimate]) -> str:
    told = "; ".join(
        f"bucket {total}: {numbers.percent(one.k or 0, one.n)} of {one.n}"
        + (f" ({numbers.interval(one.interval.low, one.interval.high)})" if one.interval else "")
        for total, one in buckets.items()
    )
    return f"📊 Rubric calibration: {numbers.count(n, 'scored review')}. Accepted in {told}."


@dataclass(frozen=True, slots=True)
class Month:
    """One month of reviews (UTC): how many were decided, the accept rate, and the mean stored total of the scored."""

    month: str
    accepted: Estimate
    scored: int
    mean_total: float | None


def by_month(reviewed: Sequence[Suggestion], now: datetime) -> list[Month]:
    """Drift over time: accept rate and mean total by month of review, oldest first.

    Reviews without a time, and those from the future (clock skew), stand in none.
    """
    months: dict[str, list[Suggestion]] = {}
    for one in reviewed:
        at = one.entry.reviewed
        if at is not None and not at.in_future(now) and one.entry.decision in ("accept", "reject"):
            months.setdefault(f"{at.utc:%Y-%m}", []).append(one)
    return [_month(month, months[month]) for month in sorted(months)]


def _month(month: str, reviews: Sequence[Suggestion]) -> Month:
    totals = [one.entry.score.total for one in reviews if one.entry.score is not None]
    accepts = sum(one.entry.decision == "accept" for one in reviews)
    return Month(month, proportion(accepts, len(reviews)), len(totals), sum(totals) / len(totals) if totals else None)
