"""A judge's server on this machine for the tests: the real SDKs talk to it over real HTTP."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.judge import JudgeSpec

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class JudgeServer:
    """A running server. Models named ``test-…`` fail on purpose (core/judge/practice/scenarios.py says how);
    ``practice-judge`` answers by the rules of the practice judge."""

    url: str

    def base_url(self, provider: str = "anthropic") -> str:
        return self.url if provider == "anthropic" else f"{self.url}/v1"

    def spec(self, model: str = "test-ok", provider: str = "anthropic", **more: Any) -> JudgeSpec:
        """A spec that reaches this server. Few retries and short time-outs, unless ``more`` says otherwise."""
        settings = {"timeout_s": 5.0, "max_retries": 1} | more
        return JudgeSpec.model_validate(
            {"provider": provider, "model": model, "base_url": self.base_url(provider), **settings}
        )

    def calls(self) -> list[dict[str, Any]]:
        """Every call since the last reset: path, model, body, key."""
        return self._state()["calls"]

    def most_at_once(self) -> int:
        return self._state()["most_at_once"]

    def _state(self) -> dict[str, Any]:
        with _open(f"{self.url}/_log") as answer:
            return json.load(answer)

    def reset(self) -> None:
        _open(urllib.request.Request(f"{self.url}/_reset", method="POST")).close()


def _open(request: Any) -> Any:
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10)


def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    """Start a server on a free port; gives the process and the address it printed."""
    command = [sys.executable, "-m", "core.judge.practice", "--port", "0", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    assert process.stdout
    line = process.stdout.readline()
    assert line.startswith("http://127.0.0.1:"), f"the judge's server did not start: {line!r}"
    return process, line.split()[0]


@pytest.fixture(scope="session")
def judge_process() -> Iterator[JudgeServer]:
    """One server for all tests of a worker."""
    process, url = start("--scenarios")
    yield JudgeServer(url)
    process.terminate()
    process.wait(timeout=10)


@pytest.fixture
def judge_server(judge_process: JudgeServer) -> JudgeServer:
    """The server, with nothing remembered from the test before."""
    judge_process.reset()
    return judge_process
