"""The log page: what was decided, by whom, whether the chain holds."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.decisions import open_log
from core.people import local_person
from core.workspace import Workspace
from tests.pages.conftest import RunPage, shown

NOW = datetime.now(UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    log = open_log(Workspace.open(tmp_path))
    log.append(local_person("Ann"), "note", "suggestion:1", {"title": "Write a hook", "note": "later"}, at=NOW)
    log.append(local_person("Bo"), "claim", "finding:2", {"summary": "<b>two verifiers</b>"}, at=NOW)
    return tmp_path


def table(app: object) -> list[dict[str, object]]:
    return app.dataframe[0].value.to_dict("records")  # type: ignore[attr-defined,no-any-return]


def test_every_record_newest_first(run_page: RunPage, folder: Path) -> None:
    app = run_page("log", folder)
    rows = [(row["seq"], row["reviewer"], row["action"], row["what"], row["words"]) for row in table(app)]
    assert rows == [(2, "Bo", "claim", "<b>two verifiers</b>", ""), (1, "Ann", "note", "Write a hook", "later")]
    assert "chain intact, 2 records" in shown(app)


def test_filters_and_search_narrow(run_page: RunPage, folder: Path) -> None:
    app = run_page("log", folder)
    app.selectbox(key="log_who").set_value("Ann").run()
    assert [row["seq"] for row in table(app)] == [1]
    app.selectbox(key="log_who").set_value(None).run()
    app.text_input(key="log_table_search").set_value("VERIFIERS two").run()
    assert [row["seq"] for row in table(app)] == [2]


def test_address_narrows_to_a_subject_and_opens_a_record(run_page: RunPage, folder: Path) -> None:
    app = run_page("log", folder, subject="suggestion:1", seq="1")
    assert [row["seq"] for row in table(app)] == [1]
    assert "Record 1: Write a hook" in shown(app)
    assert "&quot;note&quot;: &quot;later&quot;" in shown(app)


def test_a_changed_record_is_named(run_page: RunPage, folder: Path) -> None:
    """Somebody edits the database by hand: the page says which record, and is not green."""
    with sqlite3.connect(folder / ".touchstone" / "touchstone.db") as database:
        triggers = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        for name in triggers:
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE log SET reviewer = 'Cy' WHERE seq = 1")
    app = run_page("log", folder)
    assert "chain intact" not in shown(app)
    assert "record 1" in shown(app)


def test_nothing_decided_is_not_a_success(run_page: RunPage, tmp_path: Path) -> None:
    app = run_page("log", tmp_path)
    assert "nothing decided yet" in shown(app)
    assert "intact" not in shown(app)
    assert list(tmp_path.iterdir()) == []
