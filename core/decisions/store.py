"""The SQL statements: what is in the tables, and the one way to append to the log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update

from core.decisions.keys import advisory_key
from core.decisions.records import Entry, Record, canonical, hash_of, written
from core.decisions.schema import head, intents, log
from core.errors import Unavailable

_COLUMNS = tuple(log.c[name] for name in ("seq", "at", "reviewer", "action", "subject", "payload", "prev_hash", "hash"))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records; every field that is set narrows. ``since`` is inclusive, ``until`` exclusive."""

    after: int | None = None
    subject: str | None = None
    reviewer: str | None = None
    action: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def applied(self, query: Select[Any]) -> Select[Any]:
        """The query with the conditions."""
        for name in ("subject", "reviewer", "action"):
            if getattr(self, name) is not None:
                query = query.where(log.c[name] == getattr(self, name))
        if self.after is not None:
            query = query.where(log.c.seq > self.after)
        if self.since is not None:
            query = query.where(log.c.at >= written(self.since))
        if self.until is not None:
            query = query.where(log.c.at < written(self.until))
        return query


@dataclass(frozen=True, slots=True)
class Intent:
    """A decision whose files are being written: all that is needed to finish it without the process that began it.

    ``files`` are paths inside the workspace in the order in which their locks are taken; ``steps`` are
    `core.files.steps` as dictionaries.
    """

    uuid: str
    created: str
    reviewer: str
    files: tuple[str, ...]
    entries: tuple[Entry, ...]
    steps: tuple[dict[str, Any], ...]


def newest(conn: Connection) -> tuple[int, str]:
    """``seq`` and ``hash`` of the last record. Raises Unavailable where they are no longer kept."""
    found = kept_newest(conn)
    if found is None:
        raise Unavailable("the decision log has lost the row that names its newest record: nothing is added to it")
    return found


def kept_newest(conn: Connection) -> tuple[int, str] | None:
    """The same, None where somebody took the row away."""
    row = conn.execute(select(head.c.seq, head.c.hash)).one_or_none()
    return None if row is None else (row.seq, row.hash)


def serialise(conn: Connection, name: str) -> None:
    """From here to the end of the transaction nobody else appends; SQLite's write lock is held already."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({advisory_key('append', name)})")


def append(
    conn: Connection, at: str, reviewer: str, entries: Sequence[Entry], intent: str | None = None
) -> list[Record]:
    """Chain the entries to the log, inside the caller's serialised transaction."""
    seq, last = newest(conn)
    rows: list[dict[str, Any]] = []
    for number, entry in enumerate(entries):
        seq += 1
        payload = canonical(dict(entry.payload))
        told = hash_of(seq, at, reviewer, entry.action, entry.subject, payload, last)
        rows.append({
            "seq": seq, "at": at, "reviewer": reviewer, "action": entry.action, "subject": entry.subject,
            "payload": payload, "prev_hash": last, "hash": told, "intent": intent and f"{intent}:{number}",
        })  # fmt: skip
        last = told
    conn.execute(insert(log), rows)
    conn.execute(update(head).values(seq=seq, hash=last))
    return [_record(*(row[column.name] for column in _COLUMNS)) for row in rows]


def records(conn: Connection, which: Filter, *, newest_first: bool = False, limit: int | None = None) -> list[Record]:
    """The records in order of ``seq``."""
    order = log.c.seq.desc() if newest_first else log.c.seq
    return [_record(*row) for row in conn.execute(which.applied(select(*_COLUMNS)).order_by(order).limit(limit))]


def of_intent(conn: Connection, uuid: str) -> list[Record]:
    """The records that an intent has become."""
    query = select(*_COLUMNS).where(log.c.intent.startswith(f"{uuid}:")).order_by(log.c.seq)
    return [_record(*row) for row in conn.execute(query)]


def rows(conn: Connection) -> Iterator[Row[Any]]:
    """Every row as stored, in order of ``seq``, a thousand at a time."""
    yield from conn.execution_options(yield_per=1000).execute(select(*_COLUMNS).order_by(log.c.seq))


def count(conn: Connection, which: Filter) -> int:
    """How many records that is."""
    return int(conn.execute(which.applied(select(func.count()).select_from(log))).scalar_one())


def values(conn: Connection, column: str) -> list[str]:
    """The different values of a column, sorted."""
    return [row[0] for row in conn.execute(select(log.c[column]).distinct().order_by(log.c[column]))]


def _record(
    seq: int, at: str, reviewer: str, action: str, subject: str, payload: str, prev_hash: str, told: str
) -> Record:
    problem = None
    try:
        value = json.loads(payload)
    except (ValueError, TypeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        value, problem = {"unreadable": str(payload)}, "the stored payload is no JSON object"
    return Record(seq, at, reviewer, action, subject, value, prev_hash, told, problem)


# ---- intents


def put_intent(conn: Connection, intent: Intent) -> None:
    """Keep an intent."""
    conn.execute(insert(intents).values(
        uuid=intent.uuid, created=intent.created, reviewer=intent.reviewer, files=json.dumps(intent.files),
        entries=json.dumps([_plain(entry) for entry in intent.entries]), steps=json.dumps(intent.steps),
    ))  # fmt: skip


def _plain(entry: Entry) -> dict[str, Any]:
    return {field.name: getattr(entry, field.name) for field in fields(entry)}


def get_intents(conn: Connection) -> list[Intent]:
    """Every intent that is open, oldest first."""
    query = select(intents).order_by(intents.c.created, intents.c.uuid)
    return [_intent(row) for row in conn.execute(query)]


def get_intent(conn: Connection, uuid: str) -> Intent | None:
    """One intent, if it is still open."""
    row = conn.execute(select(intents).where(intents.c.uuid == uuid)).one_or_none()
    return None if row is None else _intent(row)


def intents_on(conn: Connection, files: Iterable[str]) -> bool:
    """True when an open intent touches one of these files."""
    wanted = set(files)
    return any(wanted.intersection(json.loads(row.files)) for row in conn.execute(select(intents.c.files)))


def _intent(row: Row[Any]) -> Intent:
    entries = tuple(Entry(**entry) for entry in json.loads(row.entries))
    return Intent(
        row.uuid, row.created, row.reviewer, tuple(json.loads(row.files)), entries, tuple(json.loads(row.steps))
    )


def drop_intent(conn: Connection, uuid: str) -> bool:
    """Remove an intent; False when somebody else has."""
    return conn.execute(delete(intents).where(intents.c.uuid == uuid)).rowcount == 1
