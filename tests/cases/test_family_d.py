"""Family D: packs and verdict files as they went wrong elsewhere, each with its right answer beside it."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.cli import main
from core.files import parse_yaml
from core.render_fidelity.deliverable import slug_ok
from core.render_fidelity.imaging.decode import decode_file
from core.render_fidelity.mapping import coverage, read_plan
from core.render_fidelity.publication import derived_status, fidelity_word, lamps
from core.render_fidelity.verdict import read_word

CASES = Path(__file__).parent


def command(*words, workspace=CASES):
    result = CliRunner().invoke(main, ["render", *map(str, words), "--workspace", str(workspace)])
    return result.exit_code, result.stdout, result.stderr


def verdict(case, name, *words):
    code, out, err = command("verdict", CASES / case / f"{name}.json", "--json", *words)
    assert err == ""
    data = json.loads(out)
    assert (code == 0) == (data["verdict"] == "pass")
    return data


@pytest.fixture
def workspace(tmp_path):
    """``workspace(source, slug)``: a workspace with that folder as a pack."""

    def make(source, slug):
        target = tmp_path / "design-packs" / slug
        shutil.copytree(CASES / source, target)
        return tmp_path

    return make


def check(folder, slug):
    code, out, err = command("check", slug, "--json", workspace=folder)
    assert err == ""
    data = json.loads(out)
    outcomes = {one["name"]: one["outcome"] for one in data["checks"]}
    assert (code == 0) == (set(outcomes.values()) == {"pass"})
    return data, outcomes


@pytest.mark.parametrize(
    ("name", "expected", "total", "reason"),
    [
        ("v1", "pass", 25, "reaches the pass line"),
        ("v2", "needs_human", 23, "inconsistent: the file says total 25, its axes add up to 23"),
        ("v3", "reject", 25, "F4 is 1, below 2"),
        ("v4", "reject", 26, "F3 is 2, below 3"),
        ("v5", "reject", 28, "green facet cover"),
        ("v6", "needs_human", 22, "below the pass line 23, inside the boundary"),
        ("v7", "needs_human", 24, "inside the boundary 22–24"),
    ],
)
def test_d01_totals_are_recomputed_and_every_floor_counts(name, expected, total, reason):
    data = verdict("D-01-total-and-axis-floors", name, "--pages", "10")
    assert (data["verdict"], data["total"], data["maximum"], data["stated_verdict"]) == (expected, total, 28, "pass")
    assert any(reason in text for text in data["reasons"])


@pytest.mark.parametrize(
    ("name", "expected", "total", "maximum"),
    [
        ("h1", "needs_human", 13, 16),
        ("h2", "needs_human", 12, 16),
        ("o1", "needs_human", 20, 24),
        ("o2", "needs_human", 20, 24),
        ("o3", "pass", 23, 24),
        ("o4", "needs_review", None, 24),
        ("s1", "not_applicable", None, 0),
        ("u1", "reject", None, None),
    ],
)
def test_d03_each_mode_has_its_own_line_and_boundary(name, expected, total, maximum):
    data = verdict("D-03-mode-specific-lines", name, "--pages", "10")
    assert (data["verdict"], data["total"], data["maximum"]) == (expected, total, maximum)
    assert not any("F5" in reason for reason in data["reasons"])


@pytest.mark.parametrize(
    ("name", "expected", "reviewed", "left"),
    [
        ("p1", "reject", 9, ["10"]),
        ("p2", "reject", 9, ["8"]),
        ("p3", "needs_review", 0, [str(page) for page in range(1, 11)]),
        ("p4", "reject", 9, ["10"]),
        ("p5", "pass", 10, []),
        ("p6", "needs_review", 2, [str(page) for page in range(3, 11)]),
    ],
)
def test_d05_a_page_in_neither_list_was_not_looked_at(name, expected, reviewed, left):
    data = verdict("D-05-pages-not-looked-at", name, "--pages", "10")
    assert data["verdict"] == expected
    assert data["coverage"] == {"reviewed": reviewed, "pages": 10}
    assert data["pages_not_reviewed"] == left


def test_d07_mapped_or_reasoned_counts_and_mapped_alone_is_shown():
    raw = (CASES / "D-07-mirror-plan-coverage" / "meta.yaml").read_bytes()
    found = coverage(read_plan(parse_yaml(raw, "meta.yaml").value["page_mirror_plan"]))
    assert found.as_dict() == {"accounted": 31, "mapped": 10, "total": 31, "unexplained": []}
    assert found.enough is True


def test_d07_at_the_command_line(workspace):
    data, outcomes = check(workspace("D-07-mirror-plan-coverage", "ppt-mirror"), "ppt-mirror")
    assert data["mapping"] == {"accounted": 31, "mapped": 10, "total": 31, "unexplained": []}
    assert outcomes["mirror_claim"] == "pass"


def test_d09_the_manifest_takes_part_and_versions_are_text(workspace):
    data, outcomes = check(workspace("D-09-version-drift/packA", "ppt-a"), "ppt-a")
    assert (outcomes["spec_version"], outcomes["manifest_spec_version"]) == ("pass", "fail")
    assert [page["id"] for page in data["pages"]] == ["cover"]
    for pack, slug in (("packB", "ppt-b"), ("packC", "ppt-c")):
        data, outcomes = check(workspace(f"D-09-version-drift/{pack}", slug), slug)
        detail = next(one["detail"] for one in data["checks"] if one["name"] == "spec_version")
        assert (outcomes["spec_version"], "quote it" in detail) == ("pass", True)


@pytest.mark.parametrize(
    ("name", "retrieved", "scored"), [("pack1", "pass", "pass"), ("pack2", "pass", "fail"), ("pack3", "fail", "pass")]
)
def test_d11_times_are_instants(tmp_path, name, retrieved, scored):
    given = json.loads((CASES / "D-11-retrieved-rendered-scored-times" / f"{name}.json").read_text())
    pack, qa = tmp_path / "design-packs" / "ppt-t", tmp_path / "_workspace" / "b" / "fidelity_qa"
    pack.mkdir(parents=True)
    qa.mkdir(parents=True)
    (pack / "meta.yaml").write_text(f'slug: ppt-t\nreference:\n  retrieved_at: "{given["retrieved_at"]}"\n')
    (pack / "render-manifest.json").write_text(json.dumps({"rendered_at": given["rendered_at"]}))
    (qa / "ppt-t.json").write_text(json.dumps({"slug": "ppt-t", "scored_at": given["scored_at"]}))
    _, outcomes = check(tmp_path, "ppt-t")
    assert (outcomes["retrieved_before_rendered"], outcomes["rendered_before_scored"]) == (retrieved, scored)
    data = json.loads(command("verdict", qa / "ppt-t.json", "--json", workspace=tmp_path)[1])
    assert any("is about an older render and is void" in reason for reason in data["reasons"]) == (scored == "fail")


@pytest.mark.parametrize(
    ("name", "ratio", "size"),
    [
        ("mixed", "fail", "fail"),
        ("ok_267x150", "pass", "pass"),
        ("edge_268x150", "pass", "pass"),
        ("off_270x150", "fail", "pass"),
    ],
)
def test_d13_half_a_percent_is_exact_and_odd_pages_are_named(workspace, name, ratio, size):
    data, outcomes = check(workspace(f"D-13-page-sizes-ratio-alpha/{name}", "ppt-x"), "ppt-x")
    assert (outcomes["canvas_ratio"], outcomes["page_size"]) == (ratio, size)
    if name == "mixed":
        detail = next(one["detail"] for one in data["checks"] if one["name"] == "page_size")
        assert detail.startswith("4 sizes")
        assert [page for page in range(1, 11) if f"page {page} " in detail] == [6, 7, 8, 9, 10]


def test_d13_alpha_lies_on_white_and_sixteen_bits_are_scaled():
    folder = CASES / "D-13-page-sizes-ratio-alpha" / "alpha" / "pages"
    clear, grey = decode_file(folder / "01-cover.png", "01"), decode_file(folder / "02-toc.png", "02")
    assert clear.image.getpixel((1, 1)) == (255, 255, 255)
    assert clear.header.notes == ("transparent: shown and compared on white",)
    assert grey.image.getextrema() == ((128, 128), (128, 128), (128, 128))
    assert grey.header.notes == ("16-bit grey scaled to 8 bits",)


def test_d15_only_the_packs_own_page_may_be_opened(tmp_path):
    shutil.copytree(CASES / "D-15-manifest-paths" / "packs", tmp_path / "design-packs")
    shutil.copytree(CASES / "D-15-manifest-paths" / "private", tmp_path / "private")
    (tmp_path / "design-packs/ppt-a/pages/link.png").symlink_to(tmp_path / "private" / "plan.png")
    data, outcomes = check(tmp_path, "ppt-a")
    states = {page["id"]: page["state"] for page in data["pages"]}
    refused = ("toc", "kpi", "chart", "bars", "matrix", "flow", "bridge")
    assert states == {"cover": "ok"} | dict.fromkeys(refused, "refused")
    assert outcomes["page_files"] == "fail"
    assert all(page["reason"] for page in data["pages"] if page["state"] == "refused")


@pytest.mark.parametrize("name", ["bad_slug", "dot_slug"])
def test_d15_a_slug_that_is_none_never_becomes_a_file_name(name):
    data = verdict("D-15-manifest-paths/verdicts", name)
    assert (data["verdict"], slug_ok(data["slug"])) == ("reject", False)
    code, _, err = command("check", data["slug"])
    assert code == 2
    assert "is no slug" in err


@pytest.mark.parametrize(
    ("word", "read", "marked"),
    [
        ("pass", "pass", False),
        ("PASS", "pass", True),
        ("Pass ", "pass", True),
        ("fail", "reject", True),
        ("needs_human", "needs_human", False),
        ("reject", "reject", False),
        ("needs_review", "needs_review", False),
        ("not_applicable", "not_applicable", False),
        *((word, "needs_review", True) for word in ("escalate", "draft", "unreviewed", "unverifiable")),
        *((word, "needs_review", True) for word in ("evidence_missing", "render_failed", None, True)),
    ],
)
def test_d17_no_unknown_word_reads_as_pass(word, read, marked):
    found = read_word(word)
    assert (found.word, bool(found.mark)) == (read, marked)
    assert word in json.loads((CASES / "D-17-verdict-words-and-status" / "words.json").read_text())


def test_d17_status_follows_from_the_gates():
    packs = json.loads((CASES / "D-17-verdict-words-and-status" / "packs.json").read_text())
    status = {name: derived_status(pack) for name, pack in packs.items()}
    assert status == {
        "k1": "needs_review", "k2": "pass", "k3": "reject", "k4": "needs_review", "k5": "needs_review", "k6": "pass",
    }  # fmt: skip
    assert fidelity_word(packs["k6"]) == "not_applicable"
    assert lamps(packs["k3"], "pass").published is True  # diversity and fidelity; craft is its own gate
    assert lamps(packs["k1"], "needs_review").published is False


def test_the_cases_are_dated_before_now():
    """Times in the future decide nothing, so the cases would test nothing if they were."""
    assert datetime(2026, 8, 17, tzinfo=UTC) < datetime.now(UTC)
