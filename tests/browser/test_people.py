"""Sign-in with a real (local) OpenID Connect provider: reviewer, looker, stranger, expired, out again."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from core.decisions import open_log
from core.triage.inbox import open_inbox
from core.workspace import Workspace
from tests.browser import identity
from tests.browser import server as servers
from tests.browser.server import DEMO, ROOT, Server
from tests.browser.settle import settle

PEOPLE = """
[people]
administrators = ["Ada@example.org"]
reviewers = ["rev@example.org"]
lookers = ["look@example.org"]
"""
VIEWS = [path.parent.name for path in sorted((ROOT / "pages").glob("*/page.py"))]


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = servers.free_port()
    log = tmp_path_factory.mktemp("idp") / "idp.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.identity", str(port)], cwd=ROOT, stdout=sink, stderr=sink
        )
    address = f"http://127.0.0.1:{port}"
    servers.wait_until_up(Server(address, log, process, log), path="/.well-known/openid-configuration")
    yield address
    process.terminate()
    process.wait(timeout=15)


@pytest.fixture(scope="module")
def team(issuer: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app on a copy of the demo, for the people of touchstone.toml."""
    place = tmp_path_factory.mktemp("team")
    workspace = servers.copy_workspace(DEMO, place / "acme")
    (workspace / "touchstone.toml").write_text(PEOPLE)
    port = servers.free_port()
    secrets = place / "secrets.toml"
    secrets.write_text(f'''[auth]
redirect_uri = "http://127.0.0.1:{port}/oauth2callback"
cookie_secret = "a secret of the tests, thirty-two bytes or more"
client_id = "touchstone"
client_secret = "shared"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
''')
    running = servers.start(
        workspace, place / "server.log", port=port, options=["--secrets.files", str(secrets)],
        env={"TOUCHSTONE_SIGN_IN": "required", "TOUCHSTONE_REVIEWER": "Nobody"},
    )  # fmt: skip
    yield running
    running.stop()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """A browser of its own that has never been here; keeps everything the server sends it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    yield page
    context.close()


def go(page: Page, server: Server, path: str) -> None:
    page.goto(server.url + path)
    page.get_by_role("heading", level=1).first.wait_for()
    settle(page)


def sign_in(page: Page, server: Server, issuer: str, path: str = "/", **claims: object) -> None:
    identity.next_is(issuer, **claims)
    go(page, server, path)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(re.escape(server.url)))
    page.get_by_role("button", name="Sign in").wait_for(state="detached")
    settle(page)


def secrets_of(workspace: Path) -> set[str]:
    """Words that stand in the workspace and nowhere else: none of them may reach a stranger."""
    now = datetime.now(UTC)
    subjects = {item.finding.subject for item in open_inbox(Workspace.open(workspace), now).items}
    return {workspace.name, "Suggestions", "Render fidelity", "Needs human", *subjects}


def test_who_is_signed_out_sees_nothing_by_any_address(team: Server, browser: Browser) -> None:
    """Not on any page, not in what the server sends behind it: no names of views, workspace or findings."""
    context = browser.new_context()
    page, received = context.new_page(), bytearray()

    def keep(data: str | bytes) -> None:
        received.extend(data if isinstance(data, bytes) else data.encode())

    refused: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", keep))
    page.on("response", lambda answer: refused.append(answer.url) if answer.status == 403 else None)
    for view in ["", *VIEWS, "no_such_page"]:
        go(page, team, f"/{view}?id=1&slug=x&run=y&seq=1")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    context.close()
    assert received
    assert refused == []  # the page itself asks for nothing that it may not have
    assert [word for word in secrets_of(team.workspace) if word.encode() in received] == []


def test_a_reviewer_comes_back_to_the_page_that_was_asked_for(team: Server, visitor: Page, issuer: str) -> None:
    item = open_inbox(Workspace.open(team.workspace), datetime.now(UTC)).waiting[-1]
    address = f"/triage?id={item.finding.id}"
    sign_in(visitor, team, issuer, address, email="Rev@Example.org", name="Rev")
    expect(visitor.get_by_role("heading", name="Needs human", level=1)).to_be_visible()
    expect(visitor.locator(".st-key-triage_card h2")).to_have_text(item.finding.summary)
    expect(visitor.get_by_text("reviewing as rev@example.org · reviewer")).to_be_visible()
    visitor.keyboard.press("e")
    expect(visitor.get_by_text("claimed by you")).to_be_visible()
    record = open_log(Workspace.open(team.workspace)).records(action="triage.claim")[-1]
    assert record.reviewer == "rev@example.org"
    visitor.get_by_role("button", name="Sign out").click()
    expect(visitor.get_by_role("heading", name="Sign in")).to_be_visible()
    visitor.reload()
    expect(visitor.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_looker_sees_everything_and_changes_nothing(team: Server, visitor: Page, issuer: str) -> None:
    log = open_log(Workspace.open(team.workspace))
    sign_in(visitor, team, issuer, "/triage", email="look@example.org")
    expect(visitor.get_by_text("looking as look@example.org · looker")).to_be_visible()
    before = log.version()
    decide = visitor.locator(".st-key-triage_decide_0 button").first
    expect(decide).to_be_disabled()
    expect(visitor.locator(".st-key-triage_next button").first).to_be_enabled()
    decide.hover(force=True)
    expect(visitor.get_by_role("tooltip")).to_contain_text("You may look here, and not decide.")
    visitor.keyboard.press("e")
    expect(visitor.get_by_role("alert").filter(has_text="may not decide")).to_be_visible()
    go(visitor, team, "/suggestions")
    visitor.keyboard.press("a")
    expect(visitor.get_by_role("alert").filter(has_text="may not decide")).to_be_visible()
    assert log.version() == before


@pytest.mark.parametrize(
    "claims", [{"email": "mallory@example.org"}, {"email": "rev@example.org", "email_verified": False}, {"name": "Rev"}]
)
def test_a_stranger_is_told_so_and_nothing_else(
    team: Server, visitor: Page, issuer: str, claims: dict[str, object]
) -> None:
    sign_in(visitor, team, issuer, "/suggestions", **claims)
    for view in ["suggestions", "triage", "log"]:
        go(visitor, team, f"/{view}")
        expect(visitor.get_by_role("heading", name="Nothing here for this account")).to_be_visible()
        expect(visitor.get_by_role("link", name="Suggestions")).to_have_count(0)
        said = visitor.content()
        assert [word for word in secrets_of(team.workspace) if word in said] == []


def test_a_sign_in_ends_while_the_page_is_open(team: Server, visitor: Page, issuer: str) -> None:
    """Twelve hours after it was made the page closes by itself, and a press that was on its way decides nothing."""
    made = int(time.time()) - 12 * 3600 + 15
    sign_in(visitor, team, issuer, "/triage", email="rev@example.org", iat=made)
    expect(visitor.get_by_role("heading", name="Needs human", level=1)).to_be_visible()
    expect(visitor.get_by_role("heading", name="Sign in again")).to_be_visible(timeout=25_000)
    expect(visitor.get_by_text("Needs human")).to_have_count(0)
    sign_in_again = visitor.get_by_role("button", name="Sign in")
    identity.next_is(issuer, email="rev@example.org")
    sign_in_again.click()
    expect(visitor.get_by_role("heading", name="Needs human", level=1)).to_be_visible()


def test_who_is_taken_out_of_touchstone_toml_is_out_at_once(team: Server, visitor: Page, issuer: str) -> None:
    settings = team.workspace / "touchstone.toml"
    sign_in(visitor, team, issuer, "/triage", email="ada@example.org")
    expect(visitor.get_by_role("heading", name="Needs human", level=1)).to_be_visible()
    settings.write_text(PEOPLE.replace("Ada@example.org", "other@example.org"))
    try:
        expect(visitor.get_by_role("heading", name="Nothing here for this account")).to_be_visible()
    finally:
        settings.write_text(PEOPLE)


def fetched(url: str, cookies: list[dict[str, str]]) -> int:
    """The status of a plain request with these cookies."""
    sent = "; ".join(f"{one['name']}={one['value']}" for one in cookies)
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Cookie": sent}), timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_pictures_and_downloads_open_for_no_stranger(
    team: Server, browser: Browser, visitor: Page, issuer: str
) -> None:
    """A signed picture address and a download's address, copied from a reviewer, are worth nothing to others."""
    pictures: list[str] = []
    visitor.on("response", lambda got: "/render-image/" in got.url and got.status == 200 and pictures.append(got.url))
    sign_in(visitor, team, issuer, "/render_fidelity", email="look@example.org")
    if not pictures:
        visitor.wait_for_event("response", lambda got: "/render-image/" in got.url)
    mine = visitor.context.cookies()
    other = browser.new_context()
    stranger = other.new_page()
    sign_in(stranger, team, issuer, "/", email="mallory@example.org")
    theirs = other.cookies()
    other.close()
    forged = [{"name": one["name"], "value": one["value"][:-2] + "xx"} for one in mine]
    media = f"{team.url}/media/{'0' * 56}.csv"
    assert [fetched(pictures[0], who) for who in (mine, [], theirs, forged)] == [200, 403, 403, 403]
    assert [fetched(media, who) for who in (mine, [], theirs, forged)] == [404, 403, 403, 403]


def test_a_server_that_requires_sign_in_and_has_none_serves_nobody(browser: Browser, tmp_path: Path) -> None:
    """The container's setting: forgetting the secrets must not open the workspace to whoever types a name."""
    workspace = servers.copy_workspace(DEMO, tmp_path / "acme")
    running = servers.start(workspace, tmp_path / "server.log", env={"TOUCHSTONE_SIGN_IN": "required"})
    page = browser.new_page()
    page.goto(running.url + "/suggestions")
    expect(page.get_by_text("no sign-in is configured")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_count(0)
    page.close()
    running.stop()


def test_the_claims_are_kept_out_of_the_log(team: Server) -> None:
    """What the provider told (names, tokens) is in no record and in no output of the server."""
    records = [json.dumps(record.payload) for record in open_log(Workspace.open(team.workspace)).records()]
    assert not any("id_token" in text or "mallory" in text for text in [*records, team.log()])
