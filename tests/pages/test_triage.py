"""The inbox by its widgets' keys: what waits, ended in place, taken back, claimed by another."""

from datetime import UTC, datetime

import pytest

from core.decisions import open_log
from core.people import local_person
from core.triage import inbox
from core.triage.inbox import open_inbox
from core.workspace import Workspace
from tests.core.triage.workspaces import workspace_of_runs


@pytest.fixture
def folder(tmp_path):
    return workspace_of_runs(tmp_path / "ws", 3)


def waiting(folder):
    return open_inbox(Workspace.open(folder), datetime.now(UTC)).waiting


def body(at):
    return " ".join(element.value for element in at.get("html") if hasattr(element, "value")) or str(at)


def test_an_item_is_ended_in_place_and_the_next_one_follows(run_page, folder):
    at = run_page("triage", folder)
    first = at.query_params["id"]
    at.text_input(key=f"triage_note_{first[0] if isinstance(first, list) else first}").input("looked at it")
    at.button(key="triage_decide_0").click().run()
    assert not at.exception
    assert len(waiting(folder)) == 2
    record = open_log(Workspace.open(folder)).records(action="triage.resolve")[0]
    assert (record.payload["decision"], record.payload["note"]) == ("accept", "looked at it")
    at.button(key="triage_undo").click().run()
    assert len(waiting(folder)) == 3


def test_a_decision_without_its_reason_is_refused_in_one_line(run_page, folder):
    at = run_page("triage", folder)
    at.button(key="triage_decide_1").click().run()
    assert not at.exception
    assert len(waiting(folder)) == 3
    assert open_log(Workspace.open(folder)).records(action="triage.resolve") == []


def test_what_somebody_else_holds_can_be_seen_and_not_decided(run_page, folder):
    workspace = Workspace.open(folder)
    held = waiting(folder)[0]
    inbox.claim(workspace, local_person("Ben"), held, datetime.now(UTC))
    at = run_page("triage", folder, id=held.finding.id)
    assert at.button(key="triage_decide_0").disabled
    assert at.button(key="triage_claim").disabled


def test_an_empty_inbox_says_what_would_fill_it(run_page, tmp_path):
    (tmp_path / "empty").mkdir()
    at = run_page("triage", tmp_path / "empty")
    assert not at.exception
    assert at.button(key="triage_undo").disabled


def test_filters_by_state_kind_and_words(run_page, folder):
    at = run_page("triage", folder)
    at.text_input(key="triage_search").input("run-0001").run()
    assert not at.exception
    assert at.query_params["id"] in (waiting_id(folder, "run-0001"), [waiting_id(folder, "run-0001")])
    at.selectbox(key="triage_state").select("resolved").run()
    assert not at.exception


def waiting_id(folder, subject):
    return next(item.finding.id for item in waiting(folder) if item.finding.subject == subject)


def test_a_tab_whose_words_changed_under_the_browser_hides_nothing(run_page, folder):
    """Streamlit gives None for a choice that the browser names with an older count."""
    at = run_page("triage", folder)
    for lost in (None, "All 9"):
        at.session_state["triage_tab"] = lost
        at.run()
        assert not at.exception
        assert at.session_state["triage_tab"] == "all"
        assert at.button(key="triage_decide_0")
