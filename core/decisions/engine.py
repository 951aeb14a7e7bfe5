"""The database of one workspace: where it is, how it is opened, how its errors are told.

SQLite in ``.touchstone/touchstone.db`` (WAL, every commit fsynced) unless TOUCHSTONE_DATABASE_URL names a PostgreSQL. A
PostgreSQL may serve several workspaces: each has its own schema, named by the id in ``.touchstone/workspace-id``, which
app servers that share the folder share too. Reading never creates anything.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError
from sqlalchemy.pool import QueuePool

from core.decisions.keys import advisory_key
from core.decisions.schema import migrate, refuse_newer, version_of
from core.errors import BadInput, Unavailable
from core.files import read_bytes, write_new
from core.workspace import STATE, Workspace

URL_VARIABLE = "TOUCHSTONE_DATABASE_URL"
WAIT_SECONDS = 30
_SQLITE_FILE = "touchstone.db"
_ID_FILE = "workspace-id"

_engines: dict[tuple[object, ...], Engine] = {}
_usable: set[tuple[object, ...]] = set()
_guard = threading.Lock()


class Database:
    """Connections to one workspace's database; cheap to make, engines are shared by all of this process."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.url = _postgres_url(os.environ.get(URL_VARIABLE, ""))
        self._file = workspace.root / STATE / _SQLITE_FILE
        self._id_file = workspace.root / STATE / _ID_FILE

    @property
    def is_postgres(self) -> bool:
        """True when several servers may share it."""
        return self.url is not None

    @property
    def place(self) -> str:
        """Where it is, for people; never with a password."""
        if self.url is None:
            return self.workspace.label(self._file)
        return self.url.set(drivername="postgresql").render_as_string(hide_password=True)

    @property
    def name(self) -> str:
        """What keeps this workspace apart from others in the same PostgreSQL; empty for SQLite."""
        return self._schema() if self.url is not None and self._id_file.exists() else ""

    @contextmanager
    def read(self) -> Iterator[Connection | None]:
        """A consistent view; None where there is no database yet. Raises Unavailable when it cannot be read."""
        with self._told():
            if not self._readable():
                yield None
                return
            with self._connection() as conn:
                # SQLite gives each transaction one view by itself.
                yield conn.execution_options(isolation_level="REPEATABLE READ") if self.is_postgres else conn

    def ensure(self) -> None:
        """Make the database, or bring it up to date, if it is not. Raises Unavailable."""
        with self._told():
            self._make_writable()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction, committed (and fsynced) at the end. Raises Unavailable when it cannot be written."""
        with self._told():
            self._make_writable()
            with self._connection() as conn, conn.execution_options(touchstone_writes=True).begin():
                yield conn

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """A connection outside of any transaction, for locks that belong to a session.

        From a pool of its own: who holds a lock waits for a connection to write with, and must not find them all held
        by others who wait for locks.
        """
        with self._told():
            self._make_writable()
            with self._connection("locks") as conn:
                yield conn.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, TimeoutError, sqlite3.Error) as error:
            reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            raise Unavailable(f"the decision log in {self.place} cannot be used: {reason}") from error

    # ---- engines

    def _readable(self) -> bool:
        """False where there is no log yet; tables of an older version are brought up to date."""
        key = self._key()
        if key is None:
            return False
        if key not in _usable:
            with self._connection() as conn:
                version = version_of(conn)
            refuse_newer(version)
            if version == 0:
                return False  # made by somebody who was stopped before the first table
            self._make_writable()
        return True

    def _make_writable(self) -> None:
        if self._key() in _usable:
            return
        try:
            self._bring_up_to_date()
        except OSError as error:
            raise Unavailable(f"the decision log cannot be made: {cannot(error)}") from error

    def _bring_up_to_date(self) -> None:
        """Make the tables, or change them to the latest version; two processes that start at once take turns."""
        with self.workspace.lock(self._file):
            if self.is_postgres and not self._id_file.exists():
                write_new(self._id_file, secrets.token_hex(8).encode() + b"\n", self.workspace.lock)
            elif not self.is_postgres:
                self.workspace.state_dir()
                with sqlite3.connect(self._file, timeout=WAIT_SECONDS) as made:
                    made.execute("PRAGMA journal_mode=WAL")
                made.close()
            with self._connection() as conn, conn.execution_options(touchstone_writes=True).begin():
                if self.is_postgres:
                    conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({advisory_key('migrate', self.name)})")
                    conn.exec_driver_sql(f'CREATE SCHEMA IF NOT EXISTS "{self.name}"')
                migrate(conn)
            key = self._key()
            assert key is not None  # it was just made
            _usable.add(key)

    @contextmanager
    def _connection(self, use: str = "records") -> Iterator[Connection]:
        with self._engine(use).connect() as conn:
            if self.is_postgres:
                _enter(conn, self._schema())
            yield conn

    def _key(self) -> tuple[object, ...] | None:
        """What tells one database from another; None where there is none. A file made anew is another database."""
        if self.url is not None:
            return (os.getpid(), self.url, self._schema()) if self._id_file.exists() else None
        try:
            found = os.stat(self._file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return (os.getpid(), str(self._file), found.st_dev, found.st_ino)

    def _schema(self) -> str:
        text = read_bytes(self._id_file, self.workspace.label(self._id_file)).decode("ascii", "replace").strip()
        if not re.fullmatch(r"[0-9a-f]{16}", text):
            raise BadInput.of(self.workspace.label(self._id_file), "does not hold a workspace id (16 hex digits)")
        return f"touchstone_{text}"

    def _engine(self, use: str) -> Engine:
        """One engine a process, use, and SQLite file or PostgreSQL server."""
        key = self._key()
        if key is None:
            raise Unavailable(f"the decision log in {self.place} is gone")
        shared = (use, *(key if self.url is None else key[:2]))
        with _guard:
            if shared not in _engines:
                for old in [other for other in _engines if other[:3] == shared[:3]]:
                    _engines.pop(old).dispose()
                    _usable.discard(old[1:])
                _engines[shared] = _sqlite(self._file) if self.url is None else _postgres(self.url)
            return _engines[shared]


def cannot(error: OSError) -> str:
    """What an OSError says, in words for people: which file, and why."""
    name = Path(error.filename).name if isinstance(error.filename, str) else "a file"
    return f"{name} cannot be written ({error.strerror or error})"


def _postgres_url(text: str) -> URL | None:
    if not text.strip():
        return None
    try:
        url = make_url(re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", text.strip()))
    except ArgumentError:
        raise Unavailable(f"{URL_VARIABLE} is no database address") from None
    if url.drivername != "postgresql+psycopg":
        raise Unavailable(f"{URL_VARIABLE} must begin with postgresql://, not {url.drivername}://")
    return url


def _sqlite(file: Path) -> Engine:
    def connect() -> sqlite3.Connection:
        # rw, not rwc: opening must never create. isolation_level None: BEGIN is sent below, in the kind that is needed.
        mode = "rw" if os.access(file, os.W_OK) else "ro"
        made = sqlite3.connect(
            f"file:{quote(str(file))}?mode={mode}", uri=True, check_same_thread=False, isolation_level=None,
            timeout=WAIT_SECONDS,
        )  # fmt: skip
        made.execute("PRAGMA synchronous=FULL")  # a commit has reached the disk when it returns
        return made

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool, pool_size=5, max_overflow=95)
    event.listen(engine, "begin", _begin)
    return engine


def _begin(conn: Connection) -> None:
    writes = conn.get_execution_options().get("touchstone_writes", False)
    # A transaction that will write takes the write lock at once: one that read first could not be upgraded safely.
    conn.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _postgres(url: URL) -> Engine:
    # Two pools a process, and PostgreSQL admits 100 connections unless it is told otherwise: two servers fit in.
    return create_engine(url, pool_pre_ping=True, pool_size=5, max_overflow=15, connect_args={"connect_timeout": 10})


def _enter(conn: Connection, schema: str) -> None:
    """Let a connection see one workspace's tables; it is pooled for all workspaces of this server."""
    if conn.info.get("schema") != schema:
        made: Any = conn.connection.dbapi_connection
        made.execute(f'SET search_path TO "{schema}"')
        made.commit()
        conn.info["schema"] = schema
