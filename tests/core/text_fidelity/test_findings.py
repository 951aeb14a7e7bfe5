"""What of text fidelity needs a person: each kind by its cause, and gone when the cause is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.findings import Finding
from core.judge.protocol import Unscored
from core.text_fidelity.findings import findings
from core.text_fidelity.place import EvalFolder
from core.workspace import Workspace
from tests.core.text_fidelity.evals import Fixed, case, config, freeze, later, make_eval, run

DOWN = Fixed({"a": [Unscored("no connection", "unreachable")]})


def found(folder: EvalFolder) -> list[Finding]:
    return findings(Workspace.open(folder.workspace.root), later(100))


def kinds(folder: EvalFolder) -> list[tuple[str, str]]:
    return [(one.kind, one.severity) for one in found(folder)]


def test_a_sound_eval_and_a_draft_need_nobody(tmp_path: Path) -> None:
    folder = make_eval(tmp_path / "a")
    run(folder, Fixed({"a": [0.5]}))
    assert found(folder) == []
    assert found(make_eval(tmp_path / "b", frozen=False)) == []


def test_stale_until_it_is_frozen_again(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    folder.config.write_text(folder.config.read_text("utf-8").replace("faithfully", "freely"))
    [one] = found(folder)
    assert (one.kind, one.severity, one.subject) == ("eval_stale", "blocking", ".servo/content-fidelity")
    assert one.evidence["reasons"] == ["the rubric changed since the freeze"]
    assert one.link == "/text_fidelity?eval=.servo%2Fcontent-fidelity&tab=freeze"
    freeze(folder)
    assert found(folder) == []


def test_a_run_that_could_not_score_until_one_does(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.5]}))
    run(folder, DOWN, at=later(1))
    first = found(folder)
    run(folder, DOWN, at=later(2))
    [one] = found(folder)
    assert [(one.kind, one.severity, one.evidence["in_a_row"])] == [("eval_error", "blocking", 2)]
    assert (one.id, one.evidence_hash == first[0].evidence_hash) == (first[0].id, False)
    run(folder, Fixed({"a": [0.5]}), at=later(3))
    assert found(folder) == []


def test_a_run_that_a_person_stopped_is_no_finding(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [Unscored("stopped", "cancelled")]}))
    assert found(folder) == []


def test_a_refused_and_an_unreadable_config(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, given=config(case("a", weight=-1)), frozen=False)
    assert kinds(folder) == [("eval_error", "blocking")]
    folder.config.write_text("{")
    assert kinds(folder) == [("unreadable", "blocking")]


def test_a_drop_beyond_delta_and_not_within(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.5]}))
    run(folder, Fixed({"a": [0.47]}), at=later(1))
    assert found(folder) == []
    run(folder, Fixed({"a": [0.46]}), at=later(2))
    [one] = found(folder)
    assert (one.kind, one.evidence["best"], one.evidence["composite"]) == ("eval_drop", 0.5, 0.46)
    assert one.link.endswith("&run=3")


def test_generator_drift_of_the_latest_run(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("one")
    folder = make_eval(tmp_path / "p", source={"type": "command", "run": ["cat", str(tmp_path / "n")]})
    run(folder, Fixed({"a": [0.5]}))
    (tmp_path / "n").write_text("two")
    run(folder, Fixed({"a": [0.5]}), at=later(1))
    [one] = found(folder)
    assert (one.kind, one.severity, one.subject) == ("generator_drift", "notice", ".servo/content-fidelity#a")
    run(folder, Fixed({"a": [0.5]}), at=later(2))
    assert found(folder) == []


def test_unreadable_records_and_not_a_line_being_written(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.5]}))
    with folder.ledger.open("a") as opened:
        opened.write('{"at": "2026-')
    assert found(folder) == []
    with folder.ledger.open("a") as opened:
        opened.write("\n")
    [one] = found(folder)
    assert (one.kind, one.subject, one.evidence["count"]) == ("unreadable", ".servo/content-fidelity/ledger.jsonl", 1)
    assert one.evidence["problems"][0]["line"] == 2


def test_a_folder_in_the_ledger_s_place_is_a_finding_and_no_crash(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    folder.ledger.mkdir()
    assert kinds(folder) == [("unreadable", "attention")]


def test_several_evals_as_touchstone_toml_names_them(tmp_path: Path) -> None:
    made: dict[str, Any] = config()
    for name in ("one", "two"):
        folder = tmp_path / "evals" / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps({**made, "approval_status": "approved", "cases": []}))
    (tmp_path / "touchstone.toml").write_text('[text_fidelity]\nevals = ["evals/one", "evals/two", "evals/none"]\n')
    subjects = [one.subject for one in findings(Workspace.open(tmp_path), later(1))]
    assert subjects == ["evals/one/config.json", "evals/two/config.json"]
