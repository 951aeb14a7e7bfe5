"""The inbox in Chromium: ten items of mixed kinds without the mouse, the log that tells it, undo, accessibility."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.triage import choices
from core.triage.inbox import open_inbox
from core.triage.life import Item
from core.workspace import Workspace
from data.open_demo import copy_demo
from tests.browser.axe import axe
from tests.browser.conftest import OpenPage, Serve
from tests.browser.server import ROOT, Server
from tests.browser.settle import settle
from tests.core.triage import crowd


@pytest.fixture
def demo(serve: Serve, tmp_path: Path) -> Server:
    copy_demo(tmp_path / "demo", datetime.now(UTC).date())
    return serve(tmp_path / "demo")


def waiting(server: Server) -> list[Item]:
    return open_inbox(Workspace.open(server.workspace), datetime.now(UTC)).waiting


def shown(page: Page) -> str:
    """The id of the item in work."""
    return str(page.evaluate("() => new URLSearchParams(location.search).get('id')"))


def go_to(page: Page, item: Item) -> None:
    """Walk down the list with j until it is there; the list goes round at its end."""
    for _ in range(100):
        settle(page, quiet=100)
        if shown(page) == item.finding.id:
            return
        page.keyboard.press("j")
    raise AssertionError(f"{item.finding.summary} was never reached")


def ten_of_mixed_kinds(found: list[Item]) -> list[Item]:
    """As many kinds as there are, then more of them; one of each run and pack, whose decision may end its others."""
    kinds: dict[str, list[Item]] = {}
    for item in found:
        kinds.setdefault(item.finding.kind, []).append(item)
    rounds = [group[number] for number in range(len(found)) for group in kinds.values() if number < len(group)]
    chosen: dict[str, Item] = {}
    for item in rounds:
        chosen.setdefault(about(item), item)
    return sorted(list(chosen.values())[:10], key=found.index)


def about(item: Item) -> str:
    """The run or pack that an item is about; an entry or topic stands for itself."""
    query = dict(parse_qsl(urlsplit(item.finding.link).query))
    return query.get("run") or query.get("slug") or item.finding.id


def test_ten_items_of_mixed_kinds_without_the_mouse(demo: Server, open_page: OpenPage) -> None:
    chosen = ten_of_mixed_kinds(waiting(demo))
    assert len(chosen) == 10
    assert len({item.finding.kind for item in chosen}) >= 5
    page = open_page(demo, "/triage")
    told = []
    for item in chosen:
        go_to(page, item)
        first = choices.of_kind(item.finding.kind)[0]
        note = f"looked at {item.finding.subject[:20]}"
        page.keyboard.press("c")
        page.keyboard.type(note)
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        settle(page)
        page.keyboard.press("a")
        expect(page.get_by_text(f"{first.label}: ").first).to_be_visible()
        settle(page)
        assert page.get_by_role("alert").count() == 0, page.get_by_role("alert").inner_text()
        told.append((item.finding.id, first.decision, note))
    assert exported(demo) == told
    ids = {item.finding.id for item in waiting(demo)}
    assert not ids & {one for one, _, _ in told}


def exported(server: Server) -> list[tuple[str, str, str]]:
    """What `python -m core log export` says was resolved, from both of its formats."""
    command = [sys.executable, "-m", "core", "log", "export", "--workspace", str(server.workspace)]
    run = subprocess.run([*command, "--format", "jsonl"], cwd=ROOT, capture_output=True, text=True, check=True)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    resolved = [one for one in records if one["action"] == "triage.resolve"]
    assert {one["reviewer"] for one in resolved} == {"Ann"}
    effects = [one["payload"]["effect"] for one in resolved if one["payload"]["effect"] is not None]
    assert {one["seq"] for one in records} >= set(effects), "an effect is not in the export"
    assert effects, "no decision was written where it belongs"
    table = subprocess.run([*command, "--format", "csv"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert len(list(csv.DictReader(io.StringIO(table.stdout.removeprefix("\ufeff"))))) == len(records)
    return [(one["subject"], one["payload"]["decision"], one["payload"]["note"]) for one in resolved]


def test_undo_claim_snooze_and_open_by_key(serve: Serve, open_page: OpenPage, tmp_path: Path) -> None:
    workspace = crowd.workspace_of(tmp_path / "small", runs=2, entries=3)
    server = serve(workspace.root)
    page = open_page(server, "/triage")
    first = shown(page)
    card = page.locator(".st-key-triage_card")
    page.keyboard.press("e")
    expect(card.get_by_text("claimed by you")).to_be_visible()
    page.keyboard.press("e")
    expect(card.get_by_text("claimed by you")).to_have_count(0)
    settle(page)
    page.keyboard.press("s")
    expect(page.get_by_text("4 left")).to_be_visible()
    settle(page)
    assert shown(page) != first
    page.keyboard.press("u")
    expect(page.get_by_text("5 left")).to_be_visible()
    settle(page)
    assert shown(page) == first
    page.keyboard.press("o")
    expect(page.get_by_role("heading", name="Report loop", level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Needs human", level=1)).to_be_visible()
    settle(page)
    assert shown(page) == first


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 1000)])
def test_nothing_stands_in_anybodys_way(demo_server: Server, open_page: OpenPage, scheme: str, width: int) -> None:
    """axe finds nothing of ours; at 1000 px nothing is cut off sideways."""
    page = open_page(demo_server, "/triage", scheme=scheme, width=width)
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
