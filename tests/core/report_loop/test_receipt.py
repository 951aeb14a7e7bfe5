"""Receipts: gate, claims, age, and what cannot be understood."""

from datetime import UTC, datetime

import pytest

from core.report_loop.a11y import read_a11y
from core.report_loop.flags import receipt_flags
from core.report_loop.receipt import computed_gate, freshness, overclaims, read_receipt
from core.report_loop.residue import checklist
from tests.core.report_loop.build import leg, receipt

NOW = datetime(2026, 7, 16, 1, 0, tzinfo=UTC)


def gate(verdicts=None, **fields):
    return computed_gate(read_receipt(receipt(verdicts, **fields)))


def kinds(made, **context):
    return [flag.kind for flag in receipt_flags(read_receipt(made), **context)]


@pytest.mark.parametrize(
    ("verdicts", "fields", "expected"),
    [
        ({}, {}, "PASS"),
        ({"V5": "not_captured"}, {}, "PARTIAL"),
        ({"V5": "fail"}, {}, "PARTIAL"),
        ({"V3": "PARTIAL"}, {}, "PARTIAL"),
        ({"V3": "not_captured"}, {}, "PARTIAL"),
        ({"V3": "disabled"}, {}, "FAIL"),
        ({"V3": "PROBE_ERROR"}, {}, "FAIL"),
        ({"V1": "fail", "V5": "PARTIAL"}, {}, "FAIL"),
        ({}, {"without": ("V6",)}, "PARTIAL"),
        ({}, {"legs": []}, "PARTIAL"),
        ({}, {"legs": None}, "PARTIAL"),
        ({"V2": "Pass"}, {}, "PARTIAL"),
    ],
)
def test_the_gate_is_computed_from_the_legs(verdicts, fields, expected):
    assert gate(verdicts, **fields) == expected


@pytest.mark.parametrize("claimed", ["PASS", "pass", " Pass "])
def test_a_better_claim_is_an_over_claim_however_it_is_spelt(claimed):
    made = receipt({"V4": "fail"}, overall_gate=claimed)
    assert overclaims(read_receipt(made))
    assert kinds(made)[0] == "overclaim"


def test_an_unknown_claim_is_told_and_claims_nothing():
    made = read_receipt(receipt({"V4": "fail"}, overall_gate="GREEN"))
    assert not overclaims(made)
    assert [problem.position for problem in made.problems] == ["overall_gate"]


def test_unknown_keys_are_kept():
    made = read_receipt(receipt(pipeline="nightly", legs=[leg("V1", seconds=3)]))
    assert dict(made.extra) == {"pipeline": "nightly"}
    assert dict(made.legs[0].extra) == {"seconds": 3}


def test_what_is_not_as_it_should_be_is_a_problem_with_its_place_and_never_a_crash():
    made = read_receipt(
        {"legs": [{"leg": 3, "verdict": "PASS", "blocking": "no"}, None], "manual_residue": [1], "ttl_seconds": True,
         "generated_at": "yesterday", "format": "slides"}
    )  # fmt: skip
    places = {problem.position for problem in made.problems}
    assert {"legs[0].leg", "legs[0].verdict", "legs[0].blocking", "legs[1]", "manual_residue[0]", "ttl_seconds",
            "generated_at", "format", "run_id"} <= places  # fmt: skip
    assert [item.verdict for item in made.legs] == ["not_captured", "not_captured"]
    assert computed_gate(made) == "PARTIAL"
    assert made.manual_residue == ("1",)


@pytest.mark.parametrize(
    ("made", "ttl", "stale"),
    [
        ("2026-07-16T00:00:00Z", 3600, False),
        ("2026-07-15T23:59:59.999999Z", 3600, True),
        ("2026-07-16T01:00:00Z", 1, False),
        ("2026-07-16T01:00:00.000001Z", 1, None),
        ("2026-07-16T00:30:00", 3600, None),
        ("2026-07-16", 86400, None),
        ("gone", 3600, None),
        (None, 3600, None),
        ("2026-07-16T00:30:00Z", 0, None),
        ("2026-07-16T00:30:00Z", "3600", None),
        ("2026-07-16T00:30:00Z", float("inf"), None),
        ("2026-07-16T00:30:00Z", 10**30, None),
    ],
)
def test_staleness(made, ttl, stale):
    found = freshness(read_receipt(receipt(generated_at=made, ttl_seconds=ttl)), NOW)
    assert found.stale is stale
    assert found.fresh is (stale is False)


def test_another_environment_is_marked():
    assert "other_environment" in kinds(receipt(), run_environment="e2")
    assert "other_environment" not in kinds(receipt(), run_environment="e1")


def test_empty_residue_on_a_passing_receipt_warns():
    assert "empty_residue" in kinds(receipt(manual_residue=[]))
    assert "empty_residue" not in kinds(receipt({"V1": "fail"}, manual_residue=[], overall_gate="FAIL"))


def violation(**fields):
    return {
        "rule": "img-alt",
        "wcag": "1.1.1",
        "impact": "critical",
        "blocking": True,
        "node": "img",
        "detail": "",
        **fields,
    }


@pytest.mark.parametrize(
    ("value", "signal"),
    [
        ({"gate": "PASS", "violations": []}, True),
        ({"gate": "PASS", "violations": [violation(blocking=False)]}, True),
        ({"gate": "FAIL", "violations": [violation()]}, False),
        ({"gate": "FAIL", "violations": []}, False),
        ({"gate": "PASS", "violations": [violation()]}, False),
        ({"gate": "PASS", "violations": [violation(blocking="no")]}, False),
        ({"gate": "PASS", "violations": ["img-alt"]}, False),
        ({"gate": "PASS", "counts": {"blocking": 2}, "violations": []}, False),
        ({"gate": "PASS", "counts": {"blocking": 0}, "violations": []}, True),
        ({"gate": "PASS", "counts": {"Blocking": 3}, "violations": []}, None),
        ({"gate": "PASS", "counts": {"blocking": "3"}, "violations": []}, None),
        ({"gate": "PASS", "counts": {"blocking": False}, "violations": []}, None),
        ({"gate": "PASS", "counts": {"blocking": 0.5}, "violations": []}, None),
        ({"gate": "PASS", "counts": {"blocking": -1}, "violations": []}, None),
        ({"gate": "PASS", "counts": {}, "violations": []}, None),
        ({"gate": "PASS", "counts": [3], "violations": []}, None),
        ({"gate": "PASS", "counts": None, "violations": []}, None),
        ({"gate": "pass", "violations": []}, None),
        ({"gate": "PARTIAL", "violations": []}, None),
        ({"gate": "PASS"}, None),
        ({"schema": "somebody-else/a11y@7", "gate": "PASS", "violations": []}, None),
        ({"schema": ["report-regeneration/a11y-gate@1"], "gate": "PASS", "violations": []}, None),
        ({"schema": {}, "gate": "PASS", "violations": []}, None),
        ({"schema": "report-regeneration/a11y-gate@1", "gate": "PASS", "violations": []}, True),
        ([], None),
        (None, None),
    ],
)
def test_accessibility_gate(value, signal):
    gate_ = read_a11y(value)
    assert gate_.signal is signal
    assert signal is not None or gate_.problems


def test_a_contradicting_gate_is_flagged():
    bad = read_a11y({"gate": "PASS", "violations": [violation()]})
    assert "a11y_contradiction" in kinds(receipt(), a11y=bad)
    assert "a11y_unreadable" in kinds(receipt(), a11y=read_a11y({}))


def test_the_checklist_is_never_empty_and_takes_the_gates_own_words():
    assert len(checklist(None)) == 9
    own = "Alt text of the region chart (WCAG 1.1.1) -- is it right?"
    texts = [
        item.text
        for item in checklist(None, read_a11y({"gate": "PASS", "violations": [], "manual_residue": [own, "x"]}))
    ]
    assert len(texts) == 10
    assert texts[0] == own
    assert texts[-1] == "x"


def test_an_item_keeps_its_id_as_long_as_its_words():
    first, second = (checklist(read_receipt(receipt(run_id=name))) for name in ("a", "b"))
    assert [item.id for item in first] == [item.id for item in second]
    assert len({item.id for item in first}) == len(first)
