"""Grading through the real SDKs and real HTTP: every failure ends in its named state, and a kill loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.decisions import open_log
from core.judge import JudgeSpec, open_judge
from core.suggestions import store
from core.suggestions.entries import Document, parse
from core.suggestions.grade import Graded, grade
from core.workspace import Workspace
from tests.core.suggestions.making import NOW, entry, workspace
from tests.judge_fixture import ROOT, JudgeServer, start

FAILURES = [
    ("test-429", "rate_limited"), ("test-429-ra-90", "rate_limited"), ("test-529", "overloaded"),
    ("test-500", "server_error"), ("test-401", "unauthorized"), ("test-404", "no_model"), ("test-refusal", "refused"),
    ("test-cut", "cut"), ("test-html", "not_json"), ("test-hang", "timeout"), ("test-ok", "bad_reply"),
]  # fmt: skip


def _document(*entries: str) -> Document:
    return parse("\n---\n\n".join(["# New", *entries]).encode(), "new.md")


def _grade(place: Workspace, document: Document, spec: JudgeSpec) -> Graded:
    return grade(place, open_log(place), document, lambda: open_judge(spec, place), now=NOW)


def _forty() -> list[str]:
    return [
        entry(f"{'Web3' if number % 4 == 0 else 'Rust'} {number}", f"Add {number} examples to the search page")
        for number in range(40)
    ]


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize(("model", "kind"), FAILURES)
def test_every_failure_leaves_the_entry_ungraded(
    tmp_path: Path, judge_server: JudgeServer, provider: str, model: str, kind: str
) -> None:
    """None ends in a score, a 0 or a lost suggestion (text fidelity contract, Judge; it holds for every judge)."""
    place = workspace(tmp_path)
    document = _document(entry("one"), entry("two"))
    spec = judge_server.spec(model, provider, timeout_s=1.0, max_retries=0)
    judge = open_judge(spec, place)
    done = grade(place, open_log(place), document, lambda: judge, now=NOW)
    assert [(one.outcome, one.score) for one in done.results] == [("ungraded", None)] * 2
    assert all(one.reason for one in done.results)
    assert not place.suggestions.pending.exists()
    assert not place.suggestions.filtered.exists()
    from core.suggestions.scoring import judged, read_rubric, requests

    again = [judged(judge.ask(request)[0]) for request in requests([document.entries[0]], read_rubric(place))]
    assert again[0].kind == kind


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_forty_entries_of_which_ten_are_vetoed_cost_exactly_thirty_calls(
    tmp_path: Path, judge_server: JudgeServer, provider: str
) -> None:
    place = workspace(tmp_path, topics=("Web3",))
    spec = judge_server.spec("practice-judge", provider, practice=True)
    done = _grade(place, _document(*_forty()), spec)
    assert done.count("hard_veto") == 10
    assert done.count("passed", "below_threshold") == 30
    assert len(judge_server.calls()) == 30
    assert done.practice
    again = _grade(place, _document(*_forty()), spec)
    assert (again.count("known"), len(judge_server.calls())) == (40, 30)


def test_the_command_grades_and_says_what_is_left(tmp_path: Path, judge_server: JudgeServer) -> None:
    place = workspace(tmp_path, topics=("Web3",))
    (tmp_path / "new.md").write_text("\n---\n\n".join(["# New", *_forty()]), "utf-8")
    command = [
        sys.executable, "-m", "core", "suggestions", "grade", "new.md", "--workspace", str(tmp_path), "--json",
        "--base-url", judge_server.base_url(),
    ]  # fmt: skip
    failed = subprocess.run([*command, "--model", "test-404"], capture_output=True, text=True, cwd=ROOT)
    assert failed.returncode == 2
    assert failed.stderr.startswith("touchstone: 30 entries are ungraded, to be found in new.md: ")
    assert failed.stderr.count("\n") == 1
    assert json.loads(failed.stdout)["ungraded"] == 30
    done = subprocess.run([*command, "--model", "practice-judge"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    outcomes = [one["outcome"] for one in json.loads(done.stdout)["results"]]
    assert (outcomes.count("known"), outcomes.count("ungraded")) == (10, 0)
    store.forget()
    assert len(store.of_workspace(place, "pending").entries) + len(store.of_workspace(place, "filtered").entries) == 40


@pytest.mark.slow
def test_killed_while_grading_and_run_again(tmp_path: Path) -> None:
    """SIGKILL in the middle: the next run asks only what is missing, and no entry stands twice in any file."""
    place = workspace(tmp_path, topics=("Web3",))
    (tmp_path / "new.md").write_text("\n---\n\n".join(["# New", *_forty()]), "utf-8")
    process, url = start("--scenarios", "--latency-ms", "150")
    server = JudgeServer(url)
    try:
        command = [
            sys.executable, "-m", "core", "suggestions", "grade", "new.md", "--workspace", str(tmp_path), "--json",
            "--model", "practice-judge", "--base-url", url, "--concurrency", "2",
        ]  # fmt: skip
        running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
        _wait_for(lambda: len(server.calls()) >= 8)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait(timeout=10)
        asked = len(server.calls())
        assert asked < 30
        assert len(store.of_workspace(place, "filtered").entries) == 10, (
            "the vetoes are written before anybody is asked"
        )
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert 30 <= len(server.calls()) <= 34, "two calls that were under way and two not stored yet, at most"
    finally:
        process.terminate()
        process.wait(timeout=10)
    store.forget()
    ids = [one.id for kind in ("pending", "filtered") for one in store.of_workspace(place, kind).entries]  # type: ignore[arg-type]
    assert len(ids) == len(set(ids)) == 40


def _wait_for(condition: object) -> None:
    end = time.monotonic() + 20
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "the run never got so far"
