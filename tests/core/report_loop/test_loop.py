"""The driver on callables: what it asks of the reviser, what it keeps, and that it ends."""

import pytest

from core.report_loop.loop import (
    MemoryJournal,
    Revision,
    Scoring,
    content_diff,
    edit_counts,
    run_loop,
    target_dimension,
)
from tests.core.report_loop.build import scores

LEVELS = {f"d{n}": scores(dynamic=0.5 + n / 10) for n in range(6)}


def test_a_draft_at_the_bar_is_never_revised():
    def revise(*_):
        raise AssertionError("the reviser was called")

    result = run_loop("draft", lambda _: scores(), revise)
    assert (result.passed, result.draft, len(result.iterations)) == (True, "draft", 1)
    assert result.iterations[0]["content_diff_count"] == 0


def test_a_mediocre_draft_reaches_the_bar_within_the_cap():
    result = run_loop("d0", LEVELS.get, lambda draft, *_: f"d{int(draft[1]) + 1}")
    assert (result.passed, result.draft) == (True, "d4")
    assert [record["improved"] for record in result.iterations] == [None, True, True, True, True]
    assert {record["target_dim"] for record in result.iterations[1:]} == {"dynamic"}


def test_a_scorer_that_never_improves_ends_on_a_plateau_with_the_same_draft():
    result = run_loop(b"a", lambda _: scores(dynamic=0.4), lambda draft, *_: draft + b"!")
    assert (result.stop["status"], result.draft, result.stop["iterations"]) == ("plateau", b"a", 3)
    assert result.stop["escalate_to_human"]


def test_slow_gains_end_at_the_cap():
    steps = {f"x{n}": scores(dynamic=0.1 + n / 100) for n in range(9)}
    result = run_loop("x0", steps.get, lambda draft, *_: f"x{int(draft[1]) + 1}")
    assert (result.stop["status"], result.stop["iterations"], result.draft) == ("cap", 6, "x5")


def test_the_lowest_failing_dimension_is_the_target_and_a_passing_one_is_left_alone():
    assert target_dimension(scores(dynamic=0.7, inclusive=0.6, polished=0.8)) == "inclusive"
    assert target_dimension(scores(dynamic=0.7, inclusive=0.7)) == "dynamic"
    assert target_dimension(scores(polished=0.9, format_consistency_pass=False)) == "polished"
    assert target_dimension(scores(verdicts={"V4": "fail"})) is None
    assert target_dimension(scores(dynamic=None)) is None


def test_with_nothing_to_revise_the_same_draft_is_measured_again_and_the_loop_still_ends():
    seen = []

    def score(draft):
        seen.append(draft)
        return scores(verdicts={"V4": "fail"})

    result = run_loop("d", score, lambda *_: pytest.fail("nothing is to be revised"))
    assert (result.stop["status"], seen) == ("plateau", ["d", "d", "d"])


def test_a_data_route_that_comes_back_turns_it_into_a_pass():
    answers = iter([scores(verdicts={"V5": "not_captured"}, polished=0.95), scores()])
    result = run_loop("d", lambda _: next(answers), lambda draft, *_: draft)
    assert result.stop["status"] is not None
    # V5 is Polished's anchor, so the reviser was asked first and changed nothing; then the harness could see again.
    assert [record["index"] for record in result.iterations] == [1, 2, 3]
    assert not result.passed


def test_an_unfresh_receipt_is_measured_again_before_anything_is_declared():
    fresh = iter([False, True])
    result = run_loop(
        "d", lambda _: Scoring(scores(), {"receipt_fresh": next(fresh)}), lambda *_: pytest.fail("called")
    )
    assert result.passed
    assert [record["receipt_fresh"] for record in result.iterations] == [False, True]


def test_a_node_is_frozen_after_two_edits_and_a_third_is_refused_without_scoring():
    scored = []

    def score(draft):
        scored.append(draft)
        return scores(dynamic=0.3 + len(draft) / 100)

    result = run_loop("a", score, lambda draft, *_: Revision(draft + "b", "n1"), plateau_patience=3, budget=2)
    assert result.frozen == ("n1",)
    assert scored == ["a", "ab", "abb"]
    refused = result.iterations[3]
    assert (refused["accepted"], refused["scored"]) == (False, False)
    assert "frozen" in refused["reason"]


def test_a_granted_edit_lifts_the_freeze_once():
    result = run_loop(
        "a", lambda draft: scores(dynamic=0.3 + len(draft) / 100), lambda draft, *_: Revision(draft + "b", "n1"),
        more_edits={"n1": 1},
    )  # fmt: skip
    assert [record.get("scored") for record in result.iterations] == [None, None, None, None, False, False]


def test_edits_that_reach_the_bar_do_not_use_up_the_budget():
    reached = {"index": 2, "node_id": "n", "target_dim": "dynamic", "accepted": True, "content_diff_count": 1}
    assert edit_counts([{**reached, "scores": scores()}]) == {"n": 0}
    assert edit_counts([{**reached, "scores": scores(dynamic=0.5)}] * 2) == {"n": 2}
    assert edit_counts([{**reached, "scores": scores(), "accepted": False}]) == {"n": 1}


def test_a_journal_is_resumed_where_it_stood():
    whole = run_loop("d0", LEVELS.get, lambda draft, *_: f"d{int(draft[1]) + 1}")
    for kept in range(len(whole.iterations)):
        journal = MemoryJournal()
        for record in whole.iterations[:kept]:
            journal.commit(record, f"d{record['index'] - 1}", None)
        again = run_loop("d0", LEVELS.get, lambda draft, *_: f"d{int(draft[1]) + 1}", journal=journal)
        assert again.iterations == whole.iterations
        assert again.draft == whole.draft


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [("a\nb\n", "a\nb\n", 0), ("a\nb\n", "a\nc\n", 1), ("a\n", "a", 1), ("", "x\ny", 2), ("a\r\n", "a\n", 1)],
)
def test_content_diff_counts_lines_and_is_zero_only_for_the_same_bytes(before, after, count):
    assert content_diff(before, after) == count
    assert content_diff(before.encode(), after.encode()) == count
