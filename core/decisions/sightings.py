"""When findings were seen: what the inbox needs to tell how long something waits (triage contract, Findings).

An observation is no decision: this table is not part of the chain, and losing it loses only ages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Row, insert, select, update

from core.decisions import schema, store
from core.decisions.engine import Database
from core.decisions.records import written
from core.findings import Finding
from core.times import parse_instant
from core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Sighting:
    """A finding as it was seen. Times are aware and UTC.

    ``since`` is when its present stay began (it may have gone and come back), ``evidence_at`` when its present evidence
    was first seen, ``gone_at`` when it was noticed to be gone (None: it is there).
    """

    finding: Finding
    seen_first: datetime
    seen_last: datetime
    since: datetime
    evidence_at: datetime
    gone_at: datetime | None = None


class Sightings:
    """The sightings of one workspace. Reading creates nothing; raises Unavailable when the database cannot be used."""

    def __init__(self, workspace: Workspace) -> None:
        self._database = Database(workspace)

    def all(self) -> dict[str, Sighting]:
        """Every sighting by the finding's id; one that an older program wrote and nobody can read is left out."""
        with self._database.read() as conn:
            if conn is None:
                return {}
            found = (_sighting(row) for row in conn.execute(select(schema.sightings)))
            return {one.finding.id: one for one in found if one is not None}

    def look(self, present: Mapping[str, Finding], systems: Iterable[str], now: datetime) -> dict[str, Sighting]:
        """Note what is there now, of the systems that could be read, and return every sighting.

        A finding of those systems that is not in ``present`` is gone as of ``now``. Writes only what differs.
        """
        known = self.all()
        if not _news(known, present, set(systems)):
            return _seen_now(known, present, now)
        with self._database.write() as conn:
            store.serialise(conn, self._database.name)
            rows = conn.execute(select(schema.sightings))
            known = {one.finding.id: one for one in map(_sighting, rows) if one is not None}
            for one in _news(known, present, set(systems)):
                _put(conn, _next(known.get(one), present.get(one), now))
        return _seen_now(self.all(), present, now)


def _news(known: Mapping[str, Sighting], present: Mapping[str, Finding], systems: set[str]) -> list[str]:
    """The ids whose row must change: new, back, different, or gone."""
    fresh = [
        one
        for one, finding in present.items()
        if one not in known or known[one].gone_at is not None or known[one].finding != finding
    ]
    gone = [
        one
        for one, seen in known.items()
        if seen.gone_at is None and one not in present and seen.finding.system in systems
    ]
    return fresh + gone


def _next(seen: Sighting | None, finding: Finding | None, now: datetime) -> Sighting:
    if finding is None:
        assert seen is not None  # only a known finding can be gone
        return Sighting(seen.finding, seen.seen_first, now, seen.since, seen.evidence_at, now)
    if seen is None:
        return Sighting(finding, now, now, now, now)
    since = seen.since if seen.gone_at is None else now
    same = seen.gone_at is None and seen.finding.evidence_hash == finding.evidence_hash
    return Sighting(finding, seen.seen_first, now, since, seen.evidence_at if same else now)


def _seen_now(known: Mapping[str, Sighting], present: Mapping[str, Finding], now: datetime) -> dict[str, Sighting]:
    return {
        one: Sighting(seen.finding, seen.seen_first, now, seen.since, seen.evidence_at) if one in present else seen
        for one, seen in known.items()
    }


def _put(conn: Connection, seen: Sighting) -> None:
    times = {name: written(getattr(seen, name)) for name in ("seen_first", "seen_last", "since", "evidence_at")}
    gone_at = None if seen.gone_at is None else written(seen.gone_at)
    values = {"system": seen.finding.system, "finding": seen.finding.model_dump_json(), **times, "gone_at": gone_at}
    table = schema.sightings
    if not conn.execute(update(table).where(table.c.id == seen.finding.id).values(**values)).rowcount:
        conn.execute(insert(table).values(id=seen.finding.id, **values))


def _sighting(row: Row[Any]) -> Sighting | None:
    try:
        finding = Finding.model_validate_json(row.finding)
    except ValidationError:
        return None
    times = [parse_instant(text).utc for text in (row.seen_first, row.seen_last, row.since, row.evidence_at)]
    return Sighting(finding, times[0], times[1], times[2], times[3], row.gone_at and parse_instant(row.gone_at).utc)
