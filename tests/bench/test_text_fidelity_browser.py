"""A ledger of 200,000 records on an open page in Chromium: opening it, and an append that shows by itself."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect, sync_playwright

from core.files import append_jsonl
from core.workspace import Workspace
from tests.bench import large_ledger
from tests.browser import server as servers
from tests.browser.conftest import chromium
from tests.browser.server import Server
from tests.browser.settle import settle

pytestmark = pytest.mark.bench


@pytest.fixture(scope="module")
def large_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("bench")
    root = place / "workspace"
    eval_folder = root / "evals" / "large"
    eval_folder.mkdir(parents=True)
    large_ledger.write(eval_folder)
    (root / "touchstone.toml").write_text('[text_fidelity]\nevals = ["evals/large"]\n')
    server = servers.start(root, place / "server.log", env={"TOUCHSTONE_REVIEWER": "Ann"})
    yield server
    server.stop()


def test_an_append_shows_on_the_open_page_within_five_seconds(large_server: Server) -> None:
    """Three times, each with the reviewer's place kept."""
    ledger = large_server.workspace / "evals/large/ledger.jsonl"
    workspace = Workspace.open(large_server.workspace)
    last = json.loads(ledger.read_bytes().splitlines()[-1])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1440, "height": 900}, timezone_id="UTC").new_page()
        begun = time.perf_counter()
        page.goto(f"{large_server.url}/text_fidelity?eval=evals/large&run=150000")
        heading = page.get_by_role("heading", name="Run 150000", exact=True)
        expect(heading).to_be_visible(timeout=60_000)
        opened = time.perf_counter() - begun
        settle(page)
        times = []
        for number in range(3):
            composite = round(0.9001 + number / 1_000, 4)
            at = f"2026-11-2{number + 1}T09:00:00Z"
            append_jsonl(ledger, {**last, "at": at, "composite": composite}, workspace.lock)
            begun = time.perf_counter()
            expect(page.locator(".tf-head")).to_contain_text(f"{composite:.4f}", timeout=30_000)
            times.append(time.perf_counter() - begun)
            expect(heading).to_be_visible()
            settle(page)
        browser.close()
    shown = [round(seconds, 2) for seconds in times]
    print(f"\n{large_ledger.ROWS:,} records: page open after {opened:.1f} s, appends shown after {shown} s")
    assert max(times) < 5.0
