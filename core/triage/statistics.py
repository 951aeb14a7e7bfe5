"""How the inbox is doing: counts, waiting times, opened and closed a day (triage contract, "Order")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta, tzinfo
from statistics import median

from pydantic import BaseModel, ConfigDict

from core.triage.life import Item


class Day(BaseModel):
    """One day of the reviewer's zone: how many findings began to wait, and how many ended."""

    model_config = ConfigDict(frozen=True)

    day: date
    opened: int
    closed: int


class Statistics(BaseModel):
    """``median_wait`` and ``oldest_wait`` are over what is open or claimed; None when nothing waits."""

    model_config = ConfigDict(frozen=True)

    waiting: int
    by_kind: dict[str, int]
    by_system: dict[str, int]
    by_severity: dict[str, int]
    median_wait: timedelta | None
    oldest_wait: timedelta | None
    closed_today: int
    days: list[Day]


def statistics(items: Sequence[Item], now: datetime, zone: tzinfo, *, days: int = 14) -> Statistics:
    """Figures over all items; a day starts at midnight in ``zone``; the last ``days`` days, oldest first."""
    waiting = [item for item in items if item.needs_a_person]
    waits = [max(now - item.open_since, timedelta()) for item in waiting]
    today = now.astimezone(zone).date()
    opened = Counter(at.astimezone(zone).date() for item in items for at in item.openings)
    closed = Counter(at.astimezone(zone).date() for item in items for at in item.closings)
    span = [today - timedelta(days=back) for back in range(days - 1, -1, -1)]
    return Statistics(
        waiting=len(waiting),
        by_kind=dict(Counter(item.finding.kind for item in waiting).most_common()),
        by_system=dict(Counter(item.finding.system for item in waiting).most_common()),
        by_severity=dict(Counter(item.finding.severity for item in waiting)),
        median_wait=timedelta(seconds=median(wait.total_seconds() for wait in waits)) if waits else None,
        oldest_wait=max(waits, default=None),
        closed_today=closed[today],
        days=[Day(day=day, opened=opened[day], closed=closed[day]) for day in span],
    )
