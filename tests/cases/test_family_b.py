"""Family B: receipts and iteration lists as they went wrong elsewhere, each with its right answer beside it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.cli import main
from core.report_loop import inputs
from core.report_loop.receipt import read_receipt
from core.report_loop.rubric import judged_median, judged_sample_insufficient, passes_bar, terminate
from core.report_loop.scoring import Evidence, score_evidence

CASES = Path(__file__).parent
NOW = "2026-07-16T00:10:00Z"


def command(*words, cwd=CASES):
    result = CliRunner().invoke(main, ["report", *map(str, words), "--workspace", str(cwd)])
    return result.exit_code, result.stdout, result.stderr


def scored(case, name, *words, now=NOW):
    code, out, err = command("score", "--receipt", CASES / case / f"{name}.json", "--now", now, "--json", *words)
    assert err == ""
    return code, json.loads(out)


@pytest.mark.parametrize(
    ("name", "gate", "overclaim", "residue", "flag"),
    [
        ("r1", "PARTIAL", True, 11, "over-claim: the receipt says PASS, its legs give PARTIAL"),
        ("r2", "FAIL", True, 10, "over-claim: the receipt says PARTIAL, its legs give FAIL"),
        ("r3", "PASS", False, 10, "receipt reports worse than its legs"),
    ],
)
def test_b01_the_gate_is_computed_and_claims_are_compared(name, gate, overclaim, residue, flag):
    code, data = scored("B-01-self-reported-gate-too-good", name)
    assert (data["computed_gate"], data["overclaim"], len(data["residue"])) == (gate, overclaim, residue)
    assert any(flag in text for text in data["flags"])
    assert code == (0 if name == "r3" else 1)
    assert any("V5 (render referee) did not run" in text for text in data["residue"]) is (name == "r1")


def test_b03_the_stricter_of_policy_and_flag_counts():
    _, soft = scored("B-03-blocking-flag-softened", "v4_soft")
    assert (soft["computed_gate"], soft["scores"]["accurate"]["status"]) == ("FAIL", "fail")
    assert any("V4 is marked non-blocking, policy says blocking" in text for text in soft["flags"])
    _, hard = scored("B-03-blocking-flag-softened", "v5_hard")
    assert (hard["computed_gate"], hard["scores"]["accurate"]["status"]) == ("PARTIAL", "fail")
    assert any("V5 should be non-blocking" in text for text in hard["flags"])
    receipt = inputs.load_receipt(CASES / "B-03-blocking-flag-softened" / "v4_soft.json", "v4_soft.json")
    assert receipt.legs[3].evidence == "old client name survives in chart cache"


@pytest.mark.parametrize(
    ("name", "gate", "accurate"),
    [("v1_pass_then_fail", "FAIL", "fail"), ("v4_fail_then_pass", "FAIL", "fail"),
     ("v5_nc_then_pass", "PARTIAL", "unverified")],
)  # fmt: skip
def test_b04_of_two_copies_the_worst_counts(name, gate, accurate):
    _, data = scored("B-04-duplicate-legs", name)
    assert (data["computed_gate"], data["scores"]["accurate"]["status"]) == (gate, accurate)
    assert any("stands 2 times" in text for text in data["flags"])
    receipt = inputs.load_receipt(CASES / "B-04-duplicate-legs" / f"{name}.json", name)
    assert (len(receipt.legs), len(receipt.standings)) == (8, 7)


@pytest.mark.parametrize(
    ("name", "stale"),
    [("a_edge", False), ("b_tokyo", True), ("c_newyork", False), ("d_future", None), ("e_micro", False)],
)
def test_b05_ages_are_differences_of_instants(name, stale):
    now = json.loads((CASES / "B-05-ttl-and-offsets" / "context.json").read_text())["now"]
    _, data = scored("B-05-ttl-and-offsets", name, now=now)
    assert (data["stale"], data["computed_gate"]) == (stale, "PASS")
    said = " ".join(data["flags"])
    assert ("stale" in said) is (stale is True)
    assert ("generated in the future" in said) is (stale is None)


def test_b07_the_median_of_at_least_three_and_equality_passes():
    folder = CASES / "B-07-median-and-bar-equality"
    judged = json.loads((folder / "judged.json").read_text())
    samples = {name: judged[name] for name in ("dynamic", "inclusive", "polished")}
    medians = {name: judged_median(judged[name]) for name in (*samples, "extra")}
    assert medians == {"dynamic": 0.85, "inclusive": 0.85, "polished": 0.85, "extra": 0.8}
    assert [judged_sample_insufficient(judged[name]) for name in medians] == [False, True, False, False]
    receipt = read_receipt(json.loads((folder / "receipt.json").read_text()))
    signals = {"sign_consistency": True, "a11y_axe": True, "format_consistency": True}
    made = score_evidence(Evidence(receipt, signals=signals, samples=samples), judged["bar"])
    assert [result["status"] for result in made.values()] == ["pass", "pass", None, "pass"]
    assert "insufficient samples: 2 of 3" in made["inclusive"]["reason"]
    assert not passes_bar(made)


@pytest.mark.parametrize(
    ("name", "status", "iterations", "escalate"),
    [("i1_cap_and_plateau", "cap", 6, True), ("i2_pass_at_6", "PASS", 6, False),
     ("i3_baseline_then_false", None, 2, False), ("i4_two_false", "plateau", 3, True),
     ("i5_pass_was_lost", None, 3, False), ("i6_empty", None, 0, False)],
)  # fmt: skip
def test_b09_pass_then_cap_then_plateau(name, status, iterations, escalate):
    path = CASES / "B-09-cap-plateau-pass-precedence" / f"{name}.json"
    should_stop, verdict = terminate(json.loads(path.read_text()))
    assert (should_stop, verdict["status"], verdict["iterations"]) == (status is not None, status, iterations)
    code, out, _ = command("terminate", "--iterations", path, "--json")
    data = json.loads(out)
    assert code == (0 if status else 1)
    assert (data["status"], data["escalate_to_human"], data["problems"]) == (status, escalate, [])
    assert data["route"] == ("architect" if escalate else None)
    if name == "i5_pass_was_lost":
        assert "iteration 1 had been at the bar" in data["reason"]


def test_b11_a_bom_is_read_through():
    code, data = scored("B-11-receipt-wrapped-in-chat", "bom")
    assert (code, data["computed_gate"]) == (0, "PASS")


@pytest.mark.parametrize(
    ("name", "position"),
    [("fenced", "line 1 column 1"), ("trailing_comma", "line 63 column 1"), ("two_docs", "line 64")],
)
def test_b11_what_is_no_receipt_is_unreadable_with_its_position(name, position):
    code, out, err = command("score", "--receipt", CASES / "B-11-receipt-wrapped-in-chat" / f"{name}.json", "--json")
    assert code == 2
    assert set(json.loads(out)) == {"error", "problems"}
    assert position in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "gate", "accurate", "residue"),
    [("r_empty", "PASS", "pass", 9), ("r_review", "PASS", "pass", 11), ("r_html", "PASS", "pass", 10),
     ("r_v1partial", "PARTIAL", "unverified", 10)],
)  # fmt: skip
def test_b15_the_checklist_is_never_empty(name, gate, accurate, residue):
    _, data = scored("B-15-residue-and-evidence-text", name)
    assert (data["computed_gate"], data["scores"]["accurate"]["status"]) == (gate, accurate)
    assert len(data["residue"]) == residue
    assert any("manual_residue is empty" in text for text in data["flags"]) is (name == "r_empty")
    assert any(text.startswith("values-unverified") for text in data["residue"]) is (name == "r_v1partial")
    assert any(text.startswith("needs-review-node V6") for text in data["residue"]) is (name == "r_review")
    assert bool(data["problems"]) is (name == "r_v1partial")


def test_b15_long_evidence_is_kept_whole():
    receipt = inputs.load_receipt(CASES / "B-15-residue-and-evidence-text" / "r_html.json", "r_html.json")
    assert receipt.legs[1].evidence.startswith('<b onmouseover="alert(1)">x</b>')
    assert len(receipt.legs[1].evidence) > 20_000


ACCURATE_FAILS = ("D4", "D5", "D6", "D9", "D10", "D11", "D12", "D14")
INTEROP = {
    "clean": ("unverified", "pass", "pass", "PARTIAL"),
    "D13": ("unverified", "pass", "pass", "PARTIAL"),
    "D3": ("unverified", "pass", "fail", "PARTIAL"),
    "D1": ("fail", "fail", "pass", "FAIL"),
    "D2": ("fail", "fail", "pass", "FAIL"),
    "D7": ("fail", "fail", "pass", "FAIL"),
    "D8": ("fail", "fail", "pass", "FAIL"),
    **dict.fromkeys(ACCURATE_FAILS, ("fail", "pass", "pass", "FAIL")),
    "D10": ("fail", "pass", "fail", "FAIL"),  # its own accessibility gate says FAIL: no language, no header scope
}


@pytest.mark.parametrize("name", sorted(INTEROP))
def test_receipts_of_a_real_harness_load_unchanged(name):
    path = CASES / "interop-receipts" / f"{name}.receipt.json"
    judged = [word for dim in ("dynamic", "inclusive", "polished") for word in (f"--{dim}-judged", "0.9")]
    code, out, err = command(
        "score", "--receipt", path, "--now", "2026-11-30T15:00:00Z", "--sign-consistency", "true",
        "--format-consistency", "true", *judged, "--json",
    )  # fmt: skip
    data = json.loads(out)
    accurate, dynamic, inclusive, gate = INTEROP[name]
    found = {dimension: result["status"] for dimension, result in data["scores"].items()}
    assert found == {"accurate": accurate, "dynamic": dynamic, "inclusive": inclusive, "polished": "fail"}
    assert (data["computed_gate"], data["stale"], data["overclaim"], data["problems"]) == (gate, False, False, [])
    assert (code, err) == (1, "")


def test_there_are_fifteen_of_them():
    assert len(list((CASES / "interop-receipts").glob("*.receipt.json"))) == len(INTEROP) == 15
