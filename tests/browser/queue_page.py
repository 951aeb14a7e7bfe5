"""What the tests of the suggestions page do on it, and what the files behind it say."""

from __future__ import annotations

from datetime import UTC, datetime

from playwright.sync_api import Page, expect

from core.suggestions import store
from core.suggestions.entries import Entry
from core.workspace import Workspace
from tests.browser.conftest import OpenPage
from tests.browser.server import Server
from tests.browser.settle import settle

TODAY = datetime.now(UTC).date()


def pending(server: Server) -> list[Entry]:
    """What stands in the pending file, read by core."""
    return list(store.of_workspace(Workspace.open(server.workspace), "pending").entries)


def reviewed(server: Server) -> list[Entry]:
    """What stands in the reviewed file."""
    return list(store.of_workspace(Workspace.open(server.workspace), "reviewed").entries)


def at(page: Page, wanted: str) -> None:
    """Wait until that suggestion is in work. A loaded machine may be still before it begins to move."""
    expect(page.locator(".st-key-suggestion_card").get_by_role("heading", level=2)).to_have_text(wanted)


def press(page: Page, *keys: str) -> None:
    """Press keys, each when what the one before brought about has settled."""
    for key in keys:
        page.keyboard.press(key)
        settle(page)


def open_queue(open_page: OpenPage, server: Server, **options: object) -> Page:
    """The page as its visitor sees it in UTC, so that today is the same for both."""
    return open_page(server, "/suggestions", zone="UTC", **options)
