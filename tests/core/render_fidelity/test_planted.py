"""What was planted in the demo's renders, and what its pages have in common, through the functions the viewer uses."""

import importlib.util
import sys
from pathlib import Path

import pytest

from core import times
from core.render_fidelity.changes import pack_changes, pairs
from core.render_fidelity.imaging.pictures import Pictures
from core.render_fidelity.imaging.recurring import PageRegions, order
from core.render_fidelity.imaging.regions import Region
from core.render_fidelity.standing import read_standing
from core.workspace import Workspace

ROOT = Path(__file__).parents[3]


def planted():
    sys.path.insert(0, str(ROOT / "data" / "generate"))
    place = ROOT / "data" / "generate" / "authored" / "render_fidelity" / "packs.py"
    specification = importlib.util.spec_from_file_location("demo_packs", place)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    sys.path.pop(0)
    return module.PLANTED


PLANTED = planted()


@pytest.fixture(scope="module")
def changes(tmp_path_factory):
    """The ordered changes of every pack that has something planted, computed once."""
    workspace, kept = Workspace.open(ROOT / "data" / "demo"), Pictures(tmp_path_factory.mktemp("kept"))
    found = {}
    for slug in {entry["slug"] for entry in PLANTED}:
        standing = read_standing(workspace, slug, times.now())
        found[slug] = pack_changes(list(pairs(standing.pack, standing.batch, standing.plan)), kept)
    return found


def rank(rows, entry):
    """At which press of "next change" the planted difference comes."""

    def hit(row):
        if entry["box"] is None and "same" not in entry:
            return row["what"] == "shift"
        x, y, width, height = entry["box"] or entry["same"]
        wanted = "alike" if entry["box"] is None else "change"
        crosses = (
            row["x"] < x + width
            and x < row["x"] + row["width"]
            and row["y"] < y + height
            and y < row["y"] + row["height"]
        )
        return row["what"] == wanted and crosses

    return next((place for place, row in enumerate(rows, 1) if hit(row)), None)


@pytest.mark.parametrize("entry", PLANTED, ids=[f"{entry['slug']} {entry['what']}" for entry in PLANTED])
def test_each_planted_difference_is_the_first_or_second_change(changes, entry):
    found = changes[entry["slug"]]
    assert found["problems"] == []
    place = rank(found["pages"][str(entry["page"])][str(entry["source"])], entry)
    assert place is not None
    assert place <= 2


def region(x, weight, what="change"):
    return Region(x, 100, 80, 40, 0.5, 50.0, 0.5, weight, what)


def pages(**regions):
    busy = frozenset((column, row) for column in range(40) for row in range(20))
    return {int(name[1:]): PageRegions(list(rows), busy, 64) for name, rows in regions.items()}


def test_a_substitution_on_every_page_is_looked_at_once():
    found = order(
        pages(p1=[region(900, 50)], p2=[region(905, 50), region(200, 3)], p3=[region(900, 50), region(300, 3)])
    )
    assert [change.region.x for change in found[1]] == [900]
    assert [change.region.x for change in found[2]] == [200, 905]
    assert [change.also for change in found[3]] == [(), (1, 2)]


def test_a_page_that_lacks_what_all_others_have_is_pointed_out():
    rows = {f"p{number}": [region(900, 50)] for number in range(1, 6)}
    found = order(pages(p6=[region(100, 60), region(300, 2)], **rows))
    assert [(change.region.what, change.region.x) for change in found[6]] == [
        ("change", 100), ("alike", 900), ("change", 300),
    ]  # fmt: skip
    assert found[6][1].also == (1, 2, 3, 4, 5)


def test_nothing_is_missed_where_a_page_is_blank():
    rows = {f"p{number}": [region(900, 50)] for number in range(1, 6)}
    all_pages = pages(**rows) | {6: PageRegions([], frozenset(), 64)}
    assert order(all_pages)[6] == []


def test_a_moved_page_stays_first():
    found = order(pages(p1=[region(0, 0, "shift"), region(900, 50)], p2=[region(900, 50)], p3=[region(900, 50)]))
    assert [change.region.what for change in found[1]] == ["shift", "change"]
