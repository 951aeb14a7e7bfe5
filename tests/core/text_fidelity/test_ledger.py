"""Reading the ledger: series, noise floor, plateau, drift, judge noise, each by hand-worked rows."""

from __future__ import annotations

import json
import math
import statistics
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.text_fidelity.columns import micros
from core.text_fidelity.history import Reader
from core.text_fidelity.ledger import Reading, breaks, read, refreezes
from core.text_fidelity.noise import advice, judge_noise, samples_needed
from core.text_fidelity.place import locate
from core.text_fidelity.report import flags, ledger_report
from core.workspace import Workspace
from tests.core.text_fidelity.evals import Fixed, case, config, freeze, later, make_eval, run

NOW = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp() * 1_000_000)


def row(at: str, composite: float, definition: str | None = "sha256:d", **more: Any) -> dict[str, Any]:
    cases = more.pop("cases", [{"id": "a", "samples": [composite], "lower_bound": composite}])
    return {
        "at": at, "model": "m", "transport": "api", "composite": composite, "definition_hash": definition,
        "cases": cases,
    } | more  # fmt: skip


def reading(folder: Path, *rows: dict[str, Any], **more: Any) -> Reading:
    (folder / "ledger.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    (folder / "config.json").write_text("{}")
    return read(Reader(locate(Workspace.open(folder), ".")).history().runs, NOW, **more)


def day(number: int) -> str:
    return f"2026-11-{number:02d}T09:00:00Z"


def test_a_gain_of_at_most_delta_over_the_best_so_far_is_flat(tmp_path: Path) -> None:
    """δ = .03. .53 is exactly δ over .50: flat, although in floats .53 − .50 = .030000000000000027."""
    values = [0.5, 0.53, 0.5601, 0.58, 0.55, 0.5001, 0.6101]
    found = reading(tmp_path, *(row(day(i + 1), value) for i, value in enumerate(values)), delta=0.03)
    assert [found.change_word(i) for i in range(7)] == [
        "first", "flat", "improved", "flat", "flat", "dropped", "improved",
    ]  # fmt: skip
    assert found.series[0].best == 0.6101


def test_a_record_s_own_delta_counts_before_the_config_s(tmp_path: Path) -> None:
    found = reading(tmp_path, row(day(1), 0.5), row(day(2), 0.52, delta=0.01), row(day(3), 0.53), delta=0.05)
    assert [found.change_word(i) for i in range(3)] == ["first", "improved", "flat"]


@pytest.mark.parametrize(
    ("values", "without", "plateau"),
    [([0.5], 0, False), ([0.5, 0.5], 1, False), ([0.5, 0.5, 0.4], 2, True), ([0.5, 0.5, 0.4, 0.6], 0, False)],
)
def test_a_plateau_is_two_runs_in_a_row_without_a_gain(
    tmp_path: Path, values: list[float], without: int, plateau: bool
) -> None:
    found = reading(tmp_path, *(row(day(i + 1), value) for i, value in enumerate(values)), delta=0.03)
    assert (found.series[0].without_gain, found.series[0].plateau()) == (without, plateau)


def test_changes_are_judged_within_one_definition_only(tmp_path: Path) -> None:
    """A definition that comes back goes on with its own best; each change is a break."""
    rows = [row(day(1), 0.9, "A"), row(day(2), 0.2, "B"), row(day(3), 0.3, "B"), row(day(4), 0.5, "A")]
    found = reading(tmp_path, *rows, delta=0.03)
    assert [found.change_word(i) for i in range(4)] == ["first", "first", "improved", "dropped"]
    assert [(series.definition, series.rows.tolist()) for series in found.series] == [("A", [0, 3]), ("B", [1, 2])]
    assert breaks(found) == [(0, 1), (2, 3)]


def test_order_is_by_instant_and_ties_by_line(tmp_path: Path) -> None:
    rows = [row("2026-11-02T00:30:00+09:00", 0.1), row("2026-11-01T15:00:00Z", 0.2), row("2026-11-01T15:00:00Z", 0.3)]
    assert reading(tmp_path, *rows).order.tolist() == [1, 2, 0]


def test_what_is_not_compared_changes_nothing(tmp_path: Path) -> None:
    rows = [
        row(day(1), 0.5), row(day(2), 1.5), row(day(3), -0.1), row(day(4), 0.9, None), row("2031-01-01T00:00:00Z", 0.1),
        row(day(5), 0.52), row("2026-11-06T09:00:00", 0.6),
    ]  # fmt: skip
    found = reading(tmp_path, *rows, delta=0.03)
    assert [found.change_word(i) for i in range(7)] == ["first", None, None, None, None, "flat", "improved"]
    assert [flags(found, i) for i in range(7)] == [
        [], ["out_of_range"], ["out_of_range"], ["no_definition"], ["future"], [], ["zone_unknown"],
    ]  # fmt: skip
    assert found.latest == 5


def test_a_judge_that_contradicts_its_definition_is_marked(tmp_path: Path) -> None:
    rows = [row(day(1), 0.5), row(day(2), 0.5), row(day(3), 0.5, model="other"), row(day(4), 0.5, "E", model="other")]
    found = reading(tmp_path, *rows)
    assert found.marks.contradiction.tolist() == [False, False, True, False]


def artifacts(at: str, a: str | None, b: str, definition: str = "D") -> dict[str, Any]:
    cases = [
        {"id": "a", "samples": [0.5], "lower_bound": 0.5, **({"artifact_sha256": a} if a else {})},
        {"id": "b", "samples": [0.5], "lower_bound": 0.5, "artifact_sha256": b},
    ]
    return row(at, 0.5, definition, cases=cases)


def test_drift_is_a_command_s_text_that_changed_while_the_definition_did_not(tmp_path: Path) -> None:
    """a is a command, b a file: b's text is meant to change. A run that does not name its text is passed over."""
    rows = [
        artifacts(day(1), "1", "1"), artifacts(day(2), "1", "2"), artifacts(day(3), "2", "3"),
        artifacts(day(4), None, "3"), artifacts(day(5), "2", "3"), artifacts(day(6), "3", "3", "E"),
        artifacts(day(7), "1", "3"), artifacts(day(8), "4", "3", "E"),
    ]  # fmt: skip
    found = reading(tmp_path, *rows, commands={"": frozenset({"a"})})
    assert found.drifted() == {2: ["a"], 6: ["a"], 7: ["a"]}
    assert reading(tmp_path, *rows, commands={"": frozenset({"a"}), "E": frozenset()}).drifted() == {2: ["a"], 6: ["a"]}


def test_drift_end_to_end_by_what_each_definition_says(tmp_path: Path) -> None:
    """A case that was a command when it was scored counts as one, even after it became a file."""
    counter = ["python3", "-c", "import os; print('x', file=open('n', 'a')); print(os.path.getsize('n'))"]
    folder = make_eval(tmp_path, given=config(case("a", source={"type": "command", "run": counter})))
    for hour in range(3):
        run(folder, Fixed({"a": [0.5]}), at=later(hour))
    made = json.loads(folder.config.read_text("utf-8"))
    made["cases"][0]["source"] = {"type": "file", "path": "n"}
    folder.config.write_text(json.dumps(made))
    freeze(folder)
    run(folder, Fixed({"a": [0.5]}), at=later(3))
    (folder.path / "n").write_text("other")
    run(folder, Fixed({"a": [0.5]}), at=later(4))
    told = ledger_report(folder, later(5))
    assert [[one["drift"] for one in series["runs"]] for series in told["series"]] == [[[], ["a"], ["a"]], [[], []]]


def test_texts_frozen_anew_under_one_definition_are_marked(tmp_path: Path) -> None:
    """The rubric is not part of the definition hash; runs before and after are still told apart."""
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.5]}))
    folder.config.write_text(folder.config.read_text("utf-8").replace("faithfully", "freely"))
    freeze(folder)
    run(folder, Fixed({"a": [0.5]}), at=later(1))
    found = read(Reader(folder).history().runs, NOW)
    assert (len(found.series), refreezes(found), breaks(found)) == (1, [(0, 1)], [])


# ---- judge noise


def test_the_pooled_deviation_of_two_runs(tmp_path: Path) -> None:
    """Squares .02 (.1² + 0 + .1²) and .01 (4 · .05²) over 2 + 3 degrees of freedom: s = √.006 = .0775; at n = 4, /2."""
    first = {"id": "a", "samples": [0.4, 0.5, 0.6], "lower_bound": 0.4}
    second = {"id": "a", "samples": [0.5, 0.5, 0.6, 0.6], "lower_bound": 0.5}
    found = reading(tmp_path, row(day(1), 0.4, cases=[first]), row(day(2), 0.5, cases=[second]))
    [noise] = judge_noise(found.runs, found.series[0], k=1, delta=0.03)
    assert (noise.runs, noise.n) == (2, 4)
    assert noise.deviation == pytest.approx(math.sqrt(0.03 / 5))
    assert noise.stderr == pytest.approx(math.sqrt(0.03 / 5) / 2)
    assert noise.needed == math.floor(0.006 / 0.0009) + 1 == 7
    assert advice(noise, k=1, delta=0.03) == "a: k·stderr 0.0387 at n = 4 is over δ = 0.03; n = 7 brings it under"


def test_one_sample_has_no_known_spread(tmp_path: Path) -> None:
    found = reading(tmp_path, row(day(1), 0.4))
    [noise] = judge_noise(found.runs, found.series[0], k=1, delta=0.03)
    assert (noise.deviation, noise.stderr, noise.needed) == (None, None, None)
    assert "unknown" in advice(noise, k=1, delta=0.03)


@pytest.mark.parametrize(
    ("deviation", "k", "delta", "expected"),
    [
        (0.1, 1, 0.05, 5),
        (0.1, 1, 0.1, 2),
        (0.1, 0, 0.05, 1),
        (0.0, 1, 0.0, 1),
        (0.1, 1, 0.0, None),
        (1, 1, 0.001, None),
    ],
)
def test_how_many_samples_bring_k_stderr_under_delta(
    deviation: float, k: float, delta: float, expected: int | None
) -> None:
    found = samples_needed(deviation, k, delta)
    assert found == expected
    if found is not None and delta:
        assert k * deviation / math.sqrt(found) < delta


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), min_size=1, max_size=8))
def test_pooled_noise_agrees_with_its_definition(tmp_path: Path, samples: list[list[float]]) -> None:
    rows = [
        row(f"2026-11-01T00:{i:02d}:00Z", 0.5, cases=[{"id": "a", "samples": values, "lower_bound": 0.5}])
        for i, values in enumerate(samples)
    ]
    found = reading(tmp_path, *rows)
    [noise] = judge_noise(found.runs, found.series[0], k=1, delta=0.03)
    spread = [values for values in samples if len(values) > 1]
    if not spread:
        assert noise.deviation is None
        return
    freedom = sum(len(values) - 1 for values in spread)
    pooled = sum((len(values) - 1) * statistics.variance(values) for values in spread) / freedom
    assert noise.deviation == pytest.approx(math.sqrt(pooled), abs=1e-9)


# ---- the files


def test_every_record_that_is_no_run_is_named_with_its_line(tmp_path: Path) -> None:
    good = row(day(1), 0.5)
    bad = [
        {**good, "composite": None}, {**good, "composite": "0.8"}, {**good, "at": "yesterday"}, {**good, "at": None},
        {**good, "at": "2026-02-30T09:00:00Z"}, [1], {**good, "composite": True}, {**good, "cases": {}},
    ]  # fmt: skip
    (tmp_path / "ledger.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [good, *bad, row(day(2), 0.6)]))
    (tmp_path / "config.json").write_text("{}")
    history = Reader(locate(Workspace.open(tmp_path), ".")).history()
    assert history.runs.composite.tolist() == [0.5, 0.6]
    assert [problem.line for problem in history.problems] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert all(problem.file == "ledger.jsonl" for problem in history.problems)


def test_servo_s_own_records_are_shown_in_full(tmp_path: Path) -> None:
    found = reading(tmp_path, row(day(1), 0.5))
    assert (found.runs.freeze.word(0), math.isnan(found.runs.threshold[0]), found.change_word(0)) == (
        None,
        True,
        "first",
    )


def test_failures_are_read_with_their_reason_and_the_unreadable_ones_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    lines = [
        {"at": day(1), "outcome": "stale", "case": None, "reason": "rubric"},
        {"at": day(2), "outcome": "env_error", "case": "a", "reason": "down", "kind": "unreachable"},
        {"at": day(2), "outcome": "fine", "case": "a", "reason": "?"}, {"outcome": "stale", "reason": "x"}, 7,
    ]  # fmt: skip
    (tmp_path / "attempts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    history = Reader(locate(Workspace.open(tmp_path), ".")).history()
    assert [(fail.outcome, fail.case, fail.reason) for fail in history.failures] == [
        ("stale", None, "rubric"), ("env_error", "a", "down"),
    ]  # fmt: skip
    assert [(problem.file, problem.line) for problem in history.problems] == [
        ("attempts.jsonl", 3), ("attempts.jsonl", 4), ("attempts.jsonl", 5),
    ]  # fmt: skip


def test_a_reader_reads_an_append_and_nothing_twice(tmp_path: Path) -> None:
    reading(tmp_path, *(row(day(1), 0.5, usage={"n": i}) for i in range(5_000)))
    kept = Reader(locate(Workspace.open(tmp_path), "."))
    first = kept.history()
    assert kept.history() is first
    before = kept.bytes_read
    with (tmp_path / "ledger.jsonl").open("a") as opened:
        opened.write(json.dumps(row(day(2), 0.75)) + "\n")
    assert kept.history().runs.composite[-1] == 0.75
    assert kept.bytes_read - before < 2_000


def test_microseconds_survive(tmp_path: Path) -> None:
    found = reading(tmp_path, row("2026-11-01T09:00:00.000123Z", 0.5))
    assert int(found.runs.at[0]) % 1_000_000 == 123
    assert micros(1.5, 500_000) == 1_500_000


def test_an_empty_history_is_no_zero(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    told = ledger_report(locate(Workspace.open(tmp_path), "."), datetime(2026, 12, 1, tzinfo=UTC))
    assert (told["series"], told["latest"], told["failures"], told["problems"]) == ([], None, [], [])
