"""Two stored backtests of the demo's suggestions, judged by the practice judge and marked so: the same on every run.

The second was run with the preferences that the first had to do without, so that there is something to compare.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree
from typing import Any

from core.judge.practice import practice_spec
from core.judge.practice.asked import read
from core.judge.practice.reply import answer
from core.judge.prompt import build as build_prompt
from core.judge.prompt import fingerprint
from core.judge.protocol import Cancel, Fingerprint, JudgeRequest, OnProgress, Sample, Scored, Usage
from core.suggestions import runs
from core.suggestions.backtest_run import run
from core.workspace import Workspace

AT = (datetime(2026, 11, 23, 9, tzinfo=UTC), datetime(2026, 11, 29, 10, 40, tzinfo=UTC))


class InProcess:
    """The practice judge without its server: the same rules over the same prompt."""

    spec = practice_spec()

    def fingerprint(self, request: JudgeRequest[Any]) -> Fingerprint:
        return fingerprint(self.spec, build_prompt(request), None)

    def ask(self, request: JudgeRequest[Any]) -> list[Sample[Any]]:
        prompt = build_prompt(request)
        body = {
            "model": self.spec.model, "max_tokens": self.spec.max_tokens, "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.text}],
        }  # fmt: skip
        made = answer(read(body, "anthropic"))
        value = request.reply.model_validate(made)
        note = "practice judge: no model, a function of the text"
        told = Usage(calls=1, cost_usd=0.0)
        return [Scored(value, "", str(made["reasoning"]), told, self.fingerprint(request), note=note)] * request.samples

    def ask_many(
        self, requests: Sequence[JudgeRequest[Any]], on_progress: OnProgress | None = None, cancel: Cancel | None = None
    ) -> list[list[Sample[Any]]]:
        return [self.ask(request) for request in requests]


def build(root: Path) -> None:
    """Write .touchstone/backtests/ of the demo workspace; needs its suggestions."""
    folder = runs.folder(Workspace.open(root))
    for old in folder.glob("*.json") if folder.is_dir() else ():
        old.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        before = Path(place) / "demo"
        copytree(root / "data", before / "data")
        copytree(root / "references", before / "references")
        (before / "data" / "user_preferences.md").unlink()
        for where, at in ((before, AT[0]), (root, AT[1])):
            made = run(Workspace.open(where), InProcess(), now=at)
            (folder / f"{made.id}.json").write_bytes(runs.to_bytes(made))
