"""Samples kept by content: only what changed is asked again, and a kill costs at most what was under way."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.judge import Progress, Scored, Unscored, open_judge
from core.workspace import Workspace
from tests.core.judge.asking import echo, question
from tests.judge_fixture import ROOT, JudgeServer


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path)


def kept(workspace: Workspace) -> list[dict[str, Any]]:
    """Every stored row, whichever judge's."""
    files = sorted((workspace.root / ".touchstone" / "judge").glob("samples-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def test_only_what_changed_is_asked_again(judge_server: JudgeServer, workspace: Workspace) -> None:
    spec = judge_server.spec("practice-judge")
    first = open_judge(spec, workspace).ask_many([question(number) for number in range(5)])
    judge_server.reset()
    told: list[Progress] = []
    changed = [question(number) for number in range(4)] + [question(99)]
    again = open_judge(spec, workspace).ask_many(changed, told.append)
    assert len(judge_server.calls()) == 1
    assert [samples[0].cached for samples in again if isinstance(samples[0], Scored)] == [True] * 4 + [False]
    for before, after in zip(first[:4], again[:4], strict=True):
        assert isinstance(before[0], Scored)
        assert isinstance(after[0], Scored)
        assert (before[0].value, before[0].raw, before[0].usage) == (after[0].value, after[0].raw, after[0].usage)
        assert before[0].note == after[0].note
    assert (told[-1].cached, told[-1].done, told[-1].total) == (4, 5, 5)


def test_nothing_is_asked_where_all_is_there(judge_server: JudgeServer, workspace: Workspace) -> None:
    spec = judge_server.spec()
    open_judge(spec, workspace).ask(question(samples=3))
    judge_server.reset()
    judge = open_judge(spec, workspace)
    assert judge.missing([question(samples=3)]) == 0
    told: list[Progress] = []
    judge.ask_many([question(samples=3)], told.append)
    assert judge_server.calls() == []
    assert [(progress.done, progress.total, progress.cost_usd) for progress in told] == [(3, 3, 0.0)]


def test_more_samples_of_the_same_question_ask_only_for_the_difference(
    judge_server: JudgeServer, workspace: Workspace
) -> None:
    judge = open_judge(judge_server.spec(), workspace)
    judge.ask(question(samples=4))
    judge_server.reset()
    assert len(judge.ask(question(samples=6))) == 6
    assert len(judge_server.calls()) == 2
    assert len(judge.ask(question(samples=2))) == 2
    assert len(judge_server.calls()) == 2


def test_another_parameter_or_series_is_asked_afresh(judge_server: JudgeServer, workspace: Workspace) -> None:
    open_judge(judge_server.spec(), workspace).ask(question())
    open_judge(judge_server.spec(temperature=0.6), workspace).ask(question())
    open_judge(judge_server.spec(), workspace).ask(question(series="run 2"))
    assert len(judge_server.calls()) == 3
    open_judge(judge_server.spec(), workspace).ask(question(series="run 2"))
    assert len(judge_server.calls()) == 3


def test_failures_are_kept_with_their_replies_and_asked_again(judge_server: JudgeServer, workspace: Workspace) -> None:
    judge = open_judge(judge_server.spec("test-echo"), workspace)
    request = echo("no", "still no", "never", '{"score": 0.7}')
    [first] = judge.ask(request)
    assert isinstance(first, Unscored)
    [row] = kept(workspace)
    assert (row["outcome"], row["kind"], row["discarded"]) == ("failed", "bad_reply", ["no", "still no", "never"])
    [second] = judge.ask(request)
    assert isinstance(second, Scored)
    assert second.value.score == 0.7


def test_what_is_stored_is_the_reply_and_the_score_is_read_from_it(
    judge_server: JudgeServer, workspace: Workspace
) -> None:
    judge = open_judge(judge_server.spec("test-think"), workspace)
    judge.ask(question())
    [row] = kept(workspace)
    assert json.loads(row["text"])["score"] == 0.8
    assert "A draft" in row["thinking"]
    assert "score" not in {key for key in row if key != "text"}
    [file] = (workspace.root / ".touchstone" / "judge").glob("samples-*.jsonl")
    file.write_text(json.dumps(row | {"text": '{"score": 85}'}) + "\n", "utf-8")
    assert open_judge(judge_server.spec("test-think"), workspace).missing([question()]) == 1


def test_a_damaged_line_costs_only_its_own_sample(judge_server: JudgeServer, workspace: Workspace) -> None:
    judge = open_judge(judge_server.spec(), workspace, concurrency=1)
    judge.ask_many([question(number) for number in range(3)])
    [file] = (workspace.root / ".touchstone" / "judge").glob("samples-*.jsonl")
    lines = file.read_bytes().splitlines()
    file.write_bytes(lines[0] + b"\n" + lines[1][:40] + b"\n[]\n" + lines[2][:-20])
    fresh = open_judge(judge_server.spec(), workspace)
    assert fresh.missing([question(number) for number in range(3)]) == 2
    fresh.ask_many([question(number) for number in range(3)])
    assert open_judge(judge_server.spec(), workspace).missing([question(number) for number in range(3)]) == 0


def test_an_answer_that_cannot_be_stored_is_still_an_answer(judge_server: JudgeServer, workspace: Workspace) -> None:
    (workspace.state_dir() / "judge").write_text("in the way")
    [sample] = open_judge(judge_server.spec(), workspace).ask(question())
    assert isinstance(sample, Scored)
    assert "could not be stored" in sample.note


def test_a_workspace_is_not_written_to_before_there_is_something_to_keep(
    judge_server: JudgeServer, workspace: Workspace
) -> None:
    judge = open_judge(judge_server.spec(), workspace)
    judge.missing([question()])
    judge.fingerprint(question())
    assert list(workspace.root.iterdir()) == []


@pytest.mark.parametrize("after", [1, 7, 13])
def test_a_killed_run_asks_only_what_is_missing(judge_server: JudgeServer, workspace: Workspace, after: int) -> None:
    command = [sys.executable, "-m", "tests.core.judge.killed", str(workspace.root), judge_server.url]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        assert process.stdout
        for _ in range(after):
            process.stdout.readline()
        process.kill()
    stored = len(kept(workspace))
    assert after <= stored < 20
    judge_server.reset()
    requests = [question(number) for number in range(20)]
    judge = open_judge(judge_server.spec("test-slow-40", timeout_s=120.0, max_retries=2), workspace)
    assert judge.missing(requests) == 20 - stored
    samples = [sample for one in judge.ask_many(requests) for sample in one]
    assert all(isinstance(sample, Scored) for sample in samples)
    assert len(judge_server.calls()) == 20 - stored
    keys = [row["key"] for row in kept(workspace)]
    assert len(keys) == len(set(keys)) == 20
