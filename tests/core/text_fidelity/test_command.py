"""Command sources: limits, no input, no secrets, and nothing of it left running."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from core.text_fidelity import command
from core.text_fidelity.command import CommandFailed, environment, last_useful_line

PYTHON = sys.executable


def python(code: str) -> list[str]:
    return [PYTHON, "-c", code]


def test_it_runs_in_the_folder_without_input_and_without_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DATABASE_URL",
        "MY_SECRET",
    ):
        monkeypatch.setenv(name, "sk-secret")
    code = "import os, sys, json; print(json.dumps([os.getcwd(), sys.stdin.read(), dict(os.environ)]))"
    folder, given, seen = json.loads(command.run(python(code), tmp_path).text)
    assert (folder, given) == (str(tmp_path), "")
    assert "sk-secret" not in seen.values()
    assert seen["PATH"] == os.environ["PATH"]


def test_only_named_variables_pass() -> None:
    given = {"PATH": "/bin", "LC_ALL": "C", "HOME": "/h", "NPM_TOKEN": "x", "PGPASSWORD": "x", "ANYTHING": "x"}
    assert environment(given) == {"PATH": "/bin", "LC_ALL": "C", "HOME": "/h"}


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def wait_until_gone(pid: int) -> bool:
    end = time.monotonic() + 5
    while alive(pid) and time.monotonic() < end:
        signal.sigtimedwait([], 0.02)
    return not alive(pid)


WAITS = "import signal; signal.pause()"
SPAWN = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {WAITS!r}])
open("pid", "w").write(str(child.pid))
"""


def test_at_the_limit_it_is_killed_with_its_children(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"took longer than 1 s and was killed with its children: half way"):
        command.run(python(SPAWN + "print('half way', file=sys.stderr, flush=True); child.wait()"), tmp_path, seconds=1)
    assert wait_until_gone(int((tmp_path / "pid").read_text()))


def test_a_child_left_behind_does_not_hold_the_run_up_and_is_killed(tmp_path: Path) -> None:
    """It keeps the pipes open; the text is complete when the command itself has ended."""
    start = time.monotonic()
    assert command.run(python(SPAWN + "print('done')"), tmp_path).text == "done\n"
    assert time.monotonic() - start < 30
    assert wait_until_gone(int((tmp_path / "pid").read_text()))


def test_a_stop_kills_it(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="stopped"):
        command.run(python(WAITS), tmp_path, cancelled=lambda: True)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit(3)", r"failed \(exit 3\)$"),
        (
            "import sys; print('first\\nError: the cause\\n  \\n---', file=sys.stderr); sys.exit(1)",
            r"exit 1\): Error: the cause$",
        ),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", r"killed by signal 15"),
        ("raise ValueError('no template')", r"exit 1\): ValueError: no template$"),
        ("pass", "empty output"),
        ("print('  ')", "empty output"),
        ("import sys; print('nothing found', file=sys.stderr)", "empty output: nothing found"),
        ("import sys; sys.stdout.buffer.write(b'ok\\xff')", r"output is not UTF-8 \(byte 2\)"),
        ("print('x' * (1 << 20))", "too much output: more than 1048576 bytes"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "too much output"),
    ],
)
def test_no_usable_text_is_a_failure_with_its_cause(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(CommandFailed, match=said):
        command.run(python(code), tmp_path)


def test_exactly_the_largest_output_is_let_through(tmp_path: Path) -> None:
    assert len(command.run(python("print('x' * ((1 << 20) - 1))"), tmp_path).text) == 1 << 20


def test_a_flood_on_standard_error_keeps_its_end(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"the end$"):
        command.run(python("import sys; sys.stderr.write('warn\\n' * 500000 + 'the end\\n'); sys.exit(1)"), tmp_path)


@pytest.mark.parametrize("argv", [["no-such-program"], ["/etc/hostname"], ["."]])
def test_what_cannot_start_names_the_program(tmp_path: Path, argv: list[str]) -> None:
    with pytest.raises(CommandFailed, match=f"could not start '{argv[0]}'"):
        command.run(argv, tmp_path)


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        (b"", ""), (b"\n \n---\n", ""), (b"a\nb\n", "b"), (b"\x1b[31mred\x1b[0m\n^^^\n", "red"),
        (b"50%\rdone\r", "done"), ("错误\n".encode(), "错误"), (b"x" * 400, "x" * 300),
        (b"bad \xff byte", "bad � byte"),
    ],
)  # fmt: skip
def test_the_last_useful_line(stderr: bytes, expected: str) -> None:
    assert last_useful_line(stderr) == expected
