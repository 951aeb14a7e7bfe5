"""The frame in a real browser: the gate on a fresh server, headers, keys, themes, nothing loaded from outside."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.axe import axe
from tests.browser.conftest import OpenPage, Serve
from tests.browser.server import Server
from tests.browser.settle import settle

VIEWS = [
    "Overview", "Needs human", "Report loop", "Suggestions", "Grader", "Text fidelity", "Render fidelity", "Log",
]  # fmt: skip


@pytest.fixture(scope="module")
def empty(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Server:
    return serve(tmp_path_factory.mktemp("empty"))


def test_name_is_asked_once(empty: Server, open_page: OpenPage) -> None:
    """Nobody sees a page before they said who they are; the browser remembers it."""
    page = open_page(empty, "/", name="")
    expect(page.get_by_role("heading", name="Who is reviewing?")).to_be_visible()
    expect(page.get_by_role("heading", name="Overview")).to_have_count(0)
    page.get_by_label("Your name").fill("Ann <b>")
    page.get_by_role("button", name="Start reviewing").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    settle(page)
    page.reload()
    expect(page.get_by_text("reviewing as Ann <b>")).to_be_visible()


def test_security_headers(empty: Server, open_page: OpenPage) -> None:
    """Every answer carries the policy, and the app works under it without a refused request."""
    page = open_page(empty, "/", wait=False)
    refused: list[str] = []
    foreign: list[str] = []
    page.on("console", lambda line: refused.append(line.text) if "Content Security Policy" in line.text else None)
    page.on(
        "request",
        lambda one: foreign.append(one.url) if not one.url.startswith((empty.url, "data:", "blob:", "ws")) else None,
    )
    answer = page.goto(empty.url + "/")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "unsafe-eval" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    page.get_by_role("heading", level=1).wait_for()
    settle(page)
    assert refused == []
    assert foreign == []


def test_every_view_works_under_the_policy(demo_server: Server, open_page: OpenPage) -> None:
    """Each page of the demo opens from the navigation; nothing is refused, nothing asked of another machine."""
    page = open_page(demo_server)
    troubles: list[str] = []
    page.on("console", lambda line: troubles.append(line.text) if "Content Security Policy" in line.text else None)
    own = (demo_server.url, "data:", "blob:", demo_server.url.replace("http", "ws"))
    page.on("request", lambda one: troubles.append(one.url) if not one.url.startswith(own) else None)
    for name in VIEWS:
        page.get_by_test_id("stSidebarNavItems").get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        settle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
    assert troubles == []


def test_a_deep_link_knows_where_its_server_is(demo_server: Server, open_page: OpenPage) -> None:
    """Left to itself the browser asks at /report_loop/_stcore/health first, in vain, and waits before it asks again."""
    page = open_page(demo_server, "/", wait=False)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url.removeprefix(demo_server.url)))
    page.goto(demo_server.url + "/report_loop")
    page.get_by_role("heading", name="Report loop", exact=True).wait_for()
    settle(page)
    assert [one for one in asked if one.endswith("/_stcore/health")] == ["/_stcore/health"]
    ahead: list[str] = page.evaluate("() => [...document.querySelectorAll('link[rel=modulepreload]')].map(l => l.href)")
    first = page.evaluate("() => window.__streamlit.BACKEND_BASE_URL")
    assert first == demo_server.url + "/"
    assert any("ArrowVegaLiteChart" in one for one in ahead)
    got = {one for one in asked if one.endswith(".js")}
    unused = [one.removeprefix(demo_server.url) for one in ahead if one.removeprefix(demo_server.url) not in got]
    assert unused == [], "every script that is asked for ahead is one that the page needs"


def test_another_host_name_is_refused(empty: Server) -> None:
    """A name that is not ours in the Host header gets no session (DNS rebinding)."""
    import http.client

    port = int(empty.url.rsplit(":", 1)[1])
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    statuses = {}
    for host in ("evil.example", "127.0.0.1"):
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        line.putrequest("GET", "/_stcore/stream", skip_host=True)
        line.putheader("Host", f"{host}:{port}")
        for name, value in upgrade.items():
            line.putheader(name, value)
        line.endheaders()
        statuses[host] = line.getresponse().status
        line.close()
    assert statuses == {"evil.example": 403, "127.0.0.1": 101}


def test_keys_dialog_and_names(empty: Server, open_page: OpenPage) -> None:
    """`?` and the button beside it open the same list of keys."""
    page = open_page(empty)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("undo the last decision")
    settle(page)
    assert axe(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_of_ours(empty: Server, open_page: OpenPage, scheme: str) -> None:
    assert axe(open_page(empty, scheme=scheme)) == []
