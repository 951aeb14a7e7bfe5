"""Statistics every system shares: intervals, agreement, sweeps over thresholds.

Pure: values in, values out. Nothing here reads a clock, a file or a random number, and a quantity
that is not defined is `None`, never 0, 1 or NaN (suggestions contract, Backtest).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor, sqrt
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, both ends in the unit of the value it belongs to and included."""

    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Whether `value` lies between the two ends, ends included."""
        return self.low <= value <= self.high


@lru_cache(maxsize=16)
def z_value(level: float) -> float:
    """Two-sided normal quantile of a confidence level in (0, 1): 0.95 gives 1.9600. ValueError outside."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level!r}")
    return NormalDist().inv_cdf((1.0 + level) / 2.0)


def wilson(k: int, n: int, level: float = 0.95) -> Interval | None:
    """Wilson score interval of the proportion k/n, in 0–1; `None` for n = 0 (suggestions contract, Backtest).

    (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n). Raises ValueError unless 0 ≤ k ≤ n.
    """
    if k < 0 or n < 0 or k > n:
        raise ValueError(f"{k} of {n} is no proportion")
    if n == 0:
        return None
    z = z_value(level)
    p = k / n
    scale = 1.0 + z * z / n
    middle = (p + z * z / (2 * n)) / scale
    half = z * sqrt(p * (1.0 - p) / n + z * z / (4 * n * n)) / scale
    # At the ends the formula is exact in theory and 1e-17 off in floating point.
    low = 0.0 if k == 0 else max(0.0, middle - half)
    high = 1.0 if k == n else min(1.0, middle + half)
    return Interval(low, high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with what it rests on: `value` (None when undefined), k of n, and its 95% interval."""

    value: float | None
    k: int | None
    n: int
    interval: Interval | None


def proportion(k: int, n: int, level: float = 0.95) -> Estimate:
    """k of n as an `Estimate` in 0–1; undefined for n = 0 (suggestions contract, Backtest). ValueError as `wilson`."""
    return Estimate(k / n if n else None, k, n, wilson(k, n, level))


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two-by-two table of a prediction (pass or fail) against the truth (accepted or rejected), as counts."""

    tp: int
    fp: int
    tn: int
    fn: int

    @property
    def n(self) -> int:
        """All entries in the table."""
        return self.tp + self.fp + self.tn + self.fn


@dataclass(frozen=True, slots=True)
class Agreement:
    """The figures of one confusion table, each an `Estimate` (suggestions contract, Backtest)."""

    accuracy: Estimate
    precision: Estimate
    recall: Estimate
    specificity: Estimate
    f1: Estimate
    kappa: Estimate


def agreement(table: Confusion, level: float = 0.95) -> Agreement:
    """Accuracy, precision, recall, specificity, F1 and κ of a table; each may be undefined (contract, Backtest)."""
    return Agreement(
        accuracy=proportion(table.tp + table.tn, table.n, level),
        precision=proportion(table.tp, table.tp + table.fp, level),
        recall=proportion(table.tp, table.tp + table.fn, level),
        specificity=proportion(table.tn, table.tn + table.fp, level),
        f1=f1(table, level),
        kappa=kappa(table, level),
    )


def f1(table: Confusion, level: float = 0.95) -> Estimate:
    """F1 = 2TP/(2TP+FP+FN), 0–1; undefined when TP, FP and FN are all 0 (suggestions contract, Backtest).

    F1 = 2J/(1+J) of the Jaccard proportion J = TP/(TP+FP+FN) and rises with it, so the interval is J's
    Wilson interval carried over.
    """
    n = table.tp + table.fp + table.fn
    inner = wilson(table.tp, n, level)
    if inner is None:
        return Estimate(None, None, 0, None)
    low, high = (2 * j / (1 + j) for j in (inner.low, inner.high))
    return Estimate(2 * table.tp / (n + table.tp), None, n, Interval(low, high))


def kappa(table: Confusion, level: float = 0.95) -> Estimate:
    """Cohen's κ = (pₒ−pₑ)/(1−pₑ), −1–1; undefined when chance agreement is 1 or n is 0 (contract, Backtest).

    The interval is the Wilson interval of pₒ with pₑ held: on samples of 20 to 40 it covers 92–99%, the
    usual asymptotic one 56–94% (docs/decisions/0031-figures-and-intervals.md).
    """
    n = table.n
    if n == 0:
        return Estimate(None, None, 0, None)
    # Whole numbers, so that "chance agreement is exactly 1" is decided without rounding.
    by_chance = (table.tp + table.fn) * (table.tp + table.fp) + (table.tn + table.fp) * (table.tn + table.fn)
    if by_chance == n * n:
        return Estimate(None, None, n, None)
    expected = by_chance / (n * n)
    observed = wilson(table.tp + table.tn, n, level)
    assert observed is not None  # n > 0

    def corrected(agreed: float) -> float:
        return max(-1.0, min(1.0, (agreed - expected) / (1.0 - expected)))

    interval = Interval(corrected(observed.low), corrected(observed.high))
    return Estimate(corrected((table.tp + table.tn) / n), None, n, interval)


def sweep(passed: Sequence[int], failed: Sequence[int], never: tuple[int, int] = (0, 0)) -> list[Confusion]:
    """One confusion table for each threshold 0…len−1 ("pass at total ≥ threshold") out of two histograms.

    `passed[t]` counts the positives with total t, `failed[t]` the negatives; `never` counts positives and
    negatives that pass at no threshold (vetoed ones). ValueError when the histograms differ in length.
    (suggestions contract, Backtest: the same figures at every threshold 0…6.)
    """
    if len(passed) != len(failed):
        raise ValueError("both histograms must cover the same totals")
    tables: list[Confusion] = []
    tp, fp, fn, tn = sum(passed), sum(failed), never[0], never[1]
    for positives, negatives in zip(passed, failed, strict=True):
        tables.append(Confusion(tp, fp, tn, fn))
        tp, fn = tp - positives, fn + positives
        fp, tn = fp - negatives, tn + negatives
    return tables


def separation(positives: Sequence[int], negatives: Sequence[int], level: float = 0.95) -> Estimate:
    """How well a value tells two groups apart: chance that a positive lies higher than a negative, 0–1.

    The area under the ROC curve with ties as half, out of two histograms over the same values; 0.5 is "not at
    all". Undefined when a group is empty. Interval: Newcombe's score interval (2006, method 5), which stays
    honest at 0 and 1. (suggestions contract, Backtest: which dimension separates accepts from rejects.)
    """
    if len(positives) != len(negatives):
        raise ValueError("both histograms must cover the same values")
    m, n = sum(positives), sum(negatives)
    if m == 0 or n == 0:
        return Estimate(None, None, m + n, None)
    below, wins = 0, 0.0
    for high, low in zip(positives, negatives, strict=True):
        wins += high * (below + low / 2)
        below += low
    area = wins / (m * n)
    return Estimate(area, None, m + n, _area_interval(area, m, n, z_value(level)))


def _area_interval(area: float, m: int, n: int, z: float) -> Interval:
    """Every θ whose distance from `area` is at most z standard errors at θ (Newcombe 2006, method 5)."""
    from scipy.optimize import brentq  # here, because it takes half a second to import and few commands need it

    half = (m + n) / 2

    def excess(theta: float) -> float:
        spread = 2 * half - 1 - (3 * half - 3) / ((2 - theta) * (1 + theta))
        return (area - theta) ** 2 - z * z * theta * (1 - theta) / (m * n) * spread

    # At 0 and at 1 the estimate is itself a root; the other end lies on the far side of it, a hair away.
    hair = 1e-9
    low = 0.0 if area <= hair else float(brentq(excess, 0.0, area - hair))
    high = 1.0 if area >= 1.0 - hair else float(brentq(excess, area + hair, 1.0))
    return Interval(low, high)


def reviews_to_settle(k: int, n: int, limit: float, level: float = 0.95) -> int | None:
    """How many more trials at the rate k/n until the Wilson interval no longer holds `limit` (0–1).

    0 when it is settled already; `None` when it never settles: n = 0, or the rate is the limit itself.
    The interval excludes p₀ as soon as n > z²·p₀(1−p₀)/(p−p₀)². (suggestions contract, Maintain.)
    """
    inner = wilson(k, n, level)
    if inner is None or k == n * limit:
        return None
    if not inner.contains(limit):
        return 0
    needed = z_value(level) ** 2 * limit * (1.0 - limit) / (k / n - limit) ** 2
    return max(1, floor(needed) + 1 - n)
