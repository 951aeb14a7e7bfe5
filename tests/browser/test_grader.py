"""Proposals, grading and the grader in Chromium: the cost is read, a person confirms, file, log and check agree."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.decisions import open_log
from core.suggestions import runs, store
from core.workspace import Workspace
from tests.browser.axe import axe
from tests.browser.conftest import OpenPage, Serve
from tests.browser.server import ROOT, Server
from tests.browser.settle import settle
from tests.core.suggestions.making import entry, workspace
from tests.judge_fixture import JudgeServer, start

_MANY = 160
_LONG = 120_000  # ms; a judge is asked meanwhile, on a machine that may be busy


@pytest.fixture
def served(serve: Serve, tmp_path: Path) -> Server:
    """Reviews with a topic that keeps being rejected, once accepted; one pending entry on it."""
    numbers = ("one", "two", "three", "four")
    reviewed = (
        *(entry(f"Astrology {number}", decision="reject", comment=f"no {number}") for number in numbers),
        *(entry(f"Search {word}", decision="accept") for word in ("a", "b", "c")),
        entry("What astrology taught us", decision="accept"),
    )
    workspace(tmp_path / "reviews", reviewed=reviewed, pending=(entry("Astrology now"), entry("Search now")))
    return serve(tmp_path / "reviews")


def _check(server: Server) -> dict[str, str]:
    """What `check` says of the pending file now: title to outcome."""
    command = [sys.executable, "-m", "core", "suggestions", "check", "data/suggestions_pending.md", "--json",
               "--workspace", str(server.workspace)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return {one["title"]: one["outcome"] for one in json.loads(done.stdout)["results"]}


def _blocklist(server: Server) -> bytes:
    return Workspace.open(server.workspace).suggestions.blocklist.read_bytes()


def test_a_proposal_is_read_confirmed_and_undone(served: Server, open_page: OpenPage) -> None:
    """The cost in lost accepts is on the page; after the yes the file, the log and the next check agree; undone, the
    file is byte for byte what it was."""
    before = _blocklist(served)
    assert _check(served) == {"Astrology now": "clear", "Search now": "clear"}
    page = open_page(served, "/suggestions?tab=proposals")
    card = page.locator(".st-key-proposal_card")
    expect(card.get_by_role("heading", level=2)).to_have_text("Block “Astrology”?")
    expect(card).to_contain_text("would have lost 1 of 4 accepts")
    expect(card.get_by_text("What astrology taught us")).to_be_visible()
    expect(card).to_contain_text("no one")
    page.get_by_role("button", name="Yes, block it").click()
    expect(page.get_by_text("No topic to block")).to_be_visible()
    settle(page)
    assert b"- Astrology\n" in _blocklist(served)
    record = open_log(Workspace.open(served.workspace)).records()[-1]
    assert (record.action, record.reviewer, record.payload["topic"]) == ("block", "Ann", "Astrology")
    assert len(record.payload["because"]["accepts_lost"]) == 1
    assert _check(served) == {"Astrology now": "hard_veto", "Search now": "clear"}
    page.keyboard.press("u")
    expect(card.get_by_role("heading", level=2)).to_have_text("Block “Astrology”?")
    settle(page)
    assert _blocklist(served) == before
    assert _check(served) == {"Astrology now": "clear", "Search now": "clear"}
    assert open_log(Workspace.open(served.workspace)).records()[-1].undoes == record.seq


def test_a_no_by_keyboard_is_remembered(served: Server, open_page: OpenPage) -> None:
    before = _blocklist(served)
    page = open_page(served, "/suggestions?tab=proposals")
    expect(page.locator(".st-key-proposal_card")).to_be_visible()
    page.keyboard.press("r")
    expect(page.get_by_text("No topic to block")).to_be_visible()
    again = open_page(served, "/suggestions?tab=proposals", name="Ben")
    expect(again.get_by_text("No topic to block")).to_be_visible()
    assert _blocklist(served) == before


def test_letters_typed_into_the_bullet_are_text(served: Server, open_page: OpenPage) -> None:
    page = open_page(served, "/suggestions?tab=proposals")
    page.keyboard.press("c")
    field = page.get_by_label(re.compile("As it will be written"))
    expect(field).to_be_focused()
    field.fill("Astrology one / rare art")
    field.press("Enter")
    expect(page.locator(".st-key-proposal_cost")).to_contain_text("would have caught 1 of 4 rejects")
    expect(page.locator(".st-key-proposal_cost")).to_contain_text("would have lost 0 of 4 accepts")
    assert b"Astrology" not in _blocklist(served)


@pytest.fixture
def practising(serve: Serve, tmp_path: Path) -> tuple[Server, JudgeServer]:
    """The app beside a slow practice judge, which touchstone.toml names."""
    process, url = start("--scenarios", "--latency-ms", "400")
    reviewed = [entry(f"A{n}", f"Add {n} cases in 20 minutes", decision="accept") for n in range(30)]
    reviewed += [entry(f"R{n}", "看看就好", decision="reject") for n in range(30)]
    workspace(tmp_path / "new", topics=("NFT",), reviewed=tuple(reviewed))
    settings = f'[judge]\nmodel = "practice-judge"\nbase_url = "{url}"\n'
    (tmp_path / "new" / "touchstone.toml").write_text(settings, "utf-8")
    yield serve(tmp_path / "new"), JudgeServer(url)
    process.terminate()
    process.wait(timeout=10)


def test_new_suggestions_are_pasted_graded_and_routed(
    practising: tuple[Server, JudgeServer], open_page: OpenPage
) -> None:
    server, judge = practising
    page = open_page(server, "/suggestions")
    page.get_by_role("button", name="Grade new").click()
    settle(page)
    texts = [entry(f"New {n}", f"Add {n + 2} cases to the search suite in 20 minutes") for n in range(4)]
    page.get_by_label("Paste suggestions").fill("\n---\n\n".join([*texts, entry("NFT news")]))
    page.get_by_label("Paste suggestions").press("Control+Enter")
    expect(page.get_by_text("5 entries; about $0.00 at most")).to_be_visible()
    page.get_by_role("button", name="Grade", exact=True).click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator(".st-key-graded")).to_contain_text("practice judge: no model graded this", timeout=_LONG)
    settle(page)
    store.forget()
    place = Workspace.open(server.workspace)
    graded = [one for kind in ("pending", "filtered") for one in store.of_workspace(place, kind).entries]  # type: ignore[arg-type]
    assert sorted(one.title for one in graded) == ["NFT news", "New 0", "New 1", "New 2", "New 3"]
    assert len(judge.calls()) == 4


def test_grading_is_stopped_and_the_rest_is_kept(practising: tuple[Server, JudgeServer], open_page: OpenPage) -> None:
    """What was not asked waits in the kept batch and is offered again; nothing is lost and nothing stands twice."""
    server, _ = practising
    page = open_page(server, "/suggestions")
    texts = [entry(f"New {n}", f"Add {n} cases to the search suite in 20 minutes") for n in range(_MANY)]
    page.get_by_role("button", name="Grade new").click()
    settle(page)
    page.get_by_label("Paste suggestions").fill("\n---\n\n".join(texts))
    page.get_by_label("Paste suggestions").press("Control+Enter")
    settle(page)
    page.get_by_role("button", name="Grade", exact=True).click()
    under_way = page.get_by_text(re.compile(rf"Grading with practice-judge: [1-9]\d* of {_MANY}"))
    expect(under_way).to_be_visible(timeout=_LONG)
    page.get_by_role("button", name="Stop").click()
    graded = page.locator(".st-key-graded")
    expect(graded).to_contain_text("ungraded", timeout=_LONG)
    settle(page)
    place = Workspace.open(server.workspace)
    before = _titles(place)
    assert 0 < len(before) < _MANY
    page.get_by_role("button", name="Grade new").click()
    page.get_by_role("combobox", name=re.compile("What was pasted")).click()
    page.get_by_role("option").first.click()
    settle(page)
    page.get_by_role("button", name="Grade", exact=True).click()
    expect(graded).to_contain_text(f"{len(before)} known already", timeout=_LONG)
    settle(page)
    assert sorted(_titles(place)) == sorted(f"New {n}" for n in range(_MANY))


def _titles(place: Workspace) -> list[str]:
    store.forget()
    return [one.title for kind in ("pending", "filtered") for one in store.of_workspace(place, kind).entries]  # type: ignore[arg-type]


def test_a_backtest_is_run_and_the_slider_moves_everything(
    practising: tuple[Server, JudgeServer], open_page: OpenPage
) -> None:
    server, judge = practising
    page = open_page(server, "/grader")
    expect(page.get_by_text("No backtest has been run here")).to_be_visible()
    page.get_by_role("button", name="Run the backtest").click()
    expect(page.locator(".st-key-grader_figures")).to_contain_text("of 40 · 95%", timeout=_LONG)
    settle(page)
    expect(page.get_by_text("practice judge: no model judged this")).to_be_visible()
    asked = len(judge.calls())
    stored, _ = runs.stored(Workspace.open(server.workspace))
    assert len(stored) == 1
    assert (server.workspace / ".tmp" / "rubric_backtest_report.md").is_file()
    before = page.locator(".st-key-grader_figures").inner_text()
    sentence = page.locator(".st-key-grader_sentence").inner_text()
    page.get_by_role("slider", name="Pass at total ≥").press("ArrowLeft")
    page.get_by_role("slider", name="Pass at total ≥").press("ArrowLeft")
    settle(page)
    assert page.locator(".st-key-grader_figures").inner_text() != before
    assert page.locator(".st-key-grader_sentence").inner_text() != sentence
    assert len(judge.calls()) == asked


VIEWS = ("/grader", "/grader?view=calibration", "/grader?view=compare", "/suggestions?tab=proposals")


@pytest.mark.parametrize("path", VIEWS)
def test_the_views_are_accessible_and_nothing_leaves_the_machine(
    demo_server: Server, open_page: OpenPage, path: str
) -> None:
    for scheme in ("light", "dark"):
        page = open_page(demo_server, path, scheme=scheme)
        assert axe(page) == [], scheme
        assert _overflow(page) == 0


@pytest.mark.parametrize("path", VIEWS)
def test_the_views_fit_a_narrow_window(demo_server: Server, open_page: OpenPage, path: str) -> None:
    assert _overflow(open_page(demo_server, path, width=1000)) == 0


def _overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    main = page.get_by_test_id("stMain")
    wide: int = main.evaluate("main => main.scrollWidth - main.clientWidth")
    return wide


def test_no_key_is_written_logged_or_shown(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    """A backtest that fails for want of a right key names the failure, and the key stands nowhere."""
    key = "sk-ant-secret-0123456789"
    process, url = start("--scenarios")
    try:
        workspace(tmp_path / "w", reviewed=(entry("A", decision="accept"), entry("R", decision="reject")))
        (tmp_path / "w" / "touchstone.toml").write_text('[judge]\nmodel = "test-401-key"\n', "utf-8")
        server = serve(tmp_path / "w", env={"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": url})
        page = open_page(server, "/grader")
        page.get_by_role("button", name="Run the backtest").click()
        expect(page.locator(".st-key-grader_figures")).to_contain_text("0 of 0", timeout=_LONG)
        settle(page)
        assert key not in page.content()
        for path in server.workspace.rglob("*"):
            if path.is_file():
                assert key.encode() not in path.read_bytes(), path
        assert key not in server.log()
    finally:
        process.terminate()
        process.wait(timeout=10)
    assert os.environ.get("ANTHROPIC_API_KEY") is None
