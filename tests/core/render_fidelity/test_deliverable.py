"""Verdict files as they come: odd scores, repeated keys, second verifiers, pages by number and id."""

import json

import pytest

from core.errors import BadInput
from core.render_fidelity.deliverable import parse_deliverable, read_score, read_second, slug_ok
from core.render_fidelity.evidence import Context, judge_file
from core.render_fidelity.page_refs import PageIndex, viewed

GOOD = {
    "slug": "ppt-x", "reference_mode": "exact_document", "source_sha256": "ab" * 32, "pages_reviewed": [1, 2],
    "pages_not_reviewed": [], "axes": {"F1": 4, "F2": 4, "F3": 3, "F4": 3, "F5": 3, "F6": 4, "F7": 4}, "total": 25,
    "verdict": "pass", "cross_check": {"status": "not_run", "reason": "policy"},
}  # fmt: skip


def judged(change=None, pages=2, **more):
    return judge_file(parse_deliverable(json.dumps(GOOD | (change or {})), "x.json"), Context(pages=pages, **more))


@pytest.mark.parametrize(
    ("value", "score", "marked"),
    [
        (4, 4, False),
        (0, 0, False),
        ("4", 4, True),
        (" 3 ", 3, True),
        (3.5, None, True),
        (4.0, None, True),
        (True, None, True),
        (None, None, True),
        (5, None, True),
        (-1, None, True),
        ("5", None, True),
        ("four", None, True),
        ([4], None, True),
    ],
)
def test_a_score_is_a_whole_number_from_0_to_4(value, score, marked):
    found = read_score(value)
    assert (found.score, bool(found.mark)) == (score, marked)


def test_a_text_score_is_read_and_marked():
    found = judged({"axes": GOOD["axes"] | {"F1": "4"}})
    assert found.outcome.verdict == "pass"
    assert any("axes.F1" in problem.reason for problem in found.problems)


def test_an_axis_that_stands_twice_is_no_score_and_the_rest_is_read():
    text = json.dumps(GOOD).replace('"F1": 4', '"F1": 4, "F1": 2')
    found = judge_file(parse_deliverable(text, "x.json"), Context(pages=2))
    assert (found.outcome.verdict, found.outcome.reasons[0]) == ("needs_review", "F1 has no score")
    assert any("F1 stands twice" in problem.reason for problem in found.problems)


@pytest.mark.parametrize("text", ['{"slug": 1, "slug": 2}', "[]", "", '{"slug": "x"', '{"a": NaN}', "{} {}"])
def test_anything_else_that_is_not_strict_json_is_unreadable(text):
    with pytest.raises(BadInput):
        parse_deliverable(text, "x.json")


def test_repeated_axes_do_not_open_a_way_round_strict_json():
    with pytest.raises(BadInput):
        parse_deliverable('{"axes": {"F1": 4, "F1": 4}, "slug": "a", "slug": "b"}', "x.json")
    with pytest.raises(BadInput):
        parse_deliverable('{"axes": {"F1": 4, "F1": 4}, "total": NaN}', "x.json")
    with pytest.raises(BadInput):
        parse_deliverable('{"axes": {"F1": 4, "F1": 4}} trailing', "x.json")


def test_an_inactive_axis_is_ignored_whatever_it_holds():
    axes = {"F1": "no", "F2": 4, "F3": 4, "F4": 4, "F5": None, "F6": 99, "F7": 4}
    found = judged({"reference_mode": "historical_canon", "axes": axes, "total": 16})
    assert (found.outcome.verdict, found.outcome.total) == ("pass", 16)


def test_a_total_that_is_not_the_sum_cannot_pass():
    for total in (27, "27", 3.5, 31, 99, -1, True, "twenty", [28]):
        found = judged({"axes": dict.fromkeys(GOOD["axes"], 4), "total": total})
        assert found.outcome.verdict == "needs_review", total
        said = f"the file says total {json.dumps(total)}, its axes add up to 28"  # 7 x 4
        assert any(f"inconsistent: {said}" in reason for reason in found.outcome.reasons)


@pytest.mark.parametrize("word", ["unreviewed", "unverifiable", "evidence_missing", " Unverifiable "])
def test_the_three_words_are_never_promoted_wherever_they_stand(word):
    for change in (
        {"items": [{"name": "logo", "status": word}]}, {"missing_signatures": [{"name": "bar", "status": word}]},
        {"deep": {"deeper": [word]}}, {"verdict": word},
    ):  # fmt: skip
        assert judged(change).outcome.verdict == "needs_review", change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"unverifiable": ["the axis of chart 3"]}, "left open: unverifiable: the axis of chart 3"),
        ({"unreviewed": ["footnote"]}, "left open: unreviewed: footnote"),
        ({"evidence_missing": {"name": "logo", "page": 2}}, "left open: evidence_missing: logo (page 2)"),
        ({"Unverifiable ": "the logo"}, "left open: Unverifiable : the logo"),
        ({"pages": [{"id": "kpi", "unreviewed": True}]}, "left open: pages[0].unreviewed: True"),
        ({"missing_signatures": [{"name": "bar", "unverifiable": 1}]}, "left open: missing_signatures[0].unv"),
        # of nothing it says nothing
        ({"unverifiable": [], "unreviewed": None, "evidence_missing": "  "}, ""),
        ({"unreviewed": {}, "unverifiable": False, "evidence_missing": 0}, ""),
    ],
)
def test_the_three_words_count_as_keys_too(change, reason):
    found = judged(change).outcome
    assert found.verdict == ("needs_review" if reason else "pass")
    assert found.reasons[0].startswith(reason)


@pytest.mark.parametrize("key", ["missing_signatures", "must_preserve_broken", "copied_assets", "value_errors"])
def test_what_the_verifier_recorded_rejects_whatever_the_scores(key):
    assert judged({key: ["bar"], "axes": dict.fromkeys(GOOD["axes"], 4), "total": 28}).outcome.verdict == "reject"
    assert judged({key: "bar"}).outcome.verdict == "reject"
    assert judged({key: []}).outcome.verdict == "pass"


def test_a_missing_signature_that_need_not_be_preserved_does_not_reject():
    assert judged({"missing_signatures": [{"name": "bar", "must_preserve": False}]}).outcome.verdict == "pass"


def test_mode_and_original_are_needed():
    assert judged({"reference_mode": None}).outcome.verdict == "reject"
    assert judged({"reference_mode": "Exact_Document"}).outcome.verdict == "reject"
    assert judged({"source_sha256": None}).outcome.verdict == "reject"


@pytest.mark.parametrize("value", ["4", 4, True, {"4": "no time"}, "page 4: no time", 2.5])
def test_pages_not_reviewed_that_is_no_list_leaves_them_open(value):
    """Rule 4: submitted as pass, and something stands in pages_not_reviewed."""
    found = judged({"pages_not_reviewed": value}, pages=None)
    assert found.outcome.verdict == "reject"
    assert found.outcome.reasons[0].startswith("submitted as pass while not every page was reviewed")
    assert any("pages_not_reviewed is not a list but" in problem.reason for problem in found.problems)
    assert judged({"pages_not_reviewed": value, "verdict": "needs_review"}).outcome.verdict == "needs_review"


@pytest.mark.parametrize("key", ["value_errors", "copied_assets", "must_preserve_broken", "missing_signatures"])
@pytest.mark.parametrize("value", [0, {}, [""], [None], [{}], ["  ", 0, []]])
def test_an_item_that_says_nothing_is_nothing_that_was_found(key, value):
    assert judged({key: value}).outcome.verdict == "pass"


def test_the_words_of_a_person_leave_nothing_open():
    """A note may well be the word `unreviewed`; a status is not a note."""
    notes = {"human_verdict": {"verdict": "pass", "note": "unreviewed"}}
    requests = [{"axis": "F3", "page": 1, "region": [0, 0, 1, 1], "text": "unverifiable"}]
    assert judged(notes | {"repair_requests": requests}).outcome.verdict == "pass"
    assert judged({"repair_requests": [requests[0] | {"status": "unreviewed"}]}).outcome.verdict == "needs_review"


@pytest.mark.parametrize("value", [None, "", " ", [], {}, 0, False])
def test_pages_not_reviewed_of_nothing(value):
    found = judged({"pages_not_reviewed": value})
    assert (found.outcome.verdict, found.problems) == ("pass", ())


@pytest.mark.parametrize("value", ["all", 2, {"1": True, "2": True}, True])
def test_pages_reviewed_that_is_no_list_reviews_nothing(value):
    found = judged({"pages_reviewed": value})
    assert (found.outcome.verdict, found.evidence.viewed.reviewed) == ("needs_review", ())
    assert any("pages_reviewed is not a list but" in problem.reason for problem in found.problems)


def test_render_hashes_that_are_no_object_are_said():
    assert any("tied to no render" in problem.reason for problem in judged({"render_hashes": "abc"}).problems)


def test_no_pages_is_not_a_pass():
    found = judged({"pages_reviewed": []}, pages=None)
    assert (found.outcome.verdict, found.evidence.viewed.pages) == ("needs_review", 0)


SEVEN = dict.fromkeys(("F1", "F2", "F3", "F4", "F5", "F6", "F7"), 4)


@pytest.mark.parametrize(
    ("block", "total", "why"),
    [
        ({"status": "not_run", "reason": "policy"}, None, "it has not run (policy)"),
        (None, None, "it has not run"),
        ({"verifier": "gpt-5.6-sol", "total": 24, "delta": 1}, 24, ""),
        ({"verifier": "gpt-5.6-sol", "total": 31}, None, "invalid: its total 31 is not a whole number from 0 to 28"),
        ({"verifier": "gpt-5.6-sol", "total": True}, None, "invalid: its total true is no score"),
        ({"verifier": "gpt-5.6-sol", "axes": SEVEN, "total": 3}, 28, ""),
        (
            {"verifier": "gpt-5.6-sol", "axes": SEVEN | {"F2": 7}},
            None,
            "invalid: the second verifier has no score for F2",
        ),
        ({"verifier": "claude-opus", "total": 24}, None, "refused: claude-opus is of the author's family (anthropic)"),
        ({"verifier": "o3", "total": 24}, None, "refused: o3 is of the first verifier's family (openai)"),
    ],
)
def test_a_second_verifier_is_recomputed_or_refused_with_the_reason(block, total, why):
    primary = "gpt-5" if block and block.get("verifier") == "o3" else "Mina"
    found = read_second(block, "exact_document", author="claude", primary=primary)
    assert (found.total, found.why[: len(why)]) == (total, why)


def test_an_invalid_cross_check_is_as_good_as_not_run():
    change = {"cross_check": {"verifier": "gpt-5.6-sol", "total": 31}}
    assert judged(change, batch_first=True).outcome.verdict == "needs_review"
    assert (
        judged(change | {"cross_check": {"verifier": "gpt-5.6-sol", "total": 24}}, batch_first=True).outcome.verdict
        == "pass"
    )


def test_a_suspicion_of_a_refused_second_verifier_still_counts():
    block = {"verifier": "claude-opus", "axes": SEVEN | {"F7": 1}}
    assert judged({"cross_check": block}).outcome.verdict == "needs_human"


def test_pages_by_number_and_id():
    index = PageIndex(3, ("cover", "kpi", "chart"))
    refs = [1, "2", {"page": "03-chart"}, "cover", "02-cover", 0, 4, True, None, "nothing", 1.0, "01-cover"]
    found = index.read(refs)
    assert found.pages == {"1", "2", "3"}
    assert len(found.unknown) == 7
    assert found.twice == ("1", "1")


def test_a_page_in_both_lists_was_not_reviewed():
    seen, oddities = viewed(PageIndex(3), [1, 2, 3], ["2"])
    assert (seen.reviewed, seen.unreviewed, seen.stated_open) == (("1", "3"), ("2",), True)
    assert oddities == ["page 2 stands in both lists: not reviewed"]


def test_without_a_count_both_lists_give_it():
    seen, _ = viewed(PageIndex(None), [1, 2, "10-end"], [4])
    assert (seen.pages, seen.unreviewed) == (10, ("3", "4", "5", "6", "7", "8", "9"))


@pytest.mark.parametrize(
    "slug", ["", "ppt-", "web-ü", "PPT-x", "ppt_x", "ppt-x/", "../ppt-x", ".ppt-x", "ppt-x\n", None, 3]
)
def test_what_is_no_slug(slug):
    assert not slug_ok(slug)
    assert slug_ok("ppt-x-1")
