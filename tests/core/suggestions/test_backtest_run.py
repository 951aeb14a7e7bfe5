"""A backtest as it is run: the sample, what the judge sees, what is kept and written."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from core.decisions import open_log
from core.errors import BadInput, Conflict
from core.judge.protocol import Unscored
from core.people import local_person
from core.suggestions import incoming, runs, store, threshold
from core.suggestions.backtest import at_threshold, tally
from core.suggestions.backtest_report import PLACE, report, write_report
from core.suggestions.backtest_run import run, sample
from core.suggestions.grade import grade
from core.suggestions.judge_choice import chosen
from core.suggestions.maintain import decided_reviews
from core.workspace import Workspace
from tests.core.suggestions.judging import Answer, ByTitle
from tests.core.suggestions.making import NOW, entry, suggestions, workspace


def _reviewed(accepted: int, rejected: int) -> tuple[str, ...]:
    return (
        *(entry(f"A{number}", decision="accept", score=(0, 0, 0), comment="good") for number in range(accepted)),
        *(entry(f"R{number}", decision="reject", score=(2, 2, 2), comment="no") for number in range(rejected)),
    )


def _by_letter(text: str) -> Answer:
    return (2, 2, 2) if "[A" in text else (0, 0, 0)


def test_up_to_n_of_each_kind(tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=(*_reviewed(30, 5), entry("U", decision="Defer")))
    found = run(place, ByTitle(_by_letter), now=NOW, per_side=20)
    assert [sum(row.actual == kind for row in found.rows) for kind in ("accept", "reject")] == [20, 5]
    assert found.available == (30, 5)


def test_the_seed_repeats_the_sample_and_another_draws_another() -> None:
    reviewed = suggestions("reviewed", *_reviewed(60, 60))
    first = [one.id for one in sample(reviewed, 20, 7)]
    assert first == [one.id for one in sample(tuple(reversed(reviewed)), 20, 7)]
    assert first != [one.id for one in sample(reviewed, 20, 8)]
    with pytest.raises(ValueError, match="at least one"):
        sample(reviewed, 0, 0)


def test_one_more_review_changes_at_most_one_member() -> None:
    before = {one.id for one in sample(suggestions("reviewed", *_reviewed(50, 50)), 20, 0)}
    after = {one.id for one in sample(suggestions("reviewed", *_reviewed(51, 50)), 20, 0)}
    assert len(before - after) <= 1


def test_the_judge_sees_the_original_text_only(tmp_path: Path) -> None:
    """Never the feedback, the comment or the stored score (suggestions contract, Backtest)."""
    judge = ByTitle(_by_letter)
    run(workspace(tmp_path, reviewed=_reviewed(3, 3)), judge, now=NOW)
    for request in judge.asked:
        seen = "\n".join(request.untrusted.values())
        for hidden in ("Feedback", "Accept", "Reject", "good", "- **Comment**", "📊", "/6"):
            assert hidden not in seen


def test_stored_scores_do_not_count_and_vetoes_cost_nothing(tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=_reviewed(4, 4), topics=("A1", "R1"), phrases=("整理成新筆記",))
    judge = ByTitle(_by_letter)
    found = run(place, judge, now=NOW)
    assert len(judge.asked) == found.asked == 6
    table = at_threshold(tally(found.rows), 4).table
    assert (table.tp, table.fp, table.tn, table.fn) == (3, 0, 4, 1)
    vetoed = [row for row in found.rows if row.outcome == "hard_veto"]
    assert {row.reason for row in vetoed} == {"Hard-veto: A1", "Hard-veto: R1"}


def test_a_failed_entry_is_excluded_with_its_reason(tmp_path: Path) -> None:
    judge = ByTitle(lambda text: Unscored("the judge refused", "refused") if "[A0]" in text else _by_letter(text))
    found = run(workspace(tmp_path, reviewed=_reviewed(3, 3)), judge, now=NOW)
    assert [row.reason for row in found.rows if row.outcome == "ungraded"] == ["the judge refused"]
    assert tally(found.rows).excluded == 1
    assert "1 excluded because the judge gave no score" in report(found, 4)


def test_a_stopped_run_says_so(tmp_path: Path) -> None:
    judge = ByTitle(_by_letter)
    found = run(workspace(tmp_path, reviewed=_reviewed(3, 3)), judge, now=NOW, cancel=lambda: len(judge.asked) >= 2)
    assert found.stopped
    assert tally(found.rows).excluded == 4
    assert "The run was stopped before its end." in report(found, 4)


def test_nothing_reviewed_asks_nobody(tmp_path: Path) -> None:
    judge = ByTitle(_by_letter)
    assert run(workspace(tmp_path), judge, now=NOW).rows == ()
    assert judge.asked == []


def test_runs_are_kept_and_read_back(tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=_reviewed(3, 3))
    first = run(place, ByTitle(_by_letter), now=NOW)
    second = run(place, ByTitle(_by_letter), now=NOW + timedelta(minutes=5), seed=1, threshold=5)
    assert runs.stored(place) == ([], [])
    runs.store(place, first)
    runs.store(place, second)
    assert runs.stored(place) == ([second, first], [])
    with pytest.raises(Conflict):
        runs.store(place, first)


def test_a_damaged_run_is_named_and_the_others_load(tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=_reviewed(2, 2))
    kept = runs.store(place, run(place, ByTitle(_by_letter), now=NOW))
    kept.with_name("20990101T000000-bad.json").write_text('{"id": "x"}', "utf-8")
    kept.with_name("20990101T000001-cut.json").write_text('{"id": "x', "utf-8")
    found, problems = runs.stored(place)
    assert len(found) == 1
    assert [Path(problem.file).name for problem in problems] == [
        "20990101T000001-cut.json",
        "20990101T000000-bad.json",
    ]
    assert "is no backtest run: at: Field required" in problems[1].reason


def test_the_report_is_written_with_everything_in_it(tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=(*_reviewed(3, 3), entry("R<b>|x", decision="reject", comment="# no *way*")))
    found = run(place, ByTitle(_by_letter), now=NOW)
    path = write_report(place, found, 4)
    assert path == tmp_path / PLACE
    text = path.read_text("utf-8")
    for heading in ("Metrics", "Confusion matrix", "Every threshold", "Recommendations", "Sampled entries"):
        assert f"## {heading}" in text
    assert "| Accuracy | 1.00 | 7 of 7 · 95% 0.65–1.00 |" in text
    for row in found.rows:
        assert row.next_step in text
    assert "R\\<b\\>\\|x" in text
    assert "rejected: \\# no \\*way\\*" in text
    write_report(place, found, 6)
    assert "pass at total ≥ 6" in path.read_text("utf-8")


def test_practice_is_marked_wherever_the_run_is_shown(tmp_path: Path) -> None:
    found = run(workspace(tmp_path, reviewed=_reviewed(2, 2)), ByTitle(_by_letter), now=NOW)
    judge = found.judge.model_copy(update={"practice": True, "model": "practice-1"})
    practice = found.model_copy(update={"judge": judge})
    assert "Practice judge" not in report(found, 4)
    assert "practice judge (practice-1)" in report(practice, 4).replace("\\", "")
    assert "**Practice judge**: no model judged this" in report(practice, 4)


def test_another_threshold_asks_nobody(tmp_path: Path) -> None:
    judge = ByTitle(lambda text: (2, 1, 1) if "[A" in text else (1, 1, 1))
    found = run(workspace(tmp_path, reviewed=_reviewed(4, 4)), judge, now=NOW)
    asked = len(judge.asked)
    figures = [at_threshold(tally(found.rows), limit).table.tp for limit in range(7)]
    assert figures == [4, 4, 4, 4, 4, 0, 0]
    assert len(judge.asked) == asked


def test_the_threshold_in_force(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    log, ann = open_log(place), local_person("Ann")
    assert threshold.in_force(place, log).value == 4
    (tmp_path / "touchstone.toml").write_text("[suggestions]\nthreshold = 3\n", "utf-8")
    place = Workspace.open(tmp_path)
    assert threshold.in_force(place, log) == threshold.Threshold(3, "touchstone.toml")
    record = threshold.decide(place, log, ann, 5, because="55% is below 60%", now=NOW)
    assert (threshold.in_force(place, log).value, record.payload["from"]) == (5, 3)
    with pytest.raises(Conflict, match="is 5 already"):
        threshold.decide(place, log, ann, 5, because="", now=NOW)
    log.undo(ann, record.seq)
    assert threshold.in_force(place, log).value == 3


@pytest.mark.parametrize("given", ["7", "-1", '"4"', "true", "4.0"])
def test_a_configured_threshold_that_is_none(tmp_path: Path, given: str) -> None:
    (tmp_path / "touchstone.toml").write_text(f"[suggestions]\nthreshold = {given}\n", "utf-8")
    place = Workspace.open(tmp_path)
    with pytest.raises(BadInput, match=r"touchstone\.toml"):
        threshold.in_force(place, open_log(place))


def test_which_judge(tmp_path: Path) -> None:
    place = Workspace.open(tmp_path)
    assert chosen(place).provider == "anthropic"
    assert chosen(place, {"provider": "openai"}).model.startswith("gpt")
    assert chosen(place, {"transport": "codex"}).provider == "openai"
    practice = chosen(place, {"model": "practice-1", "base_url": "http://127.0.0.1:9"})
    assert practice.practice
    (tmp_path / "touchstone.toml").write_text('[judge]\nprovider = "openai"\nmodel = "local"\n', "utf-8")
    place = Workspace.open(tmp_path)
    assert (chosen(place).provider, chosen(place).model) == ("openai", "local")
    assert chosen(place, {"model": "other"}).provider == "openai"
    assert chosen(place, {"provider": "anthropic"}).model.startswith("claude")
    with pytest.raises(BadInput, match="practice"):
        chosen(place, {"model": "practice-1", "base_url": "https://api.example.com"})


def test_what_is_piped_or_pasted_is_kept_until_it_is_graded(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    raw = f"{entry('one')}\n---\n\n{entry('two')}".encode()
    path = incoming.keep(place, raw)
    assert incoming.keep(place, raw) == path
    assert [batch.waiting for batch in incoming.waiting(place)] == [2]
    judge = ByTitle(lambda text: Unscored("timed out", "timeout") if "two" in text else (2, 2, 2))
    document = incoming.batch(place, path).document
    grade(place, open_log(place), document, lambda: judge, now=NOW)
    assert [batch.waiting for batch in incoming.waiting(place)] == [1]
    grade(place, open_log(place), document, lambda: ByTitle(lambda _: (2, 2, 2)), now=NOW)
    assert incoming.waiting(place) == []
    assert path.read_bytes() == raw


def test_what_carries_a_review_waits_for_no_grading(tmp_path: Path) -> None:
    place = workspace(tmp_path, pending=(entry("known"),))
    raw = "\n---\n\n".join([entry("new"), entry("known"), entry("done", decision="accept")]).encode()
    path = incoming.keep(place, raw)
    batch = incoming.batch(place, path)
    assert (batch.waiting, batch.reviewed) == (1, 1)
    grade(place, open_log(place), batch.document, lambda: ByTitle(lambda _: (2, 2, 2)), now=NOW)
    assert incoming.waiting(place) == []


def test_half_of_the_reviews_give_no_figures(tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=_reviewed(3, 3))
    path = place.suggestions.reviewed
    path.write_bytes(path.read_bytes() + b"\n---\n\n### 2026-05-07 | N | cut \xff\n")
    judge = ByTitle(_by_letter)
    with pytest.raises(BadInput, match=r"suggestions_reviewed\.md:\d+: is not UTF-8"):
        run(place, judge, now=NOW)
    assert judge.asked == []


def test_only_decided_reviews_are_drawn_from(tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=(entry("U", decision="✅ ❌"), entry("A", decision="accept")))
    assert [one.entry.title for one in decided_reviews(place, NOW)] == ["A"]
    store.forget()
