"""A run: honest, resumable, recorded; and every way in which there is no score, none of which is a number."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.cli import main
from core.decisions.locks import FileLocks
from core.errors import NotAllowed
from core.judge.protocol import FailureKind, Progress, Unscored
from core.text_fidelity import score as scoring
from core.text_fidelity.config import Policy
from core.text_fidelity.place import EvalFolder, locate
from core.text_fidelity.scaffold import init
from core.text_fidelity.score import Watch
from core.workspace import Workspace
from tests.core.text_fidelity.evals import (
    Done,
    Failed,
    Fixed,
    case,
    config,
    freeze,
    later,
    make_eval,
    records,
    run,
)  # fmt: skip


def test_a_record_has_servos_keys_first_and_ours_behind(tmp_path: Path) -> None:
    """Bound of a: mean .8, s .1, stderr .0577 → .7423; of b: .9. Composite (2·.7423 + .9) / 3 = .7948."""
    folder = make_eval(tmp_path, given=config(case("a", weight=2.0), case("b")))
    done = run(folder, Fixed({"a": [0.7, 0.8, 0.9], "b": [0.9]}))
    assert isinstance(done, Done)
    [record] = records(folder.ledger)
    assert list(record)[:6] == ["at", "model", "transport", "composite", "definition_hash", "cases"]
    assert (record["at"], record["model"], record["transport"]) == ("2026-11-01T09:00:00Z", "judge-text-1", "api")
    assert (record["composite"], record["threshold"], record["delta"]) == (0.7948, 0.8, 0.03)
    a, b = record["cases"]
    assert (a["id"], a["samples"], a["lower_bound"], a["weight"]) == ("a", [0.7, 0.8, 0.9], 0.7423, 2.0)
    assert a["artifact_sha256"] == hashlib.sha256(b"Hello from a.\n").hexdigest()
    assert b["reasons"] == ["because 0.9"] * 3
    assert record["usage"] == {"calls": 6, "input_tokens": 600, "output_tokens": 60, "cost_usd": 0.006}
    assert folder.artifact(a["artifact_sha256"]).read_text("utf-8") == "Hello from a.\n"
    assert not folder.attempts.exists()


COUNTING = "print('x', end='', file=open('count', 'a')); print('Hi')"
"""A command that counts its own runs."""


def test_the_text_is_gathered_once_and_judged_n_times_as_data(tmp_path: Path) -> None:
    """The command counts its own runs; the judge gets rubric as instruction, reference and text as material."""
    source = {"type": "command", "run": ["python3", "-c", COUNTING]}
    folder = make_eval(tmp_path, given=config(case("a", source=source), samples={"n": 5, "k": 1.0, "delta": 0.0}))
    judge = Fixed({"a": [0.5]})
    run(folder, judge)
    assert (folder.path / "count").read_text() == "x"
    [request] = judge.asked
    assert (request.samples, request.key) == (5, "a")
    assert request.untrusted == {"reference": "Warm and short.", "text_under_test": "Hi\n"}
    assert "how faithfully the text keeps" in request.instructions
    assert "Warm and short." not in request.instructions


KINDS: list[FailureKind] = [
    "no_key", "unauthorized", "no_model", "rate_limited", "overloaded", "server_error", "bad_request", "unreachable",
    "timeout", "not_json", "refused", "cut", "bad_reply", "not_installed", "cli_error", "wrong_judge", "budget",
    "cancelled",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_one_failed_sample_ends_the_run_and_is_never_a_smaller_n(tmp_path: Path, kind: FailureKind) -> None:
    folder = make_eval(tmp_path, given=config(case("a"), case("b")))
    failed = run(folder, Fixed({"a": [0.9], "b": [0.9, Unscored(f"the reason of {kind}", kind), 0.9]}))
    assert isinstance(failed, Failed)
    assert (failed.outcome, failed.case, failed.kind) == ("env_error", "b", kind)
    [attempt] = records(folder.attempts)
    assert (attempt["outcome"], attempt["case"], attempt["kind"]) == ("env_error", "b", kind)
    assert f"the reason of {kind}" in attempt["reason"]
    assert records(folder.ledger) == []


def test_the_cause_is_told_rather_than_what_was_not_asked_because_of_it(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    until = Unscored("wait", "rate_limited", until="2026-11-01T10:00:00Z")
    failed = run(folder, Fixed({"a": [Unscored("not asked", "cancelled"), until, 0.5]}))
    assert (failed.kind, failed.until) == ("rate_limited", "2026-11-01T10:00:00Z")
    assert "1 of 3 samples are kept for the next try" in failed.reason


def test_stale_is_refused_before_anything_is_gathered_or_asked(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    folder = make_eval(tmp_path, source={"type": "command", "run": ["touch", str(ran)]})
    changed = json.loads(folder.config.read_text("utf-8")) | {"rubric": "Another."}
    folder.config.write_text(json.dumps(changed))
    judge = Fixed({"a": [0.9]})
    failed = run(folder, judge)
    assert (failed.outcome, failed.line) == ("stale", "content-fidelity: stale — the rubric changed since the freeze")
    assert (judge.asked, ran.exists(), records(folder.ledger)) == ([], False, [])
    assert [attempt["outcome"] for attempt in records(folder.attempts)] == ["stale"]


def test_a_definition_that_changes_under_the_run_gives_no_record(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)

    def change() -> None:
        folder.config.write_text(folder.config.read_text("utf-8").replace("faithfully", "freely"))

    failed = run(folder, Fixed({"a": [0.9]}, during=change))
    assert (failed.outcome, records(folder.ledger)) == ("stale", [])


def test_a_new_run_asks_afresh_and_a_second_try_of_a_failed_one_does_not(tmp_path: Path) -> None:
    """The series under which samples are kept changes with each scored run and with nothing else."""
    folder = make_eval(tmp_path)
    judge = Fixed({"a": [0.9]})
    broken = Fixed({"a": [Unscored("down", "unreachable")]})
    run(folder, broken)
    run(folder, broken, at=later(1))
    run(folder, judge, at=later(2))
    run(folder, judge, at=later(3))
    series = [request.series for request in (*broken.asked, *judge.asked)]
    assert series[0] == series[1] == series[2]
    assert series[3] != series[2]


def test_held_artifacts_are_taken_again_for_commands_and_never_for_files(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("one")
    source = {"type": "command", "run": ["cat", str(tmp_path / "n")]}
    folder = make_eval(tmp_path, given=config(case("a", source=source), case("b")))
    judge = Fixed({"a": [0.5], "b": [0.5]})
    run(folder, judge)
    (tmp_path / "n").write_text("two")
    (folder.path / "generated" / "b.txt").write_text("Bye.")
    run(folder, judge, at=later(1), hold_artifacts=True)
    run(folder, judge, at=later(2))
    texts = [request.untrusted["text_under_test"] for request in judge.asked]
    assert texts == ["one", "Hello from b.\n", "one", "Bye.", "two", "Bye."]
    assert [record["cases"][0].get("held", False) for record in records(folder.ledger)] == [False, True, False]


@pytest.mark.parametrize("lost", [lambda path: path.write_text("a nicer text"), lambda path: path.unlink()])
def test_a_held_artifact_that_is_gone_or_was_tampered_with_ends_the_run(
    tmp_path: Path, lost: Callable[[Path], Any]
) -> None:
    """Held means held: the command does not run in its place, which would be the very drift that holding keeps out."""
    folder = make_eval(tmp_path, source={"type": "command", "run": ["python3", "-c", COUNTING]})
    judge = Fixed({"a": [0.5]})
    run(folder, judge)
    [path] = (folder.path / "artifacts").iterdir()
    lost(path)
    failed = run(folder, judge, at=later(1), hold_artifacts=True)
    assert (failed.outcome, failed.case, failed.kind) == ("env_error", "a", "gather")
    assert "gone or was changed" in failed.reason
    assert ((folder.path / "count").read_text(), len(records(folder.ledger))) == ("x", 1)


def test_there_is_nothing_to_hold_before_the_first_run(tmp_path: Path) -> None:
    folder = make_eval(
        tmp_path, given=config(case("b"), case("a", source={"type": "command", "run": ["touch", "ran"]}))
    )
    failed = run(folder, Fixed({"a": [0.5], "b": [0.5]}), hold_artifacts=True)
    assert (failed.outcome, failed.case) == ("env_error", "a")
    assert "no text to hold" in failed.reason
    assert not (folder.path / "ran").exists()


def test_what_is_held_is_the_last_in_time_of_this_definition_and_not_from_the_future(tmp_path: Path) -> None:
    """The file's order is another one after a merge; a run before the freeze, or of 2099, is not the last one."""
    (tmp_path / "n").write_text("")
    source = {"type": "command", "run": ["cat", str(tmp_path / "n")]}
    folder = make_eval(tmp_path / "p", source=source)
    judge = Fixed({"a": [0.5]})

    def scored(text: str, hours: float) -> None:
        (tmp_path / "n").write_text(text)
        run(folder, judge, at=later(hours))

    scored("late", 2)
    scored("early", 1)
    scored("future", 1_000_000)
    run(folder, judge, at=later(3), hold_artifacts=True)
    assert judge.asked[-1].untrusted["text_under_test"] == "late"
    changed = json.loads(folder.config.read_text("utf-8")) | {"threshold": 0.5}
    folder.config.write_text(json.dumps(changed))
    freeze(folder)
    assert "no text to hold" in run(folder, judge, at=later(4), hold_artifacts=True).reason


# ---- what may be run


class Refusal:
    """Permits until told otherwise; ``asked`` keeps the argv of every policy that it was asked about."""

    def __init__(self, *, after: int = 0) -> None:
        self.after, self.asked = after, list[Any]()

    def __call__(self, policy: Policy) -> None:
        self.asked.append(policy.cases[0].command)
        if len(self.asked) > self.after:
            raise NotAllowed("nobody trusts them yet")


def test_permission_is_asked_about_what_was_read_now_before_anything_is_gathered(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, source={"type": "command", "run": ["python3", "-c", COUNTING]})
    refusal, judge, gathered = Refusal(), Fixed({"a": [0.5]}), list[str]()
    failed = run(folder, judge, permit=refusal, watch=Watch(gathered.append))
    assert refusal.asked == [("python3", "-c", COUNTING)]
    assert (failed.outcome, failed.kind, failed.reason) == ("env_error", "not_permitted", "nobody trusts them yet")
    assert (gathered, judge.asked, (folder.path / "count").exists()) == ([], [], False)
    assert [attempt["reason"] for attempt in records(folder.attempts)] == ["nobody trusts them yet"]


def test_permission_is_asked_again_before_each_command(tmp_path: Path) -> None:
    """A file that a second command runs may be another by the time the first one has ended."""
    source = {"type": "command", "run": ["python3", "-c", COUNTING]}
    folder = make_eval(tmp_path, given=config(case("a", source=source), case("b", source=source)))
    failed = run(folder, Fixed({"a": [0.5], "b": [0.5]}), permit=Refusal(after=2))
    assert (failed.kind, (folder.path / "count").read_text()) == ("not_permitted", "x")


def test_every_writer_takes_the_lock_that_spans_the_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision log's lock: a file lock here, an advisory lock of the same PostgreSQL elsewhere."""
    taken = set[str]()
    hold = FileLocks.hold

    def noted(self: FileLocks, paths: Sequence[Path]) -> Any:
        taken.update(path.name for path in paths)
        return hold(self, paths)

    monkeypatch.setattr(FileLocks, "hold", noted)
    init(Workspace.open(tmp_path), ".")
    folder = locate(Workspace.open(tmp_path), ".")
    (folder.path / "generated").mkdir()
    (folder.path / "generated/example.txt").write_text("Hello.\n")
    freeze(folder)
    run(folder, Fixed({"example": [0.5]}))
    run(folder, Fixed({"example": [Unscored("down", "unreachable")]}))
    [text] = (folder.path / "artifacts").iterdir()
    assert taken >= {"config.json", "example.txt", "score.py", "score", "ledger.jsonl", "attempts.jsonl", text.name}


def test_the_bound_is_of_the_samples_and_not_of_rounded_ones(tmp_path: Path) -> None:
    """The printed four decimals are compared with a threshold; a sample's own last digits must not decide for them."""
    folder = make_eval(tmp_path, given=config(samples={"n": 3, "k": 0.0, "delta": 0.0}))
    # mean .799953 → .8000; rounded first: (.8000 + .8000 + .7998) / 3 = .799933 → .7999, under a threshold of .8
    done = run(folder, Fixed({"a": [0.80004, 0.80004, 0.79978]}))
    assert done.composite == 0.8
    [record] = records(folder.ledger)
    assert record["cases"][0]["samples"] == [0.80004, 0.80004, 0.79978]
    assert record["cases"][0]["lower_bound"] == 0.8


def test_progress_and_stop(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, given=config(case("a"), case("b")))
    gathered: list[str] = []
    judged: list[Progress] = []
    run(folder, Fixed({"a": [1], "b": [1]}), watch=Watch(gathered.append, judged.append))
    assert (gathered, [progress.cost_usd for progress in judged]) == (["a", "b"], [0.0, 0.01])
    stopped = run(folder, Fixed({"a": [1], "b": [1]}), watch=Watch(cancelled=lambda: True))
    assert (stopped.outcome, stopped.reason) == ("env_error", "case 'a': stopped")


def _score_in_process(root: str, results: Any) -> None:
    folder = locate(Workspace.open(root), ".")
    done = run(folder, Fixed({"a": [0.5]}))
    results.put(done.record["composite"])


def test_two_runs_at_once_wait_for_each_other_and_ask_their_own_samples(tmp_path: Path) -> None:
    make_eval(tmp_path)
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    processes = [context.Process(target=_score_in_process, args=(str(tmp_path), results)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [results.get(timeout=5), results.get(timeout=5)] == [0.5, 0.5]
    folder = locate(Workspace.open(tmp_path), ".")
    assert len(records(folder.ledger)) == 2


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda folder: folder.config.unlink(), "config.json: no such file"),
        (lambda folder: folder.config.write_text("{"), "cut off"),
        (lambda folder: (folder.path / "generated/a.txt").unlink(), "no such file"),
        (lambda folder: (folder.path / "generated/a.txt").write_text(" \n"), "empty"),
        (lambda folder: (folder.path / "generated/a.txt").write_bytes(b"ok\n\xff"), "not UTF-8"),
        (lambda folder: (folder.path / "generated/a.txt").write_text("x" * 1_048_577), "larger than"),
    ],
)
def test_score_at_the_prompt_ends_with_2_one_line_and_an_attempt(
    tmp_path: Path, break_it: Callable[[EvalFolder], Any], said: str
) -> None:
    folder = make_eval(tmp_path)
    break_it(folder)
    result = CliRunner().invoke(main, ["text", "score", str(tmp_path), "--workspace", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("content-fidelity: env_error — ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    [attempt] = records(folder.attempts)
    assert said in attempt["reason"]
    assert records(folder.ledger) == []


def test_no_key_is_an_env_error(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    result = CliRunner().invoke(main, ["text", "score", str(tmp_path), "--workspace", str(tmp_path)])
    assert result.exit_code == 2
    assert "ANTHROPIC_API_KEY" in result.stderr
    assert records(folder.attempts)[0]["kind"] == "no_key"


# ---- C-05: what a headless judge may print

ENVELOPES = json.loads((Path(__file__).parents[2] / "cases/C-05-cli-envelope-errors/envelopes.json").read_text("utf-8"))
SAID = {
    2: "401", 3: "error_max_budget_usd", 4: "", 5: "", 6: "", 7: "error_max_turns", 8: "", 9: "quota exceeded",
}  # fmt: skip


@pytest.mark.parametrize("envelope", ENVELOPES, ids=lambda envelope: str(envelope["id"]))
def test_c05_an_envelope_is_a_sample_or_an_env_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, envelope: dict[str, Any]
) -> None:
    program = tmp_path / "claude"
    out, err = envelope["stdout"], envelope.get("stderr", "")
    program.write_text(
        f"#!/usr/bin/env python3\nimport sys\nsys.stdin.read()\nsys.stdout.write({out!r})\n"
        f"sys.stderr.write({err!r})\nsys.exit({envelope['rc']})\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("SERVO_CONTENT_FIDELITY_CLAUDE_BIN", str(program))
    folder = make_eval(tmp_path / "p", given=config(
        judge={"model": "judge-text-1", "transport": "cli"}, samples={"n": 1, "k": 1.0, "delta": 0.0}
    ))  # fmt: skip
    result = CliRunner().invoke(main, ["text", "score", str(tmp_path / "p"), "--workspace", str(tmp_path / "p")])
    if envelope["id"] == 1:
        assert (result.exit_code, result.stdout) == (0, "0.7000\n"), result.stderr
        return
    assert (result.exit_code, result.stdout) == (2, "")
    assert SAID[envelope["id"]] in result.stderr
    assert records(folder.ledger) == []
    assert len(records(folder.attempts)) == 1


def test_the_policy_names_the_judge(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, given=config(judge={"model": "practice-1", "provider": "openai", "max_tokens": 99}))
    from core.text_fidelity.config import check

    spec = scoring.judge_spec(check(folder).usable())
    assert (spec.provider, spec.model, spec.temperature, spec.max_tokens, spec.practice) == (
        "openai", "practice-1", None, 99, True,
    )  # fmt: skip


def test_frozen_again_is_another_series(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    before = scoring.series_of(folder)
    changed = folder.config.read_text("utf-8").replace("2026-11-01T09", "2026-11-01T08")
    folder.config.write_text(changed)
    assert scoring.series_of(folder) != before
    freeze(folder)
    assert scoring.series_of(folder) == before
