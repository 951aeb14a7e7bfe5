"""The judge in the loop: three samples on a green anchor, a reason where it fails, no number of its own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from core.judge import Scored, ScoreReply, Unscored
from core.report_loop.feedback.model import Edit, Feedback, Judged, Ruling
from core.report_loop.judging import EditReply, LoopJudge, judge_edits
from core.report_loop.receipt import read_receipt
from core.report_loop.scoring import Evidence, score_evidence
from tests.core.report_loop.build import receipt

SIGNALS = {"sign_consistency": True, "a11y_axe": True, "format_consistency": True}


class FakeJudge:
    """Answers from a table by the request's key; remembers what it was asked."""

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def fingerprint(self, request):
        return SimpleNamespace(hash="sha256:fake")

    def ask_many(self, requests, on_progress=None, cancel=None):
        self.asked += requests
        return [[self._sample(answer) for answer in self.answers[request.key]] for request in requests]

    def _sample(self, answer):
        if isinstance(answer, str):
            return Unscored(answer, "unreachable")
        value = ScoreReply(score=answer) if isinstance(answer, float) else answer
        return Scored(value, "raw", "", usage=None, fingerprint=None)


def judged(answers, verdicts=None, signals=SIGNALS, samples=None):
    judge = FakeJudge(answers)
    evidence = Evidence(read_receipt(receipt(verdicts)), signals=signals, samples=samples or {})
    found = LoopJudge(judge, "run/1")(evidence, "the draft", 0.85)
    return found, score_evidence(found), judge


def test_three_samples_and_their_median_with_the_fingerprint():
    found, scored, judge = judged({"dynamic": [0.9, 0.8, 0.95], "inclusive": [0.9] * 3, "polished": [0.5, 0.6, 0.9]})
    assert [scored[name]["judged_score"] for name in ("dynamic", "inclusive", "polished")] == [0.9, 0.9, 0.6]
    assert found.judge_fingerprint == "sha256:fake"
    assert {(request.samples, request.series) for request in judge.asked} == {(3, "run/1")}
    assert all(request.untrusted == {"report": "the draft"} for request in judge.asked)
    assert all("the draft" not in request.instructions for request in judge.asked)


def test_a_red_anchor_is_not_judged():
    _, scored, judge = judged(
        {"inclusive": [0.9] * 3, "polished": [0.9] * 3}, signals={**SIGNALS, "sign_consistency": False}
    )
    assert [request.key for request in judge.asked] == ["inclusive", "polished"]
    assert scored["dynamic"]["status"] == "fail"


def test_samples_that_came_with_the_score_are_kept():
    found, _, judge = judged({"inclusive": [0.9] * 3, "polished": [0.9] * 3}, samples={"dynamic": [0.7, 0.7, 0.7]})
    assert "dynamic" not in [request.key for request in judge.asked]
    assert found.samples["dynamic"] == [0.7, 0.7, 0.7]


def test_a_judge_that_fails_leaves_the_dimension_unscored_with_the_reason():
    _, scored, _ = judged({"dynamic": [0.9, "no connection", 0.9], "inclusive": [0.9] * 3, "polished": [0.9] * 3})
    assert (scored["dynamic"]["status"], scored["dynamic"]["judged_score"]) == (None, None)
    assert "judge: no connection (1 of 3 samples)" in scored["dynamic"]["reason"]
    assert scored["inclusive"]["status"] == "pass"


def open_feedback():
    edit = Edit("words", "colour", "color", "a colour", "a color", 1, "p", "paragraph")
    return Feedback("s", "r", "", "", (Judged("e1", edit, Ruling("undecided", "", decided_by="nobody")),
                                       Judged("e2", edit, Ruling("substantive", "rule"))))  # fmt: skip


M = EditReply(edit_class="mechanical", dimension="polished", reasoning="spelling of the house")
S = EditReply(edit_class="substantive")
ODD = EditReply(edit_class="mechanical")


@pytest.mark.parametrize(
    ("answers", "cls", "decider"),
    [([M, M, S], "mechanical", "judge"), ([S, S, S], "substantive", "judge"), ([M, S, ODD], "undecided", "nobody"),
     ([ODD, ODD, ODD], "undecided", "nobody"), ([M, M, "no connection"], "undecided", "nobody")],
)  # fmt: skip
def test_only_a_majority_of_three_decides_an_edit(answers, cls, decider):
    judge = FakeJudge({"e1": answers})
    found = judge_edits(judge, open_feedback())
    assert (found.edits[0].ruling.cls, found.edits[0].ruling.decided_by) == (cls, decider)
    assert found.edits[1].ruling.decided_by == "rule"
    assert [request.key for request in judge.asked] == ["e1"]
