"""The render page in Chromium: look, compare, read every page, pin, score, save, come back."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import axe
from tests.browser.conftest import OpenPage, Serve
from tests.browser.server import DEMO, Server
from tests.browser.settle import settle
from tests.core.render_fidelity.build_pack import build, picture, save
from tests.core.render_fidelity.hostile import pictures

NOTE = "The original says 42.7%"
HARBOR = "/render_fidelity?slug=ppt-harbor-results"


def ready(page: Page, number: int, slug: str = "ppt-harbor-results") -> Locator:
    """The viewer, once both pictures of that page are drawn."""
    viewer = page.locator(".viewer")
    expect(viewer).to_have_attribute("data-ready", f"{slug}:{number}", timeout=20_000)
    return viewer


def places(viewer: Locator) -> tuple[str, str]:
    return str(viewer.get_attribute("data-left")), str(viewer.get_attribute("data-right"))


def alike(one: str, other: str) -> bool:
    """Two places less than half a pixel apart: written with four digits, a tie may fall to either side."""
    pairs = zip(one.split(), other.split(), strict=True)
    return all(abs(float(here) - float(there)) < 2e-4 for here, there in pairs)


# The viewer may be drawn anew meanwhile, so it is looked for each time, inside the component's own tree.
_READ_ON = """(was) => {
  const find = (root, wanted) => root.querySelector(wanted) ??
    [...root.querySelectorAll("*")].map((one) => one.shadowRoot && find(one.shadowRoot, wanted)).find(Boolean);
  const viewer = find(document, ".viewer");
  return viewer?.dataset.ready && `${viewer.dataset.ready} ${viewer.querySelector(".seen")?.innerText}` !== was;
}"""


def read_all(page: Page, viewer: Locator) -> None:
    """Space until no page is unseen, each time waiting for what it brought on the screen to count."""
    said = viewer.locator(".seen")
    for _ in range(400):
        if not viewer.locator("[data-seen=false]").count():
            return
        before = f"{viewer.get_attribute('data-ready')} {said.inner_text()}"
        page.keyboard.press("Space")
        page.wait_for_function(_READ_ON, arg=before)
    raise AssertionError("not every page could be read")


@pytest.fixture(scope="module")
def server(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The demo's packs alone: what the other systems hold is not looked at here."""
    folder = tmp_path_factory.mktemp("packs") / "packs"
    for name in ("design-packs", "_workspace"):
        shutil.copytree(DEMO / name, folder / name)
    return serve(folder)


def look_in_every_way(page: Page, viewer: Locator) -> None:
    """One zoom and pan for both panes, then every view by its key."""
    before = places(viewer)[1]
    page.keyboard.press("+")
    expect(viewer).not_to_have_attribute("data-right", before)
    settle(page)
    left, right = places(viewer)
    assert alike(left, right)
    viewer.locator(".stage").focus()
    page.keyboard.press("ArrowRight")
    expect(viewer).not_to_have_attribute("data-right", right)
    settle(page)
    assert alike(*places(viewer))
    assert not alike(places(viewer)[1], right)
    page.keyboard.press("9")
    expect(viewer.locator(".percent")).to_have_text("100%")
    for key, mode in enumerate(("side", "swipe", "onion", "blink", "difference", "changes", "heat"), 1):
        page.keyboard.press(str(key))
        expect(viewer).to_have_attribute("data-mode", mode)
        expect(viewer.locator(f"button[data-mode={mode}]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("4")  # blink says which side is on the screen
    expect(viewer.locator("p.side")).to_have_text("Original")
    expect(viewer.locator("p.side")).to_have_text("Render")
    page.keyboard.press("1")


def pin_the_changed_number(page: Page, viewer: Locator) -> None:
    """Page 5 has a changed number: the first change; a note is pinned to it without the mouse."""
    for number in range(2, 6):
        page.keyboard.press("j")
        ready(page, number)
    expect(viewer).to_have_attribute("data-ordered", "1", timeout=30_000)
    page.keyboard.press("n")
    expect(viewer.locator(".aid")).to_contain_text(re.compile(r"change 1 of \d+ at 38\d, 36\d"))
    page.keyboard.press("t")
    page.keyboard.type(NOTE)
    page.keyboard.press("Control+Enter")
    expect(viewer.locator(".b .marks .note")).not_to_have_count(0)
    expect(page.get_by_text(NOTE)).to_be_visible()


def score_and_save(page: Page, deliverable: Path) -> None:
    """Seven digits and one s; the file holds it all."""
    for score in "4433344":
        page.keyboard.press(f"Shift+Digit{score}")
    settle(page)
    expect(page.get_by_role("button", name="F5 hierarchy: 3")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("total 25 of 28", exact=True)).to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_text("Scores saved")).to_be_visible()
    settle(page)
    made = json.loads(deliverable.read_text())
    assert (made["total"], made["reviewer"], made["pages_reviewed"]) == (25, "Ann", list(range(1, 11)))
    assert (made["repair_requests"][-1]["text"], made["repair_requests"][-1]["page"]) == (NOTE, 5)


def test_from_the_first_look_to_the_saved_file_and_back(server: Server, open_page: OpenPage) -> None:
    page = open_page(server, HARBOR)
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.reload()
    viewer = ready(page, 1)
    look_in_every_way(page, viewer)
    pin_the_changed_number(page, viewer)
    expect(page.get_by_role("button", name="Pass a")).to_be_disabled()
    page.keyboard.press("f")
    page.keyboard.press("3")
    read_all(page, viewer)
    page.keyboard.press("Escape")
    settle(page)
    expect(page.get_by_text("10 of 10 pages seen")).to_be_visible()
    score_and_save(page, server.workspace / "_workspace/2026-11-redesign/fidelity_qa/ppt-harbor-results.json")

    page.reload()
    viewer = ready(page, int(re.findall(r"page=(\d+)", page.url)[0]))
    expect(page.get_by_text("10 of 10 pages seen")).to_be_visible()
    expect(page.get_by_role("button", name="F5 hierarchy: 3")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text(NOTE)).to_be_visible()
    expect(viewer.locator("[data-seen=true]")).to_have_count(10)

    render = next((server.workspace / "design-packs/ppt-harbor-results/pages").glob("02-*"))
    save(render, picture(2, "repaired", (2560, 1440)))
    expect(page.get_by_text("9 of 10 pages seen")).to_be_visible(timeout=20_000)
    expect(viewer.locator('[data-page="2"]')).to_have_attribute("data-seen", "false")
    expect(page.get_by_text("the scores belong to an older render: page 2 changed since").first).to_be_visible()
    ours = (server.url, server.url.replace("http", "ws"), "blob:", "data:")
    assert [url for url in asked if not url.startswith(ours)] == []


def test_panes_move_together_and_an_offset_is_kept(server: Server, open_page: OpenPage) -> None:
    page = open_page(server, f"{HARBOR}&page=8")
    viewer = ready(page, 8)
    expect(viewer.locator(".aid")).to_contain_text("the render lies 6, 3 px off", timeout=30_000)
    page.keyboard.press("o")  # the shift that was found
    expect(viewer.locator("[data-do=offset]")).to_contain_text("Offset 6, 3")
    expect(viewer).not_to_have_attribute("data-left", str(viewer.get_attribute("data-right")))
    settle(page)
    left, right = ([float(value) for value in one.split()] for one in places(viewer))
    assert abs(right[1] - left[1] - 6 / 2560) < 2e-4
    assert abs(right[2] - left[2] - 3 / 2560) < 2e-4
    page.keyboard.press("o")
    expect(viewer.locator("[data-do=offset]")).to_contain_text("Offset")
    box = viewer.locator(".pane.a").bounding_box()
    assert box is not None
    page.keyboard.press("9")
    before = places(viewer)
    page.mouse.move(box["x"] + 200, box["y"] + 150)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 100, steps=4)
    page.mouse.up()
    expect(viewer).not_to_have_attribute("data-right", before[1])
    settle(page)
    assert alike(*places(viewer))


def test_zoom_and_mode_survive_the_page_and_a_rerun(server: Server, open_page: OpenPage) -> None:
    page = open_page(server, f"{HARBOR}&page=4")
    viewer = ready(page, 4)
    page.keyboard.press("9")
    page.keyboard.press("2")
    settle(page)
    there = places(viewer)[1]
    page.keyboard.press("j")
    ready(page, 5)
    settle(page)
    assert alike(places(viewer)[1], there)
    assert viewer.get_attribute("data-mode") == "swipe"
    page.keyboard.press("Shift+Digit4")
    settle(page)
    assert alike(places(viewer)[1], there)
    page.go_back()
    ready(page, 4)


def test_merged_originals_are_picked_from_a_strip(server: Server, open_page: OpenPage) -> None:
    page = open_page(server, f"{HARBOR}&page=3")
    viewer = ready(page, 3)
    expect(viewer.locator(".captions .left")).to_have_text("Original · page 3 of 12 · 1 of 2 merged")
    page.keyboard.press("m")
    expect(viewer.locator(".captions .left")).to_have_text("Original · page 4 of 12 · 2 of 2 merged")
    viewer.get_by_role("button", name="Original page 3").click()
    expect(viewer.locator(".captions .left")).to_have_text("Original · page 3 of 12 · 1 of 2 merged")
    expect(viewer.locator(".unmapped")).to_contain_text("a divider without content")


def test_the_wheel_does_not_trap_the_page(server: Server, open_page: OpenPage) -> None:
    page = open_page(server, f"{HARBOR}&page=1")
    viewer = ready(page, 1)
    box = viewer.locator(".pane.b").bounding_box()
    assert box is not None
    before = places(viewer)
    settle(page)  # there is nothing to scroll to before what stands below the viewer has come
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    for _ in range(4):  # as a trackpad tells it: one after the other
        page.mouse.wheel(0, 50)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop === 200")
    assert places(viewer) == before
    page.mouse.wheel(0, -400)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop === 0")
    page.mouse.click(box["x"] + 100, box["y"] + 100)  # in the viewer now: the wheel zooms
    settle(page)
    page.mouse.wheel(0, -200)
    expect(viewer).not_to_have_attribute("data-right", before[1])


def test_a_failed_check_locks_the_axes(server: Server, open_page: OpenPage) -> None:
    page = open_page(server, "/render_fidelity?slug=ppt-vista-annual")
    ready(page, 1, "ppt-vista-annual")
    expect(page.get_by_role("alert").filter(has_text="manifest_spec_version")).to_contain_text(
        "the render is for v3-2026-11-09"
    )
    expect(page.get_by_role("button", name="F1 contract: 4")).to_be_disabled()
    expect(page.get_by_role("button", name="Save s")).to_be_disabled()


def test_a_synthesis_has_no_axes(server: Server, open_page: OpenPage) -> None:
    page = open_page(server, "/render_fidelity?slug=web-summit-style")
    ready(page, 1, "web-summit-style")
    expect(page.get_by_text("style_synthesis is not scored for fidelity")).to_be_visible()
    expect(page.get_by_role("button", name="Pass a")).to_have_count(0)


@pytest.fixture(scope="module")
def hostile(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Server:
    root: Path = tmp_path_factory.mktemp("hostile") / "hostile"
    folder = build(root)
    (folder / "pages/02-kpi.png").write_bytes(pictures()["60,000×60,000 header"][0])
    (folder / "pages/03-chart.png").write_bytes(pictures()["bomb within the limit"][0])
    (root / "_workspace/b1/pages_src/ppt-good/01.png").write_bytes(b"<html>not found</html>")
    return serve(root)


def test_hostile_pictures_are_an_error_on_their_page_alone(hostile: Server, open_page: OpenPage) -> None:
    page = open_page(hostile, "/render_fidelity?slug=ppt-good")
    viewer = ready(page, 1, "ppt-good")
    expect(viewer.locator(".a .failed")).to_contain_text("not a PNG, JPEG or WebP picture")
    expect(viewer.locator(".b .failed")).to_be_hidden()
    page.keyboard.press("j")
    viewer = ready(page, 2, "ppt-good")
    expect(viewer.locator(".b .failed")).to_contain_text("over the limit of 25 megapixels")
    page.keyboard.press("j")
    viewer = ready(page, 3, "ppt-good")
    expect(viewer.locator(".aid")).to_contain_text("damaged picture", timeout=30_000)
    page.keyboard.press("9")
    settle(page)
    expect(page.get_by_text("0 of 3 pages seen")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 1000)])
def test_axe_finds_nothing_of_ours(server: Server, open_page: OpenPage, scheme: str, width: int) -> None:
    page = open_page(server, f"{HARBOR}&page=3", scheme=scheme, width=width)
    ready(page, 3)
    settle(page)
    assert axe(page) == []
