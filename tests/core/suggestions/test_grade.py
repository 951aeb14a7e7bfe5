"""Grading: order, routing, what a failure does, and that nothing arrives twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.decisions import Log, open_log
from core.errors import BadInput
from core.judge.protocol import FailureKind, Unscored
from core.suggestions import store
from core.suggestions.entries import Document, parse
from core.suggestions.grade import Graded, Step, grade
from core.workspace import Workspace
from tests.core.suggestions.judging import Answer, ByTitle
from tests.core.suggestions.making import NOW, entry, file_of, workspace


def _document(*entries: str) -> Document:
    return parse("\n---\n\n".join(["# New", *entries]).encode(), "new.md")


def _grade(place: Workspace, document: Document, judge: ByTitle, threshold: int = 4) -> Graded:
    return grade(place, open_log(place), document, lambda: judge, now=NOW, threshold=threshold)


def _fixed(*score: int) -> ByTitle:
    return ByTitle(lambda _: (score[0], score[1], score[2]))


def _titles(place: Workspace, kind: str) -> list[str]:
    store.forget()
    return [one.title for one in store.of_workspace(place, kind).entries]  # type: ignore[arg-type]


def test_the_first_rule_that_fires_decides(tmp_path: Path) -> None:
    """Veto before ambiguity before score; a vetoed entry costs no call (suggestions contract, Grade)."""
    place = workspace(tmp_path, topics=("Web3",), phrases=("研究看看",))
    judge = ByTitle(lambda text: (2, 2, 1) if "good" in text else (1, 1, 1))
    done = _grade(
        place,
        _document(
            entry("Web3 wallet", "先研究看看這個工具"),
            entry("Vague", "先研究看看這個工具"),
            entry("good"),
            entry("so-so"),
        ),
        judge,
    )
    assert [(one.outcome, one.reason) for one in done.results] == [
        ("hard_veto", "Hard-veto: Web3"),
        ("ambiguity", "Ambiguity blocklist: 研究看看"),
        ("passed", ""),
        ("below_threshold", "Below threshold (3 < 4)"),
    ]
    assert len(judge.asked) == done.asked == 2
    assert _titles(place, "pending") == ["good"]
    assert _titles(place, "filtered") == ["Web3 wallet", "Vague", "so-so"]


def test_the_bytes_that_are_written(tmp_path: Path) -> None:
    """The 📊 field takes the place of the legacy ones; the reason stands behind the next step (contract, Files)."""
    place = workspace(tmp_path, topics=("Web3",))
    judge = ByTitle(lambda text: (2, 1, 2) if "Kept" in text else (1, 0, 2))
    entries = [entry(title, legacy=True, url="https://example.org/x") for title in ("Kept", "Low", "Web3")]
    _grade(place, _document(*entries), judge)
    assert place.suggestions.pending.read_text("utf-8") == (
        "# 📋 Pending Suggestions\n\n---\n\n### 2026-05-07 | Newsletter | [Kept](https://example.org/x)\n"
        "- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n- 📋 建議：整理成筆記\n- 📄 [報告](file:///reports/x.md)\n"
    )
    assert place.suggestions.filtered.read_text("utf-8") == (
        "# 🚫 Filtered Suggestions\n\n---\n\n### 2026-05-07 | Newsletter | [Web3](https://example.org/x)\n"
        "- 🏷️ 技術 | 💎 High | ⚡ High | 🎯 Action\n- 📋 建議：整理成筆記\n- ❌ Filter: Hard-veto: Web3\n"
        "- 📄 [報告](file:///reports/x.md)\n"
        "\n---\n\n### 2026-05-07 | Newsletter | [Low](https://example.org/x)\n"
        "- 🏷️ 技術 | 📊 3/6 (A:1 P:0 G:2)\n- 📋 建議：整理成筆記\n- ❌ Filter: Below threshold (3 < 4)\n"
        "- 📄 [報告](file:///reports/x.md)\n"
    )


def test_an_entry_without_a_tag_line_and_lines_nobody_knows(tmp_path: Path) -> None:
    """What the grader does not understand is kept; a stored score and an old reason give way to the new."""
    place = workspace(tmp_path)
    text = (
        "### 2026-05-07 | Mail | Plain title\n- 📊 Rubric: 6/6 (A:2 P:2 G:2)\n- 📎 attachment.pdf\n"
        "- ❌ Filter: Below threshold (2 < 4)\n- Suggestion: Try it\n<!-- from the pipeline -->\n"
    )
    _grade(place, _document(text), _fixed(2, 2, 0))
    assert place.suggestions.pending.read_text("utf-8").split("---\n\n")[1] == (
        "### 2026-05-07 | Mail | Plain title\n- 🏷️ 未分類 | 📊 4/6 (A:2 P:2 G:0)\n- 📎 attachment.pdf\n"
        "- Suggestion: Try it\n<!-- from the pipeline -->\n"
    )
    assert store.of_workspace(place, "pending").entries[0].id == _document(text).entries[0].id


def test_forty_entries_of_which_ten_are_vetoed_cost_thirty_calls(tmp_path: Path) -> None:
    place = workspace(tmp_path, topics=("Web3",))
    entries = [entry(f"{'Web3' if number % 4 == 0 else 'Rust'} {number}") for number in range(40)]
    judge = _fixed(2, 2, 2)
    done = _grade(place, _document(*entries), judge)
    assert len(judge.asked) == 30
    assert (done.count("hard_veto"), done.count("passed")) == (10, 30)


@pytest.mark.parametrize("threshold", [0, 3, 6])
def test_the_threshold_in_force(tmp_path: Path, threshold: int) -> None:
    done = _grade(workspace(tmp_path), _document(entry("one")), _fixed(1, 1, 1), threshold)
    assert done.results[0].outcome == ("passed" if threshold <= 3 else "below_threshold")
    assert done.results[0].reason == ("" if threshold <= 3 else "Below threshold (3 < 6)")


def test_a_threshold_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="between 0 and 6"):
        _grade(workspace(tmp_path), _document(), _fixed(1, 1, 1), 7)


@pytest.mark.parametrize("kind", ["refused", "timeout", "server_error", "bad_reply", "rate_limited"])
def test_a_judge_failure_leaves_the_entry_ungraded(tmp_path: Path, kind: FailureKind) -> None:
    """Routed nowhere and lost nowhere: the source is untouched, the next run asks again."""
    place = workspace(tmp_path)
    document = _document(entry("bad"), entry("good"))

    def answers(text: str) -> Answer:
        return Unscored(f"the judge: {kind}", kind) if "bad" in text else (2, 2, 2)

    done = _grade(place, document, ByTitle(answers))
    bad = done.results[0]
    assert (bad.outcome, bad.reason, bad.score) == ("ungraded", f"the judge: {kind}", None)
    assert _titles(place, "pending") == ["good"]
    assert _titles(place, "filtered") == []
    again = _grade(place, document, _fixed(2, 2, 2))
    assert [one.outcome for one in again.results] == ["passed", "known"]
    assert _titles(place, "pending") == ["good", "bad"]


def test_a_failure_that_holds_for_the_run_is_not_asked_into(tmp_path: Path) -> None:
    """A missing key is found out once, not once for each of two hundred entries."""
    judge = ByTitle(lambda _: Unscored("no key", "no_key"))
    done = _grade(workspace(tmp_path), _document(*(entry(f"e{number}") for number in range(200))), judge)
    assert done.count("ungraded") == 200
    assert {one.reason for one in done.results} == {"no key"}
    assert len(judge.asked) == 64, "one round, and no further one"


def test_a_killed_run_is_run_again_and_nothing_stands_twice(tmp_path: Path) -> None:
    place = workspace(tmp_path, topics=("Web3",))
    document = _document(*(entry(f"{'Web3' if number % 9 == 0 else 'Rust'} {number}") for number in range(150)))
    for stop in (10, 70, 5):
        with pytest.raises(KeyboardInterrupt):
            _grade(place, document, ByTitle(lambda _: (2, 2, 2), stop_after=stop))
    done = _grade(place, document, _fixed(2, 2, 2))
    titles = _titles(place, "pending") + _titles(place, "filtered")
    assert sorted(titles) == sorted(one.title for one in document.entries)
    assert done.count("ungraded") == 0


def test_killed_between_the_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pending file is written, the filtered one is not: the next run brings the rest, once."""
    place = workspace(tmp_path)
    document = _document(entry("good"), entry("low"))
    judge = ByTitle(lambda text: (2, 2, 2) if "good" in text else (0, 0, 0))
    from core.suggestions import routing

    real = routing._append

    def dies(workspace: Workspace, log: Log, kind: str, routed: object) -> None:
        if kind == "filtered":
            raise KeyboardInterrupt
        real(workspace, log, kind, routed)  # type: ignore[arg-type]

    monkeypatch.setattr(routing, "_append", dies)
    with pytest.raises(KeyboardInterrupt):
        _grade(place, document, judge)
    monkeypatch.undo()
    assert [one.outcome for one in _grade(place, document, judge).results] == ["known", "below_threshold"]
    assert (_titles(place, "pending"), _titles(place, "filtered")) == (["good"], ["low"])


def test_what_is_known_is_left_alone(tmp_path: Path) -> None:
    place = workspace(
        tmp_path, pending=(entry("p"),), reviewed=(entry("r", decision="reject"),), filtered=(entry("f"),)
    )
    before = {path: path.read_bytes() for path in (tmp_path / "data").iterdir()}
    judge = _fixed(2, 2, 2)
    done = _grade(place, _document(entry("p"), entry("r"), entry("f"), entry("old", decision="accept")), judge)
    assert [one.reason for one in done.results] == [
        "stands in pending already", "stands in reviewed already", "stands in filtered already",
        "carries a review already",
    ]  # fmt: skip
    assert judge.asked == []
    assert {path: path.read_bytes() for path in (tmp_path / "data").iterdir()} == before


def test_a_copy_in_the_document_is_graded_once(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    judge = _fixed(2, 2, 2)
    assert len(_grade(place, _document(entry("same"), entry("same")), judge).results) == 1
    assert (len(judge.asked), _titles(place, "pending")) == (1, ["same"])


def test_somebody_else_put_it_into_a_file_meanwhile(tmp_path: Path) -> None:
    place = workspace(tmp_path)

    def answers(_: str) -> Answer:
        place.suggestions.pending.write_text(file_of("pending", entry("one")), "utf-8")
        return (0, 0, 0)

    done = _grade(place, _document(entry("one")), ByTitle(answers))
    assert (done.results[0].outcome, _titles(place, "pending"), _titles(place, "filtered")) == ("known", ["one"], [])


def test_a_judge_is_opened_only_where_one_is_needed(tmp_path: Path) -> None:
    place = workspace(tmp_path, topics=("Web3",))

    def nobody() -> ByTitle:
        raise AssertionError("no judge was needed")

    done = grade(place, open_log(place), _document(entry("Web3")), nobody, now=NOW)
    assert (done.asked, done.cost_usd, done.count("hard_veto")) == (0, 0.0, 1)


def test_what_the_judge_sees(tmp_path: Path) -> None:
    """The original text alone, as data; the rubric as instructions; no score and no review of it."""
    place = workspace(tmp_path, rubric="My own anchors.", goals="- Ship the search\n")
    judge = _fixed(1, 1, 1)
    _grade(place, _document(entry("T", "Do it", legacy=True)), judge)
    request = judge.asked[0]
    assert "My own anchors." in request.instructions
    assert list(request.untrusted) == ["goals", "preferences", "suggestion"]
    assert request.untrusted["goals"].endswith("- Ship the search")
    assert request.untrusted["preferences"] == "(none set)"
    assert "💎" not in request.untrusted["suggestion"]
    assert "Do it" in request.untrusted["suggestion"]


def test_steps_are_told_up_to_the_end(tmp_path: Path) -> None:
    place = workspace(tmp_path, topics=("Web3",))
    steps: list[Step] = []
    grade(place, open_log(place), _document(entry("Web3"), entry("a"), entry("b")), lambda: _fixed(2, 2, 2), now=NOW,
          on_step=steps.append)  # fmt: skip
    assert [step.done for step in steps] == [1, 2, 3, 3]
    assert {step.total for step in steps} == {3}


def test_stopping_leaves_the_rest_ungraded_and_keeps_what_came_back(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    judge = ByTitle(lambda _: (2, 2, 2))
    done = grade(place, open_log(place), _document(*(entry(f"e{number}") for number in range(5))), lambda: judge,
                 now=NOW, cancel=lambda: len(judge.asked) >= 2)  # fmt: skip
    assert (done.count("passed"), done.count("ungraded")) == (2, 3)
    assert len(_titles(place, "pending")) == 2


def test_crlf_bom_and_a_last_line_without_its_end(tmp_path: Path) -> None:
    """The target keeps its line endings and every byte it had."""
    place = workspace(tmp_path)
    before = b"\xef\xbb\xbf" + file_of("pending", entry("old")).rstrip("\n").replace("\n", "\r\n").encode()
    place.suggestions.pending.write_bytes(before)
    _grade(place, _document(entry("new")), _fixed(2, 2, 2))
    after = place.suggestions.pending.read_bytes()
    assert after.startswith(before + b"\r\n\r\n---\r\n\r\n### ")
    assert after.count(b"\n") == after.count(b"\r\n")


def test_an_empty_reviewed_file_and_a_missing_filtered_one(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    place.suggestions.filtered.write_bytes(b"")
    _grade(place, _document(entry("low")), _fixed(0, 0, 0))
    assert place.suggestions.filtered.read_text("utf-8").startswith("# 🚫 Filtered Suggestions\n\n---\n\n### ")


@pytest.mark.parametrize(
    "name", ["suggestions_pending.md", "suggestions_filtered.md", "rubric_blocklist.md", "goals.md"]
)
def test_a_damaged_file_stops_the_run_before_anybody_is_asked(tmp_path: Path, name: str) -> None:
    place = workspace(tmp_path)
    (tmp_path / "data" / name).write_bytes(b"# Rubric Blocklist\n\xff\xfe broken")
    judge = _fixed(2, 2, 2)
    with pytest.raises(BadInput, match=name):
        _grade(place, _document(entry("one")), judge)
    assert judge.asked == []


def test_a_document_that_breaks_off_is_not_graded(tmp_path: Path) -> None:
    broken = parse(_document(entry("one")).raw + b"### 2026-05-07 | x | cut \xff", "new.md")
    with pytest.raises(BadInput, match=r"new\.md"):
        _grade(workspace(tmp_path), broken, _fixed(2, 2, 2))
