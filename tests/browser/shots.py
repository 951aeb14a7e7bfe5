"""Pictures of every page in every state, for docs/shots: `make shots`, or `python -m tests.browser.shots suggestions`.

A page's states stand in `SHOTS`; each names the workspace it is taken on and what is done before the picture.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

from core.people import local_person
from core.suggestions import review, store
from core.triage import inbox
from core.triage.inbox import open_inbox
from core.workspace import Workspace
from data.open_demo import copy_demo
from tests.browser import server as servers
from tests.browser.conftest import chromium
from tests.browser.server import ROOT, Server
from tests.browser.settle import settle

FOLDER = ROOT / "docs" / "shots"
Steps = Callable[[Page, Server], None]


def nothing(_page: Page, _server: Server) -> None:
    """Take the page as it opens."""


@dataclass(frozen=True)
class Shot:
    """One picture: ``name`` is the file, ``place`` the workspace (demo, empty or damaged)."""

    name: str
    path: str
    steps: Steps = nothing
    place: str = "demo"
    scheme: str = "light"
    width: int = 1440
    height: int = 900
    visitor: str = "Ann"


def pressing(*keys: str) -> Steps:
    """Press keys, waiting after each."""

    def steps(page: Page, _server: Server) -> None:
        for key in keys:
            page.keyboard.press(key)
            settle(page)

    return steps


def tab(name: str) -> Steps:
    """Choose a tab of the segmented control that begins with this word."""

    def steps(page: Page, _server: Server) -> None:
        page.get_by_role("radio", name=name).click()
        settle(page)

    return steps


def conflict(page: Page, server: Server) -> None:
    """Bo decides what Ann has open; Ann's page says so by itself."""
    workspace = Workspace.open(server.workspace)
    shown = page.locator(".st-key-suggestion_card h2").inner_text()
    entry = next(one for one in store.of_workspace(workspace, "pending").entries if one.title == shown)
    review.decide(workspace, local_person("Bo"), entry.id, "accept", comment="worth an hour", now=datetime.now(UTC))
    page.get_by_role("alert").filter(has_text="Bo accepted").wait_for()
    settle(page)


def selecting(page: Page, server: Server) -> None:
    """Several are selected."""
    pressing("x")(page, server)
    page.locator(".st-key-suggestions_bulk").get_by_role("button", name="All 6/6").click()
    settle(page)


def problems(page: Page, _server: Server) -> None:
    """The list of what could not be read is open."""
    page.get_by_text("in the files").last.click()
    settle(page)


def gathered(page: Page, _server: Server) -> None:
    """The inbox has appeared."""
    page.get_by_text("gathering the inbox").wait_for(state="detached")
    settle(page)


def inbox_there(page: Page, _server: Server) -> None:
    """The inbox has been read."""
    page.locator(".st-key-triage_stats").wait_for()
    settle(page)


def held(page: Page, server: Server) -> None:
    """Bo holds what Ann has open; Ann's page says so by itself."""
    workspace = Workspace.open(server.workspace)
    shown = str(page.evaluate("() => new URLSearchParams(location.search).get('id')"))
    inbox.claim(workspace, local_person("Bo"), open_inbox(workspace, datetime.now(UTC)).find(shown), datetime.now(UTC))
    page.locator(".st-key-triage_card").get_by_text("claimed by Bo").wait_for()
    settle(page)


SHOTS = [
    Shot("gate", "/suggestions", visitor=""),
    Shot("overview", "/", gathered),
    Shot("overview_dark", "/", gathered, scheme="dark"),
    Shot("overview_narrow", "/", gathered, width=1000),
    Shot("overview_empty", "/", gathered, place="empty"),
    Shot("suggestions", "/suggestions"),
    Shot("suggestions_dark", "/suggestions", pressing("j", "j"), scheme="dark"),
    Shot("suggestions_narrow", "/suggestions", width=1000),
    Shot("suggestions_selecting", "/suggestions", selecting),
    Shot("suggestions_decided", "/suggestions", pressing("a", "r")),
    Shot("suggestions_conflict", "/suggestions", conflict),
    Shot("suggestions_reviewed", "/suggestions", tab("Reviewed")),
    Shot("suggestions_filtered", "/suggestions", tab("Filtered")),
    Shot("suggestions_empty", "/suggestions", place="empty"),
    Shot("suggestions_damaged", "/suggestions", problems, place="damaged"),
    Shot("suggestions_proposals", "/suggestions?tab=proposals"),
    Shot("grader", "/grader"),
    Shot("grader_dark", "/grader?view=compare", scheme="dark"),
    Shot("grader_narrow", "/grader", width=1000),
    Shot("grader_calibration", "/grader?view=calibration"),
    Shot("grader_empty", "/grader", place="empty"),
    Shot("report_loop", "/report_loop?run=2026-11-25-cedar-clinics"),
    Shot("report_loop_dark", "/report_loop?run=2026-11-26-meadow-retail", scheme="dark"),
    Shot("report_loop_narrow", "/report_loop?run=2026-11-25-cedar-clinics&iteration=1", width=1000),
    Shot("report_loop_overclaim", "/report_loop?run=2026-11-29-fjord-seafood"),
    Shot("report_loop_damaged", "/report_loop?run=2026-11-22-oak-publishing"),
    Shot("report_loop_empty", "/report_loop", place="empty"),
    Shot("render", "/render_fidelity?slug=ppt-harbor-results&page=5"),
    Shot("render_change", "/render_fidelity?slug=ppt-harbor-results&page=5", pressing("n")),
    Shot("render_dark", "/render_fidelity?slug=ppt-harbor-results&page=3", scheme="dark"),
    Shot("render_narrow", "/render_fidelity?slug=ppt-lumen-system&page=4", width=1000),
    Shot("render_changes_only", "/render_fidelity?slug=ppt-harbor-results&page=7", pressing("6")),
    Shot("render_full_window", "/render_fidelity?slug=ppt-harbor-results&page=8", pressing("f")),
    Shot("render_check_failed", "/render_fidelity?slug=ppt-vista-annual"),
    Shot("render_empty", "/render_fidelity", place="empty"),
    Shot("keys", "/suggestions", pressing("?")),
    Shot("triage", "/triage", inbox_there),
    Shot("triage_dark", "/triage", pressing("j"), scheme="dark"),
    Shot("triage_narrow", "/triage", inbox_there, width=1000),
    Shot("triage_held", "/triage", held),
    Shot("triage_ended", "/triage", pressing("s", "s")),
    Shot("triage_empty", "/triage", inbox_there, place="empty"),
    Shot("text", "/text_fidelity?eval=evals/onboarding-emails"),
    Shot("text_dark", "/text_fidelity?eval=evals/support-replies&run=72&case=status_note", scheme="dark", height=1200),
    Shot("text_narrow", "/text_fidelity?eval=evals/support-replies", width=1000),
    Shot("text_freeze", "/text_fidelity?eval=evals/release-notes&tab=freeze"),
    Shot("text_trust", "/text_fidelity?eval=evals/support-replies&tab=freeze"),
    Shot("text_runs", "/text_fidelity?eval=evals/support-replies&tab=runs"),
    Shot("text_empty", "/text_fidelity", place="empty"),
    Shot("log", "/log"),
    Shot("log_dark", "/log", scheme="dark"),
    Shot("log_empty", "/log", place="empty"),
]


def workspace_for(place: str, target: Path) -> Path:
    """The demo as of today, a bare folder, or the demo with its pending file cut in the middle of a character."""
    if place == "empty":
        target.mkdir(parents=True)
        return target
    copy_demo(target, datetime.now(UTC).date())
    if place == "damaged":
        pending = Workspace.open(target).suggestions.pending
        head = pending.read_bytes()
        pending.write_bytes(head[: len(head) * 2 // 3] + b"\n\n### half a heading\n- \xe6\x8a")
    return target


def take(browser: Browser, server: Server, shot: Shot) -> None:
    """Open, do the steps, take the picture."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height}, color_scheme=shot.scheme, timezone_id="UTC"
    )  # type: ignore[arg-type]
    if shot.visitor:
        context.add_cookies([{"name": "touchstone_reviewer", "value": quote(shot.visitor), "url": server.url}])
    page = context.new_page()
    page.goto(server.url + shot.path)
    page.get_by_role("heading", level=1).first.wait_for()
    settle(page)
    shot.steps(page, server)
    page.screenshot(path=FOLDER / f"{shot.name}.png")
    context.close()


def main(wanted: list[str]) -> None:
    """Take all pictures, or those whose name begins with one of ``wanted``."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    chosen = [shot for shot in SHOTS if not wanted or shot.name.startswith(tuple(wanted))]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for place in dict.fromkeys(shot.place for shot in chosen):
            root = workspace_for(place, Path(folder) / place / "workspace")
            server = servers.start(root, Path(folder) / f"{place}.log")
            for shot in chosen:
                if shot.place == place:
                    take(browser, server, shot)
                    print(FOLDER / f"{shot.name}.png")
            server.stop()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
