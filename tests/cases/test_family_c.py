"""Family C: text fidelity, case by case (tests/cases/C-*/expected.md)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.cli import main
from core.errors import BadInput
from core.files import append_jsonl
from core.people import local_person
from core.text_fidelity import approval, changes, command, freeze, oracle, splice
from core.text_fidelity.aggregate import composite, lower_bound, printed
from core.text_fidelity.config import check
from core.text_fidelity.gather import GatherFailed, gather
from core.text_fidelity.place import EvalFolder, locate
from core.text_fidelity.report import ledger_report
from core.workspace import Workspace
from tests.core.text_fidelity.evals import Fixed, make_eval, run

CASES = Path(__file__).parent
NOW = datetime(2026, 7, 6, 15, tzinfo=UTC)


def load(case: str, name: str) -> Any:
    return json.loads((CASES / case / name).read_text("utf-8"))


def copy(case: str, folder: Path) -> Path:
    return Path(shutil.copytree(CASES / case, folder / case))


def cli(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=stdin)


# ---- C-01


def test_c01_bounds_of_three_two_and_one_sample() -> None:
    config, samples = (
        load("C-01-lower-bound-1-2-3-samples", "config.json"),
        load("C-01-lower-bound-1-2-3-samples", "samples.json"),
    )
    bounds = {case["id"]: lower_bound(samples[case["id"]], config["samples"]["k"]) for case in config["cases"]}
    assert {name: round(bound.lower, 6) for name, bound in bounds.items()} == {
        "intro": 0.896906,
        "faq": 0.7,
        "legal": 1.0,
    }
    assert [bound.spread_known for bound in bounds.values()] == [True, True, False]
    total = composite([(case["weight"], bounds[case["id"]].lower) for case in config["cases"]])
    assert (round(total, 6), printed(total)) == (0.855375, 0.8554)


# ---- C-03


@pytest.mark.parametrize("entry", load("C-03-judge-score-types", "replies.json"), ids=lambda entry: str(entry["id"]))
def test_c03_only_a_number_in_range_or_its_plain_text_is_a_score(entry: dict[str, Any]) -> None:
    result = cli("text", "reply", "-", "--json", stdin=entry["text"])
    told = json.loads(result.stdout)
    if entry["id"] == 4:
        assert (result.exit_code, told["score"]) == (0, 0.8)
        assert told["note"]
    else:
        assert result.exit_code == 2
        assert told["error"]
        assert "score" not in told


# ---- C-07


@pytest.mark.parametrize(
    ("name", "start"),
    [("base", "4d467cebb11352515f4f153f58dbf3b995df4c122211023b2510766d1e072d3a")]
    + [(name, "4d467cebb113525") for name in ("v1_weight_1.0", "v3_key_order", "v4_extra_keys", "v8_rubric_edit")]
    + [("v2_weight_1", "1180e885aef5766c"), ("v5_threshold_text", "7cce6d458dfb4374")]
    + [("v6_k_int", "2ce8e40b60afe577"), ("v7_source_null", "a5d13c21230b5f09")],
)
def test_c07_the_definition_hash(name: str, start: str) -> None:
    config = load("C-07-definition-hash-canonical-form", f"{name}.json")
    assert freeze.definition_hash(config).startswith(f"sha256:{start}")


def test_c07_numbers_that_are_only_spelled_differently_are_named() -> None:
    base = freeze.definition_hash(load("C-07-definition-hash-canonical-form", "base.json"))

    def said(name: str) -> list[str]:
        return changes.respelled(freeze.definition(load("C-07-definition-hash-canonical-form", f"{name}.json")), base)

    assert said("v6_k_int") == ["samples.k is 1, was 1.0"]
    assert said("v2_weight_1") == ["weights is [1], was [1.0]"]
    assert said("v5_threshold_text") == ['threshold is "0.8", was 0.8']
    assert said("v7_source_null") == []


# ---- C-09


def test_c09_paths_that_leave_are_refused_by_case_and_the_secret_goes_nowhere(tmp_path: Path) -> None:
    root = copy("C-09-reference-path-escape", tmp_path)
    folder = locate(Workspace.open(root), "eval")
    found = check(folder)
    assert sorted(found.references) == ["ok", "same", "src"]
    assert found.references["same"].text == found.references["ok"].text == "Warm and short.\n"
    assert sorted(str(problem.position) for problem in found.errors) == ["case 'abs'", "case 'dotdot'", "case 'src'"]
    before = folder.config.read_bytes()
    assert cli("text", "freeze", str(folder.path), "--workspace", str(root)).exit_code == 2
    with pytest.raises(BadInput, match="leaves eval/"):
        approval.review(folder)
    assert folder.config.read_bytes() == before

    judge = Fixed({})
    failed = run(folder, judge)
    assert (failed.outcome, judge.asked) == ("env_error", [])
    assert not folder.ledger.exists()
    written = [path for path in root.rglob("*") if path.is_file() and path.name != "secret.txt"]
    assert not [path for path in written if b"NOT-FOR-THE-JUDGE" in path.read_bytes()]


# ---- C-11, C-12


def ledger_of(case: str, folder: Path) -> tuple[EvalFolder, dict[str, Any]]:
    root = copy(case, folder)
    (root / "config.json").write_text("{}")
    eval_folder = locate(Workspace.open(folder), case)
    return eval_folder, ledger_report(eval_folder, NOW)


def test_c11_a_damaged_ledger_shows_what_is_whole_and_names_the_rest(tmp_path: Path) -> None:
    folder, report = ledger_of("C-11-damaged-ledger", tmp_path)
    [series] = report["series"]
    assert [run["composite"] for run in series["runs"]] == [0.81, 0.83, 0.84]
    assert report["latest"]["composite"] == 0.84
    assert [problem["line"] for problem in report["problems"]] == [3, 5, 6, 9]
    assert [
        word in problem["reason"]
        for word, problem in zip(("second", "NaN", "cut", "progress"), report["problems"], strict=True)
    ] == [True] * 4
    assert report["torn"]

    append_jsonl(
        folder.ledger,
        {"at": "2026-07-05T11:00:00Z", "composite": 0.85, "definition_hash": "sha256:aa11"},
        folder.workspace.lock,
    )
    after = ledger_report(folder, NOW)
    assert after["latest"]["composite"] == 0.85
    assert [problem["line"] for problem in after["problems"]] == [3, 5, 6, 9]
    assert not after["torn"]


def test_c12_two_series_in_the_order_of_instants(tmp_path: Path) -> None:
    _, report = ledger_of("C-12-ledger-eras-order-duplicates", tmp_path)
    first, second = report["series"]
    assert (first["definition_hash"], second["definition_hash"]) == ("sha256:aa11", "sha256:bb22")
    assert [(run["at"], run["composite"]) for run in first["runs"]] == [
        ("2026-07-06T00:30:00Z", 0.8), ("2026-07-06T08:00:00Z", 0.79), ("2026-07-06T09:00:00Z", 0.82),
    ]  # fmt: skip
    assert [(run["composite"], run["change"], run["flags"]) for run in second["runs"]] == [
        (0.95, "first", []), (0.96, "improved", []), (0.93, "dropped", ["zone_unknown"]),
        (1.5, None, ["out_of_range", "contradiction"]), (0.4, None, ["future"]),
    ]  # fmt: skip
    assert [run["composite"] for run in report["no_series"]] == [0.9]
    assert (report["latest"]["at"], report["latest"]["composite"]) == ("2026-07-06T11:00:00Z", 0.96)
    assert report["duplicates"] == 1


# ---- C-15

COMMANDS = load("C-15-command-sources", "commands.json")


@pytest.mark.parametrize(
    ("name", "said"), [("c1_string", "must be a list of texts"), ("c6_empty_list", "names no program")]
)
def test_c15_what_is_no_argv_is_a_config_error(tmp_path: Path, name: str, said: str) -> None:
    folder = make_eval(tmp_path, source={"type": "command", "run": COMMANDS[name]}, frozen=False)
    [problem] = check(folder).errors
    assert said in problem.reason
    failed = run(folder, Fixed({}))
    assert failed.outcome == "env_error"
    assert said in failed.reason


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("c2_big", "too much output"),
        ("c3_fail_noise", "REAL CAUSE: missing template"),
        ("c4_missing", "could not start 'no-such-generator-xyz'"),
    ],
)
def test_c15_a_command_without_a_usable_text_is_an_env_error_and_no_number(
    tmp_path: Path, name: str, said: str
) -> None:
    folder = make_eval(tmp_path, source={"type": "command", "run": COMMANDS[name]})
    judge = Fixed({})
    failed = run(folder, judge)
    assert (failed.outcome, failed.case, judge.asked) == ("env_error", "a", [])
    assert said in failed.reason
    [attempt] = [json.loads(line) for line in folder.attempts.read_text("utf-8").splitlines()]
    assert (attempt["outcome"], attempt["case"], attempt["reason"]) == ("env_error", "a", failed.reason)
    assert not folder.ledger.exists()


def test_c15_standard_error_of_a_good_command_is_a_note(tmp_path: Path) -> None:
    output = command.run(COMMANDS["c5_ok_with_stderr"], tmp_path)
    assert (output.text, output.note) == ("hello\n", "note")


def test_c15_no_shell_takes_the_arguments_apart(tmp_path: Path) -> None:
    assert command.run(COMMANDS["c7_shell_chars"], tmp_path).text == "a; touch PWNED && $(id)\n"
    assert list(tmp_path.iterdir()) == []


# ---- C-17

SCRIPTS = CASES / "C-17-oracle-splice-edge-cases"


def bash_accepts(script: bytes, folder: Path) -> bool:
    path = folder / "checked.sh"
    path.write_bytes(script)
    return subprocess.run(["bash", "-n", str(path)], capture_output=True).returncode == 0


@pytest.mark.parametrize("name", ["plain", "anchor_in_comment", "commented_entry", "crlf"])
def test_c17_install_and_uninstall_give_back_the_same_bytes(tmp_path: Path, name: str) -> None:
    before = (SCRIPTS / f"{name}.sh").read_bytes().decode()
    once = splice.install(before, "1.2.3", 1.0, key_added=False)
    assert splice.install(once, "1.2.3", 1.0, key_added=False) == once
    assert splice.uninstall(once) == before
    assert bash_accepts(once.encode(), tmp_path)
    lines = once.split("\r\n" if name == "crlf" else "\n")
    assert [splice.code(line).strip() for line in lines].count('"content_fidelity:1.0"') == 1
    assert lines.index(splice.END) + 1 == next(
        i for i, line in enumerate(lines) if splice.code(line).strip() == 'weighted_sum="0"'
    )
    assert all("\n" not in line and "\r" not in line for line in lines)


def test_c17_the_block_itself_passes_bash_in_a_crlf_script(tmp_path: Path) -> None:
    """Its functions parse although every line of code ends in a carriage return."""
    block = "\r\n".join(splice.block("1.2.3", "\r\n", key_added=True)) + "\r\n"
    assert bash_accepts(block.encode(), tmp_path)


@pytest.mark.parametrize(
    ("name", "said"), [("one_line_array", "not a multi-line array"), ("half_block", "1 start and 0 end marks")]
)
def test_c17_what_cannot_be_done_whole_is_refused_before_anything_is_written(
    tmp_path: Path, name: str, said: str
) -> None:
    folder = make_eval(tmp_path)
    script = tmp_path / "oracle.sh"
    shutil.copy(SCRIPTS / f"{name}.sh", script)
    (tmp_path / ".servo" / "install.json").write_text('{"components": []}')
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(BadInput, match=said):
        oracle.install(folder, 1.0)
    touched = [path for path in tmp_path.rglob("*") if path.is_file() and before.get(path) != path.read_bytes()]
    assert touched == []


# ---- C-18

OUTPUTS = load("C-18-component-output-in-shell", "component_outputs.json")


@pytest.mark.parametrize("entry", OUTPUTS, ids=lambda entry: str(entry["id"]))
@pytest.mark.parametrize("components", [1, 2])
def test_c18_the_block_passes_on_nothing_but_a_decimal(tmp_path: Path, entry: dict[str, Any], components: int) -> None:
    folder = make_eval(tmp_path)
    shutil.copy(
        Path(__file__).parent.parent / "core" / "text_fidelity" / f"oracle_{components}.sh", tmp_path / "oracle.sh"
    )
    oracle.install(folder, 1.0)
    printed_text = json.dumps(entry["stdout"])
    folder.launcher.write_text(f"import sys\nsys.stdout.write({printed_text})\nsys.exit({entry['rc']})\n")
    done = subprocess.run(
        ["bash", "oracle.sh"], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "THRESHOLD": "0.8", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )  # fmt: skip
    expected = {8: 0, 9: 1}.get(entry["id"], 2)
    assert done.returncode == expected, done.stdout + done.stderr
    if expected == 2:
        assert "composite=" not in done.stdout
        assert "missing components: content_fidelity" in done.stderr


# ---- the folder that servo itself froze and scored


def test_interop_validates_as_fresh_under_its_own_hashes(tmp_path: Path) -> None:
    root = copy("interop-text-fidelity", tmp_path)
    result = cli("text", "check", str(root), "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["fresh"], told["reasons"]) == (0, True, [])
    assert told["definition_hash"].endswith("bd2d63f2ac")
    assert any("support_reply" in warning for warning in told["warnings"])


def test_interop_loads_with_all_its_runs_in_two_series(tmp_path: Path) -> None:
    root = copy("interop-text-fidelity", tmp_path)
    told = json.loads(cli("text", "ledger", str(root), "--json").stdout)
    first, second = told["series"]
    assert (len(first["runs"]), len(second["runs"]), told["problems"], told["no_series"]) == (24, 12, [], [])
    assert [len(case["samples"]) for case in (*first["runs"][-1]["cases"], *second["runs"][0]["cases"])] == [4] * 3 + [
        6
    ] * 3
    assert (first["runs"][0]["composite"], told["latest"]["composite"]) == (0.6255, 0.8732)
    assert [second["runs"][0]["change"], first["runs"][1]["change"]] == ["first", "flat"]


def test_interop_records_follow_from_their_own_samples(tmp_path: Path) -> None:
    """Bounds and composites recomputed from servo's samples agree with what servo wrote, for all 36 runs."""
    root = copy("interop-text-fidelity", tmp_path)
    weights = {case["id"]: case["weight"] for case in load("interop-text-fidelity", "config.json")["cases"]}
    for line in (root / "ledger.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        bounds = {case["id"]: lower_bound(case["samples"], 1.0).lower for case in record["cases"]}
        assert {name: printed(bound) for name, bound in bounds.items()} == {
            c["id"]: c["lower_bound"] for c in record["cases"]
        }
        assert (
            abs(composite([(weights[name], bound) for name, bound in bounds.items()]) - record["composite"]) <= 0.0001
        )


def test_interop_is_refused_as_stale_after_any_change(tmp_path: Path) -> None:
    root = copy("interop-text-fidelity", tmp_path)
    reference = root / "refs" / "welcome_email.txt"
    reference.write_bytes(reference.read_bytes() + b" ")
    result = cli("text", "check", str(root), "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["reasons"] == ["frozen file changed: refs/welcome_email.txt"]
    assert "refs/welcome_email.txt" in result.stderr


def test_interop_can_be_frozen_again_by_us_to_the_same_hashes(tmp_path: Path) -> None:
    """Our freeze of servo's folder writes servo's own hashes, and leaves every other byte of the config alone."""
    root = copy("interop-text-fidelity", tmp_path)
    folder = locate(Workspace.open(tmp_path), root.name)
    before = json.loads(folder.config.read_text("utf-8"))
    from core.decisions import open_log

    approval.approve(folder, local_person("Ann"), open_log(folder.workspace), NOW)
    after = json.loads(folder.config.read_text("utf-8"))
    assert {**after, "approved_at": None} == {**before, "approved_at": None}
    assert after["approved_at"] == "2026-07-06T15:00:00Z"


def test_gathering_a_missing_file_names_case_and_file(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, source={"type": "file", "path": "generated/none.txt"})
    with pytest.raises(GatherFailed, match=r"case 'a': generated/none\.txt: no such file"):
        gather(check(folder).usable().cases[0], folder.path)
