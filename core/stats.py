"""Statistics every system shares: intervals, agreement, sweeps over thresholds.

Pure: values in, values out. Nothing here reads a clock, a file or a random number, and a quantity
that is not defined is `None`, never 0, 1 or NaN (suggestions contract, Backtest).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

from scipy.special import ndtri


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
    return float(ndtri((1.0 + level) / 2.0))


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
