"""Runs through the real SDKs and real HTTP: no fault of a judge becomes a number, and what was judged is kept."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.judge import Budget, JudgeSpec, open_judge
from core.judge.protocol import Progress
from core.text_fidelity.place import EvalFolder
from core.text_fidelity.score import Done, Failed, Watch, score
from tests.core.text_fidelity.evals import case, config, later, make_eval, records
from tests.judge_fixture import ROOT, JudgeServer

KIND = {
    "test-401": "unauthorized", "test-403": "unauthorized", "test-404": "no_model", "test-400": "bad_request",
    "test-429": "rate_limited", "test-429-ra-90": "rate_limited", "test-500": "server_error", "test-529": "overloaded",
    "test-refusal": "refused", "test-cut": "cut", "test-cut-whole": "cut", "test-html": "not_json",
    "test-broken-json": "not_json", "test-wrong-shape": "not_json", "test-empty": "not_json",
    "test-nothing-said": "bad_reply",
    "test-hang": "timeout", "test-drop": "unreachable", "test-score-8": "bad_reply", "test-score-1.0001": "bad_reply",
}  # fmt: skip


def eval_with(root: Path, model: str, provider: str, *cases: dict[str, Any], n: int = 2) -> EvalFolder:
    judge = {"model": model, "provider": provider, "max_tokens": 200}
    return make_eval(root, given=config(*cases, judge=judge, samples={"n": n, "k": 1.0, "delta": 0.0}))


def scored(folder: EvalFolder, server: JudgeServer, *, hours: float = 0, **more: Any) -> Done | Failed:
    """One run against the server, with the frozen policy's own judge; few retries and short time-outs."""
    budget, timeout = more.pop("budget", None), more.pop("timeout", 60.0)

    def opened(spec: JudgeSpec) -> Any:
        there = {"base_url": server.base_url(spec.provider), "timeout_s": timeout, "max_retries": 0}
        return open_judge(spec.model_copy(update=there), folder.workspace, budget=budget)

    return score(folder, opened, lambda: later(hours), **more)


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize(("model", "kind"), KIND.items())
def test_each_judge_fault_is_a_named_attempt_and_no_record(
    tmp_path: Path, judge_server: JudgeServer, provider: str, model: str, kind: str
) -> None:
    folder = eval_with(tmp_path, model, provider)
    failed = scored(folder, judge_server, timeout=1.0 if model == "test-hang" else 60.0)
    assert isinstance(failed, Failed)
    assert (failed.outcome, failed.kind, failed.case) == ("env_error", kind, "a")
    [attempt] = records(folder.attempts)
    assert (attempt["outcome"], attempt["case"], attempt["kind"]) == ("env_error", "a", kind)
    assert attempt["reason"]
    assert records(folder.ledger) == []
    assert ("until" in attempt) == (model == "test-429-ra-90")


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_good_judge_gives_a_record_with_its_words_and_tokens(
    tmp_path: Path, judge_server: JudgeServer, provider: str
) -> None:
    folder = eval_with(tmp_path, "test-ok", provider, case("a"), case("b"))
    done = scored(folder, judge_server)
    assert isinstance(done, Done)
    [record] = records(folder.ledger)
    assert record["composite"] == 0.8
    assert record["cases"][0]["reasons"] == ["as the scenario says"] * 2
    assert record["usage"]["calls"] == 4
    assert record["usage"]["input_tokens"] > 0
    assert "practice" not in record


def test_what_was_judged_is_kept_and_a_new_run_asks_afresh(tmp_path: Path, judge_server: JudgeServer) -> None:
    """Stopped after the first samples, tried again, then a run of its own: each sample is asked once a run."""
    cases = [case(name) for name in "abcdef"]
    folder = eval_with(tmp_path, "test-slow-100", "anthropic", *cases, n=12)
    told: list[Progress] = []
    stopped = scored(folder, judge_server, watch=Watch(on_judge=told.append, cancelled=lambda: len(told) > 3))
    assert isinstance(stopped, Failed)
    assert stopped.kind == "cancelled"
    before = len(judge_server.calls())
    assert 0 < before < 72
    kept = told[-1].scored
    again = scored(folder, judge_server, hours=1, watch=Watch(on_judge=told.append))
    assert isinstance(again, Done)
    assert told[-1].cached >= kept
    assert again.record["usage"]["calls"] == 72
    asked = len(judge_server.calls())
    scored(folder, judge_server, hours=2)
    assert len(judge_server.calls()) == asked + 72


def test_a_budget_stops_before_it_is_exceeded(tmp_path: Path, judge_server: JudgeServer) -> None:
    folder = eval_with(tmp_path, "test-ok", "anthropic", *(case(name) for name in "abcd"), n=4)
    failed = scored(folder, judge_server, budget=Budget(max_calls=6))
    assert isinstance(failed, Failed)
    assert failed.kind == "budget"
    assert len(judge_server.calls()) <= 6
    assert records(folder.ledger) == []
    done = scored(folder, judge_server, hours=1)
    assert isinstance(done, Done)
    assert len(judge_server.calls()) == 16


def test_a_practice_run_says_so(tmp_path: Path, judge_server: JudgeServer) -> None:
    folder = eval_with(tmp_path, "practice-skim", "anthropic")
    assert isinstance(scored(folder, judge_server), Done)
    [record] = records(folder.ledger)
    assert record["practice"] is True
    assert "practice judge" in record["cases"][0]["notes"][0]


def test_sigkill_while_judging_leaves_no_record_and_the_samples(tmp_path: Path, judge_server: JudgeServer) -> None:
    """The command line, killed in the middle; run again it asks only what is missing."""
    folder = eval_with(tmp_path, "test-slow-150", "anthropic", *(case(name) for name in "abcdef"), n=8)
    command = [sys.executable, "-m", "core", "text", "score", str(tmp_path), "--workspace", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "ANTHROPIC_BASE_URL": judge_server.url, "ANTHROPIC_API_KEY": "x"}
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(judge_server.calls()) < 20 and process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert records(folder.ledger) == []
    before = len(judge_server.calls())
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0.8000\n"), done.stderr
    assert len(records(folder.ledger)) == 1
    # What was answered before the kill is not asked again; what was under way (16 at once) may be.
    assert len(judge_server.calls()) < before + 48
    assert len(judge_server.calls()) >= 48
