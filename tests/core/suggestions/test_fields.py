"""The labelled lines of an entry in the spellings that people and agents use."""

import time

import pytest

from core.suggestions.content import original_text
from core.suggestions.entries import Kind, parse
from core.suggestions.fields import Score, decision_of, read_fields
from core.suggestions.lines import is_rule


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
        ("- 🏷️ x | 📊 4/6 (A:2 P:1 G:0 G:2)", None, "does not give A, P and G once each"),
        ("- 🏷️ x | 📊 4/6 (A:2 A:2 P:1 G:1)", None, "does not give A, P and G once each"),
        ("- 🏷️ 技術 📊 5/6 (A:2 P:1 G:2)", Score(5, 2, 1, 2), None),
        ("- 🏷️ 📊 5/6 (A:2 P:1 G:2)", Score(5, 2, 1, 2), None),
        ("- 🏷️ 📊 數據 | 📊 5/6 (A:2 P:1 G:2)", Score(5, 2, 1, 2), None),
        ("- 💎 高 | 🎯 中 | 📊 5/6 (A:2 P:1 G:2)", Score(5, 2, 1, 2), None),
        ("- 🏷️ 技 | 💎 高 | ⚡ 低 | 📊 Rubric：5/6 (A:2 P:1 G:2)", Score(5, 2, 1, 2), None),
        ("📊 5/6 (A:2 P:1 G:2)", None, "is not read: it stands in no field"),
        ("  - 📊 5/6 (A:2 P:1 G:2)", None, "is not read: it stands in no field"),
    ],
)
def test_scores(line: str, score: Score | None, problem: str | None) -> None:
    """The sum counts; a scale or part outside the rubric is no score and is never rescaled."""
    found = read_fields([line])
    assert found.score == score
    assert (problem is None) == (found.problems == [])
    assert problem is None or problem in found.problems[0]


@pytest.mark.parametrize(
    ("line", "category", "legacy"),
    [
        ("- 🏷️ 技術 📊 5/6 (A:2 P:1 G:2)", "技術", ""), ("- 🏷️ 📊 數據 | 📊 5/6 (A:2 P:1 G:2)", "📊 數據", ""),
        ("- 🏷️ 技 | 💎 高 | ⚡ 低 | 📊 5/6 (A:2 P:1 G:2)", "技", "💎 高 | ⚡ 低"),
    ],
)  # fmt: skip
def test_what_stands_before_a_score_on_its_line(line: str, category: str, legacy: str) -> None:
    found = read_fields([line])
    assert (found.category, found.legacy) == (category, legacy)


REVIEWED = "- **Reviewed**: 2026-05-08T10:00:00+08:00"


@pytest.mark.parametrize(
    ("lines", "feedback", "comment", "reviewed"),
    [
        (["- **Feedback**: ❌ Reject", "  - **Comment**: Web3 hype", REVIEWED], "❌ Reject", "Web3 hype", True),
        (["  - **Feedback**: ❌", "  - **Comment**: Web3 hype", f"  {REVIEWED}"], "❌", "Web3 hype", True),
        (["- **Feedback**: ❌ Reject", "\t- Comment: Web3 hype", "    * reviewed: 2026-05-08T10:00:00+08:00"],
         "❌ Reject", "Web3 hype", True),
        (["  - Feedback: ✅", "  - Comment: Web3 hype"], "✅", "Web3 hype", False),
        (["- **Feedback**: ❌ Reject", "  because of Web3 ✅", "  - and hype", REVIEWED], "❌ Reject", "", True),
        (["- **Feedback**: ❌", "- **Comment**: first", "", "  Web3 hype", "", "  more", REVIEWED],
         "❌", "first  Web3 hype  more", True),
        (["- **Feedback**: ❌", REVIEWED, "", "  - said on Monday"], "❌", "", True),
        (["- **Feedback**: ❌", "- **Comment**: first", "", "stray"], "❌", "first", False),
    ],
)  # fmt: skip
def test_what_is_indented_under_a_review_label_belongs_to_it(
    lines: list[str], feedback: str, comment: str, reviewed: bool
) -> None:
    found = read_fields(["- 📋 建議：do it", *lines])
    assert (found.next_step, found.feedback, found.comment.split()) == ("do it", feedback, comment.split())
    assert bool(found.reviewed_at) is reviewed
    text = "\n".join(["### 2026-05-07 | N | T", "- 📋 建議：do it", *lines])
    seen = original_text(parse(text.encode(), "f", "reviewed").entries[0])
    assert not any(word in seen for word in ("Web3", "hype", "more", "Monday", "Reviewed", "Feedback"))


def test_points_of_a_suggestion_that_are_called_like_a_review_stay_its_points() -> None:
    found = read_fields(["- 📋 建議：a form with", "  - Feedback: a text field", "  - Comment: a second one"])
    assert (found.next_step, found.feedback) == ("a form with - Feedback: a text field - Comment: a second one", None)
    plan = ["- 📋 建議：Ship a form", "- Steps:", "  - Feedback: collect ✅ from three users", "  - then ship"]
    step = "Ship a form - Steps: - Feedback: collect ✅ from three users - then ship"
    bold = ["- 📋 建議：a form", "  - **Feedback**: ask three users", "  - **Comment**: allow Markdown"]
    for lines, read in ((plan, step), (bold, "a form - **Feedback**: ask three users - **Comment**: allow Markdown")):
        found = read_fields(lines)
        assert (found.next_step, found.feedback, found.comment) == (read, None, "")
        found = read_fields([*lines, "- **Feedback**: ❌ Reject"])
        assert (found.next_step, found.feedback, found.comment) == (read, "❌ Reject", "")


def test_a_nested_review_counts_in_the_reviewed_file_alone_and_where_no_whole_line_decides() -> None:
    lines = ["- 📋 建議：do it", "  - Feedback: ✅ from three users", "  - Comment: good"]
    assert read_fields(lines).feedback == "✅ from three users"
    for found in (read_fields(lines, nested=False), read_fields([*lines, "- **Feedback**: ❌ Reject"])):
        assert found.next_step == "do it - Feedback: ✅ from three users - Comment: good"
        assert (found.feedback or "❌ Reject", found.comment) == ("❌ Reject", "")
    text = "\n".join(["### 2026-05-07 | N | T", *lines])
    kinds: tuple[Kind, ...] = ("pending", "filtered", "reviewed")
    decided = {kind: parse(text.encode(), "f", kind).entries[0].decision for kind in kinds}
    assert decided == {"pending": None, "filtered": None, "reviewed": "accept"}
    assert decision_of(read_fields([*lines[:2], "  - **Feedback**: ❌"]).feedback or "")[0] == "undecided"


@pytest.mark.parametrize(
    ("inside", "comment", "at"),
    [
        (["- **Comment**: as I wrote", "  - Feedback: ✅ good"], "as I wrote - Feedback: ✅ good", "2026-05-08"),
        (["- **Comment**: as I wrote", "  **Feedback**: ✅"], "as I wrote **Feedback**: ✅", "2026-05-08"),
        (["- **Comment**: no", "  - Reviewed: 2020-01-01"], "no - Reviewed: 2020-01-01", "2026-05-08"),
        (["  - Comment: no", "    - Reviewed: 2020-01-01"], "no - Reviewed: 2020-01-01", "2026-05-08"),
        (["  - Reviewed: 2020-01-01", "- **Comment**: no"], "no", "2026-05-08"),
        (["  - Feedback: ✅ good", "  - Comment: no"], "no", "2026-05-08"),
        (["", "  - **Comment**: no"], "no", "2026-05-08"),
    ],
)  # fmt: skip
def test_what_is_indented_in_a_review_never_undoes_it(inside: list[str], comment: str, at: str) -> None:
    found = read_fields(["- 📋 建議：do it", "- **Feedback**: ❌ Reject", *inside, "- **Reviewed**: 2026-05-08"])
    assert (found.feedback, found.comment, found.reviewed_at, found.problems) == ("❌ Reject", comment, at, [])


def test_a_comment_line_before_the_feedback_is_the_suggestions_own_unless_it_is_the_bold_label() -> None:
    found = read_fields(["- 📋 建議：do it", "- Comment: mine", "- **Feedback**: ❌ Reject"])
    assert (found.next_step, found.comment, found.problems) == ("do it", "", [])
    assert read_fields(["- **Feedback**: ❌ Reject", "- Comment: no"]).comment == "no"
    text = "### 2026-05-07 | N | T\n- 📋 建議：do it\n- Comment: mine\n- **Feedback**: ❌ Reject\n- Comment: no\n"
    assert original_text(parse(text.encode(), "f", "reviewed").entries[0]).endswith("do it\n- Comment: mine")


@pytest.mark.parametrize(
    ("line", "scored"),
    [
        ("📊 5/6", True), ("  - 📊 Rubric: 5/6 (A:2 P:1 G:2)", True), ("📊 5/6 (A:2 P:1)", False),
        ("📊 12/20 projects failed", False), ("📊 5/6 projects failed", False), ("  - 📊 3/5 users", False),
    ],
)  # fmt: skip
def test_only_a_score_that_says_nothing_else_is_taken_for_one_where_it_stands_in_no_field(
    line: str, scored: bool
) -> None:
    """Else prose would be hidden from veto and judge, and lost where the entry is graded."""
    entry = parse(f"### 2026-05-07 | N | T\n- 📄 [r](x)\n{line}\n".encode(), "f").entries[0]
    assert (line.strip() not in original_text(entry)) is scored
    assert len([one for one in entry.problems if "stands in no field" in one]) == 1


def test_long_runs_of_blanks_and_blank_lines_are_read_once() -> None:
    """Each took seconds when it was read once for every blank in it."""
    many = 20_000
    started = time.process_time()
    read_fields(["- **Feedback**: ❌", *[""] * many, "  more"])
    read_fields(["- **Feedback**: ❌", f"  - comment{' ' * many}x", f"- 🏷️ t{' ' * many}x", f"- 🏷️ 📊{' ' * many}x"])
    read_fields([f"- 🏷️ t | 💎 📊{' ' * many}x", f"📊{' ' * many}x", f"📊 1/6{' ' * many}x"])
    assert time.process_time() - started < 1


def test_the_comment_behind_the_feedback_is_the_reviewers() -> None:
    own, review = "- **Comment**: urgent, says the editor", ["- **Feedback**: ✅", "- **Comment**: agreed"]
    assert (read_fields([own, *review]).comment, read_fields([own, *review]).problems) == ("agreed", [])
    assert read_fields([own, review[0]]).comment == "urgent, says the editor"
    assert read_fields([*review, own]).problems == ["a second comment: the first counts"]


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
