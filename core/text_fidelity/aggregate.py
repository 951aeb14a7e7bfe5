"""Lower bounds and the composite (text-fidelity contract, Aggregate). Pure."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

DIGITS = 4
"""Decimals of a printed bound or composite; what a threshold is compared with."""

MOST_SAMPLES = 1_000
"""More samples of one text than this are a slip of the pen in a config, and no advice: the case, the rubric or the
judge is too unsettled for more of them to help."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What n samples of one case are confident of: ``mean``, ``stderr`` and ``lower`` in 0..1, ``n`` ≥ 1.

    With one sample ``stderr`` is 0 by convention and says nothing about the spread: ``spread_known`` is false then.
    """

    n: int
    mean: float
    stderr: float
    lower: float

    @property
    def spread_known(self) -> bool:
        """True from two samples on."""
        return self.n > 1


def lower_bound(samples: Sequence[float], k: float) -> Bound:
    """clamp to 0..1 of mean − k · stderr, stderr = sample standard deviation (n − 1) / √n (contract, Aggregate).

    Raises ValueError for no samples, a sample that is not a finite number in 0..1, or a k that is negative.
    """
    if not samples:
        raise ValueError("no samples to aggregate")
    if not 0 <= k <= sys.float_info.max:
        raise ValueError(f"k must be a number of at least 0, not {_short(k)}")
    for sample in samples:
        if isinstance(sample, bool) or not 0 <= sample <= 1:
            raise ValueError(f"a sample must be a number in [0, 1], not {_short(sample)}")
    mean = statistics.fmean(samples)
    stderr = statistics.stdev(samples) / math.sqrt(len(samples)) if len(samples) > 1 else 0.0
    return Bound(len(samples), mean, stderr, max(0.0, min(1.0, mean - k * stderr)))


def _short(value: float) -> str:
    return f"{str(value)[:20]}…" if len(str(value)) > 24 else repr(value)


def total_weight(weights: Sequence[float]) -> float:
    """The sum of some finite weights, infinite where it is larger than a number can be."""
    try:
        return math.fsum(weights)
    except OverflowError:
        return math.inf


def composite(parts: Sequence[tuple[float, float]]) -> float:
    """Σ weight · bound / Σ weight over (weight, bound) pairs, in 0..1 and not rounded (contract, Aggregate).

    Raises ValueError where there is no weight to share (an average of nothing is not 0), or more than a number holds.
    """
    total = total_weight([weight for weight, _ in parts])
    if not total > 0:
        raise ValueError("the total weight is 0")
    if total == math.inf:
        raise ValueError("the total weight is larger than a number can be")
    return math.fsum(weight * bound for weight, bound in parts) / total


def printed(value: float) -> float:
    """The number that is printed with four decimals: every comparison uses it (contract, Aggregate)."""
    return round(value, DIGITS)


def meets(value: float, threshold: float) -> bool:
    """Whether the printed value reaches a threshold; equality does."""
    return printed(value) >= threshold
