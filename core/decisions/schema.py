"""The tables, the same for SQLite and PostgreSQL, and the numbered migrations that make them."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, String, Table, Text, insert, inspect, select
from sqlalchemy.sql import func

from core.decisions.records import GENESIS
from core.errors import Unavailable

metadata = MetaData()
_Number = BigInteger().with_variant(Integer(), "sqlite")

versions = Table("schema_version", metadata, Column("number", Integer, primary_key=True, autoincrement=False))

log = Table(
    "log",
    metadata,
    Column("seq", _Number, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False, index=True),
    Column("reviewer", Text, nullable=False, index=True),
    Column("action", Text, nullable=False, index=True),
    Column("subject", Text, nullable=False, index=True),
    Column("payload", Text, nullable=False),
    Column("prev_hash", String(80), nullable=False),
    Column("hash", String(80), nullable=False),
    # Which intent a record came from: the database itself refuses to record one twice.
    Column("intent", String(80), unique=True),
)

# The newest record once more: shows records missing at the end, and is all that `version` has to read.
head = Table(
    "log_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", _Number, nullable=False),
    Column("hash", String(80), nullable=False),
)

intents = Table(
    "intents",
    metadata,
    Column("uuid", String(40), primary_key=True),
    Column("created", String(40), nullable=False),
    Column("reviewer", Text, nullable=False),
    Column("files", Text, nullable=False),
    Column("entries", Text, nullable=False),
    Column("steps", Text, nullable=False),
)

# When a finding was seen: an observation, not a decision, so it stands beside the log and may be thrown away.
sightings = Table(
    "sightings",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("system", String(40), nullable=False),
    Column("finding", Text, nullable=False),
    Column("seen_first", String(40), nullable=False),
    Column("seen_last", String(40), nullable=False),
    Column("since", String(40), nullable=False),
    Column("evidence_at", String(40), nullable=False),
    Column("gone_at", String(40)),
)


def _first_tables(conn: Connection) -> None:
    metadata.create_all(conn, tables=[log, head, intents])
    conn.execute(insert(head).values(id=1, seq=0, hash=GENESIS))


_REFUSAL = "the decision log is append-only"


def _append_only(conn: Connection) -> None:
    """The database itself refuses to change or delete a record."""
    if conn.dialect.name == "sqlite":
        for deed in ("UPDATE", "DELETE"):
            conn.exec_driver_sql(
                f"CREATE TRIGGER log_no_{deed.lower()} BEFORE {deed} ON log "
                f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
            )
        return
    conn.exec_driver_sql(
        "CREATE FUNCTION log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    )
    conn.exec_driver_sql(
        "CREATE TRIGGER log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log "
        "FOR EACH STATEMENT EXECUTE FUNCTION log_is_append_only()"
    )


def _sightings(conn: Connection) -> None:
    metadata.create_all(conn, tables=[sightings])


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_first_tables, _append_only, _sightings)
LATEST = len(MIGRATIONS)


def version_of(conn: Connection) -> int:
    """The number of the last migration that was run; 0 for a database without our tables."""
    if not inspect(conn).has_table(versions.name):
        return 0
    return conn.execute(select(func.max(versions.c.number))).scalar() or 0


def migrate(conn: Connection) -> None:
    """Run what is missing, inside the caller's transaction and lock.

    Raises Unavailable for a database that a newer Touchstone has changed.
    """
    metadata.create_all(conn, tables=[versions])
    done = version_of(conn)
    refuse_newer(done)
    for number, step in enumerate(MIGRATIONS, start=1):
        if number > done:
            step(conn)
            conn.execute(insert(versions).values(number=number))


def refuse_newer(version: int) -> None:
    """Raises Unavailable when the tables are of a later version than this program knows."""
    if version > LATEST:
        raise Unavailable(
            f"the decision log has version {version} of its tables, this Touchstone knows {LATEST}: update Touchstone"
        )
