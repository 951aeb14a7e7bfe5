"""The command line's frame: exit codes and one line on standard error (contract README, "Exit codes")."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core import cli_workspace
from core.cli import main

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments, cwd=ROOT, **more):
    command = [sys.executable, "-m", "core", *arguments]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(cwd)}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment, timeout=60, **more)


def test_help_names_every_group_without_loading_them():
    done = run("--help")
    assert done.returncode == 0
    for group in ("workspace", "suggestions", "report", "text", "render", "triage", "log"):
        assert group in done.stdout


@pytest.mark.parametrize("group", ["workspace", "suggestions", "report", "text", "render", "triage", "log"])
def test_every_group_says_what_it_offers(group):
    done = run(group, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Commands:" in done.stdout


def test_what_could_not_be_done_is_one_line_and_exit_2(tmp_path):
    done = run("workspace", "show", "--workspace", str(tmp_path / "absent"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "absent: is not a folder" in done.stderr


def test_json_stays_one_object_when_it_could_not_be_done(tmp_path):
    done = run("workspace", "show", "--json", "--workspace", str(tmp_path / "absent"))
    assert done.returncode == 2
    assert json.loads(done.stdout)["problems"][0]["reason"] == "is not a folder"


def test_json_is_printed_once_when_the_command_has_said_it_already():
    done = run("text", "reply", "-", "--json", input='{"score": "4/5"}')
    assert done.returncode == 2
    assert "4/5" in json.loads(done.stdout)["error"]


def test_an_empty_folder_is_a_workspace_in_which_nothing_was_found(tmp_path):
    done = run("workspace", "show", "--json", cwd=tmp_path)
    shown = json.loads(done.stdout)
    assert (done.returncode, shown["problems"], shown["systems"]["report_loop"]) == (0, [], [])
    assert not any(place["found"] for place in shown["systems"]["suggestions"])
    assert list(tmp_path.iterdir()) == []


def test_the_workspace_can_come_from_the_environment(tmp_path):
    command = [sys.executable, "-m", "core", "workspace", "show", "--json"]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "TOUCHSTONE_WORKSPACE": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=60)
    assert json.loads(done.stdout)["root"] == str(tmp_path)


def test_a_file_name_cannot_drive_the_terminal(tmp_path):
    done = run("workspace", "show", "--workspace", str(tmp_path / "a\x1b[2Jb"))
    assert "\x1b" not in done.stderr
    assert "\\x1b[2J" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["triage", "list", "--nope"], "No such option '--nope'"),
        (["report", "score", "--json"], "Missing option '--receipt'"),
        (["nope"], "No such command 'nope'"),
    ],
)
def test_a_wrong_call_is_one_line_too(arguments, says):
    done = run(*arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert says in done.stderr
    assert "--json" not in arguments or says in json.loads(done.stdout)["error"]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (PermissionError(13, "Permission denied", "/w/feedback.json"), "/w/feedback.json: Permission denied"),
        (ZeroDivisionError("division by zero"), "a fault of ours, ZeroDivisionError: division by zero"),
        (KeyboardInterrupt(), "stopped before it was done"),
    ],
)
def test_a_crash_is_never_the_answer_no(monkeypatch, capsys, fault, says):
    """Exit 1 would tell a pipeline to go on, or to revert."""

    def broken(*_arguments, **_options):
        raise fault

    monkeypatch.setattr(cli_workspace.show, "callback", broken)
    with pytest.raises(SystemExit) as ended:
        main(["workspace", "show", "--json"])
    told = capsys.readouterr()
    assert ended.value.code == 2
    assert says in json.loads(told.out)["error"]
    assert [line for line in told.err.splitlines() if line] == [f"touchstone: {json.loads(told.out)['error']}"]
