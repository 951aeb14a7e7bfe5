"""What the ratchet accepts, and when a node is frozen."""

import pytest

from core.report_loop.ratchet import accept_revision, movements, node_edit_budget_exceeded, ratchet
from tests.core.report_loop.build import scores

RED = {"sign_consistency_pass": False}


@pytest.mark.parametrize(
    ("prev", "new", "target", "accepted"),
    [
        (scores(dynamic=0.4), scores(dynamic=0.6), "dynamic", True),
        (scores(dynamic=0.4), scores(dynamic=0.4), "dynamic", False),
        (scores(dynamic=0.4), scores(dynamic=0.6, polished=0.949999), "dynamic", False),
        (scores(dynamic=0.4), scores(dynamic=0.6, polished=0.96), "dynamic", True),
        (scores(dynamic=0.4), scores(dynamic=0.99, verdicts={"V1": "PARTIAL"}), "polished", False),
        (scores(dynamic=0.9, **RED), scores(dynamic=0.1), "dynamic", True),
        (scores(dynamic=0.1), scores(dynamic=0.9, **RED), "polished", False),
        (scores(dynamic=None), scores(dynamic=0.2), "dynamic", True),
        (scores(dynamic=None), scores(dynamic=None), "dynamic", False),
        (scores(dynamic=0.2), scores(dynamic=None), "dynamic", False),
        (scores(dynamic=0.2, polished=0.5), scores(dynamic=0.3, polished=None), "dynamic", False),
        (scores(dynamic=0.2, polished=None), scores(dynamic=0.3, polished=0.1), "dynamic", True),
        (scores(dynamic=None, **RED), scores(dynamic=None), "dynamic", True),
        (scores(dynamic=0.5, **RED), scores(dynamic=None), "dynamic", False),
        (scores(verdicts={"V4": "fail"}), scores(verdicts={"V5": "not_captured"}), "accurate", False),
        (scores(verdicts={"V4": "fail"}), scores(), "accurate", True),
        (
            scores(polished=0.5, verdicts={"V1": "PARTIAL"}),
            scores(polished=0.9, verdicts={"V1": "PARTIAL", "V4": "fail"}),
            "polished",
            False,
        ),
    ],
)
def test_accepts_a_rise_of_the_target_and_no_fall(prev, new, target, accepted):
    assert accept_revision(prev, new, target) is accepted


@pytest.mark.parametrize(
    ("before", "after", "direction"),
    [  # dimension_score: fail 0.0, unverified 0.0, pass 1.0
        ("fail", "unverified", 0),  # 0.0 - 0.0: no rise
        ("unverified", "fail", -1),  # 0.0 - 0.0, yet what was unproven is proven wrong
        ("fail", "pass", 1),  # 1.0 - 0.0
        ("unverified", "pass", 1),
        ("pass", "unverified", -1),
        ("pass", "fail", -1),
        ("fail", "fail", 0),
        ("unverified", "unverified", 0),
    ],
)
def test_accurate_rises_only_to_a_pass(before, after, direction):
    prev, new = ({**scores(), "accurate": {**scores()["accurate"], "status": one}} for one in (before, after))
    assert movements(prev, new)["accurate"].direction == direction
    assert accept_revision(prev, new, "accurate") is (direction > 0)


def test_accurate_never_leaves_pass_whatever_else_rises():
    prev, new = scores(dynamic=0.1, inclusive=0.1, polished=0.1), scores(verdicts={"V6": "fail"})
    for target in ("accurate", "dynamic", "inclusive", "polished"):
        assert not accept_revision(prev, new, target)


def test_the_reason_names_what_fell_and_by_which_values():
    accepted, reason = ratchet(scores(dynamic=0.4, polished=0.91), scores(dynamic=0.6, polished=0.9), "dynamic")
    assert not accepted
    assert reason == "polished fell (0.91 → 0.90)"


def test_a_missing_dimension_is_a_fall_and_a_first_one_a_baseline():
    whole = scores(dynamic=0.5)
    without = {name: result for name, result in whole.items() if name != "polished"}
    assert not accept_revision(whole, {**without, "dynamic": scores()["dynamic"]}, "dynamic")
    assert accept_revision(without, scores(), "dynamic")
    assert accept_revision(without, whole, "polished")


@pytest.mark.parametrize("target", ["accuracy", "", "Dynamic", None])
def test_an_unknown_target_is_an_error(target):
    with pytest.raises(ValueError, match="unknown target"):
        accept_revision(scores(), scores(), target)


def test_an_unknown_dimension_or_a_score_out_of_range_is_an_error():
    with pytest.raises(ValueError, match="unknown dimension 'tasty'"):
        accept_revision({**scores(), "tasty": {}}, scores(), "dynamic")
    bad = scores()
    for value in (1.2, -0.1, float("nan"), float("inf"), 10**350, True, "0.9"):
        bad["polished"]["judged_score"] = value
        with pytest.raises(ValueError, match="polished"):
            accept_revision(bad, scores(), "dynamic")
    with pytest.raises(ValueError, match="not a result"):
        accept_revision({**scores(), "polished": 0.9}, scores(), "dynamic")


def test_a_node_is_frozen_at_its_budget():
    assert not node_edit_budget_exceeded({}, "n1")
    assert not node_edit_budget_exceeded({"n1": 1, "n2": 5}, "n1")
    assert node_edit_budget_exceeded({"n1": 2}, "n1")
    assert not node_edit_budget_exceeded({"n1": 2}, "n1", budget=3)


@pytest.mark.parametrize("count", [-1, 1.5, "2", None, True])
def test_a_count_that_is_no_count_is_an_error(count):
    with pytest.raises(ValueError, match="n1"):
        node_edit_budget_exceeded({"n1": count}, "n1")
    with pytest.raises(ValueError, match="budget"):
        node_edit_budget_exceeded({}, "n1", budget=0)
