"""Who may touch a file now: file locks on one machine, and PostgreSQL's advisory locks between servers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from core.decisions.engine import WAIT_SECONDS, Database, cannot
from core.decisions.keys import advisory_key
from core.errors import Unavailable
from core.workspace import Workspace

_held = threading.local()


class FileLocks:
    """Locks of files in one workspace; re-entrant within a thread.

    Under PostgreSQL each file lock comes with an advisory lock of the file's path inside the workspace, so that app
    servers on several machines, whose file locks may not reach each other, take turns too (triage contract, The
    decision log).
    """

    def __init__(self, workspace: Workspace, database: Database) -> None:
        self.workspace, self.database = workspace, database

    @contextmanager
    def hold(self, paths: Sequence[Path]) -> Iterator[None]:
        """All of them, taken in the order given. Raises Unavailable when one stays taken for 30 s."""
        with ExitStack() as stack:
            try:
                for path in paths:
                    stack.enter_context(self.workspace.lock(path))
            except OSError as error:
                raise Unavailable(f"nothing can be decided in {self.workspace.root.name}: {cannot(error)}") from error
            if self.database.is_postgres:
                stack.enter_context(self._advisory(paths))
            yield

    @contextmanager
    def _advisory(self, paths: Sequence[Path]) -> Iterator[None]:
        """One connection a thread, however many locks it holds: nobody waits for a connection while holding a lock."""
        self.database.ensure()  # the locks' names come from its id
        sessions: dict[object, _Session] = _held.__dict__.setdefault("sessions", {})
        place = (self.database.url, self.database.name)
        keys = list(dict.fromkeys(self._key(path) for path in paths))
        if place in sessions:
            with sessions[place].taking(keys, paths):
                yield
            return
        with self.database.session() as conn:
            sessions[place] = _Session(conn)
            try:
                with sessions[place].taking(keys, paths):
                    yield
            finally:
                del sessions[place]
                _let_go(conn)

    def _key(self, path: Path) -> int:
        """Of the real place inside the workspace: servers may have mounted the folder at different paths."""
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(self.workspace.root))
        return advisory_key("file", self.database.name, inside)


class _Session:
    """The connection that holds a thread's advisory locks, and which."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._keys: set[int] = set()
        conn.exec_driver_sql(f"SET lock_timeout = '{WAIT_SECONDS}s'")

    @contextmanager
    def taking(self, keys: Sequence[int], paths: Sequence[Path]) -> Iterator[None]:
        """Hold these besides those that are held already. Raises Unavailable when one stays taken for 30 s."""
        more = [key for key in keys if key not in self._keys]
        taken: list[int] = []
        try:
            for key in more:
                self._lock(key, paths)
                taken.append(key)
                self._keys.add(key)
            yield
        finally:
            self._keys.difference_update(taken)
            for key in taken:
                self._unlock(key)

    def _lock(self, key: int, paths: Sequence[Path]) -> None:
        try:
            self._conn.exec_driver_sql(f"SELECT pg_advisory_lock({key})")
        except OperationalError as error:
            names = ", ".join(path.name for path in paths)
            raise Unavailable(f"{names}: locked by another server for more than {WAIT_SECONDS} s") from error

    def _unlock(self, key: int) -> None:
        """A connection that broke has lost its locks with it."""
        with suppress(OperationalError):
            self._conn.exec_driver_sql(f"SELECT pg_advisory_unlock({key})")


def _let_go(conn: Connection) -> None:
    """Unlock; a connection that broke has lost its locks with it and only has to be thrown away."""
    try:
        conn.exec_driver_sql("SELECT pg_advisory_unlock_all()")
        conn.exec_driver_sql("SET lock_timeout = DEFAULT")
    except OperationalError:
        conn.invalidate()
