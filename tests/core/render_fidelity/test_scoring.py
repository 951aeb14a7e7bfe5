"""From a reviewer's eyes to the file: views, notes, scores, a person's verdict, and taking each of them back."""

import json
import shutil
from datetime import UTC, datetime

import pytest

from core.decisions import open_log
from core.errors import BadInput, Conflict, NotAllowed, Stale
from core.people import Person, local_person
from core.render_fidelity import notes, scoring, views
from core.render_fidelity.draft import Draft, preview
from core.render_fidelity.findings import findings
from core.render_fidelity.recorded import describe
from core.render_fidelity.rubric import AXES
from core.render_fidelity.standing import read_standing
from core.render_fidelity.views import PageKey
from core.workspace import Workspace
from tests.core.render_fidelity.build_pack import build, hashes, picture, save, verdict_file

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN, BO = local_person("Ann"), local_person("Bo")
SLUG = "ppt-good"


@pytest.fixture
def place(tmp_path):
    folder = build(tmp_path)
    workspace = Workspace.open(tmp_path)
    return folder, workspace, open_log(workspace)


def scores(*values):
    return dict(zip(AXES, values, strict=True))


def draft(values=(4, 4, 3, 3, 3, 4, 4), seen=(1, 2, 3), **more):
    return Draft(scores(*values), frozenset(seen), **more)


def standing(workspace):
    return read_standing(workspace, SLUG, NOW)


def written(workspace):
    return json.loads((workspace.root / "_workspace/b1/fidelity_qa" / f"{SLUG}.json").read_text())


def keys(folder):
    return {int(page): PageKey(int(page), digest, ("o",)) for page, digest in hashes(folder).items()}


def test_a_view_counts_for_its_reviewer_and_its_pictures_only(place):
    folder, _, log = place
    now = keys(folder)
    assert views.record_view(log, ANN, SLUG, now[1], now[1], 0.99) is not None
    assert views.record_view(log, ANN, SLUG, now[1], now[1], 1.0) is None
    assert views.seen_pages(log, SLUG, "Ann", now) == {1}
    assert views.seen_pages(log, SLUG, "Bo", now) == frozenset()
    save(folder / "pages/01-cover.png", picture(1, "changed"))
    assert views.seen_pages(log, SLUG, "Ann", keys(folder)) == frozenset()
    other_source = {1: PageKey(1, now[1].render, ("another",))}
    assert views.seen_pages(log, SLUG, "Ann", other_source) == frozenset()


def test_a_glance_or_an_old_picture_is_no_view(place):
    folder, _, log = place
    now = keys(folder)
    with pytest.raises(BadInput, match="only in part"):
        views.record_view(log, ANN, SLUG, now[1], now[1], 0.9)
    with pytest.raises(Stale, match="changed while it was being looked at"):
        views.record_view(log, ANN, SLUG, PageKey(1, "old", ("o",)), now[1], 1.0)
    with pytest.raises(NotAllowed):
        views.record_view(log, Person("Eve", "looker"), SLUG, now[1], now[1], 1.0)
    assert log.records() == []


def note(folder, text="Take it out", kind="repair", page=2):
    return notes.Note(kind, page, (10, 20, 30, 40), text, "F3", hashes(folder)[str(page)])


def test_notes_become_repair_requests_or_invented_elements(place):
    folder, workspace, log = place
    notes.pin(log, ANN, SLUG, note(folder))
    notes.pin(log, BO, SLUG, note(folder, "A ring", "invented"))
    found = tuple(notes.notes(log, SLUG, hashes(folder)))
    scoring.save(log, ANN, SLUG, draft(notes=found), NOW)
    made = written(workspace)
    assert made["repair_requests"] == [{"axis": "F3", "page": 2, "region": [10, 20, 30, 40], "text": "Take it out"}]
    assert made["hallucinated_elements"] == [{"page": 2, "region": [10, 20, 30, 40], "text": "A ring"}]
    scoring.save(log, ANN, SLUG, draft(notes=found), NOW)
    assert len(written(workspace)["repair_requests"]) == 1  # saving again does not double them


def test_a_note_told_twice_is_one_note(place):
    folder, _, log = place
    first = notes.pin(log, ANN, SLUG, note(folder), once="browser:1")
    assert notes.pin(log, ANN, SLUG, note(folder), once="browser:1") == first
    notes.pin(log, ANN, SLUG, note(folder), once="browser:2")
    notes.pin(log, ANN, SLUG, note(folder))
    notes.pin(log, ANN, SLUG, note(folder))
    assert len(notes.notes(log, SLUG, hashes(folder))) == 4


def test_notes_about_an_older_render_are_not_carried_over(place):
    folder, _, log = place
    notes.pin(log, ANN, SLUG, note(folder))
    save(folder / "pages/02-kpi.png", picture(2, "repaired"))
    assert notes.notes(log, SLUG, hashes(folder)) == []


@pytest.mark.parametrize(
    "change", [{"text": "  "}, {"region": (1, 1, 0, 5)}, {"region": (-1, 1, 4, 5)}, {"axis": "F9"}]
)
def test_a_note_needs_words_an_axis_and_a_region(place, change):
    _folder, _, log = place
    values = {"kind": "repair", "page": 2, "region": (1, 2, 3, 4), "text": "x", "axis": "F3", "render": "r"} | change
    with pytest.raises(BadInput):
        notes.pin(log, ANN, SLUG, notes.Note(**values))


def test_saving_writes_the_contracts_keys_and_ours(place):
    _, workspace, log = place
    record = scoring.save(log, ANN, SLUG, draft(), NOW)
    made = written(workspace)
    assert made["total"] == sum(made["axes"].values()) == 25
    assert (made["verdict"], made["adopted_total"]) == ("needs_review", 25)  # the batch's first: a cross-check is due
    assert made["pages_reviewed"] == [1, 2, 3]
    assert made["pages_not_reviewed"] == []
    assert made["reviewer"] == "Ann"
    assert made["scored_at"] == "2026-11-30T12:00:00Z"
    assert made["cross_check"] == {"status": "not_run", "reason": "policy"}
    assert list(made["render_hashes"]) == ["1", "2", "3"]
    assert record.payload["verdict"] == made["verdict"]
    assert standing(workspace).computed == "needs_review"


def test_a_second_verifier_makes_it_a_pass_and_a_pass_can_be_submitted(place):
    _, workspace, log = place
    scoring.save(log, ANN, SLUG, draft(), NOW)
    with pytest.raises(Conflict, match="not a pass but needs_review: a cross-check is due"):
        scoring.save(log, ANN, SLUG, draft(), NOW, as_pass=True)
    scoring.add_second(log, ANN, SLUG, {"verifier": "gpt-5.6-sol", "axes": scores(4, 4, 3, 3, 3, 3, 4)}, NOW)
    assert standing(workspace).verdict == written(workspace)["verdict"] == "pass"
    scoring.save(log, ANN, SLUG, draft(), NOW, as_pass=True)
    assert (written(workspace)["verdict"], written(workspace)["adopted_total"]) == ("pass", 24)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seen": (1, 2)}, "pages not reviewed: 3"),
        ({"values": (4, 4, 3, 3, 3, 4, None)}, "F7 has no score"),
        ({"missing_signatures": ("accent bar",)}, "a signature is missing: accent bar"),
        ({"value_errors": ("42.7 became 47.2",)}, "an error in a number"),
        ({"copied_assets": ("anchor",)}, "a protected asset copied"),
        ({"unverifiable": ("accent bar",)}, "left open: unverifiable"),
    ],
)
def test_a_pass_is_not_to_be_had_otherwise(place, change, reason):
    _, workspace, log = place
    verdict_file(place[0], [4] * 7, cross_check={"verifier": "gpt-5.6-sol", "total": 26})
    assert preview(standing(workspace), draft(), "Ann", NOW).outcome.verdict == "pass"
    with pytest.raises(Conflict, match="not a pass"):
        scoring.save(log, ANN, SLUG, draft(**change), NOW, as_pass=True)
    outcome = preview(standing(workspace), draft(**change), "Ann", NOW).outcome
    assert reason in outcome.reasons[0]


def test_nothing_is_scored_while_a_check_fails(place):
    folder, workspace, log = place
    (folder / "tokens.json").write_text("{}")
    with pytest.raises(Conflict, match="scoring does not start: check spec_version fails"):
        scoring.save(log, ANN, SLUG, draft(), NOW)
    assert not (workspace.root / "_workspace/b1/fidelity_qa").exists()


def test_what_another_writer_put_into_the_file_stays(place):
    folder, workspace, log = place
    old = {"page": 1, "axis": "F4", "region": [0, 0, 5, 5], "text": "from the agent"}
    verdict_file(folder, [4] * 7, custom={"kept": ["as", "it", "is"]}, repair_requests=[old])
    scoring.save(log, ANN, SLUG, draft(), NOW)
    made = written(workspace)
    assert made["custom"] == {"kept": ["as", "it", "is"]}
    assert made["repair_requests"] == [old]


def test_a_repaired_render_keeps_neither_requests_nor_the_second_verifier(place):
    folder, workspace, log = place
    verdict_file(
        folder, [4] * 7, repair_requests=[{"text": "old"}], cross_check={"verifier": "gpt-5.6-sol", "total": 26}
    )
    save(folder / "pages/02-kpi.png", picture(2, "repaired"))
    scoring.save(log, ANN, SLUG, draft(), NOW)
    assert written(workspace)["repair_requests"] == []
    assert written(workspace)["cross_check"]["status"] == "not_run"


def test_a_person_decides_where_the_rules_ask_and_the_scores_stay(place):
    folder, workspace, log = place
    verdict_file(folder, [3, 3, 3, 3, 3, 4, 4], cross_check={"verifier": "gpt-5.6-sol", "total": 24})
    before = written(workspace)
    assert standing(workspace).verdict == "needs_human"
    with pytest.raises(BadInput, match="needs a note"):
        scoring.decide_human(log, ANN, SLUG, "pass", "  ", NOW)
    scoring.decide_human(log, ANN, SLUG, "pass", "Looked at all three.", NOW)
    found, after = standing(workspace), written(workspace)
    assert (found.verdict, found.computed, found.human.reviewer) == ("pass", "needs_human", "Ann")
    assert {key: value for key, value in after.items() if key != "human_verdict"} == before
    save(folder / "pages/01-cover.png", picture(1, "new render"))
    assert standing(workspace).verdict == "needs_review"  # it was given for another render


def test_a_person_does_not_overrule_a_reject(place):
    folder, _, log = place
    verdict_file(folder, [4, 4, 4, 4, 1, 4, 4])
    with pytest.raises(Conflict, match="does not wait for a person: its verdict is reject"):
        scoring.decide_human(log, ANN, SLUG, "pass", "but I like it", NOW)


def test_undo_takes_back_the_last_of_ones_own(place):
    folder, _workspace, log = place
    path = verdict_file(folder, [3, 3, 3, 3, 3, 4, 4], cross_check={"verifier": "gpt-5.6-sol", "total": 24})
    original = path.read_bytes()
    notes.pin(log, ANN, SLUG, note(folder))
    scoring.decide_human(log, ANN, SLUG, "reject", "no", NOW)
    scoring.save(log, ANN, SLUG, draft(), NOW)
    scoring.undo_last(log, ANN, SLUG)
    assert "human_verdict" in json.loads(path.read_text())
    scoring.undo_last(log, ANN, SLUG)
    assert path.read_bytes() == original
    scoring.undo_last(log, ANN, SLUG)
    assert notes.notes(log, SLUG, hashes(folder)) == []
    with pytest.raises(Conflict, match="Ann has decided nothing"):
        scoring.undo_last(log, ANN, SLUG)
    assert log.verify().ok


def test_undo_does_not_overwrite_what_came_after(place):
    folder, _, log = place
    path = verdict_file(folder, [3, 3, 3, 3, 3, 4, 4])
    scoring.save(log, ANN, SLUG, draft(), NOW)
    content = json.loads(path.read_text()) | {"scored_at": "2026-12-01T00:00:00Z"}
    path.write_text(json.dumps(content))
    with pytest.raises(Conflict, match="written again since"):
        scoring.undo_last(log, ANN, SLUG)
    assert json.loads(path.read_text()) == content


def test_a_pack_that_no_batch_holds_gets_one(tmp_path):
    """It is judged as it will lie there: the first pack of its batch, and no contract says what is protected."""
    build(tmp_path)
    shutil.rmtree(tmp_path / "_workspace")
    workspace = Workspace.open(tmp_path)
    log = open_log(workspace)
    with pytest.raises(Conflict, match="not a pass but needs_review: check unknown: protected_assets"):
        scoring.save(log, ANN, SLUG, draft((4,) * 7), NOW, as_pass=True)
    before = preview(standing(workspace), draft((4,) * 7), "Ann", NOW).outcome
    scoring.save(log, ANN, SLUG, draft((4,) * 7), NOW)
    lies = json.loads((tmp_path / "_workspace/review/fidelity_qa" / f"{SLUG}.json").read_text())
    assert (lies["verdict"], lies["batch_first"]) == (before.verdict, True) == ("needs_review", True)
    assert standing(workspace).reasons == before.reasons


SECOND = {"verifier": "gpt-5.6-sol", "axes": scores(4, 4, 4, 4, 4, 4, 4)}


@pytest.mark.parametrize(
    ("file", "verdict", "reason"),
    [
        ({"verdict": "pass", "pages_not_reviewed": [3]}, "reject", "submitted as pass while not every page"),
        ({"verdict": "needs_review"}, "needs_review", "the verifier left it at needs_review"),
        ({"verdict": "pass"}, "pass", "total"),
        ({"verdict": None}, "needs_review", "the verifier left it at needs_review: the verdict is missing"),
        (
            {"verdict": "needs_review", "computed_verdict": "pass", "submitted_verdict": "pass"},  # another tool's word
            "needs_review",
            "the verifier left it at needs_review",
        ),
    ],
)
def test_a_cross_check_keeps_the_word_that_was_submitted(place, file, verdict, reason):
    """Contract, Verdict, rule 4: none of these ever turns into pass, by a second verifier neither."""
    folder, workspace, log = place
    verdict_file(folder, [4] * 7, **file)
    for _ in range(2):  # the second time over what the first has written
        scoring.add_second(log, ANN, SLUG, SECOND, NOW)
        assert standing(workspace).computed == verdict
        assert standing(workspace).reasons[0].startswith(reason)
        kept = written(workspace)
        assert (kept["verdict"], kept["submitted_verdict"]) == (verdict, file["verdict"])


def test_a_computed_word_is_nobodys(place):
    """What waited for a cross-check waits for nothing once another tool has written one."""
    _, workspace, log = place
    scoring.save(log, ANN, SLUG, draft((4,) * 7), NOW)
    assert standing(workspace).reasons[0].startswith("a cross-check is due")
    path = workspace.root / "_workspace/b1/fidelity_qa" / f"{SLUG}.json"
    path.write_text(json.dumps(written(workspace) | {"cross_check": SECOND}))
    assert standing(workspace).computed == "pass"
    path.write_text(json.dumps(written(workspace) | {"verdict": "pass", "pages_not_reviewed": [3]}))
    assert standing(workspace).computed == "reject"  # this word is another tool's


BOUNDARY = {"cross_check": {"verifier": "gpt-5.6-sol", "total": 24}}


@pytest.mark.parametrize(
    "change",
    [{"axes": scores(3, 3, 3, 2, 3, 4, 4), "total": 22}, {"cross_check": {"verifier": "gpt-5.6-sol", "total": 25}}],
)
def test_a_persons_verdict_holds_for_the_scores_it_was_given_on(place, change):
    folder, workspace, log = place
    path = verdict_file(folder, [3, 3, 3, 3, 3, 4, 4], **BOUNDARY)
    scoring.decide_human(log, ANN, SLUG, "pass", "fine", NOW)
    assert standing(workspace).verdict == "pass"
    path.write_text(json.dumps(written(workspace) | change))
    assert (standing(workspace).human, standing(workspace).verdict) == (None, "needs_human")
    scoring.decide_human(log, BO, SLUG, "reject", "not any more", NOW)
    assert standing(workspace).verdict == "reject"


def test_a_persons_verdict_from_before_scores_were_kept_beside_it_holds(place):
    folder, workspace, _ = place
    human = {"verdict": "pass", "note": "n", "reviewer": "Ann", "at": "2026-10-05T00:00:00Z"}
    verdict_file(folder, [3, 3, 3, 3, 3, 4, 4], **BOUNDARY, human_verdict={**human, "render_hashes": hashes(folder)})
    assert standing(workspace).verdict == "pass"


def test_who_comes_second_is_told_who_decided(place):
    folder, workspace, log = place
    verdict_file(folder, [3, 3, 3, 3, 3, 4, 4], **BOUNDARY)
    first = scoring.decide_human(log, ANN, SLUG, "pass", "fine", NOW)
    with pytest.raises(Conflict, match="Ann decided pass, 2026-11-30T12:00:00Z"):
        scoring.decide_human(log, BO, SLUG, "reject", "no", NOW)
    scoring.undo_human(log, ANN, first.seq, NOW)
    scoring.decide_human(log, BO, SLUG, "reject", "no", NOW)
    with pytest.raises(Conflict):
        scoring.undo_human(log, ANN, first.seq, NOW)
    assert standing(workspace).human.reviewer == "Bo"


def test_undo_after_a_foreign_edit_puts_back_the_verdict_that_stood_before(place):
    folder, workspace, log = place
    old = {"verdict": "reject", "note": "of an older render", "reviewer": "Cy", "render_hashes": {}, "at": "2026-10-05"}
    path = verdict_file(folder, [3, 3, 3, 3, 3, 4, 4], **BOUNDARY, human_verdict=old)
    scoring.decide_human(log, ANN, SLUG, "pass", "fine", NOW)
    path.write_text(json.dumps(written(workspace) | {"theirs": 1}))
    scoring.undo_last(log, ANN, SLUG)
    assert (written(workspace)["human_verdict"], written(workspace)["theirs"]) == (old, 1)


def test_two_entries_that_read_alike_stay_two(place):
    """Texts are cut for people; what was recorded is not."""
    folder, workspace, log = place
    long = ["A" * 130 + " one", "A" * 130 + " two"]
    bars = [{"name": "bar", "page": 2, "x": 1}, {"name": "bar", "page": 2, "x": 2}]
    verdict_file(folder, [4] * 7, value_errors=[*long, *bars])
    told = tuple(describe(item) for item in written(workspace)["value_errors"])
    scoring.save(log, ANN, SLUG, draft((4,) * 7, value_errors=told), NOW)
    assert written(workspace)["value_errors"] == [*long, *bars]


def kinds(workspace):
    return sorted((one.kind, one.severity) for one in findings(workspace, NOW))


def test_findings(place):
    folder, workspace, log = place
    assert kinds(workspace) == [("needs_review", "attention")]
    repair = {"axis": "F3", "page": 1, "region": [0, 0, 1, 1], "text": "x"}
    verdict_file(
        folder, [3, 3, 3, 3, 3, 4, 4], cross_check={"verifier": "gpt-5.6-sol", "total": 24}, repair_requests=[repair],
    )  # fmt: skip
    assert kinds(workspace) == [("needs_human", "blocking"), ("repair_requested", "notice")]
    first = {one.kind: one for one in findings(workspace, NOW)}["needs_human"]
    assert first.link == "/render_fidelity?slug=ppt-good"
    assert first.evidence["total"] == 23
    assert {one.id for one in findings(workspace, NOW)} == {one.id for one in findings(workspace, NOW)}
    scoring.decide_human(log, ANN, SLUG, "pass", "fine", NOW)
    assert kinds(workspace) == [("repair_requested", "notice")]
    (workspace.root / "_workspace/b1/fidelity_qa/ppt-gone.json").write_text("{")
    assert ("unreadable", "attention") in kinds(workspace)


@pytest.mark.parametrize("marks", [{"batch_first": True}, {"scored_at": "2026-10-02T10:00:00Z"}])
def test_another_packs_file_that_takes_the_first_place_changes_what_is_found(tmp_path, marks):
    """The first pack of a batch waits for its cross-check (neither of these two is in the 20% sample)."""
    one, two = build(tmp_path, "ppt-first"), build(tmp_path, "ppt-second")
    workspace = Workspace.open(tmp_path)
    verdict_file(one, [4] * 7, scored_at="2026-10-03T09:00:00Z")
    verdict_file(two, [4] * 7, scored_at="2026-10-04T09:00:00Z")

    def waiting():
        return [found.subject for found in findings(workspace, NOW) if found.kind == "needs_review"]

    assert waiting() == ["ppt-first"]
    verdict_file(two, [4] * 7, **{"scored_at": "2026-10-04T09:00:00Z"} | marks)
    assert waiting() == ["ppt-second"]


def test_changed_evidence_changes_its_hash(place):
    folder, workspace, _ = place
    verdict_file(folder, [3, 3, 3, 3, 3, 4, 4])
    before = next(one for one in findings(workspace, NOW) if one.kind == "needs_human")
    save(folder / "pages/02-kpi.png", picture(2, "new"))
    verdict_file(folder, [3, 3, 3, 3, 3, 4, 4])
    after = next(one for one in findings(workspace, NOW) if one.kind == "needs_human")
    assert (before.id, before.evidence_hash != after.evidence_hash) == (after.id, True)


@pytest.mark.parametrize("name", [["x"], {}, 1, None])
def test_a_manifest_of_an_odd_shape_hides_nothing(place, name):
    folder, workspace, _ = place
    manifest = folder / "render-manifest.json"
    rows = {"pages": [{"file": name, "px": [1, 1]}]}
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | rows))
    build(workspace.root, "ppt-other")
    assert standing(workspace).checks
    assert ("needs_review", "attention") in kinds(workspace)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_day_at_the_end_of_time_hides_nothing(place, day):
    folder, workspace, _ = place
    meta = folder / "meta.yaml"
    meta.write_text(meta.read_text().replace("2026-10-01T09:00:00Z", day))
    assert kinds(workspace)


def test_what_lies_behind_a_link_is_read_again_when_it_changes(place):
    folder, workspace, _ = place
    verdict_file(folder, [4] * 7, cross_check=SECOND)
    contracts = workspace.root / "_workspace/b1/transform_contract"
    contracts.rename(workspace.root / "shared")
    contracts.symlink_to(workspace.root / "shared")
    assert kinds(workspace) == []
    (workspace.root / "shared" / f"{SLUG}.json").write_text("{")
    assert kinds(workspace) == [("needs_review", "attention"), ("unreadable", "attention")]
