"""A model as verifier: what it is shown and what it never is, what its answer becomes, and who may not be second."""

import dataclasses
import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from core.cli import main
from core.errors import Conflict, Unavailable
from core.judge import JudgeSpec, Scored, Unscored, Usage
from core.people import local_person
from core.render_fidelity import run_judge, verifier
from core.render_fidelity.imaging.pictures import Pictures
from core.render_fidelity.standing import read_standing
from core.workspace import Workspace
from tests.core.render_fidelity.build_pack import build, verdict_file

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN = local_person("Ann")
REPLY = {
    "F1": 4, "F2": 4, "F3": 3, "F4": 3, "F5": 3, "F6": 4, "F7": 4, "hallucinated_elements": [],
    "missing_signatures": [], "value_errors": [], "copied_assets": [],
}  # fmt: skip


class Fake:
    """A judge that keeps what it was asked and answers what it was told to."""

    def __init__(self, replies, model="gpt-5.6-sol"):
        provider = "anthropic" if model.startswith("claude") else "openai"
        self.spec, self.replies, self.asked = JudgeSpec(provider=provider, model=model), list(replies), []

    def ask_many(self, requests, on_progress=None, cancel=None):
        self.asked += requests
        return [[self.answer()] for _ in requests]

    def answer(self):
        reply = self.replies.pop(0)
        if reply is None:
            return Unscored("no key in the environment", "no_key")
        return Scored(verifier.VerifierReply.model_validate(reply), json.dumps(reply), "", Usage(), None)


@pytest.fixture
def place(tmp_path):
    folder = build(tmp_path)
    meta = folder / "meta.yaml"
    meta.write_text(meta.read_text() + "notes: AUTHOR SAYS IT IS PERFECT\nself_assessment: 28 of 28, AUTHOR IS SURE\n")
    return folder, Workspace.open(tmp_path)


def everything(request):
    return repr(dataclasses.astuple(request))


def test_the_firewall_by_construction(place):
    folder, workspace = place
    seen = verifier.view(read_standing(workspace, "ppt-good", NOW), Pictures(None))
    assert {field.name for field in dataclasses.fields(seen)} == {
        "mode", "pages", "contract", "mirror_plan", "signatures",
    }  # fmt: skip
    assert [page.render.data for page in seen.pages] == [
        path.read_bytes() for path in sorted((folder / "pages").iterdir())
    ]


def test_what_is_sent_holds_pictures_lists_and_rubric_and_nothing_of_the_author(place):
    folder, workspace = place
    verdict_file(folder, [4] * 7, notes_of_the_author="AUTHOR REASONING", reasons=["AUTHOR REASONING"])
    judge = Fake([REPLY])
    run_judge.score(workspace, "ppt-good", ANN, {}, NOW, judge)
    (request,) = judge.asked
    sent = everything(request)
    for secret in ("SECRET", "AUTHOR", "28 of 28", "prompt.md", "spec_version", "qa"):
        assert secret not in sent, secret
    assert [image.name for image in request.images] == [
        f"{side} page {page}" for page in (1, 2, 3) for side in ("original", "reproduction")
    ]  # fmt: skip
    assert set(request.untrusted) == {"transform contract", "mirror plan", "signatures"}
    assert "accent bar" in request.untrusted["signatures"]
    assert "Do not score leniently" in request.instructions
    assert "name every element that stands in the reproduction and not in the original" in request.instructions


def test_many_pages_go_in_groups_and_the_lowest_score_of_an_axis_counts(place, monkeypatch):
    _, workspace = place
    monkeypatch.setattr(verifier, "PAIRS_A_REQUEST", 2)
    judge = Fake([REPLY, REPLY | {"F3": 2, "hallucinated_elements": [{"page": 3, "text": "a ring"}]}])
    found = run_judge.score(workspace, "ppt-good", ANN, {}, NOW, judge)
    assert [len(request.images) for request in judge.asked] == [4, 2]
    assert found.judged.evidence.axes["F3"] == 2
    assert found.judged.deliverable.raw["hallucinated_elements"] == [{"text": "a ring (page 3)"}]
    assert found.judged.deliverable.reviewer == "gpt-5.6-sol"


def test_what_the_model_points_out_rejects(place):
    _, workspace = place
    judge = Fake([REPLY | {"value_errors": [{"page": 2, "text": "42.7 became 47.2"}]}])
    found = run_judge.score(workspace, "ppt-good", ANN, {}, NOW, judge)
    assert (found.verdict, "42.7 became 47.2 (page 2)" in found.reasons[0]) == ("reject", True)


def test_no_answer_is_no_score(place):
    folder, workspace = place
    with pytest.raises(Unavailable, match="no key in the environment"):
        run_judge.score(workspace, "ppt-good", ANN, {}, NOW, Fake([None]))
    assert read_standing(workspace, "ppt-good", NOW).judged is None
    found = run_judge.score(workspace, "ppt-good", ANN, {}, NOW, Fake([REPLY | {"F4": None}]))
    assert (found.verdict, found.judged.outcome.total) == ("needs_review", None)
    assert folder.exists()


def test_no_judge_is_called_while_a_check_fails(place):
    folder, workspace = place
    (folder / "tokens.json").write_text("{}")
    judge = Fake([REPLY])
    with pytest.raises(Conflict, match="no judge is called: check spec_version fails"):
        run_judge.score(workspace, "ppt-good", ANN, {}, NOW, judge)
    assert judge.asked == []


def test_a_mode_that_is_not_scored_calls_nobody(tmp_path):
    build(tmp_path, "ppt-style", mode="style_synthesis")
    judge = Fake([REPLY])
    with pytest.raises(Conflict, match="style_synthesis is not scored"):
        run_judge.score(Workspace.open(tmp_path), "ppt-style", ANN, {}, NOW, judge)
    assert judge.asked == []


def test_the_second_verifier_is_of_another_family(place):
    folder, workspace = place
    verdict_file(folder, [4, 4, 3, 3, 3, 4, 4], reviewer="claude-sonnet-4-6")
    judge = Fake([REPLY], "claude-opus-4-8")
    with pytest.raises(Conflict, match="same family \\(anthropic\\) as the author claude, false consensus"):
        run_judge.crosscheck(workspace, "ppt-good", ANN, {}, NOW, judge)
    assert judge.asked == []
    found = run_judge.crosscheck(workspace, "ppt-good", ANN, {}, NOW, Fake([REPLY | {"F6": 3}]))
    assert (found.verdict, found.judged.outcome.delta, found.judged.outcome.adopted_total) == ("pass", 1, 24)
    assert found.judged.deliverable.raw["cross_check"]["total"] == 24


def test_the_second_verifiers_default_follows_the_author(place, monkeypatch):
    folder, workspace = place
    verdict_file(folder, [4, 4, 3, 3, 3, 4, 4])
    asked = []
    monkeypatch.setattr(run_judge, "open_judge", lambda spec, _: asked.append(spec) or Fake([REPLY], spec.model))
    run_judge.crosscheck(workspace, "ppt-good", ANN, {}, NOW)
    assert (asked[0].provider, asked[0].model) == ("openai", "gpt-5.6-sol")
    (folder / "meta.yaml").write_text((folder / "meta.yaml").read_text() + "author: gpt-5.6-sol\n")
    verdict_file(folder, [4, 4, 3, 3, 3, 4, 4])
    run_judge.crosscheck(workspace, "ppt-good", ANN, {}, NOW)
    assert asked[1].provider == "anthropic"


def test_there_must_be_a_first_verifier(place):
    _, workspace = place
    with pytest.raises(Conflict, match="no first verifier yet"):
        run_judge.crosscheck(workspace, "ppt-good", ANN, {}, NOW, Fake([REPLY]))


def test_at_the_command_line_without_a_key(place, monkeypatch):
    _, workspace = place
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    runner = CliRunner()
    done = runner.invoke(main, ["render", "score", "ppt-good", "--judge", "--workspace", str(workspace.root)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    done = runner.invoke(main, ["render", "score", "ppt-good", "--workspace", str(workspace.root)])
    assert (done.exit_code, "say --judge" in done.stderr) == (2, True)
