"""The suggestions page in Chromium when its files are hostile, damaged or absent, and for who cannot see it well."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import queue_workspace
from tests.browser.axe import axe
from tests.browser.conftest import OpenPage, Serve
from tests.browser.queue_page import TODAY, at, open_queue, press
from tests.browser.server import Server
from tests.browser.settle import settle

HOSTILE = """# 📋 Pending Suggestions

---

### 2026-08-05 | <b>Web</b> | [<img src=x onerror="window.__ran=1"> :red[Report] $x^2$](https://example.com/1)
- 🏷️ **技術** | 📊 4/6 (A:2 P:1 G:1)
- 📋 建議：read <script>window.__ran=2</script> ![p](https://track.example.net/p.gif) and www.example.net
- 📄 [報告](file:///../../../etc/passwd)

---

### 2026-08-04 | Threads | [Click](javascript:window.__ran=3)
- 🏷️ 心態 | 📊 4/6 (A:1 P:2 G:1)
- 📋 建議：take one note
"""


@pytest.fixture
def queue(serve: Serve, tmp_path: Path) -> Server:
    """A fresh server on forty pending suggestions."""
    return serve(queue_workspace.write(tmp_path / "queue", 40, TODAY))


def test_foreign_markup_is_shown_and_does_nothing(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    """Titles, sources, categories and steps are text: nothing runs, nothing is fetched, nothing odd is a link."""
    data = tmp_path / "hostile" / "data"
    data.mkdir(parents=True)
    (data / "suggestions_pending.md").write_text(HOSTILE, "utf-8")
    server = serve(data.parent)
    page = open_queue(open_page, server)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    at(page, '<img src=x onerror="window.__ran=1"> :red[Report] $x^2$')
    expect(
        page.get_by_text("read <script>window.__ran=2</script> ![p](https://track.example.net/p.gif)").first
    ).to_be_visible()
    page.get_by_text("As it stands in the file").click()
    press(page, "j")
    at(page, "Click")
    assert page.locator("a[href^='javascript:']").count() == 0
    press(page, "k", "a")
    assert page.evaluate("window.__ran") is None
    assert [url for url in asked if not url.startswith((server.url, "data:", "blob:", "ws"))] == []


def test_damaged_file_is_named_and_the_rest_works(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    """A broken entry has its line and reason; a file that stops being UTF-8 is shown and refuses to be written."""
    root = queue_workspace.write(tmp_path / "queue", 4, TODAY)
    file = root / "data" / "suggestions_pending.md"
    file.write_bytes(file.read_bytes() + b"\n---\n\n### no date here\n- \xf0\x9f\x93\x8b x\n" + b"\xff\xfe broken\n")
    server = serve(root)
    page = open_queue(open_page, server)
    page.get_by_text(re.compile("problems? in the files")).click()
    expect(page.get_by_text("data/suggestions_pending.md:").first).to_be_visible()
    before = (server.workspace / "data" / "suggestions_pending.md").read_bytes()
    press(page, "a")
    expect(page.get_by_role("alert").filter(has_text="suggestions_pending.md")).to_be_visible()
    assert (server.workspace / "data" / "suggestions_pending.md").read_bytes() == before


def test_empty_workspace_says_what_would_fill_it(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    server = serve(tmp_path / "bare")
    page = open_queue(open_page, server)
    expect(page.get_by_text("No suggestion waits")).to_be_visible()
    expect(page.get_by_text("data/suggestions_pending.md")).to_be_visible()
    assert list(server.workspace.iterdir()) == [], "looking writes nothing"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 1000)])
def test_axe(queue: Server, open_page: OpenPage, scheme: str, width: int) -> None:
    page = open_queue(open_page, queue, scheme=scheme, width=width)
    assert axe(page) == []
    press(page, "x")
    assert axe(page) == []
    for tab in ("Reviewed", "Filtered"):
        page.get_by_role("radio", name=re.compile(tab)).click()
        settle(page)
        assert axe(page) == []
