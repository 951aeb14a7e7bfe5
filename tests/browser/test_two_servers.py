"""Two app processes on one PostgreSQL and one workspace: six reviewers in browsers of their own, twenty in all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.decisions.engine import URL_VARIABLE
from core.people import local_person
from core.triage import inbox
from core.triage.inbox import open_inbox
from core.workspace import Workspace
from tests import postgres
from tests.browser import server as servers
from tests.browser import team
from tests.browser.conftest import OpenPage
from tests.browser.server import Server
from tests.core.triage import crowd

ROOT = Path(__file__).parents[2]
NAMES = ["Ann", "Bo", "Cy", "Dee", "Eva", "Finn"]


Start = Callable[..., list[Server]]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Servers on one new workspace of the given size: one on SQLite, or several on one PostgreSQL."""
    running: list[Server] = []

    def run(runs: int, entries: int, url: str = "", servers_: int = 1) -> list[Server]:
        env = {URL_VARIABLE: url} if url else {}
        if url:
            monkeypatch.setenv(URL_VARIABLE, url)
        else:
            monkeypatch.delenv(URL_VARIABLE, raising=False)
        workspace = crowd.workspace_of(tmp_path / "shared", runs, entries)
        for number in range(servers_):
            running.append(servers.start(workspace.root, tmp_path / f"{number}.log", env=env, wait=False))
        for one in running:
            servers.wait_until_up(one)
        return running

    yield run
    for one in running:
        one.stop()


def open_pages(on: list[Server], open_page: OpenPage) -> list[Page]:
    """A browser for each of the six, spread over the servers, each at a place of their own in the inbox."""
    waiting = open_inbox(Workspace.open(on[0].workspace), datetime.now(UTC)).waiting
    starts = [waiting[number * 3].finding.id for number in range(len(NAMES))]
    return [
        open_page(on[number % len(on)], f"/triage?id={starts[number]}", name=name) for number, name in enumerate(NAMES)
    ]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_six_reviewers_clear_one_inbox(
    start: Start, open_page: OpenPage, database: str, request: pytest.FixtureRequest
) -> None:
    """One process on SQLite, two on PostgreSQL."""
    runs, entries = 4, 14
    on = start(runs, entries) if database == "sqlite" else start(
        runs, entries, request.getfixturevalue("postgres_url"), 2
    )  # fmt: skip
    workspace = Workspace.open(on[0].workspace)
    pages = open_pages(on, open_page)
    team.clear(pages, workspace, runs + entries)
    team.check(workspace, runs + entries, set(NAMES))
    for page in pages:
        expect(page.get_by_text("Nothing needs a person", exact=True)).to_be_visible(timeout=20_000)


def test_twenty_reviewers_clear_five_hundred_items(start: Start, open_page: OpenPage, postgres_url: str) -> None:
    """Six in browsers on two servers, fourteen as threads of two processes beside them."""
    runs, entries = 60, 440
    on = start(runs, entries, postgres_url, 2)
    workspace = Workspace.open(on[0].workspace)
    pages = open_pages(on, open_page)
    others = [f"reviewer {number:02d}" for number in range(14)]
    command = [sys.executable, "-m", "tests.core.triage.crowd", str(workspace.root)]
    beside = [
        subprocess.Popen([*command, *names], cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        for names in (others[:7], others[7:])
    ]
    team.clear(pages, workspace, runs + entries)
    for process in beside:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err.decode()
    team.check(workspace, runs + entries, {*NAMES, *others})
    for page in pages:
        expect(page.get_by_text("Nothing needs a person", exact=True)).to_be_visible(timeout=20_000)


def test_two_reviewers_are_told_of_each_other(start: Start, open_page: OpenPage, postgres_url: str) -> None:
    """Across servers, without a reload: who holds an item stands on it, the buttons say why they are grey."""
    two = start(4, 14, postgres_url, 2)
    workspace = Workspace.open(two[0].workspace)
    item = open_inbox(workspace, datetime.now(UTC)).waiting[0]
    ann, bo = (
        open_page(server, f"/triage?id={item.finding.id}", name=name)
        for server, name in zip(two, ["Ann", "Bo"], strict=True)
    )
    ann.keyboard.press("e")
    expect(ann.get_by_text("claimed by you")).to_be_visible()
    expect(bo.get_by_text("claimed by Ann")).to_be_visible(timeout=15_000)
    expect(bo.locator(".st-key-triage_decide_0 button").first).to_be_disabled()
    bo.keyboard.press("a")
    expect(bo.get_by_role("alert").filter(has_text="Ann holds this until")).to_be_visible()
    inbox.release(workspace, local_person("Ann"), item, datetime.now(UTC))
    expect(bo.get_by_text("claimed by Ann")).to_have_count(0, timeout=15_000)
    expect(bo.locator(".st-key-triage_decide_0 button").first).to_be_enabled()
