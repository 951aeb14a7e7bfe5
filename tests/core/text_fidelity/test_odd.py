"""One odd record takes nothing down: the command, the findings and the page say what it is and show the rest."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.cli import main
from core.text_fidelity import approval, view
from core.text_fidelity.cli import group
from core.text_fidelity.findings import findings
from core.text_fidelity.noise import advice, samples_needed
from core.text_fidelity.place import EvalFolder, locate
from core.text_fidelity.report import ledger_lines, ledger_report
from core.workspace import Workspace
from tests.core.text_fidelity.evals import case, config, make_eval
from tests.core.text_fidelity.test_ledger import day, row

NOW = datetime(2026, 12, 1, tzinfo=UTC)
HUGE = 10**399
"""A whole number of the kind that JSON allows and no float holds."""


def odd_case(**values: Any) -> dict[str, Any]:
    return row(day(2), 0.6, cases=[{"id": "a", "samples": [0.5, 0.7], "lower_bound": 0.5} | values])


# Each stands behind a sound record; with what is said of it (None: it is shown as it is).
ODD: dict[str, tuple[dict[str, Any], str | None]] = {
    "a sample that is null": (odd_case(samples=[None, 0.5]), "a sample is no number in [0, 1]"),
    "a sample of 85": (odd_case(samples=[85, 0.5]), "a sample is no number in [0, 1]"),
    "samples that overflow": (odd_case(samples=[1e308, 1e308, -1e308]), "a sample is no number in [0, 1]"),
    "a sample no float holds": (odd_case(samples=[HUGE]), "of another type"),
    "no samples": (odd_case(samples=[]), None),
    "samples null": (odd_case(samples=None), None),
    "a bound of 1e308": (odd_case(lower_bound=1e308), "the bound is no number in [0, 1]"),
    "a bound of null": (odd_case(lower_bound=None), None),
    "a weight of 1e308": (odd_case(weight=1e308), None),
    "no id": (odd_case(id=None), None),
    "an id twice": (row(day(2), 0.6, cases=[{"id": "a", "samples": [0.5], "lower_bound": 0.5}] * 2), None),
    "a null among the cases": (row(day(2), 0.6, cases=[None]), None),
    "odd reasons": (odd_case(reasons=[None, 1, {"a": 2}], notes=7, stderr=["x"], held="yes"), None),
    "a huge usage": (row(day(2), 0.6, usage=dict.fromkeys(("calls", "input_tokens", "cost_usd"), HUGE)), None),
    "a huge delta": (row(day(2), 0.6, delta=1e308), None),
    "a text elsewhere": (odd_case(artifact_sha256="../x"), None),
    "before all time": (row("0001-01-01T00:00:00Z", 0.6), None),
    "after all time": (row("9999-12-31T23:59:59Z", 0.6), None),
}
POLICIES = {
    "usual": {"n": 3, "k": 1, "delta": 0.03},
    "extreme": {"n": 3, "k": 1e308, "delta": 5e-324},
    "tiny": {"n": 3, "k": 1, "delta": 1e-200},
}


def ledger(root: Path, *records: dict[str, Any], samples: dict[str, Any] | None = None) -> EvalFolder:
    folder = make_eval(root, given=config(samples=samples or POLICIES["usual"]), frozen=False)
    folder.ledger.write_text("".join(json.dumps(one) + "\n" for one in records))
    return folder


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ODD)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_an_odd_record_is_named_and_the_rest_is_shown(tmp_path: Path, name: str, policy: str) -> None:
    odd, said = ODD[name]
    sound = row(day(1), 0.5, cases=[{"id": "a", "samples": [0.4, 0.6], "lower_bound": 0.4}])
    folder = ledger(tmp_path, sound, odd, samples=POLICIES[policy])
    report = ledger_report(folder, NOW)
    assert json.loads(json.dumps(report, allow_nan=False))["series"][0]["runs"]
    assert ledger_lines(report)
    assert [(problem["line"], said in problem["reason"]) for problem in report["problems"] if said] == (
        [(2, True)] if said else []
    )
    assert len(report["problems"]) == (said is not None)
    assert ("unreadable" in [one.kind for one in findings(folder.workspace, NOW)]) == (said is not None)
    made = view.book(folder, NOW)
    _, lines = view.drawn(made)
    assert all(0 <= value <= 1 for line in lines for _, value in line.samples)
    assert all(0 <= value <= 1 for line in lines for _, value, _ in line.bounds)
    for one in view.noise(made, made.current or 0):
        assert advice(one, k=POLICIES[policy]["k"], delta=POLICIES[policy]["delta"])
    for place in range(len(made.reading.runs)):
        assert not isinstance(view.try_opened(made, place), Exception)


def test_a_sample_that_is_none_stays_in_its_place_and_out_of_the_noise(tmp_path: Path) -> None:
    """Of .4 and .6 alone: s = √.02 = .1414, stderr .1; the run with the null says nothing about the spread."""
    sound = row(day(1), 0.5, cases=[{"id": "a", "samples": [0.4, 0.6], "lower_bound": 0.4}])
    folder = ledger(tmp_path, sound, odd_case(samples=[0.9, None, 0.1], reasons=["x", "y", "z"]))
    made = view.book(folder, NOW)
    assert view.opened(made, 1).cases[0].samples == (0.9, None, 0.1)
    [noise] = view.noise(made, 0)
    assert (noise.runs, noise.n, round(noise.stderr or 0, 4)) == (1, 2, 0.1)
    assert ledger_report(folder, NOW)["series"][0]["runs"][1]["cases"][0]["samples"] == [0.9, None, 0.1]


def test_the_command_answers_for_a_ledger_with_a_null_sample(tmp_path: Path) -> None:
    ledger(tmp_path, row(day(1), 0.5), odd_case(samples=[None, 0.5]))
    for form in ([], ["--json"]):
        result = CliRunner().invoke(main, ["text", "ledger", str(tmp_path), "--workspace", str(tmp_path), *form])
        assert (result.exit_code, "a sample is no number" in result.stdout) == (0, True)


@pytest.mark.parametrize(
    ("deviation", "k", "delta", "needed"),
    [
        (0.1, 1, 0.1, 2), (0.0, 1e308, 5e-324, 1), (0.1, 1, 1e-200, None), (0.1, 1e308, 5e-324, None),
        (0.1, 1, 0.0, None), (1.0, 31.6, 1.0, 999), (1.0, 31.7, 1.0, None),
    ],
)  # fmt: skip
def test_advice_on_n_for_any_k_and_delta(deviation: float, k: float, delta: float, needed: int | None) -> None:
    """31.6² = 998.56 → 999; 31.7² = 1,004.89, more than advice goes."""
    assert samples_needed(deviation, k, delta) == needed


# ---- attempts


def attempt(at: str, reason: str = "down", **values: Any) -> dict[str, Any]:
    return {"at": at, "outcome": "env_error", "case": None, "reason": reason} | values


def with_attempts(root: Path, *attempts: dict[str, Any]) -> EvalFolder:
    folder = ledger(root, row(day(1), 0.5))
    folder.attempts.write_text("".join(json.dumps(one) + "\n" for one in attempts))
    return folder


def test_a_failure_in_the_future_is_clock_skew_and_hides_no_later_one(tmp_path: Path) -> None:
    folder = with_attempts(tmp_path, attempt("2099-01-01T00:00:00Z", "a clock"), attempt(day(2), "down"))
    made = view.book(folder, NOW)
    assert made.failed_since is not None
    assert made.failed_since.reason == "down"
    assert [gap.last.reason for gap in view.drawn(made)[0].gaps] == ["down"]
    [one] = findings(folder.workspace, NOW)
    assert (one.kind, one.evidence["reason"], one.evidence["in_a_row"]) == ("eval_error", "down", 1)
    report = ledger_report(folder, NOW)
    assert [fail["flags"] for fail in report["failures"]] == [["future"], []]
    assert any("a clock  [future]" in line for line in ledger_lines(report))


@pytest.mark.parametrize("at", ["2099-01-01T00:00:00Z", "2026-11-20T00:00:00"])
def test_a_failure_at_a_time_that_decides_nothing_blocks_nothing(tmp_path: Path, at: str) -> None:
    """From the future, or without a zone (contract README, Times): shown and marked, never the latest."""
    folder = with_attempts(tmp_path, attempt(at))
    assert view.book(folder, NOW).failed_since is None
    assert findings(folder.workspace, NOW) == []
    assert ledger_report(folder, NOW)["failures"][0]["flags"] in (["future"], ["zone_unknown"])


def test_a_failure_from_the_future_counts_when_its_time_has_come(tmp_path: Path) -> None:
    folder = with_attempts(tmp_path, attempt("2026-12-01T00:00:01Z"))
    assert view.book(folder, NOW).failed_since is None
    assert view.book(folder, datetime(2026, 12, 1, 0, 0, 1, tzinfo=UTC)).failed_since is not None


@pytest.mark.parametrize("odd", [{"case": [1]}, {"kind": {"a": 1}}, {"reason": "x\ud800"}, {"at": "yesterday"}])
def test_an_attempt_that_is_none_is_a_problem_with_its_line(tmp_path: Path, odd: dict[str, Any]) -> None:
    history = view.book(with_attempts(tmp_path, attempt(day(2)), attempt(day(3)) | odd), NOW).history
    assert ([problem.line for problem in history.problems], len(history.failures)) == ([2], 1)


# ---- elsewhere


@pytest.mark.parametrize("at", ["yesterday", "2026-02-30T00:00:00Z", "", 7, None])
def test_a_freeze_at_no_time_is_one_at_an_unknown_time(tmp_path: Path, at: Any) -> None:
    folder = make_eval(tmp_path)
    folder.config.write_text(json.dumps(json.loads(folder.config.read_text("utf-8")) | {"approved_at": at}))
    assert (approval.state(folder).fresh, approval.state(folder).approved) == (True, None)


def test_a_record_that_was_rewritten_under_the_page_is_not_opened_as_another(tmp_path: Path) -> None:
    folder = ledger(tmp_path, row(day(1), 0.5))
    made = view.book(folder, NOW)
    length = folder.ledger.stat().st_size - 1
    folder.ledger.write_text('{"x": "' + "y" * (length - 9) + '"}\n')
    assert "no longer where it stood" in str(view.try_opened(made, 0))


def test_there_is_no_answer_about_an_eval_that_is_not_there(tmp_path: Path) -> None:
    for command in ("ledger", "check"):
        result = CliRunner().invoke(main, ["text", command, str(tmp_path), "--workspace", str(tmp_path)])
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "there is no eval here" in CliRunner().invoke(main, ["text", "ledger", str(tmp_path)]).stderr
    folder = ledger(tmp_path, row(day(1), 0.5))
    folder.config.unlink()
    assert CliRunner().invoke(main, ["text", "ledger", str(tmp_path)]).exit_code == 0


def test_every_command_takes_a_workspace(tmp_path: Path) -> None:
    where = ["--workspace", str(tmp_path)]
    assert CliRunner().invoke(main, ["text", "bound", "0.5", *where]).exit_code == 0
    assert CliRunner().invoke(main, ["text", "reply", "-", *where], input='{"score": 0.5}').exit_code == 0
    assert [name for name, one in group.commands.items() if "workspace" not in {p.name for p in one.params}] == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (config(samples={"n": HUGE, "k": 1, "delta": 0}), "samples.n input should be less than or equal to 1000"),
        (config(samples={"n": 1e300, "k": 1, "delta": 0}), "samples.n input should be less than or equal to 1000"),
        (config(judge={"model": "m", "max_tokens": HUGE}), "judge.max_tokens input should be less than"),
        (config(case("a", weight=1e308), case("b", weight=1e308)), "total weight of the cases is larger than a number"),
    ],
)
def test_numbers_beyond_use_are_refused_with_a_reason(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    folder = make_eval(tmp_path, given=given, frozen=False)
    assert any(said in str(problem) for problem in approval.state(folder).errors)
    assert [one.kind for one in findings(Workspace.open(tmp_path), NOW)] == ["eval_error"]
    assert locate(Workspace.open(tmp_path), ".").label == folder.label
