"""The inbox in Chromium with 5,000 findings: opening on a fresh server, moving on, deciding.

The workspace was looked at before by another process, as it is after any restart. The very first look at 5,000 runs,
which reads every file of them, is measured apart and not held to the bound of opening.
"""

from __future__ import annotations

import statistics
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from core.triage.inbox import open_inbox
from core.workspace import Workspace
from tests.bench.stopwatch import fresh, idle, opened, p95, press, there
from tests.browser import server as servers
from tests.browser.server import Server
from tests.browser.settle import settle
from tests.core.triage.workspaces import workspace_of_runs

pytestmark = pytest.mark.bench

FINDINGS = 5_000
OPEN_MS, MOVE_MS = 1_500, 300
CARD = ".st-key-triage_card h2.ts-title"


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace = Workspace.open(workspace_of_runs(tmp_path_factory.mktemp("bench") / "full", FINDINGS))
    begun = time.process_time()
    found = open_inbox(workspace, datetime.now(UTC))
    print(f"\nfirst look ever at {len(found.items):,} runs: {time.process_time() - begun:.1f} s of processor time")
    begun = time.process_time()
    open_inbox(workspace, datetime.now(UTC))
    print(f"the next look, nothing changed: {(time.process_time() - begun) * 1000:.0f} ms")
    assert len(found.waiting) == FINDINGS
    return workspace


def start(workspace: Workspace, place: Path) -> Server:
    return servers.start(workspace.root, place / "server.log", env={"TOUCHSTONE_REVIEWER": "Ann"})


def test_opens_on_a_fresh_server(browser: Browser, full: Workspace, tmp_path: Path) -> None:
    """Cold: the first page that anybody asks of the process, once its own imports are done."""
    taken = []
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        server = start(full, tmp_path / str(number))
        idle(server)
        page = fresh(browser)
        taken.append(opened(page, server.url + "/triage", there(CARD)))
        assert "being read" in page.locator(".st-key-triage_remembered").inner_text()
        page.context.close()
        server.stop()
    print(f"opening cold: {', '.join(f'{one:.0f}' for one in taken)} ms (bound {OPEN_MS})")
    assert statistics.median(taken) <= OPEN_MS


def test_moves_and_decides(browser: Browser, full: Workspace, tmp_path: Path) -> None:
    server = start(full, tmp_path)
    page = fresh(browser)
    opened(page, server.url + "/triage", there(CARD))
    settle(page)
    for _ in range(5):
        press(page, "j", CARD)
    moves = [press(page, "j", CARD) for _ in range(60)]
    decides = [press(page, "a", CARD) for _ in range(20)]
    server.stop()
    told = f"p50 {statistics.median(moves):.0f}, p95 {p95(moves):.0f} (bound {MOVE_MS})"
    print(f"next item: {told}; deciding: p50 {statistics.median(decides):.0f}, p95 {p95(decides):.0f} ms")
    assert p95(moves) <= MOVE_MS
