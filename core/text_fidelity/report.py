"""What ``text ledger`` prints: series, changes, drift, failures, problems (text-fidelity contract, Command line)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from core.errors import BadInput
from core.text_fidelity import approval, config
from core.text_fidelity.columns import case_problems, micros
from core.text_fidelity.config import Policy
from core.text_fidelity.history import History, exists, reader
from core.text_fidelity.ledger import PATIENCE, Reading, read
from core.text_fidelity.noise import advice, judge_noise
from core.text_fidelity.place import EvalFolder
from core.text_fidelity.runs import Failure, Runs


def policy_of(folder: EvalFolder) -> Policy | None:
    """The policy as it stands, None where config.json cannot be used: a ledger is read all the same."""
    try:
        return config.check(folder).policy
    except BadInput:
        return None


def reading_of(folder: EvalFolder, history: History, now: datetime) -> Reading:
    """The ledger understood with what the config and the snapshots of earlier freezes say."""
    policy = policy_of(folder)
    delta = policy.samples.delta if policy else 0.0
    return read(
        history.runs, micros(now.timestamp(), now.microsecond), delta=delta,
        commands=command_cases(folder, policy, history.runs),
    )  # fmt: skip


def command_cases(folder: EvalFolder, policy: Policy | None, runs: Runs) -> dict[str, frozenset[str]]:
    """The command-backed cases of each definition that left a snapshot; of every other, the present config's."""
    known = {"": frozenset(case.id for case in policy.cases if case.command)} if policy else {}
    for row in _one_row_each(runs):
        definition, freeze_id = runs.definition.word(row), runs.freeze.word(row)
        held = approval.snapshot(folder, freeze_id)
        if definition and held is not None:
            known[definition] = frozenset(
                str(case["id"])
                for case in held["definition"]["cases"]
                if isinstance(case["source"], Mapping) and case["source"].get("type") == "command"
            )
    return known


def _one_row_each(runs: Runs) -> list[int]:
    """The last run of each freeze."""
    last = {int(code): row for row, code in enumerate(runs.freeze.codes) if code >= 0}
    return list(last.values())


def ledger_report(folder: EvalFolder, now: datetime) -> dict[str, Any]:
    """``series``, ``latest``, ``failures``, ``problems`` as the contract names them, and what was set aside.

    Raises BadInput where there is no eval at all: no runs are an answer only of one that might have some.
    """
    if not (folder.config.exists() or exists(folder)):
        raise BadInput.of(folder.label, "there is no eval here: neither config.json nor ledger.jsonl")
    history = reader(folder).history()
    reading, now_us = reading_of(folder, history, now), micros(now.timestamp(), now.microsecond)
    problems = [] if history.runs.few else case_problems(history.runs, folder.file_label(folder.ledger))
    policy, drift = policy_of(folder), reading.drifted()
    return {
        "eval": folder.label,
        "series": [_series(reading, index, policy, drift) for index in range(len(reading.series))],
        "latest": None if reading.latest is None else _run(reading, reading.latest, drift, full=True),
        "failures": [
            {
                "at": fail.text_at,
                "outcome": fail.outcome,
                "case": fail.case,
                "reason": fail.reason,
                "flags": failure_flags(fail, now_us),
            }
            for fail in history.failures
        ],
        "no_series": [_run(reading, int(row), drift) for row in reading.order if reading.marks.no_definition[row]],
        "problems": [problem.as_dict() for problem in (*history.problems, *problems)],
        "duplicates": history.duplicates,
        "torn": history.torn,
    }


def _series(reading: Reading, index: int, policy: Policy | None, drift: dict[int, list[str]]) -> dict[str, Any]:
    series = reading.series[index]
    made: dict[str, Any] = {
        "definition_hash": series.definition,
        "runs": [_run(reading, int(row), drift) for row in series.rows],
        "best": series.best,
        "runs_without_gain": series.without_gain,
        "plateau": series.plateau(PATIENCE),
    }
    if policy is not None:
        k, delta = policy.samples.k, policy.samples.delta
        made["noise"] = [
            {
                "case": noise.case, "n": noise.n, "stderr": noise.stderr, "needed": noise.needed,
                "advice": advice(noise, k=k, delta=delta),
            }
            for noise in judge_noise(reading.runs, series, k=k, delta=delta)
        ]  # fmt: skip
    return made


def _run(reading: Reading, row: int, drift: dict[int, list[str]], *, full: bool = False) -> dict[str, Any]:
    runs = reading.runs
    made: dict[str, Any] = {
        "at": _iso(int(runs.at[row])), "composite": float(runs.composite[row]), "cases": _cases(runs, row),
        "change": reading.change_word(row), "drift": drift.get(row, []), "flags": flags(reading, row),
        "line": int(runs.line[row]),
    }  # fmt: skip
    return made | ({"definition_hash": runs.definition.word(row), "judge": runs.judge.word(row)} if full else {})


def _cases(runs: Runs, row: int) -> list[dict[str, Any]]:
    cases = runs.cases
    first, last = cases.of(row)
    return [
        {
            "id": cases.case.word(i),
            "samples": [_known(x) for x in cases.samples[cases.starts[i] : cases.starts[i + 1]]],
            "lower_bound": _known(cases.bound[i]),
        }
        for i in range(first, last)
    ]


def _known(value: float) -> float | None:
    return None if value != value else float(value)


def failure_flags(failure: Failure, now_us: int) -> list[str]:
    """What a reader must know of a failed run before trusting its time: either keeps it from being the last one."""
    named = {"future": failure.at > now_us, "zone_unknown": not failure.zone_known}
    return [name for name, there in named.items() if there]


def flags(reading: Reading, row: int) -> list[str]:
    """What a reader must know of a run before trusting it."""
    marks = reading.marks
    named = {
        "out_of_range": marks.out_of_range, "future": marks.future, "no_definition": marks.no_definition,
        "zone_unknown": marks.zone_unknown, "contradiction": marks.contradiction,
    }  # fmt: skip
    return [name for name, values in named.items() if values[row]]


def _iso(at: int) -> str:
    text = datetime.fromtimestamp(at // 1_000_000, UTC).replace(microsecond=at % 1_000_000).isoformat()
    return text.replace("+00:00", "Z")


def ledger_lines(report: dict[str, Any]) -> list[str]:
    """The report for people."""
    lines: list[str] = []
    for series in report["series"]:
        lines.append(f"definition {series['definition_hash'][:23]}…  best {series['best']}")
        for run in series["runs"]:
            marks = [*([f"drift: {', '.join(run['drift'])}"] if run["drift"] else []), *run["flags"]]
            lines.append(
                f"  {run['at']}  {run['composite']:.4f}  {run['change'] or 'not compared'}  {'; '.join(marks)}"
            )
        if series["plateau"]:
            lines.append(f"  plateau: {series['runs_without_gain']} runs without a gain above δ")
        lines += [f"  {noise['advice']}" for noise in series.get("noise", [])]
    lines += [f"no definition: {run['at']}  {run['composite']:.4f}" for run in report["no_series"]]
    lines += [
        f"{fail['at']}  {fail['outcome']}: {fail['reason']}{''.join(f'  [{flag}]' for flag in fail['flags'])}"
        for fail in report["failures"]
    ]
    latest = report["latest"]
    lines.append(f"latest {latest['composite']:.4f} at {latest['at']}" if latest else "latest: nothing scored yet")
    problems = report["problems"]
    lines += [f"problem: {p['file']}:{p.get('line', '')}: {p['reason']}" for p in problems]
    return lines
