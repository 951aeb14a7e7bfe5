"""A real server and a real Chromium. Whatever test lies in this folder carries the marker ``browser``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser import server as servers
from tests.browser.server import DEMO, Server
from tests.browser.settle import SOCKET, settle

Serve = Callable[..., Server]
OpenPage = Callable[..., Page]
expect.set_options(timeout=30_000)  # a machine with two cores may run two Chromiums and two servers beside this one


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("browser")


def chromium() -> str | None:
    """The Chromium to drive: TOUCHSTONE_CHROMIUM, else an installed one, else (None) Playwright's own download."""
    for name in (os.environ.get("TOUCHSTONE_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name) if name else None
        if found:
            return found
    return None


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for the whole run."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--force-color-profile=srgb"]
        )
        yield running
        running.close()


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """``serve(folder, env={…})``: the app on a copy of that folder; stopped at the end of the module."""
    running: list[Server] = []

    def run(folder: Path, **options: dict[str, str]) -> Server:
        place = tmp_path_factory.mktemp("served")
        copy = servers.copy_workspace(folder, place / folder.name)
        running.append(servers.start(copy, place / "server.log", env=options.get("env")))
        return running[-1]

    yield run
    for one in running:
        one.stop()


@pytest.fixture(scope="module")
def demo_server(serve: Serve) -> Server:
    """The app on a copy of the demo workspace, one a test module."""
    return serve(DEMO)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """``open_page(server, "/suggestions?id=…", scheme="dark", width=1000, name="Bo")``: a settled page of its own.

    ``name=""`` is a visitor who has not said who they are; ``script`` runs in the browser before the page does. An
    error of a script in the browser fails the test.
    """
    contexts: list[BrowserContext] = []
    broken: list[str] = []

    def open_one(
        server: Server, path: str = "/", *, scheme: str = "light", width: int = 1440, height: int = 900,
        name: str = "Ann", zone: str = "Asia/Taipei", wait: bool = True, script: str = "",
    ) -> Page:  # fmt: skip
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, timezone_id=zone, locale="en-GB"
        )  # type: ignore[arg-type]
        contexts.append(context)
        if name:
            context.add_cookies([{"name": "touchstone_reviewer", "value": quote(name), "url": server.url}])
        context.add_init_script(SOCKET + script)
        page = context.new_page()
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.goto(server.url + path)
        if wait:
            page.get_by_role("heading", level=1).first.wait_for()
            settle(page)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not broken, broken


@pytest.fixture
def page(demo_server: Server, open_page: OpenPage) -> Page:
    """The demo workspace's first page as Ann sees it, 1440×900, light."""
    return open_page(demo_server)
