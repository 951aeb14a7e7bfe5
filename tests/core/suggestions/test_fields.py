"""The labelled lines of an entry in the spellings that people and agents use."""

import pytest

from core.suggestions.fields import Score, decision_of, is_rule, read_fields


@pytest.mark.parametrize(
    "line",
    [
        "- 📋 建議：do it", "- 📋 建議: do it", "- 📋 **建議**：do it", "* 📋 **建議：** do it", "- 建議：do it",
        "- 📋 Suggestion: do it", "- **Next step**: do it", "- **Suggestion:** do it", "- 📋 建議下一步：do it",
        "+ 📋 建议：do it", "Next step: do it", "- 📋 do it", "- 📋︎ 建議：do it", "- 📋 NEXT STEP： do it",
    ],
)  # fmt: skip
def test_the_next_step_in_its_spellings(line: str) -> None:
    assert read_fields([line]).next_step == "do it"


def test_a_next_step_may_run_over_lines_and_keeps_its_inner_bullets() -> None:
    found = read_fields(["- 📋 建議：first", "  second", "  - inner", "", "stray", "- 📄 [r](x)"])
    assert found.next_step == "first second - inner"
    assert found.report == "[r](x)"


def test_a_comment_that_looks_like_other_fields_stays_a_comment() -> None:
    found = read_fields(["- **Comment**: Feedback: ❌ Reject 📊 5/6", "- **Feedback**: ✅ Accept"])
    assert found.comment == "Feedback: ❌ Reject 📊 5/6"
    assert found.score is None
    assert decision_of(found.feedback or "")[0] == "accept"


def test_the_second_of_two_fields_is_told_and_the_first_counts() -> None:
    found = read_fields(["- 📋 建議：a", "- 📋 建議：b"])
    assert (found.next_step, found.problems) == ("a", ["a second next step: the first counts"])


@pytest.mark.parametrize(
    ("line", "score", "problem"),
    [
        ("- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)", Score(5, 2, 1, 2), None),
        ("- 🏷 技術 ｜ 📊 5/6 （A：2, P：1, G：2）", Score(5, 2, 1, 2), None),
        ("- 📊 Rubric: 3/6 (A:1 P:1 G:1)", Score(3, 1, 1, 1), None),
        ("- 📊 **Rubric**：3/6 (A:1 P:1 G:1)", Score(3, 1, 1, 1), None),
        ("- 🏷️ x | 📊 6/6 (A:2 P:1 G:2)", Score(5, 2, 1, 2), "stored total 6 differs from A+P+G = 5"),
        ("- 🏷️ x | 📊 4/6", Score(4, None, None, None), "has a total only"),
        ("- 🏷️ x | 📊 4/5 (A:2 P:1 G:1)", None, "is not out of 6"),
        ("- 🏷️ x | 📊 8/10", None, "is not out of 6"),
        ("- 🏷️ x | 📊 7/6 (A:3 P:2 G:2)", None, "total that is not 0 to 6"),
        ("- 🏷️ x | 📊 5/6 (A:3 P:1 G:1)", None, "a part that is not 0, 1 or 2"),
        ("- 🏷️ x | 📊 5/6 (A:2.0 P:1 G:2)", None, "a part that is not 0, 1 or 2"),
        ("- 🏷️ x | 📊 4/6 (A:2 P:2)", None, "does not give A, P and G"),
        ("- 🏷️ x | 📊 pending", None, "is not out of 6"),
    ],
)
def test_scores(line: str, score: Score | None, problem: str | None) -> None:
    """The sum counts; a scale or part outside the rubric is no score and is never rescaled."""
    found = read_fields([line])
    assert found.score == score
    assert (problem is None) == (found.problems == [])
    assert problem is None or problem in found.problems[0]


def test_legacy_fields_are_kept_as_text_and_are_no_score() -> None:
    found = read_fields(["- 🏷️ 心態 | 💎 High | ⚡ Mid | 🎯 Action"])
    assert (found.category, found.legacy, found.score) == ("心態", "💎 High | ⚡ Mid | 🎯 Action", None)


@pytest.mark.parametrize(
    ("feedback", "decision"),
    [
        ("✅ Accept", "accept"), ("✅", "accept"), ("✅ Reject", "accept"), ("✔️ ok", "accept"), ("✅︎ Accept", "accept"),
        ("❌ Reject", "reject"), ("❌ would Accept later", "reject"), ("✖️ no", "reject"), ("x ❌", "reject"),
        ("Accept", "undecided"), ("", "undecided"), ("⏸ Defer", "undecided"), ("✅ ❌", "undecided"),
        ("✅ Accept ✅", "undecided"),
    ],
)  # fmt: skip
def test_the_mark_decides_and_words_do_not(feedback: str, decision: str) -> None:
    assert decision_of(feedback)[0] == decision


def test_two_feedback_lines_are_two_marks() -> None:
    found = read_fields(["- **Feedback**: ✅ Accept", "- **Feedback**: ❌ Reject"])
    assert decision_of(found.feedback or "") == ("undecided", "Feedback has 2 marks: '✅ Accept / ❌ Reject'")


@pytest.mark.parametrize("line", ["---", "***", "----", "--- ", "- - -", "___", "   ---"])
def test_rules(line: str) -> None:
    assert is_rule(line)


@pytest.mark.parametrize("line", ["--", "- x", "-*-", "    ---", "--- x"])
def test_no_rules(line: str) -> None:
    assert not is_rule(line)
