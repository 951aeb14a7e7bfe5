"""Does auto-QA leave the reviewer only substantive feedback? The trend over reports (report-loop contract, Feedback).

It tunes the bars; it never gates a release. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.report_loop.feedback.model import Feedback
from core.report_loop.words import DIMENSIONS, Dimension
from core.stats import Estimate, proportion

RECURS = 3  # reports in which a dimension must have missed something before it is named


@dataclass(frozen=True, slots=True)
class Point:
    """One report: its name, when it was begun (None: nobody says), its counts; ``share`` is of the decided edits."""

    report: str
    at: datetime | None
    mechanical: int
    substantive: int
    undecided: int
    share: Estimate
    misses: dict[Dimension, int]


@dataclass(frozen=True, slots=True)
class Recurring:
    """A dimension whose mechanical misses recur: in how many reports, and how many edits in all."""

    dimension: Dimension
    reports: int
    edits: int


@dataclass(frozen=True, slots=True)
class Trend:
    """All reports in order, the share over all of them, and what to tighten."""

    points: tuple[Point, ...]
    overall: Estimate
    tighten: tuple[Recurring, ...]

    @property
    def undecided(self) -> int:
        """Edits that neither rule nor person has decided, over all reports."""
        return sum(point.undecided for point in self.points)


def trend(reports: Sequence[tuple[str, datetime | None, Feedback]]) -> Trend:
    """The trend of (report, aware time, feedback), in order of time; what has no time comes last, by name."""
    points = tuple(_point(*report) for report in sorted(reports, key=lambda report: _place(report[1], report[0])))
    substantive = sum(point.substantive for point in points)
    decided = substantive + sum(point.mechanical for point in points)
    in_reports = Counter(dimension for point in points for dimension in point.misses)
    edits = Counter(dimension for point in points for dimension, count in point.misses.items() for _ in range(count))
    tighten = tuple(
        Recurring(dimension, in_reports[dimension], edits[dimension])
        for dimension in DIMENSIONS
        if in_reports[dimension] >= RECURS
    )
    return Trend(points, proportion(substantive, decided), tighten)


def _place(at: datetime | None, report: str) -> tuple[bool, float, str]:
    return at is None, at.timestamp() if at is not None else 0.0, report


def _point(report: str, at: datetime | None, feedback: Feedback) -> Point:
    return Point(
        report, at, feedback.count("mechanical"), feedback.count("substantive"), feedback.count("undecided"),
        feedback.share, feedback.misses,
    )  # fmt: skip
