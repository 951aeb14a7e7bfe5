"""Overview and Log in Chromium: the way from what waits to its page, the record of a decision, accessibility."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import queue_workspace
from tests.browser.axe import axe
from tests.browser.conftest import OpenPage, Serve
from tests.browser.server import Server
from tests.browser.settle import settle


@pytest.fixture(scope="module")
def served(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Server:
    root = queue_workspace.write(tmp_path_factory.mktemp("queue") / "queue", 20, datetime.now(UTC).date())
    file = root / "data" / "suggestions_pending.md"
    file.write_text(file.read_text("utf-8") + "\n---\n\n### half a heading\n- 📋 建議：x\n", "utf-8")
    return serve(root)


def test_overview_fills_itself_and_leads_on(served: Server, open_page: OpenPage) -> None:
    """The inbox appears by itself, in the page and in the side bar; a card opens its page."""
    page = open_page(served)
    expect(page.get_by_text("1 suggestion_unreadable")).to_be_visible(timeout=15_000)
    expect(page.get_by_role("region", name="Sidebar").get_by_text("1 needs a person")).to_be_visible(timeout=15_000)
    page.get_by_role("link", name="Open suggestions").click()
    expect(page.get_by_role("heading", name="Suggestions", level=1)).to_be_visible()


def test_a_decision_is_in_the_log_and_leads_back(served: Server, open_page: OpenPage) -> None:
    page = open_page(served, "/suggestions", zone="UTC")
    title = page.locator(".st-key-suggestion_card h2").inner_text()
    page.keyboard.press("r")
    settle(page)
    page.get_by_role("link", name="Log").click()
    expect(page.get_by_role("heading", name="Log", level=1)).to_be_visible()
    settle(page)
    expect(page.get_by_text("chain intact, 1 record")).to_be_visible()
    record = open_page(served, "/log?seq=1")
    expect(record.get_by_role("heading", name=f"Record 1: {title}")).to_be_visible()
    record.get_by_role("link", name="Open the item").click()
    expect(record.locator(".st-key-suggestion_card h2")).to_have_text(title)


def test_log_is_exported_whole(served: Server, open_page: OpenPage) -> None:
    page = open_page(served, "/suggestions", zone="UTC")
    page.keyboard.press("a")
    expect(page.get_by_text("Accepted:")).to_be_visible()
    page.goto(served.url + "/log")
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON Lines of").click()
    lines = Path(download.value.path()).read_text("utf-8").splitlines()
    assert len(lines) >= 1
    assert '"action": "accept"' in lines[-1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/log"])
def test_axe(served: Server, open_page: OpenPage, path: str, scheme: str) -> None:
    page = open_page(served, path, scheme=scheme)
    if path == "/":
        page.get_by_text("1 suggestion_unreadable").wait_for()
        settle(page)
    assert axe(page) == []
