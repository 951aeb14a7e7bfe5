"""The real app in a process of its own, on a copy of a workspace."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "data" / "demo"


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Server:
    """A running app: its address, its copy of the workspace and its process."""

    url: str
    workspace: Path
    process: subprocess.Popen[bytes]
    output: Path

    def stop(self) -> None:
        """End the process and wait for it."""
        self.process.terminate()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=15)

    def log(self) -> str:
        """What the server wrote so far."""
        return self.output.read_text("utf-8", "replace")


def copy_workspace(source: Path, target: Path) -> Path:
    """A writable copy; the original is read-only for tests."""
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    return target


def start(
    workspace: Path, output: Path, *, env: dict[str, str] | None = None, wait: bool = True, port: int | None = None,
    options: Sequence[str] = (),
) -> Server:  # fmt: skip
    """Start the app on ``workspace`` and wait until it answers. Raises RuntimeError with its output."""
    port = port or free_port()
    surroundings = {
        key: value for key, value in os.environ.items() if not key.startswith(("STREAMLIT_", "TOUCHSTONE_"))
    }
    surroundings |= {"TOUCHSTONE_WORKSPACE": str(workspace), "PYTHONUNBUFFERED": "1", **(env or {})}
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
        *options,
    ]
    with output.open("wb") as sink:
        process = subprocess.Popen(command, cwd=ROOT, env=surroundings, stdout=sink, stderr=subprocess.STDOUT)
    server = Server(f"http://127.0.0.1:{port}", workspace, process, output)
    if wait:
        wait_until_up(server)
    return server


def wait_until_up(server: Server, seconds: float = 60, path: str = "/_stcore/health") -> None:
    """Return when the health address answers. Raises RuntimeError with the server's output otherwise."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{server.url}{path}", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            if ended_within(server.process, 0.02):  # nobody listens yet: the processor is the server's meanwhile
                break
    raise RuntimeError(f"the app did not start:\n{server.log()}")


def ended_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """True as soon as the process ends, False when it still runs after that time."""
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
