"""Every test of the log runs on SQLite and on a real PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.decisions.engine import URL_VARIABLE
from core.workspace import Workspace
from tests import postgres
from tests.core.decisions import toy


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "postgresql":
        monkeypatch.setenv(URL_VARIABLE, request.getfixturevalue("postgres_url"))
    else:
        monkeypatch.delenv(URL_VARIABLE, raising=False)
    return request.param


@pytest.fixture
def sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)


@pytest.fixture
def workspace(database: str, tmp_path: Path) -> Workspace:
    return toy.build(tmp_path / "workspace", entries=5)
