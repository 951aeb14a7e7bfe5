"""The inbox in Chromium with 5,000 findings: opening on a fresh server, moving on, deciding.

The workspace was looked at before by another process, as it is after any restart. The very first look at 5,000 runs,
which reads every file of them, is measured apart and not held to the bound of opening.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from core.triage.inbox import open_inbox
from core.workspace import Workspace
from tests.browser import server as servers
from tests.browser.conftest import chromium
from tests.browser.server import Server
from tests.browser.settle import SOCKET, settle
from tests.core.triage.workspaces import workspace_of_runs

pytestmark = pytest.mark.bench

FINDINGS = 5_000
OPEN_MS, MOVE_MS = 1_500, 300
CARD = ".st-key-triage_card h2.ts-title"

# From the key going down to the frame in which another title has been drawn.
_NEXT = """() => new Promise((resolve, reject) => {
  const title = () => document.querySelector(".st-key-triage_card h2.ts-title")?.textContent;
  const before = title();
  const watch = new MutationObserver(() => {
    if (!title() || title() === before) return;
    watch.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - window.__down));
  });
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
  setTimeout(() => { watch.disconnect(); reject(new Error("no next item within ten seconds")); }, 10_000);
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield running
        running.close()


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


def idle(server: Server) -> None:
    """Return when the server has used no processor for half a second: its imports are done."""
    used, since = -1, time.monotonic()
    while time.monotonic() - since < 0.5:
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        now = int(fields[11]) + int(fields[12])
        if now > used + 1:
            used, since = now, time.monotonic()
        servers.ended_within(server.process, 0.05)


def fresh(browser: Browser) -> Page:
    page = browser.new_context(viewport={"width": 1440, "height": 900}, timezone_id="UTC").new_page()
    page.add_init_script("window.addEventListener('keydown', () => { window.__down = performance.now(); }, true);")
    page.add_init_script(SOCKET)
    return page


def opened(page: Page, server: Server) -> float:
    """Milliseconds until the first finding stands there."""
    begun = time.monotonic()
    page.goto(server.url + "/triage", wait_until="commit")
    page.locator(CARD).wait_for()
    return (time.monotonic() - begun) * 1000


def press(page: Page, key: str) -> float:
    """Milliseconds from a key to the next finding on the screen."""
    page.evaluate(f"() => {{ window.__next = ({_NEXT})(); }}")
    page.keyboard.press(key)
    taken: float = page.evaluate("() => window.__next")
    settle(page, quiet=120)
    return taken


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def test_opens_on_a_fresh_server(browser: Browser, full: Workspace, tmp_path: Path) -> None:
    """Cold: the first page that anybody asks of the process, once its own imports are done."""
    taken = []
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        server = start(full, tmp_path / str(number))
        idle(server)
        page = fresh(browser)
        taken.append(opened(page, server))
        assert "being read" in page.locator(".st-key-triage_remembered").inner_text()
        page.context.close()
        server.stop()
    print(f"opening cold: {', '.join(f'{one:.0f}' for one in taken)} ms (bound {OPEN_MS})")
    assert statistics.median(taken) <= OPEN_MS


def test_moves_and_decides(browser: Browser, full: Workspace, tmp_path: Path) -> None:
    server = start(full, tmp_path)
    page = fresh(browser)
    opened(page, server)
    settle(page)
    for _ in range(5):
        press(page, "j")
    moves = [press(page, "j") for _ in range(60)]
    decides = [press(page, "a") for _ in range(20)]
    server.stop()
    told = f"p50 {statistics.median(moves):.0f}, p95 {p95(moves):.0f} (bound {MOVE_MS})"
    print(f"next item: {told}; deciding: p50 {statistics.median(decides):.0f}, p95 {p95(decides):.0f} ms")
    assert p95(moves) <= MOVE_MS
