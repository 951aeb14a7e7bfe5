"""Instants: ISO 8601 read as moments in time, never compared as text (contract README, "Times")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

_ISO = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<clock>\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)\s?(?P<zone>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?"
)


@dataclass(frozen=True, slots=True, order=False)
class Instant:
    """A moment as it was written.

    ``utc`` is aware and in UTC; without an offset the text was read as UTC, ``zone_known`` is false and the instant
    decides no freshness. ``text`` is what stood in the file.
    """

    utc: datetime
    zone_known: bool
    text: str

    @property
    def iso(self) -> str:
        """``2026-11-30T09:00:00Z``, with microseconds only where there are any."""
        return iso(self.utc)

    def in_future(self, now: datetime) -> bool:
        """True when it lies after ``now`` (clock skew: neither fresh nor latest)."""
        return self.utc > now


def parse_instant(text: str) -> Instant:
    """Read an ISO 8601 date or date-time; a bare date is its midnight.

    Raises ValueError with a reason where the text is no ISO time or the day does not exist.
    """
    found = _ISO.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text!r} is not an ISO 8601 time")
    day, clock, zone = found["day"], found["clock"], found["zone"]
    try:
        when = datetime.combine(date.fromisoformat(day), time.fromisoformat(_micro(clock)) if clock else time())
        offset = datetime.fromisoformat(f"2000-01-01T00:00:00{_zone(zone)}").tzinfo if zone else UTC
        return Instant(when.replace(tzinfo=offset).astimezone(UTC), zone is not None, text)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is not a time that exists ({error})") from None


def _micro(clock: str) -> str:
    """A clock with its fraction cut to the six digits that a datetime holds."""
    whole, _, fraction = clock.replace(",", ".").partition(".")
    return f"{whole}.{fraction[:6]:0<6}" if fraction else whole


def _zone(zone: str) -> str:
    if zone in "Zz":
        return "+00:00"
    digits = zone[1:].replace(":", "")
    return f"{zone[0]}{digits[:2]}:{digits[2:] or '00'}"


def iso(moment: datetime) -> str:
    """An aware datetime as ``…Z`` in UTC. Raises ValueError for a naive one."""
    if moment.tzinfo is None:
        raise ValueError("a time without a zone")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def now() -> datetime:
    """The clock, in UTC. Only the command line and the pages read it; rules take ``now`` as an argument."""
    return datetime.now(UTC)
