"""What holds for every receipt, every history and every reviser."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.report_loop.loop import MemoryJournal, Revision, run_loop
from core.report_loop.ratchet import accept_revision
from core.report_loop.receipt import claim, computed_gate, overclaims, read_receipt
from core.report_loop.rubric import dimension_score, score_all, terminate
from core.report_loop.words import DIMENSIONS, GATES, LEGS, VERDICTS
from tests.core.report_loop.build import leg, receipt

unit = st.floats(0, 1)
maybe = st.none() | st.booleans()
verdict = st.sampled_from([*VERDICTS, "PASS", "ok", None, 1])
SIGNALS = ("sign_consistency_pass", "a11y_axe_pass", "a11y_verapdf_pass", "format_consistency_pass")
JUDGED = ("dynamic_judged", "inclusive_judged", "polished_judged")

legs = st.lists(
    st.builds(
        lambda name, word, blocking: leg(name, word, blocking=blocking),
        st.sampled_from([*LEGS, "V7"]), verdict, st.booleans() | st.none(),
    ),
    max_size=10,
)  # fmt: skip
keywords = st.fixed_dictionaries(
    dict.fromkeys(SIGNALS, maybe) | dict.fromkeys(JUDGED, st.none() | unit) | {"bar": unit}
)


@given(legs, keywords, st.randoms(), st.sampled_from(["html", "office"]))
@settings(max_examples=600)
def test_nothing_but_seven_passing_legs_makes_accurate_pass(found, given_, order, fmt):
    order.shuffle(found)
    scored = score_all(receipt(legs=found, format=fmt), **given_)
    passing = {name for name in LEGS} <= {item["leg"] for item in found} and all(
        item["verdict"] == "pass" for item in found
    )
    assert (scored["accurate"]["status"] == "pass") is passing
    assert scored["accurate"]["judged_score"] is None
    assert scored["accurate"] == score_all(receipt(legs=found, format=fmt))["accurate"]


@given(legs, st.randoms())
def test_the_order_of_legs_changes_nothing_and_no_claim_lifts_the_gate(found, order):
    gates = set()
    for claimed in ("PASS", "PARTIAL", "FAIL", "pass", None):
        order.shuffle(found)
        made = read_receipt(receipt(legs=list(found), overall_gate=claimed))
        gates.add(computed_gate(made))
        better = claim(made) is not None and GATES.index(claim(made)) > GATES.index(computed_gate(made))
        assert overclaims(made) is better
    assert len(gates) == 1
    if gates == {"PASS"}:
        assert all(item["verdict"] == "pass" for item in found)


RANK = {"fail": 0, None: 1, "unverified": 1, "pass": 2}


@given(legs, keywords, st.sampled_from(SIGNALS), st.sampled_from(["html", "office"]))
@settings(max_examples=400)
def test_a_missing_signal_is_never_better_than_a_true_one_nor_than_a_false_one_of_its_own_format(
    found, given_, name, fmt
):
    made = receipt(legs=found, format=fmt)
    missing, false, true = (score_all(made, **{**given_, name: value}) for value in (None, False, True))
    other = {"html": "a11y_verapdf_pass", "office": "a11y_axe_pass"}[fmt]
    for dimension in DIMENSIONS:
        assert RANK[missing[dimension]["status"]] <= RANK[true[dimension]["status"]]
        if name != other:  # the other format's gate is only looked at when somebody supplied it
            assert missing[dimension]["status"] == false[dimension]["status"]
            assert not missing[dimension]["anchor_pass"] or false[dimension]["anchor_pass"]


any_scores = st.builds(lambda found, words: score_all(receipt(legs=found), **words), legs, keywords)
improved = st.sampled_from([True, False, None, 0, 1, "no", "missing"])


@given(
    st.lists(st.tuples(any_scores, improved, st.integers(-2, 9) | st.none()), max_size=12), st.integers(1, 8),
    st.integers(1, 3),
)  # fmt: skip
@settings(max_examples=300)
def test_terminate_stops_within_the_cap_for_every_history(history, cap, patience):
    records = []
    for number, (scored, word, index) in enumerate(history, start=1):
        made = {"index": number if index is None else index, "scores": scored, "content_diff_count": 1}
        records.append(made if word == "missing" else {**made, "improved": word})
        stop, verdict_ = terminate(records, cap, patience)
        assert stop or number < cap
        assert (verdict_["status"] is not None) is stop
        assert verdict_["escalate_to_human"] is (verdict_["status"] in ("cap", "plateau"))
        if verdict_["status"] == "PASS":
            assert any(all(result["status"] == "pass" for result in item["scores"].values()) for item in records)


@given(any_scores, any_scores, st.sampled_from(DIMENSIONS))
@settings(max_examples=600)
def test_the_ratchet_never_accepts_a_fall(prev, new, target):
    if not accept_revision(prev, new, target):
        return
    assert not (prev["accurate"]["status"] == "pass" and new["accurate"]["status"] != "pass")
    for name in DIMENSIONS:
        before, after = dimension_score(prev[name]), dimension_score(new[name])
        went_missing = prev[name]["judged_score"] is not None and after is None
        assert not went_missing
        assert before is None or after is None or after >= before
    assert not accept_revision(new, prev, target)


@given(any_scores, st.sampled_from(DIMENSIONS))
def test_no_change_is_no_improvement(same, target):
    assert not accept_revision(same, same, target)


candidate = st.tuples(st.binary(max_size=12), any_scores)


@given(st.binary(max_size=12), any_scores, st.lists(candidate, min_size=1, max_size=8), st.integers(1, 7))
@settings(max_examples=200)
def test_a_loop_ends_within_its_cap_and_a_reverted_draft_is_the_same_byte_for_byte(first, baseline, candidates, cap):
    known = {first: baseline}
    known.update({draft: scored for draft, scored in candidates if draft != first})
    journal = MemoryJournal()
    given_to_reviser = []

    def revise(draft, target, task):
        given_to_reviser.append(draft)
        return Revision(candidates[task.index % len(candidates)][0], f"n{task.index % 2}")

    result = run_loop(first, lambda draft: known[draft], revise, cap=cap, journal=journal)
    assert 1 <= len(result.iterations) <= cap
    assert result.stop["status"] in ("PASS", "plateau", "cap")
    standing = first
    for record, draft in zip(result.iterations[1:], given_to_reviser, strict=False):
        if record["target_dim"] is not None:
            assert draft == standing
        if record.get("accepted") is True:
            standing = candidates[record["index"] % len(candidates)][0]
    assert result.draft == standing
    if all(item["status"] == "pass" for item in baseline.values()):
        assert given_to_reviser == []
        assert result.passed
