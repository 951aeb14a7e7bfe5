"""Two app processes on one PostgreSQL and one workspace, six reviewers in browsers of their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import expect

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

RUNS, ENTRIES = 4, 14
NAMES = ["Ann", "Bo", "Cy", "Dee", "Eva", "Finn"]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture
def two(tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Server]]:
    monkeypatch.setenv(URL_VARIABLE, postgres_url)
    workspace = crowd.workspace_of(tmp_path / "shared", RUNS, ENTRIES)
    running = [
        servers.start(workspace.root, tmp_path / f"{number}.log", env={URL_VARIABLE: postgres_url}, wait=False)
        for number in range(2)
    ]
    for one in running:
        servers.wait_until_up(one)
    yield running
    for one in running:
        one.stop()


def test_six_reviewers_on_two_servers(two: list[Server], open_page: OpenPage) -> None:
    workspace = Workspace.open(two[0].workspace)
    waiting = open_inbox(workspace, datetime.now(UTC)).waiting
    starts = [waiting[number * 3].finding.id for number in range(len(NAMES))]
    pages = [open_page(two[number % 2], f"/triage?id={starts[number]}", name=name) for number, name in enumerate(NAMES)]
    team.clear(pages, workspace, RUNS + ENTRIES)
    team.check(workspace, RUNS + ENTRIES, set(NAMES))
    for page in pages:
        expect(page.get_by_text("Nothing needs a person", exact=True)).to_be_visible(timeout=20_000)


def test_two_reviewers_are_told_of_each_other(two: list[Server], open_page: OpenPage) -> None:
    """Across servers, without a reload: who holds an item stands on it, the buttons say why they are grey."""
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
