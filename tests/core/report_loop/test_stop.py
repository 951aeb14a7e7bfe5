"""The stop rule: PASS, then cap, then plateau, else go on."""

import pytest

from core.report_loop.rubric import terminate
from tests.core.report_loop.build import record, scores

GOOD = scores()


def stop(*records, **limits):
    should_stop, verdict = terminate(records, **limits)
    return should_stop, verdict["status"]


def test_nothing_yet_is_not_a_pass():
    should_stop, verdict = terminate([])
    assert (should_stop, verdict["status"], verdict["reason"]) == (False, None, "no iterations yet")
    assert verdict["iterations"] == 0


def test_a_draft_at_the_bar_stops_at_one_without_a_diff():
    should_stop, verdict = terminate([record(1, None, scores=GOOD, content_diff_count=0, target_dim=None)])
    assert should_stop
    assert verdict["status"] == "PASS"
    assert (verdict["iterations"], verdict["content_diff_count"], verdict["escalate_to_human"]) == (1, 0, False)
    assert verdict["route"] is None
    assert "correct" not in verdict["reason"]


def test_pass_comes_before_cap_and_plateau():
    assert stop(*[record(n, False) for n in range(1, 6)], record(6, False, scores=GOOD)) == (True, "PASS")


def test_cap_comes_before_plateau_and_both_escalate():
    should_stop, verdict = terminate([record(n, False) for n in range(1, 7)])
    assert (should_stop, verdict["status"]) == (True, "cap")
    assert (verdict["escalate_to_human"], verdict["route"]) == (True, "architect")
    should_stop, verdict = terminate([record(1), record(2, False), record(3, False)])
    assert (should_stop, verdict["status"], verdict["route"]) == (True, "plateau", "architect")


@pytest.mark.parametrize(
    "improved",
    [[None, False], [False], [False, True, False], [False, None], [True, False], [False, 0], [False, "no"]],
)
def test_only_two_plain_noes_in_a_row_are_a_plateau(improved):
    assert stop(*[record(n, value) for n, value in enumerate(improved, start=1)]) == (False, None)


def test_a_missing_improved_is_unknown():
    blank = record(2)
    del blank["improved"]
    assert stop(record(1, False), blank) == (False, None)


def test_a_pass_that_was_lost_is_told():
    _, verdict = terminate([record(1, None, scores=GOOD), record(2, True), record(3, True)])
    assert verdict["status"] is None
    assert "iteration 1 had been at the bar" in verdict["reason"]


def test_records_count_in_the_order_of_their_index_and_disorder_is_told():
    records = [record(3, False), record(1), record(2, True, scores=GOOD)]
    assert stop(*records) == (False, None)
    _, verdict = terminate(records)
    assert [problem["reason"] for problem in verdict["problems"]] == ["index 1 stands after 3"]


def test_gaps_and_repeats_are_told():
    _, verdict = terminate([record(1), record(1), record(4, True), record(6, True)])
    reasons = [problem["reason"] for problem in verdict["problems"]]
    assert reasons == ["index 1 stands twice", "index 2 to 3 is missing", "index 5 is missing"]


def test_of_two_latest_records_neither_can_pass_alone():
    assert stop(record(1, True), record(2, True, scores=GOOD), record(2, True)) == (False, None)


def test_malformed_records_are_told_and_never_pass():
    _, verdict = terminate([record(1), "nonsense", record(3, "yes"), record(None), record(5, scores=[1])])
    text = " ".join(problem["reason"] for problem in verdict["problems"])
    assert "an iteration is an object" in text
    assert "improved is 'yes'" in text
    assert "index is None" in text
    assert verdict["iterations"] == 5
    assert verdict["status"] is None


def test_a_reverted_candidate_or_an_unfresh_receipt_is_no_pass():
    assert stop(record(1), record(2, False, scores=GOOD, accepted=False)) == (False, None)
    assert stop(record(1, None, scores=GOOD, receipt_fresh=False)) == (False, None)
    assert stop(record(1, None, scores=GOOD, receipt_fresh=True, accepted=None)) == (True, "PASS")


def test_a_score_of_fewer_than_three_samples_is_no_score():
    assert stop(record(1, None, scores=GOOD, samples={"dynamic": [0.95, 0.95]})) == (False, None)
    assert stop(record(1, None, scores=GOOD, samples={"dynamic": [0.95, 0.95, 0.9]})) == (True, "PASS")


def test_limits():
    assert stop(record(1, False), cap=1) == (True, "cap")
    assert stop(record(1, False), plateau_patience=1) == (True, "plateau")
    for limits in ({"cap": 0}, {"plateau_patience": 0}):
        with pytest.raises(ValueError):
            terminate([], **limits)
