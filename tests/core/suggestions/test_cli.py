"""The queue at the prompt (suggestions contract, Command line; README, Exit codes)."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.cli import main
from core.suggestions import store

PENDING = (
    "# 📋 Pending Suggestions\n\n---\n\n### 2026-11-01 | Newsletter | [First](https://e.example/1)\n"
    "- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n- 📋 建議：Write a test\n\n---\n\n"
    "### 2026-11-02 | Threads | [A Web3 wallet](https://e.example/2)\n- 📋 建議：先研究看看\n\n---\n\n"
    "### 2026-11-02 | Threads | [Vague](https://e.example/3)\n- 📋 建議：先研究看看\n"
)
BLOCKLIST = "# Rubric Blocklist\n\n## Topic Blocks\n- Web3\n\n## Ambiguity Blocklist\n- 研究看看\n"


@pytest.fixture
def run(make: Any) -> Any:
    workspace = make(pending=PENDING, rubric_blocklist=BLOCKLIST)

    def invoked(*words: str, stdin: str | None = None) -> Result:
        place = ["--workspace", str(workspace.root)]
        return CliRunner().invoke(main, ["suggestions", *words, *place], input=stdin, catch_exceptions=False)

    invoked.root = workspace.root  # type: ignore[attr-defined]
    return invoked


def data(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_list_has_the_keys_of_the_contract(run: Any) -> None:
    found = data(run("list", "data/suggestions_pending.md", "--json"))
    first = found["entries"][0]
    assert {
        "id": first["id"], "date": "2026-11-01", "source": "Newsletter", "title": "First", "url": "https://e.example/1",
        "category": "技術", "score": {"total": 5, "a": 2, "p": 1, "g": 2}, "next_step": "Write a test",
        "decision": None, "comment": "", "reviewed_at": None, "copies": 1, "problems": [],
    }.items() <= first.items()  # fmt: skip
    assert found["entries"][1]["score"] is None
    assert (found["incomplete"], found["problems"]) == (False, [])


def test_list_for_people_names_what_is_wrong(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.md"
    path.write_text("### 2099-01-01 | N | [x](javascript:y)\n### oops\n")
    lines = run("list", str(path)).output
    assert "! the date 2099-01-01 lies in the future" in lines
    assert "! the link 'javascript:y' is not http or https" in lines
    assert f"problem: {path}:2: the heading is not" in lines
    assert "2 suggestions" in lines


def test_a_file_cut_by_another_encoding_is_said_to_be_incomplete(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "cut.md"
    path.write_bytes(PENDING.encode() + "### 做".encode("big5"))
    found = data(run("list", str(path), "--json"))
    assert (len(found["entries"]), found["incomplete"]) == (3, True)
    assert [(one["file"], one["line"]) for one in found["problems"]] == [(str(path), 18)]


def test_standard_input_can_be_listed(run: Any) -> None:
    assert len(data(run("list", "-", "--json", stdin=PENDING))["entries"]) == 3


def test_a_workspace_file_that_is_missing_is_empty_and_another_is_an_error(run: Any) -> None:
    assert data(run("list", "data/suggestions_reviewed.md", "--json"))["entries"] == []
    result = run("list", "nowhere.md")
    assert (result.exit_code, result.stderr) == (2, "touchstone: nowhere.md: no such file\n")


def test_check_tells_the_outcome_of_each(run: Any) -> None:
    found = data(run("check", "data/suggestions_pending.md", "--json"))
    assert [(one["outcome"], one["reason"]) for one in found["results"]] == [
        ("clear", None), ("hard_veto", "Hard-veto: Web3"), ("ambiguity", "Ambiguity blocklist: 研究看看"),
    ]  # fmt: skip
    assert "1 of 3 clear" in run("check", "data/suggestions_pending.md").output


def test_nothing_is_clear_by_half_of_a_blocklist(run: Any) -> None:
    (run.root / "data" / "rubric_blocklist.md").write_bytes(BLOCKLIST.encode() + "- 量".encode("big5"))
    result = run("check", "data/suggestions_pending.md", "--json")
    assert (result.exit_code, "clear" in result.stdout) == (2, False)
    assert "data/rubric_blocklist.md:8: is not UTF-8" in result.stderr


def test_a_decision_its_undo_and_a_conflict(run: Any) -> None:
    first = data(run("list", "data/suggestions_pending.md", "--json"))["entries"][0]["id"]
    told = data(run("review", first[:6], "accept", "--comment", "good", "--reviewer", "Ann", "--json"))
    assert (told["id"], told["title"], told["done"]) == (first, "First", "accepted")
    entry = data(run("list", "data/suggestions_reviewed.md", "--json"))["entries"][0]
    assert (entry["id"], entry["decision"], entry["comment"]) == (first, "accept", "good")
    result = run("review", first, "reject", "--reviewer", "Ben")
    assert result.exit_code == 2
    assert result.stderr.startswith("touchstone: Ann accepted 'First' at ")
    assert run("undo", first, "--reviewer", "Ann").exit_code == 0
    assert (run.root / "data" / "suggestions_pending.md").read_text() == PENDING
    assert run("undo", first, "--reviewer", "Ann").exit_code == 2


def test_block_and_unblock(run: Any) -> None:
    path = run.root / "data" / "rubric_blocklist.md"
    assert run("block", "First", "--reviewer", "Ann").output == "blocked: First (record 1)\n"
    store.forget()
    assert data(run("check", "data/suggestions_pending.md", "--json"))["results"][0]["reason"] == "Hard-veto: First"
    assert run("block", "first").exit_code == 2
    assert run("unblock", "first", "--reviewer", "Ann").exit_code == 0
    assert path.read_text() == BLOCKLIST


def test_unblock_tells_what_still_blocks_the_topic(run: Any) -> None:
    (run.root / "data" / "rubric_blocklist.md").write_text("## Topic Blocks\n- 區塊鏈\n- 区块链\n- 區塊鏈\n", "utf-8")
    assert run("unblock", "區塊鏈", "--reviewer", "Ann").output == (
        "unblocked: 區塊鏈 (record 1)\nstill blocked by '区块链', line 2\n"
    )


@pytest.mark.parametrize("stdin", [None, "# nothing here\n"])
def test_grading_nothing_is_no_success(run: Any, tmp_path: Path, stdin: str | None) -> None:
    (tmp_path / "empty.md").write_text("# New\n")
    file = "-" if stdin else str(tmp_path / "empty.md")
    result = run("grade", file, stdin=stdin)
    assert (result.exit_code, result.stdout) == (1, "nothing to grade: no suggestion in this file\n")
    assert json.loads(run("grade", file, "--json", stdin=stdin).stdout)["results"] == []


def test_a_review_from_the_future_is_listed_with_its_problem(run: Any, make: Any) -> None:
    make(reviewed="### 2026-11-01 | N | F\n- **Feedback**: ✅\n- **Reviewed**: 2099-01-01T00:00:00Z\n")
    problems = data(run("list", "data/suggestions_reviewed.md", "--json"))["entries"][0]["problems"]
    assert problems == [
        "the review time 2099-01-01T00:00:00Z lies in the future (clock skew), so it is never the latest"
    ]


def test_a_filtered_one_is_restored(run: Any, make: Any) -> None:
    make(filtered="# 🚫 Filtered Suggestions\n\n---\n\n### 2026-11-03 | N | F\n- ❌ Filter: Hard-veto: x\n")
    entry = data(run("list", "data/suggestions_filtered.md", "--json"))["entries"][0]
    assert entry["reason"] == "Hard-veto: x"
    assert run("restore", entry["id"]).exit_code == 0
    assert data(run("list", "data/suggestions_filtered.md", "--json"))["entries"] == []


def test_ids_that_begin_alike_are_not_guessed(run: Any, make: Any) -> None:
    make(pending="".join(f"### 2026-11-01 | N | t{number}\n" for number in range(20)))
    result = run("review", "", "accept")
    assert result.exit_code == 2
    starts = [one["id"][0] for one in data(run("list", "data/suggestions_pending.md", "--json"))["entries"]]
    twice = next(start for start in starts if starts.count(start) > 1)
    assert "ids in data/suggestions_pending.md" in run("review", twice, "accept").stderr


def test_text_from_outside_does_not_drive_the_terminal(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("### 2026-11-01 | N | \x1b[31mred\n")
    assert "\x1b" not in run("list", str(path)).output
