"""Several workspaces on one server: the visitor chooses, and a link may name one."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.browser import queue_workspace
from tests.pages.conftest import MAIN, shown


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    today = datetime.now(UTC).date()
    one = queue_workspace.write(tmp_path / "north", 3, today)
    other = queue_workspace.write(tmp_path / "south", 5, today)
    monkeypatch.setenv("TOUCHSTONE_WORKSPACE", f"{one}{os.pathsep}{other}")
    monkeypatch.setenv("TOUCHSTONE_REVIEWER", "Ann")
    return one, other


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    app.switch_page("suggestions/page.py").run()
    assert not app.exception
    return app


def tabs(app: AppTest) -> list[str]:
    return list(app.segmented_control(key="suggestions_tab").options)


def test_the_first_is_open_and_another_can_be_chosen(two: tuple[Path, Path]) -> None:
    app = opened()
    assert tabs(app)[0] == "Pending 3"
    assert ">north</p>" in shown(app)
    app.selectbox(key="sidebar_root").set_value(str(two[1])).run()
    assert tabs(app)[0] == "Pending 5"
    assert ">south</p>" in shown(app)


def test_what_was_begun_in_one_workspace_is_not_carried_into_another(two: tuple[Path, Path]) -> None:
    """Both hold entries of the same ids: a comment or a search for one is none for the other."""
    app = opened()
    app.text_input(key="suggestions_search_pending").set_value("nothing holds this").run()
    app.selectbox(key="sidebar_root").set_value(str(two[1])).run()
    assert not app.exception
    assert app.text_input(key="suggestions_search_pending").value == ""
    assert "reviewing as Ann" in shown(app)


@pytest.mark.usefixtures("two")
def test_a_link_may_name_the_workspace() -> None:
    assert tabs(opened(workspace="south"))[0] == "Pending 5"


@pytest.mark.usefixtures("two")
def test_a_folder_that_is_not_offered_is_not_opened(tmp_path: Path) -> None:
    """An address cannot open any folder of the machine, only those the server was started with."""
    (tmp_path / "secret").mkdir()
    assert tabs(opened(workspace=str(tmp_path / "secret")))[0] == "Pending 3"


def test_a_folder_that_is_gone_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_WORKSPACE", str(tmp_path / "gone"))
    monkeypatch.setenv("TOUCHSTONE_REVIEWER", "Ann")
    app = AppTest.from_file(str(MAIN), default_timeout=60).run()
    assert not app.exception
    assert "is not a folder" in app.error[0].value


def test_another_name_is_taken_from_the_side_bar(two: tuple[Path, Path]) -> None:
    app = opened()
    app.text_input(key="sidebar_name").set_value("  Bo \n Li ").run()
    assert "reviewing as Bo Li" in shown(app)
    app.text_input(key="sidebar_name").set_value("   ").run()
    assert "reviewing as Bo Li" in shown(app), "an empty name changes nothing"


def test_a_workspace_named_by_the_address_stays_when_the_view_changes(two: tuple[Path, Path]) -> None:
    app = opened(workspace="south")
    assert tabs(app)[0] == "Pending 5"
    app.query_params.clear()
    app.switch_page("log/page.py").run()
    app.switch_page("suggestions/page.py").run()
    assert tabs(app)[0] == "Pending 5"
    assert ">south</p>" in shown(app)
