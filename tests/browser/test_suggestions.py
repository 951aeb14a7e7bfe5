"""The suggestions page in Chromium: the whole queue by keyboard, two reviewers, a pipeline that writes meanwhile."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.people import local_person
from core.suggestions import review
from core.workspace import Workspace
from tests.browser import queue_workspace
from tests.browser.conftest import OpenPage, Serve
from tests.browser.queue_page import TODAY, at, open_queue, pending, press, reviewed
from tests.browser.server import Server
from tests.browser.settle import settle

# A page that does not look whether its files changed: what every page is between two looks.
BLIND = "const every = window.setInterval; window.setInterval = (f, ms, ...a) => ms === 2000 ? 0 : every(f, ms, ...a);"


@pytest.fixture
def queue(serve: Serve, tmp_path: Path) -> Server:
    """A fresh server on forty pending suggestions."""
    return serve(queue_workspace.write(tmp_path / "queue", 40, TODAY))


def test_the_whole_job_by_keyboard(queue: Server, open_page: OpenPage) -> None:
    """Accept, reject with a comment, look, step back, undo, search: files and log say the same as the screen."""
    page = open_queue(open_page, queue)
    first, second, third = (entry.title for entry in pending(queue)[:3])
    at(page, first)
    press(page, "a")
    at(page, second)
    page.keyboard.press("c")
    expect(page.get_by_label("Comment")).to_be_focused()
    page.keyboard.type("we have this, are there any others?")  # letters and ? are text here, not keys
    page.keyboard.press("Escape")
    settle(page)
    press(page, "r")
    at(page, third)
    press(page, "j", "j", "k")
    at(page, pending(queue)[1].title)
    last = reviewed(queue)[-2:]
    assert [(entry.title, entry.decision, entry.comment) for entry in last] == [
        (first, "accept", ""),
        (second, "reject", "we have this, are there any others?"),
    ]
    press(page, "u")
    at(page, second)
    assert second in [entry.title for entry in pending(queue)]
    expect(page.get_by_text("1 decided today · 39 left")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("週報 6")
    expect(page.get_by_role("navigation", name="Pending suggestions").get_by_role("button")).to_have_count(1)
    log = [(one.action, one.reviewer) for one in review.open_log(Workspace.open(queue.workspace)).records()]
    assert log == [("accept", "Ann"), ("reject", "Ann"), ("undo", "Ann")]


def test_a_burst_of_keys_loses_none_and_decides_nothing_twice(queue: Server, open_page: OpenPage) -> None:
    """Ten steps are ten steps; hammering one key on one item decides it once and its neighbours only when seen."""
    page = open_queue(open_page, queue)
    for _ in range(10):
        page.keyboard.press("j")
    settle(page)
    at(page, pending(queue)[10].title)
    before, after = len(reviewed(queue)), pending(queue)[11].title
    page.evaluate("() => { for (let i = 0; i < 5; i++) document.body.dispatchEvent("
                  "new KeyboardEvent('keydown', {key: 'a', bubbles: true, composed: true})); }")  # fmt: skip
    at(page, after)
    settle(page)
    assert len(reviewed(queue)) == before + 1
    assert len(pending(queue)) == 39


def test_every_key_is_a_button(queue: Server, open_page: OpenPage) -> None:
    page = open_queue(open_page, queue)
    first, second = (entry.title for entry in pending(queue)[:2])
    card = page.locator(".st-key-suggestion_card")
    card.get_by_role("button", name="Next").click()
    settle(page)
    at(page, second)
    card.get_by_role("button", name="Previous").click()
    settle(page)
    page.get_by_label("Comment").fill("by mouse")
    card.get_by_role("button", name="Reject").click()
    settle(page)
    at(page, second)
    assert (reviewed(queue)[-1].title, reviewed(queue)[-1].comment) == (first, "by mouse")
    card.get_by_role("button", name="Undo").click()
    settle(page)
    at(page, first)
    card.get_by_role("button", name="Accept").click()
    at(page, second)
    assert reviewed(queue)[-1].decision == "accept"


def test_many_at_once_and_back(queue: Server, open_page: OpenPage) -> None:
    """Tick some, reject them with one comment, take all back with one key: the file is as before, byte for byte."""
    page = open_queue(open_page, queue)
    file = queue.workspace / "data" / "suggestions_pending.md"
    raw = file.read_bytes()
    titles = [entry.title for entry in pending(queue)[:3]]
    press(page, "x")
    for one in titles:
        page.get_by_role("checkbox", name=f"Select {one}", exact=True).check()
        settle(page)
    expect(page.get_by_text("3 selected")).to_be_visible()
    page.get_by_label("Comment for all selected").fill("not this quarter")
    page.locator(".st-key-suggestions_bulk").get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Pending 37")).to_be_visible()
    assert [(one.title, one.comment) for one in reviewed(queue)[-3:]] == [(one, "not this quarter") for one in titles]
    press(page, "u")
    expect(page.get_by_text("0 decided today · 40 left")).to_be_visible()
    assert file.read_bytes() == raw


def test_second_reviewer_is_told_who_and_what(queue: Server, open_page: OpenPage) -> None:
    """Bo decides while Ann has the item open: Ann's key writes nothing and she reads who and what."""
    ann, bo = open_queue(open_page, queue, script=BLIND), open_queue(open_page, queue, name="Bo")
    first, second = (entry.title for entry in pending(queue)[:2])
    press(bo, "r")
    at(bo, second)
    at(ann, first)
    ann.locator(".st-key-suggestion_card").get_by_role("button", name="Accept").click()
    settle(ann)
    alert = ann.get_by_role("alert").filter(has_text="Bo")
    expect(alert).to_contain_text("rejected")
    expect(alert).to_contain_text(first)
    at(ann, second)
    assert [entry.title for entry in reviewed(queue)].count(first) == 1


def test_an_agent_writes_meanwhile(queue: Server, open_page: OpenPage) -> None:
    """A new entry shows within five seconds; place, search field and half-written comment stay."""
    page = open_queue(open_page, queue)
    press(page, "j", "j")
    here = pending(queue)[2].title
    at(page, here)
    page.keyboard.press("c")
    page.keyboard.type("half a comm")
    file = queue.workspace / "data" / "suggestions_pending.md"
    head, rest = file.read_text("utf-8").split("\n", 1)
    new = queue_workspace.entry(990, TODAY)
    replaced = file.with_suffix(".tmp")
    replaced.write_text(f"{head}\n{new}{rest}", "utf-8")
    replaced.replace(file)
    expect(page.get_by_text("Pending 41")).to_be_visible(timeout=5000)
    settle(page)
    expect(page.get_by_role("button", name=re.compile("990"))).to_be_visible()
    at(page, here)
    expect(page.get_by_label("Comment")).to_have_value("half a comm")
    expect(page.get_by_label("Comment")).to_be_focused()


def test_item_taken_by_another_moves_on_and_says_so(queue: Server, open_page: OpenPage) -> None:
    """Somebody at the prompt decides the item on the screen: within five seconds the next one stands there."""
    page = open_queue(open_page, queue)
    first, second = pending(queue)[:2]
    review.decide(
        Workspace.open(queue.workspace), local_person("Cy"), first.id, "accept", now=datetime.now(UTC)
    )  # fmt: skip
    expect(page.get_by_role("alert").filter(has_text="Cy accepted")).to_be_visible(timeout=5000)
    settle(page)
    at(page, second.title)
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("alert").filter(has_text="Cy accepted")).to_have_count(0)


def test_deep_link_on_a_fresh_server_goes_through_the_gate(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    """The very first request is a deep link of a stranger: the question comes first, the item after it."""
    server = serve(queue_workspace.write(tmp_path / "queue", 40, TODAY))
    wanted = pending(server)[30]
    page = open_page(server, f"/suggestions?id={wanted.id}", name="")
    expect(page.get_by_role("heading", name="Who is reviewing?")).to_be_visible()
    assert wanted.title not in page.content()
    page.get_by_label("Your name").fill("Ann")
    page.get_by_role("button", name="Start reviewing").click()
    page.locator(".st-key-suggestion_card").wait_for()
    settle(page)
    at(page, wanted.title)


def test_deep_link_when_the_name_is_known(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    """On a fresh server, too; and a reviewed item opens its own tab."""
    server = serve(queue_workspace.write(tmp_path / "queue", 40, TODAY))
    wanted = reviewed(server)[7]
    page = open_page(server, f"/suggestions?id={wanted.id}")
    at(page, wanted.title)
    expect(page.get_by_role("navigation", name="Reviewed suggestions")).to_be_visible()
    expect(page).to_have_url(re.compile(wanted.id))


def test_deep_link_to_nothing_says_so(queue: Server, open_page: OpenPage) -> None:
    page = open_page(queue, "/suggestions?id=0123456789abcdef")
    expect(page.get_by_text("No suggestion has the address 0123456789abcdef")).to_be_visible()
    expect(page.locator(".st-key-suggestion_card")).to_be_visible()


def test_back_returns_to_the_item_before(queue: Server, open_page: OpenPage) -> None:
    page = open_queue(open_page, queue)
    first, second = (entry.title for entry in pending(queue)[:2])
    press(page, "j")
    at(page, second)
    page.go_back()
    settle(page)
    at(page, first)


def test_filtered_comes_back_to_pending(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    """ "Should not have been filtered" moves it to pending without its reason, and undo puts it back."""
    root = queue_workspace.write(tmp_path / "queue", 3, TODAY)
    kept_out = queue_workspace.entry(500, TODAY).rstrip() + "\n- ❌ Filter: Hard-veto: pgvector\n"
    filtered = root / "data" / "suggestions_filtered.md"
    filtered.write_text(f"# 🚫 Filtered Suggestions\n{kept_out}", "utf-8")
    server = serve(root)
    page = open_queue(open_page, server)
    page.get_by_role("radio", name="Filtered 1").click()
    settle(page)
    expect(page.get_by_text("Hard-veto: pgvector").first).to_be_visible()
    page.get_by_role("button", name="Should not have been filtered").click()
    expect(page.get_by_text("Pending 4")).to_be_visible()
    assert [entry.filtered for entry in pending(server)] == ["", "", "", ""]
    press(page, "u")
    expect(page.get_by_text("Pending 3")).to_be_visible()
    assert (server.workspace / "data" / "suggestions_filtered.md").read_text("utf-8") == filtered.read_text("utf-8")
