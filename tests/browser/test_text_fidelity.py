"""Text fidelity in Chromium: the chart is clicked, runs walked by key, a freeze approved, a run scored and stopped."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from core.decisions import open_log
from core.files import append_jsonl
from core.text_fidelity import approval
from core.text_fidelity.place import locate
from core.workspace import Workspace
from tests.browser.axe import axe
from tests.browser.conftest import OpenPage, Serve
from tests.browser.server import DEMO, Server
from tests.browser.settle import settle
from tests.core.text_fidelity.evals import Fixed, case, config, freeze, later, make_eval, records, run
from tests.judge_fixture import JudgeServer

CASES = Path(__file__).parents[1] / "cases"
EVALS = ("onboarding-emails", "support-replies", "release-notes")


def three_evals(root: Path) -> Path:
    """The demo's three evals in a workspace of their own."""
    shutil.copytree(DEMO / "evals", root / "evals")
    names = ", ".join(f'"evals/{name}"' for name in EVALS)
    (root / "touchstone.toml").write_text(f"[text_fidelity]\nevals = [{names}]\n")
    return root


@pytest.fixture(scope="module")
def three(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Server:
    return serve(three_evals(tmp_path_factory.mktemp("three")))


def at_run(page: Page, number: int, timeout: float = 10_000) -> None:
    expect(page.get_by_role("heading", name=f"Run {number}", exact=True)).to_be_visible(timeout=timeout)


def chips(page: Page) -> Locator:
    return page.locator(".tf-head")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", [f"?eval=evals/{name}" for name in EVALS] + [
    "?eval=evals/support-replies&tab=freeze", "?eval=evals/support-replies&tab=runs",
    "?eval=evals/release-notes&tab=freeze",
])  # fmt: skip
def test_no_state_of_the_page_breaks_a_rule_of_axe(
    three: Server, open_page: OpenPage, address: str, scheme: str
) -> None:
    page = open_page(three, f"/text_fidelity{address}", scheme=scheme)
    assert axe(page) == []


def test_the_three_demo_evals_tell_their_stories(three: Server, open_page: OpenPage) -> None:
    """One passes, one drifts and shows where it could not score, one is stale and so no pass."""
    page = open_page(three, "/text_fidelity")
    expect(chips(page)).to_contain_text("0.8439 ≥ 0.70")
    expect(chips(page).locator(".ts-green")).to_have_count(1)
    page.get_by_role("radio", name="support-replies").click()
    expect(chips(page)).to_contain_text("status_note drifted")
    expect(page.locator(".tf-marks")).to_contain_text("No such file or directory")
    page.get_by_role("radio", name="release-notes").click()
    expect(chips(page)).to_contain_text("before it went stale")
    expect(chips(page).locator(".ts-green")).to_have_count(0)
    expect(page).to_have_url(re.compile("eval=evals%2Frelease-notes"))


def test_runs_cases_and_the_difference_are_walked_by_key(three: Server, open_page: OpenPage) -> None:
    page = open_page(three, "/text_fidelity?eval=evals/support-replies&run=72&case=status_note")
    at_run(page, 72)
    expect(page.locator(".tf-diff del").first).to_be_visible()
    page.keyboard.press("d")
    expect(page.locator(".tf-diff")).to_have_count(0)
    page.keyboard.press("d")
    expect(page.locator(".tf-diff")).to_have_count(1)
    for key, number in (("k", 71), ("k", 70), ("j", 71), ("j", 72), ("j", 73)):
        page.keyboard.press(key)
        at_run(page, number)
    page.keyboard.press("n")
    expect(page.get_by_role("radio", name="double_charge")).to_be_checked()
    page.keyboard.press("p")
    expect(page.get_by_role("radio", name="status_note")).to_be_checked()
    expect(page).to_have_url(re.compile("run=73"))


def test_a_burst_of_keys_loses_none(three: Server, open_page: OpenPage) -> None:
    page = open_page(three, "/text_fidelity?eval=evals/onboarding-emails")
    at_run(page, 87)
    for _ in range(10):
        page.keyboard.press("k")
    at_run(page, 77)


def test_a_click_on_the_chart_opens_that_run(three: Server, open_page: OpenPage) -> None:
    page = open_page(three, "/text_fidelity?eval=evals/onboarding-emails")
    at_run(page, 87)
    canvas = page.locator("[class*=st-key-tf_chart_] canvas, [class*=st-key-tf_chart_] svg").first
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.55, box["y"] + box["height"] * 0.5)
    settle(page)
    heading = page.get_by_role("heading", name=re.compile(r"^Run \d+$")).inner_text()
    assert 28 <= int(heading.split()[1]) < 87
    expect(page).to_have_url(re.compile(rf"run={heading.split()[1]}"))


def test_a_table_row_opens_its_run(three: Server, open_page: OpenPage) -> None:
    page = open_page(three, "/text_fidelity?eval=evals/support-replies&tab=runs")
    grid = page.locator(".stDataFrame").first
    box = grid.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 16, box["y"] + 35 + 35 * 2.5)
    at_run(page, 94)
    expect(page.get_by_role("radio", name="Ledger")).to_be_checked()


def test_a_freeze_is_approved_and_stays_approved(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    server = serve(three_evals(tmp_path / "w"))
    page = open_page(server, "/text_fidelity?eval=evals/release-notes&tab=freeze")
    expect(page.locator(".tf-diff ins").first).to_be_visible()
    button = page.get_by_role("button", name="Freeze as shown")
    expect(button).to_be_disabled()
    page.get_by_text("I have read this difference").click()
    expect(button).to_be_enabled()
    button.click()
    expect(page.get_by_text("Nothing: definition, rubric and references are what was frozen")).to_be_visible()
    page.reload()
    expect(page.get_by_text("fresh: it may be scored")).to_be_visible()
    workspace = Workspace.open(server.workspace)
    folder = locate(workspace, "evals/release-notes")
    assert approval.state(folder).fresh
    [record] = open_log(workspace).records(action=approval.APPROVE)
    assert (record.reviewer, record.subject, record.payload["changes"]) == (
        "Ann",
        "evals/release-notes",
        ["rubric changed"],
    )


def test_score_now_with_the_practice_judge(
    serve: Serve, open_page: OpenPage, tmp_path: Path, judge_server: JudgeServer
) -> None:
    """Trust first, then a run from the page: its record is in the ledger and its run is the one that is open."""
    root = tmp_path / "w"
    server = serve(three_evals(root), env={"TOUCHSTONE_PRACTICE_URL": judge_server.url})
    page = open_page(server, "/text_fidelity?eval=evals/support-replies&tab=freeze")
    page.get_by_role("button", name="Score now").click()
    expect(page.get_by_text("its commands are not trusted")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Trust these commands").click()
    expect(page.get_by_text("trusted by Ann")).to_be_visible()
    page.get_by_role("radio", name="Ledger").click()
    page.get_by_role("button", name="Score now").click()
    page.get_by_role("button", name="Score", exact=True).click()
    at_run(page, 97, timeout=60_000)  # the first call loads the SDK
    ledger = server.workspace / "evals/support-replies/ledger.jsonl"
    assert len(records(ledger)) == 97
    assert records(ledger)[-1]["practice"] is True


def test_a_run_under_way_shows_its_progress_and_is_stopped(
    serve: Serve, open_page: OpenPage, tmp_path: Path, judge_server: JudgeServer
) -> None:
    judge = {"model": "test-slow-900", "max_tokens": 100}
    root = tmp_path / "w"
    make_eval(
        root, given=config(*(case(name) for name in "abcdef"), judge=judge, samples={"n": 20, "k": 1.0, "delta": 0.0})
    )
    server = serve(root, env={"ANTHROPIC_BASE_URL": judge_server.url, "ANTHROPIC_API_KEY": "test"})
    page = open_page(server, "/text_fidelity")
    attempts = server.workspace / ".servo/content-fidelity/attempts.jsonl"

    def start(budget: str) -> None:
        page.get_by_role("button", name="Score now").click()
        expect(page.get_by_text("6 cases × 20 samples = 120 calls to test-slow-900")).to_be_visible()
        field = page.get_by_role("spinbutton", name="Budget in $")
        field.fill(budget)
        field.press("Enter")
        settle(page)
        page.get_by_role("button", name="Score", exact=True).click()

    start("0.50")
    expect(page.get_by_role("alert")).to_contain_text("the price of this model is not known", timeout=60_000)
    start("")
    expect(page.get_by_text(re.compile(r"[1-9]\d* of 120 · judging .+ so far"))).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert")).to_contain_text("samples are kept for the next try", timeout=60_000)
    assert [one["kind"] for one in records(attempts)] == ["budget", "cancelled"]
    assert not (attempts.parent / "ledger.jsonl").exists()


def test_an_agent_s_run_appears_on_the_open_page_within_five_seconds(
    serve: Serve, open_page: OpenPage, tmp_path: Path
) -> None:
    """And the reviewer's place, an older run with its case, stays."""
    server = serve(three_evals(tmp_path / "w"))
    page = open_page(server, "/text_fidelity?eval=evals/support-replies&run=72&case=status_note")
    at_run(page, 72)
    workspace = Workspace.open(server.workspace)
    folder = locate(workspace, "evals/support-replies")
    last = records(folder.ledger)[-1]
    append_jsonl(folder.ledger, {**last, "at": "2026-11-29T09:00:00Z", "composite": 0.9123}, workspace.lock)
    expect(chips(page)).to_contain_text("0.9123 ≥ 0.65", timeout=5_000)
    at_run(page, 72)
    expect(page.get_by_role("radio", name="status_note")).to_be_checked()


HOSTILE = "<img src=x onerror='window.__ran=1'> **bold** :red[x] $x^2$ [a](javascript:window.__ran=2) http://track.example.net"


def test_hostile_text_is_text(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    """In a case's name, its texts, a reason, a failure and a file name; nothing runs, nothing is fetched."""
    root = tmp_path / "w"
    source = {"type": "command", "run": ["cat", "<b>:red[f].txt"]}
    folder = make_eval(root, given=config(
        case(HOSTILE, reference=f"Say {HOSTILE}", source=source), case("b", reference="# h", source=source)
    ), frozen=False)  # fmt: skip
    (folder.path / "<b>:red[f].txt").write_text(HOSTILE)
    freeze(folder)
    answers: Any = {HOSTILE: [0.5], "b": [0.5]}
    done = run(folder, Fixed(answers))
    record = json.loads(json.dumps(done.record))
    record["cases"][0]["reasons"] = [HOSTILE] * 3
    append_jsonl(folder.ledger, {**record, "at": "2026-11-02T00:00:00Z"}, folder.workspace.lock)
    append_jsonl(
        folder.attempts, {"at": later(100).isoformat(), "outcome": "env_error", "case": HOSTILE, "reason": HOSTILE},
        folder.workspace.lock,
    )  # fmt: skip
    server = serve(root)
    asked: list[str] = []
    page = open_page(server, "/text_fidelity?run=2", wait=False)
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("heading", level=1).first.wait_for()
    settle(page)
    for tab in ("Freeze", "All runs", "Ledger"):
        page.get_by_role("radio", name=tab).click()
        settle(page)
    expect(page.locator(".tf-samples")).to_contain_text(HOSTILE)
    expect(page.locator(".tf-marks")).to_contain_text(HOSTILE)
    assert page.evaluate("window.__ran") is None
    assert [url for url in asked if not url.startswith((server.url, "data:", "blob:"))] == []
    assert page.locator("a[href^=javascript]").count() == 0


def test_narrow_and_broken_pages_keep_within_the_window(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    root = three_evals(tmp_path / "w")
    ledger = root / "evals/onboarding-emails/ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:-100] + b"\n[1]\n\xff\n")
    server = serve(root)
    page = open_page(server, "/text_fidelity", width=1000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000
    page.get_by_text("in the files").first.click()
    expect(page.locator(".ts-problems")).to_contain_text("ledger.jsonl:87")
    assert axe(page) == []
