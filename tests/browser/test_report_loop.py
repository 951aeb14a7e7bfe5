"""The report-loop page in Chromium: from the overview to the failed leg, by mouse, by keyboard, by address."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from core.decisions import open_log
from core.workspace import Workspace
from tests.browser.axe import axe
from tests.browser.conftest import OpenPage, Serve
from tests.browser.server import DEMO, Server
from tests.browser.settle import settle

CAP, PLATEAU = "2026-11-25-cedar-clinics", "2026-11-27-alder-energy"
PASSED = "2026-11-26-meadow-retail"


@pytest.fixture
def own(serve: Serve) -> Server:
    """A server of its own on the demo, for tests that decide something."""
    return serve(DEMO)


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", name=words)).to_be_visible()


def test_three_clicks_from_the_overview_to_the_leg_that_failed(demo_server: Server, open_page: OpenPage) -> None:
    page = open_page(demo_server)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Report loop").click()
    page.get_by_role("navigation", name="Runs").get_by_role("button", name=re.compile("Cedar Clinics")).click()
    heading(page, "Legs at iteration 6")
    page.get_by_role("radiogroup", name="Iteration").get_by_role("radio", name="1", exact=True).click()
    heading(page, "Legs at iteration 1")
    failed = page.get_by_role("row", name=re.compile("^V5"))
    expect(failed).to_contain_text("fail")
    expect(failed).to_contain_text("the table by region is 1180px wide on a 1024px page")
    expect(page).to_have_url(re.compile(f"run={CAP}&iteration=1$"))


def test_an_address_can_be_sent_to_a_colleague(demo_server: Server, open_page: OpenPage) -> None:
    page = open_page(demo_server, f"/report_loop?run={CAP}&iteration=1", name="Bo")
    heading(page, "Legs at iteration 1")
    expect(page.get_by_role("row", name=re.compile("^V5"))).to_contain_text("1180px")


def test_a_click_in_the_picture_chooses_the_iteration(demo_server: Server, open_page: OpenPage) -> None:
    page = open_page(demo_server, f"/report_loop?run={PASSED}")
    heading(page, "Legs at iteration 4")
    box = page.get_by_test_id("stVegaLiteChart").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 70 + (box["width"] - 80) * 0.375, box["y"] + 110)
    heading(page, "Legs at iteration 2")
    expect(page).to_have_url(re.compile("iteration=2$"))


def test_the_whole_job_by_keyboard(own: Server, open_page: OpenPage) -> None:
    """Next run, earlier iteration, write instructions, send back, take it back: screen, folder and log agree."""
    page = open_page(own, f"/report_loop?run={PLATEAU}")
    expect(page.get_by_role("heading", name="Alder Energy, third quarter")).to_be_visible()
    for key, words in (("h", "Legs at iteration 2"), ("l", "Legs at iteration 3")):
        page.keyboard.press(key)
        heading(page, words)
    page.keyboard.press("j")
    heading(page, "Cedar Clinics, third quarter")
    page.keyboard.press("k")
    heading(page, "Alder Energy, third quarter")
    settle(page)
    page.keyboard.press("c")
    expect(page.get_by_label("Instructions or reason")).to_be_focused()
    page.keyboard.type("describe what the last bar says")
    page.keyboard.press("Escape")
    settle(page)
    page.keyboard.press("s")
    expect(page.get_by_text("sent back by Ann")).to_be_visible()
    decision = own.workspace / ".ravenclaude" / "runs" / PLATEAU / "decision.json"
    entry = json.loads(decision.read_text())["decisions"][0]
    assert (entry["decision"], entry["note"]) == ("send_back", "describe what the last bar says")
    settle(page)
    page.keyboard.press("u")
    expect(page.get_by_text("sent back by Ann")).to_have_count(0)
    actions = [record.action for record in open_log(Workspace.open(own.workspace)).records()]
    assert actions == ["send_back", "undo"]
    assert not decision.exists()


def test_an_iteration_that_is_written_meanwhile_appears_by_itself(own: Server, open_page: OpenPage) -> None:
    page = open_page(own, f"/report_loop?run={PLATEAU}")
    heading(page, "Legs at iteration 3")
    file = own.workspace / ".ravenclaude" / "runs" / PLATEAU / "iterations.jsonl"
    last = json.loads(file.read_text().splitlines()[-1])
    with file.open("a") as lines:
        lines.write(json.dumps({**last, "index": 4, "improved": True, "accepted": True}) + "\n")
    expect(page.get_by_role("radiogroup", name="Iteration").get_by_role("radio", name="4")).to_be_visible()


def test_a_tick_is_seen_by_the_next_reviewer(own: Server, open_page: OpenPage) -> None:
    first = open_page(own, f"/report_loop?run={PASSED}", name="Ann")
    first.get_by_role("checkbox", name="Reading order of the two-column head").check()
    expect(first.get_by_text("1 of 11 done")).to_be_visible()
    second = open_page(own, f"/report_loop?run={PASSED}", name="Bo")
    expect(second.get_by_text("done by Ann")).to_be_visible()
    second.get_by_role("checkbox", name=re.compile("Reading order of the two-column head")).uncheck()
    expect(second.get_by_text("0 of 11 done")).to_be_visible()
    records = open_log(Workspace.open(own.workspace)).records()
    assert [(one.reviewer, one.action) for one in records] == [("Ann", "tick_residue"), ("Bo", "untick_residue")]


def test_chosen_lines_are_waived(own: Server, open_page: OpenPage) -> None:
    page = open_page(own, f"/report_loop?run={PLATEAU}")
    page.get_by_role("button", name="Waive: Reading order of the two-column head").click()
    page.get_by_role("button", name="Waive 1").click()
    expect(page.get_by_text("residue waived by Ann")).to_be_visible()
    expect(page.get_by_text("1 of 11 done")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("run", [CAP, "2026-11-29-fjord-seafood", "2026-11-22-oak-publishing"])
def test_nothing_that_axe_objects_to(demo_server: Server, open_page: OpenPage, run: str, scheme: str) -> None:
    page = open_page(demo_server, f"/report_loop?run={run}", scheme=scheme)
    assert axe(page) == []


def test_a_narrow_window_keeps_every_figure_readable(demo_server: Server, open_page: OpenPage) -> None:
    page = open_page(demo_server, f"/report_loop?run={CAP}", width=1000)
    legs = page.get_by_role("heading", name="Legs at iteration 6").bounding_box()
    waiting = page.get_by_role("heading", name="Waiting for a person").bounding_box()
    assert legs is not None
    assert waiting is not None
    assert waiting["y"] > legs["y"] + 100  # one under the other, each as wide as the page allows
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
