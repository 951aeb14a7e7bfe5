"""The report-loop page by its keys: what it says about each run, and that decisions go one way to folder and log."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.decisions import open_log
from core.people import local_person
from core.report_loop import decide
from core.report_loop.decisions import NONE, all_decisions
from core.report_loop.draft import Draft
from core.report_loop.findings import findings
from core.report_loop.residue import Item
from core.report_loop.runs import read_run
from core.report_loop.view import view_run
from core.workspace import Workspace
from pages.report_loop import person, timeline
from pages.shared import charts
from tests.pages.conftest import RunPage, shown

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
CAP, PASSED, PLATEAU = "2026-11-25-cedar-clinics", "2026-11-26-meadow-retail", "2026-11-27-alder-energy"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DEMO / ".ravenclaude", tmp_path / ".ravenclaude")
    return tmp_path


def log(folder: Path) -> list[tuple[str, str]]:
    return [(record.action, record.subject) for record in open_log(Workspace.open(folder)).records()]


def test_the_list_begins_with_what_waits_for_a_person(run_page: RunPage, folder: Path) -> None:
    app = run_page("report_loop", folder)
    assert "Birch Insurance, third quarter" in shown(app)
    assert app.query_params["run"] == "2026-11-28-birch-insurance"
    assert app.query_params["iteration"] == "3"


def test_an_address_leads_to_one_iteration_of_one_run(run_page: RunPage, folder: Path) -> None:
    page = shown(run_page("report_loop", folder, run=CAP, iteration="1"))
    assert "Legs at iteration 1" in page
    assert "the table by region is 1180px wide on a 1024px page" in page
    assert "stopped because 6 iterations reached the cap of 6" in page
    assert "Inclusive and Polished hold it back" in page


def test_a_run_that_is_not_there_falls_back_to_the_list(run_page: RunPage, folder: Path) -> None:
    assert "Birch Insurance" in shown(run_page("report_loop", folder, run="gone", iteration="x"))


def test_an_empty_workspace_says_what_would_fill_it(run_page: RunPage, tmp_path: Path) -> None:
    assert "report loop makes one" in shown(run_page("report_loop", tmp_path))


def test_damage_is_said_at_the_top_and_listed(run_page: RunPage, folder: Path) -> None:
    page = shown(run_page("report_loop", folder, run="2026-11-22-oak-publishing"))
    assert "3 problems in its files" in page
    assert "iterations.jsonl:2" in page
    assert "not all of them can be read" in page


def test_an_over_claim_is_said_beside_the_computed_gate(run_page: RunPage, folder: Path) -> None:
    page = shown(run_page("report_loop", folder, run="2026-11-29-fjord-seafood"))
    assert "over-claim: the receipt says PASS, its legs give FAIL" in page
    assert "Accurate: fail by its receipt, pass by its iterations" in page


def test_accepting_as_it_stands(run_page: RunPage, folder: Path) -> None:
    app = run_page("report_loop", folder, run=CAP)
    app.text_area(key=f"report_loop_note_{CAP}").input("shown to the client").run()
    app.button(key="report_loop_accept").click().run()
    assert not app.exception
    assert "accepted as it stands by Ann" in shown(app)
    entry = json.loads((folder / ".ravenclaude" / "runs" / CAP / "decision.json").read_text())["decisions"][0]
    assert (entry["decision"], entry["note"]) == ("accept_as_it_stands", "shown to the client")
    assert log(folder) == [("accept_as_it_stands", f"report_loop/{CAP}")]
    app.button(key="report_loop_undo").click().run()
    assert "accepted as it stands by Ann" not in shown(app)
    assert log(folder)[-1][0] == "undo"


def test_sending_back_without_instructions_is_refused_in_one_line(run_page: RunPage, folder: Path) -> None:
    app = run_page("report_loop", folder, run=CAP)
    app.button(key="report_loop_send_back").click().run()
    assert "sending back needs instructions" in shown(app)
    assert log(folder) == []


def test_a_waiver_names_its_residue(run_page: RunPage, folder: Path) -> None:
    app = run_page("report_loop", folder, run=PLATEAU)
    assert app.button(key="report_loop_waive").disabled
    item = checklist(folder, PLATEAU)[0]
    app.session_state[f"report_loop_waive_{PLATEAU}"] = [item.id]  # what the list's own button sets
    app.run()
    app.button(key="report_loop_waive").click().run()
    assert not app.exception
    assert log(folder) == [("waive_residue", f"report_loop/{PLATEAU}")]
    assert "1 of 11 done" in shown(app)


def checklist(folder: Path, run: str) -> list[Item]:
    workspace = Workspace.open(folder)
    path = next(one for one in workspace.runs() if one.name == run)
    return [line.item for line in view_run(read_run(workspace, path), NONE, NOW).checklist]


def test_a_tick_by_somebody_else_is_counted(run_page: RunPage, folder: Path) -> None:
    assert "Left for a person · 0 of 11 done" in shown(run_page("report_loop", folder, run=PASSED))
    item = checklist(folder, PASSED)[0]
    decide.tick(Workspace.open(folder), local_person("Bo"), PASSED, item, True, now=NOW)
    assert "Left for a person · 1 of 11 done" in shown(run_page("report_loop", folder, run=PASSED))


def test_a_frozen_node_gets_one_more_edit(run_page: RunPage, folder: Path) -> None:
    app = run_page("report_loop", folder, run=CAP)
    app.button(key="report_loop_thaw_chart").click().run()
    assert log(folder) == [("unfreeze_node", f"report_loop/{CAP}/node/chart")]
    assert "report_loop_thaw_chart" not in [one.key for one in app.button]


def test_an_undecided_edit_is_decided_by_a_person(run_page: RunPage, folder: Path) -> None:
    app = run_page("report_loop", folder, run=CAP)
    assert "1 undecided" in shown(app)
    app.button(key="report_loop_missed_polished").click().run()
    assert not app.exception
    assert "1 undecided" not in shown(app).split("Feedback over all reports")[0]
    assert [action for action, _ in log(folder)] == ["classify_edit"]


def test_hostile_texts_are_shown_as_text(run_page: RunPage, tmp_path: Path) -> None:
    run = tmp_path / ".ravenclaude" / "runs" / "r"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"title": "<img src=x onerror=alert(1)> :red[x] $y$"}))
    shutil.copy(DEMO.parents[1] / "tests/cases/B-15-residue-and-evidence-text/r_html.json", run / "receipt.json")
    page = shown(run_page("report_loop", tmp_path))
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "&lt;b onmouseover=&quot;alert(1)&quot;&gt;" in page
    assert "<img" not in page
    assert "<b onmouseover" not in page
    assert "<details>" in page


@pytest.mark.parametrize("digits", ["9" * 5000, "9" * 400, "²", "-1", "0x2", ""])
def test_an_iteration_that_is_no_number_leads_to_the_latest(run_page: RunPage, folder: Path, digits: str) -> None:
    app = run_page("report_loop", folder, run=CAP, iteration=digits)
    assert app.query_params["iteration"] == "6"
    assert "Legs at iteration 6" in shown(app)


def test_a_link_to_the_reviewers_edits_shows_them_first(run_page: RunPage, folder: Path) -> None:
    edits, legs = "What the reviewer still had to change", "Legs at iteration 6"
    page = shown(run_page("report_loop", folder, run=CAP))
    assert page.index(legs) < page.index(edits)
    app = run_page("report_loop", folder, run=CAP, tab="feedback")
    assert shown(app).index(edits) < shown(app).index(legs)
    assert app.query_params["tab"] == "feedback"
    app.button(key="report_loop_missed_polished").click().run()
    assert shown(app).index(edits) < shown(app).index(legs)
    app.session_state["report_loop_run"] = PASSED  # what the list's own callback sets
    app.run()
    assert "tab" not in app.query_params
    assert "Legs at iteration 4" in shown(app)


def test_every_finding_about_edits_links_to_them(folder: Path) -> None:
    found = [one for one in findings(Workspace.open(folder), NOW) if one.kind == "feedback_undecided"]
    assert found
    assert all(one.link.endswith("&tab=feedback") for one in found)


def test_a_tick_for_an_earlier_draft_is_shown_as_such(run_page: RunPage, folder: Path) -> None:
    item = checklist(folder, PASSED)[0]
    decide.tick(Workspace.open(folder), local_person("Bo"), PASSED, item, True, draft=Draft("older", 2), now=NOW)
    workspace = Workspace.open(folder)
    path = next(one for one in workspace.runs() if one.name == PASSED)
    line = view_run(read_run(workspace, path), all_decisions(open_log(workspace))[PASSED], NOW).checklist[0]
    said = person._line(line)
    assert (said["done"], said["note"]) == (False, "done by Bo for iteration 2, not for this draft")
    assert "Left for a person · 0 of 11 done" in shown(run_page("report_loop", folder, run=PASSED))


def test_records_none_of_which_can_be_read_are_not_called_none(run_page: RunPage, tmp_path: Path) -> None:
    run = tmp_path / ".ravenclaude" / "runs" / "r"
    run.mkdir(parents=True)
    (run / "iterations.jsonl").write_bytes('{"index": 1}\n'.encode("utf-16"))
    page = shown(run_page("report_loop", tmp_path))
    assert "its iterations cannot be read" in page
    assert "no iterations yet" not in page


def test_times_that_no_zone_can_tell_are_shown_as_written(run_page: RunPage, tmp_path: Path) -> None:
    run = tmp_path / ".ravenclaude" / "runs" / "r"
    run.mkdir(parents=True)
    times = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
    (run / "run.json").write_text(json.dumps({"title": "Odd", "started_at": times[0]}))
    records = [{"index": number, "scores": {}, "at": at} for number, at in enumerate(times, start=1)]
    (run / "iterations.json").write_text(json.dumps(records))
    page = shown(run_page("report_loop", tmp_path))
    assert "9999" in page
    assert "clock skew" in page


@pytest.mark.parametrize("name", [CAP, PASSED, PLATEAU, "2026-11-22-oak-publishing", "2026-11-24-harbour-logistics"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_is_a_valid_spec(folder: Path, name: str, theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "mode", lambda: theme)
    workspace = Workspace.open(folder)
    path = next(one for one in workspace.runs() if one.name == name)
    view = view_run(read_run(workspace, path), NONE, NOW)
    spec = timeline.spec(view, view.columns[-1].index)
    charts.validate(charts.themed(spec))
    values: list[dict[str, Any]] = spec["data"]["values"]
    cells = [row for row in values if "iteration" in row]
    assert len(cells) == 4 * len(view.columns)
    samples = sum(len(cell.samples) for column in view.columns for cell in column.cells)
    assert sum(1 for row in values if set(row) == {"x", "y", "hue", "layer"}) >= samples
    assert len(timeline.rows(view)) == len(cells)
