"""Who may touch a file now: file locks on one machine, and PostgreSQL's advisory locks between servers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
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
        self.database.ensure()  # the locks' names come from its id
        mine: set[int] = _held.__dict__.setdefault("keys", set())
        keys = [key for key in dict.fromkeys(self._key(path) for path in paths) if key not in mine]
        if not keys:
            yield
            return
        with self.database.session() as conn:
            try:
                _take(conn, keys, paths)
                mine.update(keys)
                yield
            finally:
                mine.difference_update(keys)
                _let_go(conn)

    def _key(self, path: Path) -> int:
        """Of the real place inside the workspace: servers may have mounted the folder at different paths."""
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(self.workspace.root))
        return advisory_key("file", self.database.name, inside)


def _take(conn: Connection, keys: Sequence[int], paths: Sequence[Path]) -> None:
    conn.exec_driver_sql(f"SET lock_timeout = '{WAIT_SECONDS}s'")
    try:
        for key in keys:
            conn.exec_driver_sql(f"SELECT pg_advisory_lock({key})")
    except OperationalError as error:
        names = ", ".join(path.name for path in paths)
        raise Unavailable(f"{names}: locked by another server for more than {WAIT_SECONDS} s") from error


def _let_go(conn: Connection) -> None:
    """Unlock; a connection that broke has lost its locks with it and only has to be thrown away."""
    try:
        conn.exec_driver_sql("SELECT pg_advisory_unlock_all()")
        conn.exec_driver_sql("SET lock_timeout = DEFAULT")
    except OperationalError:
        conn.invalidate()
