"""Copy the demo workspace to a temporary folder and open the dashboard on it: what `make demo` runs.

The demo was written as of one day; in the copy the dates of the suggestions and of the report runs are moved by whole
days, so that "today" is today. The folder data/demo itself is never written to.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from core.suggestions.entries import identity  # noqa: E402 - the repository is put on the path first
from core.workspace import STATE  # noqa: E402

DEMO = REPOSITORY / "data" / "demo"
AS_OF = date(2026, 11, 30)
_RUNS = ".touchstone/backtests/*.json"
_MOVED = (
    "data/suggestions_*.md", ".ravenclaude/runs/**/*.json", ".ravenclaude/runs/**/*.jsonl", "evals/*/*.jsonl", _RUNS,
)  # fmt: skip
_DAY = re.compile(rb"\b20\d\d-[01]\d-[0-3]\d(?=\b|T)")


def copy_demo(target: Path, today: date) -> None:
    """Copy the demo into ``target`` (which must not exist) and move its dates so that its last day is ``today``."""
    shutil.copytree(DEMO, target, ignore=_not_authored)
    days = timedelta(days=(today - AS_OF).days)
    if not days:
        return
    for pattern in _MOVED:
        for path in target.glob(pattern):
            path.write_bytes(_DAY.sub(lambda found: _moved(found[0], days), path.read_bytes()))
    for path in target.glob(_RUNS):
        path.write_text(_renamed(json.loads(path.read_text("utf-8"))), "utf-8")


def _not_authored(folder: str, names: list[str]) -> set[str]:
    """What an app leaves that was once opened on the demo itself: somebody's decisions, sightings and keys."""
    return set(names) - {"backtests"} if Path(folder).name == STATE else set()


def _renamed(run: dict[str, Any]) -> str:
    """A stored backtest whose rows name the moved suggestions: a suggestion's id follows from its day, among others."""
    for row in run["rows"]:
        row["id"] = identity(*(row[name] for name in ("date", "source", "title", "url", "next_step")))
    return json.dumps(run, ensure_ascii=False, indent=2)


def _moved(text: bytes, days: timedelta) -> bytes:
    try:
        return (date.fromisoformat(text.decode()) + days).isoformat().encode()
    except ValueError:
        return text  # a day that does not exist, damaged on purpose, stays as it is


def free_port(wanted: int) -> int:
    """``wanted`` or the next port on which nothing listens."""
    for port in range(wanted, wanted + 50):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise SystemExit(f"no free port between {wanted} and {wanted + 49}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Open the dashboard on a copy of the demo, or on a folder of yours.")
    parser.add_argument("--workspace", type=Path, help="your own workspace: opened as it is, not copied")
    parser.add_argument("--port", type=int, default=8501)
    given = parser.parse_args()
    workspace = given.workspace
    if workspace is None:
        workspace = Path(tempfile.mkdtemp(prefix="touchstone-demo-")) / "demo"
        copy_demo(workspace, date.today())
    elif not workspace.is_dir():
        raise SystemExit(f"{workspace} is not a folder")
    port = free_port(given.port)
    print(f"workspace  {workspace.resolve()}\naddress    http://127.0.0.1:{port}", flush=True)
    os.chdir(REPOSITORY)
    os.environ["TOUCHSTONE_WORKSPACE"] = str(workspace.resolve())
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
