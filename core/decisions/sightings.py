"""When findings were seen: what the inbox needs to tell how long something waits (triage contract, Findings).

An observation is no decision: this table is not part of the chain, and losing it loses only ages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, bindparam, insert, select, update

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
    was first seen, ``gone_at`` when it was noticed to be gone (None: it is there). ``seen_last`` is when this was
    written: a finding that did not change is not written again.
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
        """Every sighting by the finding's id; one that an older program wrote and nobody can read is left out.

        A sighting is the same object as before while its row is the same.
        """
        with self._database.read() as conn:
            return {} if conn is None else self._of(conn)

    def imagine(self, present: Mapping[str, Finding], systems: Iterable[str], now: datetime) -> dict[str, Sighting]:
        """What `look` would return, where nothing can be noted. Raises Unavailable when nothing can be read either."""
        known = self.all()
        fresh = {one: _next(known.get(one), present.get(one), now) for one in _news(known, present, set(systems))}
        return {**known, **fresh}

    def _of(self, conn: Connection) -> dict[str, Sighting]:
        table = schema.sightings
        rows = [tuple(row) for row in conn.execute(select(table.c.id, *(table.c[name] for name in _COLUMNS)))]
        place = f"{self._database.place}|{self._database.workspace.root}"
        before = _parsed.get(place, {})
        now = {row[0]: _read(before.get(row[0]), row) for row in rows}
        _parsed[place] = now
        return {one: read.sighting for one, read in now.items() if read.sighting is not None}

    def look(self, present: Mapping[str, Finding], systems: Iterable[str], now: datetime) -> dict[str, Sighting]:
        """Note what is there now, of the systems that could be read, and return every sighting.

        A finding of those systems that is not in ``present`` is gone as of ``now``. Writes only what differs.
        """
        known = self.all()
        if not _news(known, present, set(systems)):
            return known
        with self._database.write() as conn:
            store.serialise(conn, self._database.name)
            known = self._of(conn)
            ids = set(conn.execute(select(schema.sightings.c.id)).scalars())
            _put(conn, ids, [_next(known.get(o), present.get(o), now) for o in _news(known, present, set(systems))])
        return self.all()


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


def _put(conn: Connection, there: set[str], changed: list[Sighting]) -> None:
    """Write them in two statements, however many they are."""
    fresh = [_values(seen) for seen in changed if seen.finding.id not in there]
    if fresh:
        conn.execute(insert(schema.sightings), fresh)
    known = [_values(seen) for seen in changed if seen.finding.id in there]
    if known:
        table = schema.sightings
        new: dict[str, Any] = {name: bindparam(name) for name in _COLUMNS}
        conn.execute(update(table).where(table.c.id == bindparam("which")).values(**new), [
            {"which": values.pop("id"), **values} for values in known
        ])  # fmt: skip


_COLUMNS = ("system", "finding", "seen_first", "seen_last", "since", "evidence_at", "gone_at")


def _values(seen: Sighting) -> dict[str, Any]:
    times = {name: written(getattr(seen, name)) for name in ("seen_first", "seen_last", "since", "evidence_at")}
    gone_at = None if seen.gone_at is None else written(seen.gone_at)
    return {
        "id": seen.finding.id, "system": seen.finding.system, "finding": seen.finding.model_dump_json(), **times,
        "gone_at": gone_at,
    }  # fmt: skip


class _Read:
    """A row and what it says; None when an older program wrote what nobody can read."""

    __slots__ = ("row", "sighting")

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.row = row
        self.sighting = _sighting(*row)


def _read(before: _Read | None, row: tuple[Any, ...]) -> _Read:
    return before if before is not None and before.row == row else _Read(row)


_parsed: dict[str, dict[str, _Read]] = {}


def _sighting(
    _id: str, _system: str, text: str, first: str, last: str, since: str, evidence_at: str, gone_at: str | None
) -> Sighting | None:
    try:
        finding = Finding.model_validate_json(text)
    except ValidationError:
        return None
    gone = _time(gone_at) if gone_at else None
    return Sighting(finding, _time(first), _time(last), _time(since), _time(evidence_at), gone)


@lru_cache(maxsize=4096)
def _time(text: str) -> datetime:
    """Findings of one look were seen at one time: a few texts stand for thousands of rows."""
    return parse_instant(text).utc
