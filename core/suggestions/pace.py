"""How a reviewer is getting on: how many decisions, and how long one takes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

#: A longer gap is a break, not a decision that took long.
BREAK = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Pace:
    """``decided`` decisions; ``each`` is the median time from one to the next, None while there are no two in a row."""

    decided: int
    each: timedelta | None


def pace(instants: Iterable[datetime]) -> Pace:
    """The pace of decisions made at these aware instants, in any order.

    Decisions of one instant were made together and count as one step; gaps above five minutes are breaks.
    """
    known = list(instants)
    steps = sorted(set(known))
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(steps) if later - earlier <= BREAK]
    return Pace(len(known), timedelta(seconds=median(gaps)) if gaps else None)
