"""Stand-ins for the command-line judges: programs that note how they were called and print what the test wants."""

from __future__ import annotations

import json
import os
import select
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PROGRAM = """\
#!{python}
import json, os, subprocess, sys, time
from pathlib import Path
here = Path({folder!r})
given = sys.stdin.read()
pictures = [sys.argv[at + 1] for at, word in enumerate(sys.argv) if word == "-i"]
call = {{
    "argv": sys.argv[1:], "stdin": given, "cwd": os.getcwd(), "environment": dict(os.environ), "pid": os.getpid(),
    "listed": sorted(os.listdir(".")), "pictures": [Path(path).read_bytes().hex() for path in pictures],
}}
plan = json.loads((here / "plan.json").read_text())
if plan["child"]:
    child = subprocess.Popen(["sleep", "600"], stdout=None if plan["child"] == "holds the pipe" else subprocess.DEVNULL)
    call["child"] = child.pid
with open(here / "calls.jsonl", "a") as calls:
    calls.write(json.dumps(call) + "\\n")
if plan["sleep"]:
    time.sleep(plan["sleep"])
if plan["reply"] is not None and "-o" in sys.argv:
    Path(sys.argv[sys.argv.index("-o") + 1]).write_bytes(plan["reply"].encode())
sys.stderr.write(plan["stderr"])
sys.stdout.write(plan["stdout"] * plan["times"])
sys.stdout.flush()
sys.exit(plan["rc"])
"""


@dataclass(frozen=True)
class Program:
    """A stand-in; `plan` says what the next calls do, `calls` what was done."""

    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / "judge-cli"

    def plan(
        self, stdout: str = "", *, rc: int = 0, stderr: str = "", sleep: float = 0, reply: str | None = None,
        times: int = 1, child: str = "",
    ) -> None:  # fmt: skip
        plan = {"stdout": stdout, "rc": rc, "stderr": stderr, "sleep": sleep, "reply": reply, "times": times}
        (self.folder / "plan.json").write_text(json.dumps(plan | {"child": child}))

    def calls(self) -> list[dict[str, Any]]:
        noted = self.folder / "calls.jsonl"
        return [json.loads(line) for line in noted.read_text().splitlines()] if noted.exists() else []


def make(folder: Path) -> Program:
    """Write the program into a folder."""
    folder.mkdir()
    program = Program(folder)
    program.path.write_text(_PROGRAM.format(python=sys.executable, folder=str(folder)))
    program.path.chmod(0o755)
    return program


def gone(pid: int) -> bool:
    """Whether a process ends within five seconds, which a killed one does within a few milliseconds."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        waiting = select.poll()  # not select(): it refuses file descriptors from 1024 on
        waiting.register(process, select.POLLIN)
        return bool(waiting.poll(5000))
    finally:
        os.close(process)
