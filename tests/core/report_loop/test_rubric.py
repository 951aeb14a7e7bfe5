"""The four dimensions: the contract's worked values, and the rules one by one."""

import pytest

from core.errors import BadInput
from core.report_loop.rubric import (
    dimension_score,
    judged_median,
    judged_sample_insufficient,
    passes_bar,
    score_accurate,
    score_all,
)
from core.report_loop.words import LEGS
from tests.core.report_loop.build import GREEN, leg, receipt

KEYS = ["dimension", "status", "anchor_pass", "judged_score", "judged_stub", "bar", "reason"]


def statuses(verdicts=None, judged=None, signals=GREEN, **receipt_fields):
    made = score_all(
        receipt(verdicts, **receipt_fields), **signals, dynamic_judged=judged, inclusive_judged=judged,
        polished_judged=judged,
    )  # fmt: skip
    return [result["status"] for result in made.values()]


@pytest.mark.parametrize(
    ("verdicts", "judged", "signals", "fields", "expected"),
    [
        ({}, 0.95, GREEN, {}, ["pass", "pass", "pass", "pass"]),
        ({"V1": "PARTIAL"}, 0.99, GREEN, {}, ["unverified", "fail", "pass", "pass"]),
        ({"V1": "PARTIAL", "V4": "fail"}, 0.99, GREEN, {}, ["fail", "fail", "pass", "pass"]),
        ({}, None, {}, {}, ["pass", "fail", "fail", "fail"]),
        ({}, None, GREEN, {}, ["pass", None, None, None]),
        ({"V5": "not_captured"}, 0.9, GREEN, {}, ["unverified", "pass", "pass", "fail"]),
        ({}, 0.9, GREEN, {"without": ("V6",)}, ["unverified", "pass", "pass", "pass"]),
    ],
)
def test_worked_values(verdicts, judged, signals, fields, expected):
    assert statuses(verdicts, judged, signals, **fields) == expected


def test_results_have_exactly_the_contracts_keys():
    made = score_all(receipt(), **GREEN)
    assert list(made) == ["accurate", "dynamic", "inclusive", "polished"]
    assert all(list(result) == KEYS for result in made.values())


@pytest.mark.parametrize(
    ("legs", "status", "named"),
    [
        ([], "unverified", "no legs"),
        ([leg("V1")], "unverified", "V2"),
        ([leg(name) for name in LEGS], "pass", "seven"),
        ([leg("V1", "not_captured"), *[leg(name) for name in LEGS[1:]]], "fail", "V1"),
        ([leg(name) for name in LEGS[:-1]] + [leg("period-coherence", "disabled")], "fail", "period-coherence"),
        ([leg(name) for name in LEGS if name != "V5"] + [leg("V5", "fail")], "fail", "V5"),
        ([leg(name) for name in LEGS if name != "V5"] + [leg("V5", "PARTIAL")], "unverified", "V5"),
        ([leg(name) for name in LEGS if name != "V5"] + [leg("V5", "PARTIAL", blocking=True)], "fail", "V5"),
        ([leg(name) for name in LEGS if name != "V4"] + [leg("V4", "PARTIAL", blocking=False)], "fail", "V4"),
        ([leg(name) for name in LEGS] + [leg("V9", "fail")], "fail", "V9"),
        ([leg(name) for name in LEGS] + [leg("V3", "PARTIAL")], "fail", "V3"),
        ([leg(name) for name in LEGS] + ["nonsense"], "fail", "legs[7]"),
        ([leg(name) for name in LEGS[:6]] + [leg("period-coherence", "PASS")], "fail", "period-coherence"),
    ],
)
def test_accurate_takes_the_first_rule_that_fits(legs, status, named):
    result = score_accurate(receipt(legs=legs))
    assert (result["status"], result["anchor_pass"]) == (status, status == "pass")
    assert named in result["reason"]
    assert (result["judged_score"], result["judged_stub"], result["bar"]) == (None, False, None)


@pytest.mark.parametrize("broken", [None, [], "PASS", 3])
def test_a_receipt_that_is_no_object_is_refused(broken):
    with pytest.raises(BadInput):
        score_accurate(broken)


def test_legs_that_are_no_list_are_no_legs():
    assert score_accurate(receipt(legs={"V1": "pass"}))["status"] == "unverified"


@pytest.mark.parametrize(
    ("fmt", "axe", "vera", "green"),
    [
        ("html", True, None, True),
        ("html", True, False, False),
        ("html", None, True, False),
        ("office", None, True, True),
        ("office", True, None, False),
        ("office", False, True, False),
        ("slides", True, True, False),
    ],
)
def test_inclusive_wants_the_formats_own_gate_and_no_red_one(fmt, axe, vera, green):
    made = score_all(receipt(format=fmt), a11y_axe_pass=axe, a11y_verapdf_pass=vera, inclusive_judged=0.9)
    assert made["inclusive"]["anchor_pass"] is green


def test_a_judge_cannot_rescue_a_red_anchor():
    made = score_all(receipt(), **{**GREEN, "sign_consistency_pass": False}, dynamic_judged=1.0)
    assert made["dynamic"]["status"] == "fail"
    assert made["dynamic"]["judged_score"] == 1.0


def test_the_bar_itself_passes_and_is_compared_as_it_is_printed():
    at = score_all(receipt(), **GREEN, dynamic_judged=judged_median([0.81, 0.89]), bar=0.85)["dynamic"]
    below = score_all(receipt(), **GREEN, dynamic_judged=0.84999, bar=0.85)["dynamic"]
    assert at["status"] == "pass"
    assert "0.85 reaches the bar 0.85" in at["reason"]
    assert below["status"] == "fail"
    assert "0.84999 is below" in below["reason"]


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), float("inf"), True, "0.9"])
def test_a_judged_value_outside_the_unit_interval_is_an_error(value):
    with pytest.raises(ValueError, match="dynamic judged score"):
        score_all(receipt(), **GREEN, dynamic_judged=value)
    with pytest.raises(ValueError, match="bar"):
        score_all(receipt(), **GREEN, bar=value)


@pytest.mark.parametrize("signal", [1, "true", 0])
def test_a_signal_is_true_false_or_not_supplied(signal):
    with pytest.raises(ValueError, match="sign consistency"):
        score_all(receipt(), sign_consistency_pass=signal)


def test_passes_bar_wants_each_dimension_exactly_pass():
    good = score_all(receipt(), **GREEN, dynamic_judged=0.9, inclusive_judged=0.9, polished_judged=0.9)
    assert passes_bar(good)
    for name in good:
        assert not passes_bar({**good, name: {**good[name], "status": None}})
        assert not passes_bar({**good, name: {**good[name], "status": "PASS"}})
        assert not passes_bar({key: value for key, value in good.items() if key != name})
        assert not passes_bar({**good, name: "pass"})
    assert not passes_bar({})


@pytest.mark.parametrize(
    ("samples", "median"),
    [([], None), (None, None), ([0.7, 0.9, 0.8], 0.8), ([0.8, 0.9, 0.8], 0.8), ([0.84, 0.86], 0.85),
     ([0.85, 0.85, 0.84, 0.86], 0.85), ([0.81, 0.89], 0.85), ([1, 0], 0.5)],
)  # fmt: skip
def test_median(samples, median):
    assert judged_median(samples) == median


def test_fewer_than_three_samples_are_insufficient():
    assert [judged_sample_insufficient([0.5] * n) for n in range(5)] == [True, True, True, False, False]
    assert judged_sample_insufficient([0.5] * 3, required=4)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1, True, "0.8", None])
def test_a_bad_sample_is_named(bad):
    for function in (judged_median, judged_sample_insufficient):
        with pytest.raises(ValueError, match="sample 2"):
            function([0.9, bad, 0.8])


def test_dimension_score():
    made = score_all(receipt(), **{**GREEN, "format_consistency_pass": False}, dynamic_judged=0.7, polished_judged=0.9)
    assert {name: dimension_score(result) for name, result in made.items()} == {
        "accurate": 1.0, "dynamic": 0.7, "inclusive": None, "polished": 0.0,
    }  # fmt: skip
    assert dimension_score(score_accurate(receipt({"V1": "PARTIAL"}))) == 0.0
