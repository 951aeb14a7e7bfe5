"""The deterministic checks: a good pack holds all of them, and each thing that is spoiled is found by its own check."""

import hashlib
import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from core.cli import main
from core.render_fidelity.batch import bare_hash
from core.render_fidelity.check_canvas import read_ratio, within
from core.render_fidelity.standing import read_standing
from core.workspace import Workspace
from tests.core.render_fidelity.build_pack import ORIGINAL, build, picture, save, verdict_file, write

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LENIENT = {"canvas_ratio", "page_size", "declared_px", "pages"}


def standing(root, slug="ppt-good"):
    return read_standing(Workspace.open(root), slug, NOW)


def outcomes(root, slug="ppt-good"):
    return {check.name: check.outcome for check in standing(root, slug).checks}


def spoil(root, check, outcome="fail", *, also=()):
    """Exactly this check says so (and those that must follow from it)."""
    found = {name: said for name, said in outcomes(root).items() if said != "pass"}
    assert found.pop(check) == outcome
    assert set(found) <= set(also)


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def pack(tmp_path):
    return build(tmp_path)


def test_a_good_pack_holds_every_check(tmp_path, pack):
    assert set(outcomes(tmp_path).values()) == {"pass"}
    assert len(outcomes(tmp_path)) == 13
    result = CliRunner().invoke(main, ["render", "check", "ppt-good", "--json", "--workspace", str(tmp_path)])
    data = json.loads(result.stdout)
    assert (result.exit_code, data["problems"]) == (0, [])
    assert data["mapping"] == {"accounted": 3, "mapped": 3, "total": 3, "unexplained": []}
    assert data["pages"][0] == {"number": 1, "id": "cover", "file": "pages/01-cover.png", "state": "ok"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f'  sha256: "{ORIGINAL}"', "  sha256:"),
        (f'  sha256: "{ORIGINAL}"', '  sha256: "abc"'),
        ("reference_mode: exact_document", "reference_mode: exact"),
        (f'  sha256: "{ORIGINAL}"', f'  sha256: "{"cd" * 32}"'),
        ("  page_count: 3", "  page_count: 4"),
    ],
)
def test_original_mode_and_page_count(tmp_path, pack, old, new):
    edit(pack / "meta.yaml", old, new)
    spoil(tmp_path, "reference")


def test_the_page_count_may_stand_in_the_plan_alone(tmp_path, pack):
    edit(pack / "meta.yaml", "  page_count: 3\n", "")
    assert outcomes(tmp_path)["reference"] == "pass"


def test_versions(tmp_path, pack):
    edit(pack / "meta.yaml", 'spec_version: "v1"', 'spec_version: "v2"')
    spoil(tmp_path, "spec_version", also={"manifest_spec_version"})


def test_a_bare_number_in_json_is_compared_as_it_stands(tmp_path, pack):
    tokens = '{"spec_version": 3.10}'
    write(pack / "tokens.json", tokens)
    write(pack / "prompt.md", "spec_version: 3.10\n")
    edit(pack / "meta.yaml", 'spec_version: "v1"', "spec_version: 3.10")
    assert outcomes(tmp_path)["spec_version"] == "pass"


@pytest.mark.parametrize("name", ["tokens.json", "prompt.md"])
def test_a_source_changed_after_the_render_is_stale(tmp_path, pack, name):
    (pack / name).write_text((pack / name).read_text() + " ")
    spoil(tmp_path, "source_hashes")


def test_line_endings_alone_are_said_so_and_stale_all_the_same(tmp_path, pack):
    (pack / "prompt.md").write_bytes((pack / "prompt.md").read_bytes().replace(b"\n", b"\r\n"))
    found = next(check for check in standing(tmp_path).checks if check.name == "source_hashes")
    assert (found.outcome, "line endings only" in found.detail) == ("fail", True)


@pytest.mark.parametrize("value", [None, "", {}])
def test_no_hash_is_unknown_never_fresh(tmp_path, pack, value):
    manifest = json.loads((pack / "render-manifest.json").read_text())
    manifest["source_hash"] = value if value == {} else {"prompt.md": value, "tokens.json": value}
    write(pack / "render-manifest.json", manifest)
    spoil(tmp_path, "source_hashes", "unknown")


def test_part_of_a_hash_is_no_hash(tmp_path, pack):
    manifest = json.loads((pack / "render-manifest.json").read_text())
    digest = hashlib.sha256((pack / "prompt.md").read_bytes()).hexdigest()
    manifest["source_hash"]["prompt.md"] = f"sha256:{digest[:16]}"
    write(pack / "render-manifest.json", manifest)
    spoil(tmp_path, "source_hashes")


def test_pages_order_ids_and_count(tmp_path, pack):
    (pack / "pages/03-chart.png").rename(pack / "pages/04-chart.png")
    spoil(tmp_path, "pages", also=LENIENT)
    (pack / "pages/04-chart.png").rename(pack / "pages/03-graph.png")
    spoil(tmp_path, "pages", also=LENIENT)
    (pack / "pages/03-graph.png").rename(pack / "pages/03-chart.png")
    save(pack / "pages/04-extra.png", picture(4))
    spoil(tmp_path, "pages", also=LENIENT)
    states = {page.id: page.state for page in standing(tmp_path).pack.pages}
    assert states["extra"] == "undeclared"


def test_sizes(tmp_path, pack):
    save(pack / "pages/02-kpi.png", picture(2, size=(1280, 720)))
    spoil(tmp_path, "page_size", also={"declared_px"})


def test_web_pages_share_a_width(tmp_path):
    folder = build(tmp_path, "web-good")
    edit(folder / "meta.yaml", "track: ppt", "track: web")
    save(folder / "pages/02-kpi.png", picture(2, size=(640, 500)))
    assert outcomes(tmp_path, "web-good")["page_size"] == "pass"
    save(folder / "pages/02-kpi.png", picture(2, size=(641, 360)))
    assert outcomes(tmp_path, "web-good")["page_size"] == "fail"


def test_motifs_need_evidence(tmp_path, pack):
    edit(pack / "meta.yaml", "evidence_pages: [1]", "evidence_pages: []")
    spoil(tmp_path, "signatures")


@pytest.mark.parametrize("kind", ["trademark", "Proprietary image", "licensed_font", "slogan", "logo"])
def test_protected_elements_are_never_preserved(tmp_path, pack, kind):
    element = {"element_id": "x", "class": kind, "action": "Preserve"}
    contract = {"reference_sha256": ORIGINAL, "elements": [element]}
    write(tmp_path / "_workspace/b1/transform_contract/ppt-good.json", contract)
    spoil(tmp_path, "protected_assets")


def test_a_merged_plan_is_no_mirror(tmp_path, pack):
    edit(pack / "meta.yaml", "source_pages: [1]", "source_pages: [1, 2]")
    spoil(tmp_path, "mirror_claim")
    edit(pack / "meta.yaml", "compression: identity", "compression: merged")
    assert outcomes(tmp_path)["mirror_claim"] == "pass"
    (pack / "meta.yaml").write_text((pack / "meta.yaml").read_text() + "summary: a 1:1 mirror of the original\n")
    spoil(tmp_path, "mirror_claim")


def plan_in_the_spec_only(root, pack, **change):
    """The mirror plan as the visual spec holds it, none in meta.yaml."""
    text = (pack / "meta.yaml").read_text()
    before, rest = text.split("page_mirror_plan:")
    (pack / "meta.yaml").write_text(before + "signature_motifs:" + rest.split("signature_motifs:")[1])
    rows = [{"pack_page": number, "source_pages": [number]} for number in (1, 2, 3)]
    plan = {"original_pages": 3, "pack_pages": 3, "compression": "identity", "map": rows} | change
    write(root / "_workspace/b1/visual_spec/ppt-good.json", {"page_mirror_plan": plan})


MERGED = [{"pack_page": 1, "source_pages": [1, 2]}]


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"map": MERGED, "not_selected": [{"source_page": 3, "reason": "a divider"}]}, "mirror_claim"),
        ({"compression": "merged", "note": "a 1:1 mirror of the original"}, "mirror_claim"),
        ({"pack_pages": 9}, "pages"),  # meta.yaml lists 3
        ({"original_pages": 4, "compression": "selected"}, "reference"),  # meta.yaml's page_count is 3
    ],
)
def test_a_plan_that_only_the_visual_spec_holds_is_checked_as_well(tmp_path, pack, change, check):
    plan_in_the_spec_only(tmp_path, pack)
    assert set(outcomes(tmp_path).values()) == {"pass"}
    plan_in_the_spec_only(tmp_path, build(tmp_path), **change)
    spoil(tmp_path, check)


def test_the_original_page_count_may_stand_in_the_visual_spec_alone(tmp_path, pack):
    plan_in_the_spec_only(tmp_path, pack)
    edit(pack / "meta.yaml", "  page_count: 3\n", "")
    assert outcomes(tmp_path)["reference"] == "pass"


@pytest.mark.parametrize(
    ("canvas", "meta", "outcome", "said"),
    [
        ({"declared": "A4 portrait", "ratio": "16:9"}, "", "unknown", "A4 portrait"),
        ({"declared": "0:9", "ratio": "16:9"}, "", "unknown", "0:9"),
        ({"ratio": "wide"}, "aspect_ratio: 16:9\n", "unknown", "wide"),
        ("letter", "", "unknown", "letter"),
        (None, "aspect_ratio: tall\n", "unknown", "tall"),
        ({"ratio": "16:9"}, "aspect_ratio: tall\n", "pass", "16:9 (canvas)"),
        ({"declared": None, "ratio": "1.7778"}, "", "pass", "1.7778 (canvas)"),  # |16/9 - 1.7778| < 0.5%
        ({}, "", "pass", "nothing declared"),
    ],
)
def test_the_first_ratio_declared_decides_even_where_it_is_none(tmp_path, pack, canvas, meta, outcome, said):
    manifest = json.loads((pack / "render-manifest.json").read_text())
    write(pack / "render-manifest.json", manifest | {"canvas": canvas})
    (pack / "meta.yaml").write_text((pack / "meta.yaml").read_text() + meta)
    found = next(check for check in standing(tmp_path).checks if check.name == "canvas_ratio")
    assert (found.outcome, said in found.detail) == (outcome, True)


@pytest.mark.parametrize(
    "place", ["pages_src", "pages_src/ppt-good", "transform_contract", "transform_contract/ppt-good.json"]
)
def test_what_a_batch_links_to_outside_of_the_workspace_is_not_read(tmp_path, place):
    root, outside = tmp_path / "work", tmp_path / "outside"
    build(root)
    linked = root / "_workspace/b1" / place
    linked.rename(outside)
    linked.symlink_to(outside)
    found = standing(root)
    assert (found.batch.sources == ()) == place.startswith("pages_src")
    assert (found.batch.contract is None) == place.startswith("transform_contract")
    assert any("through a link" in problem.reason for problem in found.problems)


def test_a_visual_spec_outside_of_the_workspace_is_not_read(tmp_path):
    root = tmp_path / "work"
    plan_in_the_spec_only(root, build(root))
    spec = root / "_workspace/b1/visual_spec/ppt-good.json"
    spec.rename(tmp_path / "spec.json")
    spec.symlink_to(tmp_path / "spec.json")
    assert standing(root).plan is None
    assert any("through a link" in problem.reason for problem in standing(root).problems)


def test_a_batch_may_link_to_a_place_inside_the_workspace(tmp_path, pack):
    linked = tmp_path / "_workspace/b1/pages_src/ppt-good"
    linked.rename(tmp_path / "originals")
    linked.symlink_to(tmp_path / "originals")
    assert len(standing(tmp_path).batch.sources) == 3
    assert set(outcomes(tmp_path).values()) == {"pass"}


def sheet(root, output):
    return CliRunner().invoke(main, ["render", "sheet", "ppt-good", "-o", str(output), "--workspace", str(root)])


def test_a_contact_sheet_writes_nothing_into_the_workspace(tmp_path):
    root = tmp_path / "work"
    build(root)
    assert sheet(root, tmp_path / "sheet.png").exit_code == 0
    assert Image.open(tmp_path / "sheet.png").format == "PNG"
    assert not (root / ".touchstone").exists()
    (root / ".touchstone").write_text("where nothing can be kept")
    assert sheet(root, tmp_path / "again.png").exit_code == 0


def test_a_contact_sheet_that_has_no_place_is_one_line_and_exit_2(tmp_path):
    build(tmp_path)
    for output in (tmp_path, tmp_path / "design-packs/ppt-good/meta.yaml/sheet.png"):
        found = sheet(tmp_path, output)
        assert (found.exit_code, found.stderr.count("\n"), found.stdout) == (2, 1, "")
        assert str(output) in found.stderr


def test_synthesis_never_has_full_depth(tmp_path):
    folder = build(tmp_path, "ppt-style", mode="style_synthesis")
    assert standing(tmp_path, "ppt-style").verdict == "not_applicable"
    edit(folder / "meta.yaml", "source_depth: partial", "source_depth: full")
    assert outcomes(tmp_path, "ppt-style")["synthesis_depth"] == "fail"
    assert standing(tmp_path, "ppt-style").verdict == "reject"


@pytest.mark.parametrize(
    ("retrieved", "outcome"),
    [
        ("2026-10-02T09:00:00Z", "pass"), ("2026-10-02T09:00:00.000001Z", "fail"),
        ("2026-10-02T18:00:00+09:00", "pass"),
        ("2026-10-02", "pass"), ("2026-10-04", "fail"), ("2026-10-02T10:00:00", "unknown"), ("soon", "unknown"),
        ("2027-01-01T00:00:00Z", "unknown"),
    ],
)  # fmt: skip
def test_times(tmp_path, pack, retrieved, outcome):
    edit(pack / "meta.yaml", "2026-10-01T09:00:00Z", retrieved)
    assert outcomes(tmp_path)["retrieved_before_rendered"] == outcome


def test_a_failed_check_rejects_before_any_scoring(tmp_path, pack):
    verdict_file(pack, [4, 4, 3, 3, 3, 4, 4])
    (pack / "tokens.json").write_text("{}")
    found = standing(tmp_path)
    assert found.verdict == "reject"
    assert found.reasons[0].startswith("check failed: spec_version")


def test_a_good_pack_with_good_scores_passes_once_its_cross_check_ran(tmp_path, pack):
    verdict_file(pack, [4, 4, 3, 3, 3, 4, 4])
    found = standing(tmp_path)
    assert (found.verdict, found.batch_first) == ("needs_review", True)
    verdict_file(pack, [4, 4, 3, 3, 3, 4, 4], cross_check={"verifier": "gpt-5.6-sol", "total": 24})
    assert standing(tmp_path).verdict == "pass"


def test_scores_of_an_older_render_are_void(tmp_path, pack):
    verdict_file(pack, [4, 4, 3, 3, 3, 4, 4], cross_check={"verifier": "gpt-5.6-sol", "total": 24})
    save(pack / "pages/02-kpi.png", picture(2, "47.2%"))
    found = standing(tmp_path)
    assert (found.verdict, found.reasons[0]) == (
        "needs_review", "the scores belong to an older render: page 2 changed since",
    )  # fmt: skip


def test_scores_of_another_original_are_void(tmp_path, pack):
    good = {"verifier": "gpt-5.6-sol", "total": 24}
    verdict_file(pack, [4, 4, 3, 3, 3, 4, 4], cross_check=good, source_sha256="cd" * 32)
    assert "the original changed since" in standing(tmp_path).reasons[0]


def test_of_several_files_the_current_render_counts_then_the_latest(tmp_path, pack):
    old = {"1": "00" * 32}
    verdict_file(pack, [4] * 7, batch="b3", render_hashes=old, scored_at="2026-10-09T00:00:00Z")
    verdict_file(pack, [4] * 7, batch="b2", scored_at="2026-10-05T00:00:00Z")
    verdict_file(pack, [3] * 7, batch="b1", scored_at="2026-10-05T08:59:59+09:00")
    verdict_file(pack, [2] * 7, batch="b4", scored_at="2027-10-05T00:00:00Z")  # clock skew: never the latest
    assert standing(tmp_path).file.batch == "b2"


def test_a_file_with_another_slug_inside_belongs_to_no_pack(tmp_path, pack):
    verdict_file(pack, [4] * 7, slug="ppt-other")
    found = standing(tmp_path)
    assert found.judged is None
    assert any("belongs to no pack until a person decides" in problem.reason for problem in found.problems)


def test_an_unreadable_meta_does_not_hide_the_pages(tmp_path, pack):
    (pack / "meta.yaml").write_text("slug: a\nslug: b\n")
    found = standing(tmp_path)
    assert [page.state for page in found.pack.pages] == ["ok"] * 3
    assert any(problem.line == 2 for problem in found.problems)
    assert found.verdict == "reject"


def test_the_prompt_is_in_no_value_that_is_read(tmp_path, pack):
    verdict_file(pack, [4] * 7)
    assert "SECRET REASONING" in (pack / "prompt.md").read_text()
    assert "SECRET" not in repr(standing(tmp_path))


def test_a_mapping_row_without_reason_explains_nothing(tmp_path, pack):
    text = (pack / "meta.yaml").read_text().replace("    - { pack_page: 3, source_pages: [3] }\n", "")
    (pack / "meta.yaml").write_text(text.replace("compression: identity", "compression: selected"))
    assert standing(tmp_path).mapping.unexplained == (3,)


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_half_a_percent_in_integers_equals_the_exact_rule(width, height):
    exact = abs(width * 9 * 200 - height * 16 * 200) <= height * 16
    assert within(width, height, read_ratio("16:9")) == exact


@pytest.mark.parametrize("value", ["16:9", "2560x1440", [16, 9], {"w": 2560, "h": 1440}, "16 × 9", [2560, 1440]])
def test_ratios_as_written(value):
    assert within(2560, 1440, read_ratio(value))


@pytest.mark.parametrize("value", ["", "wide", "16:0", None, True, [16], {}, "0:9"])
def test_what_is_no_ratio(value):
    assert read_ratio(value) is None


def test_hashes_are_whole():
    assert bare_hash("SHA256:" + "AB" * 32) == bare_hash("ab" * 32) == "ab" * 32
    assert bare_hash("ab" * 31) is bare_hash(None) is bare_hash("zz" * 32) is None


def test_a_link_in_the_pages_folder_is_refused(tmp_path, pack):
    (tmp_path / "secret.png").write_bytes(b"x")
    (pack / "pages/02-kpi.png").unlink()
    (pack / "pages/02-kpi.png").symlink_to(tmp_path / "secret.png")
    states = {page.id: page.state for page in standing(tmp_path).pack.pages}
    assert states == {"cover": "ok", "kpi": "refused", "chart": "ok"}
    assert Image.open(pack / "pages/01-cover.png").size == (640, 360)
