"""Small workspaces of suggestions, and the people who review them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from core.people import Person, local_person
from core.suggestions import store
from core.workspace import Workspace

TAIPEI = timezone(timedelta(hours=8))
Make = Callable[..., Workspace]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A workspace with these files in ``data/`` (text or bytes), by the names ``pending``, ``reviewed``, …"""

    def made(**files: str | bytes) -> Workspace:
        folder = tmp_path / "data"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            stem = f"suggestions_{name}" if name in ("pending", "reviewed", "filtered") else name
            (folder / f"{stem}.md").write_bytes(content if isinstance(content, bytes) else content.encode())
        store.forget()
        return Workspace.open(tmp_path)

    return made


@pytest.fixture
def ann() -> Person:
    return local_person("Ann")


@pytest.fixture
def ben() -> Person:
    return local_person("Ben")


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 30, 9, 0, tzinfo=TAIPEI)


@pytest.fixture
def later() -> datetime:
    return datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
