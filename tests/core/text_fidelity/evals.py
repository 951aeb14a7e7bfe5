"""Evals and judges for the tests of text fidelity: small, real folders, and a judge that answers as it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.decisions import open_log
from core.judge.protocol import (
    Cancel,
    Fingerprint,
    JudgeRequest,
    JudgeSpec,
    OnProgress,
    Progress,
    Reply,
    Sample,
    Scored,
    Unscored,
    Usage,
)  # fmt: skip
from core.people import local_person
from core.text_fidelity import approval
from core.text_fidelity.place import EVAL_DIR, EvalFolder, locate
from core.text_fidelity.score import Done, Failed, score
from core.workspace import Workspace

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
Answers = Mapping[str, Sequence[float | Unscored]]


def config(*cases: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A config with the given cases (or one file-backed case ``a``)."""
    return {
        "schema_version": 1, "approval_status": "draft",
        "judge": {"model": "judge-text-1", "transport": "api", "temperature": 0.6, "max_tokens": 512},
        "samples": {"n": 3, "k": 1.0, "delta": 0.03}, "threshold": 0.8,
        "rubric": "Score in [0,1] how faithfully the text keeps to its reference.",
        "cases": list(cases) or [case("a")],
    } | changes  # fmt: skip


def case(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": name, "reference": "Warm and short.", "source": {"type": "file", "path": f"generated/{name}.txt"},
    } | changes  # fmt: skip


def make_eval(
    root: Path, *, source: Any = None, given: dict[str, Any] | None = None, frozen: bool = True
) -> EvalFolder:
    """A project at ``root`` with a (frozen) eval; each file source gets a text."""
    made = given or config(case("a", **({"source": source} if source is not None else {})))
    folder = root / EVAL_DIR
    (folder / "generated").mkdir(parents=True)
    for one in made["cases"]:
        path = one["source"].get("path") if isinstance(one["source"], dict) else None
        if path == f"generated/{one['id']}.txt":
            (folder / path).write_text(f"Hello from {one['id']}.\n")
    (folder / "config.json").write_text(json.dumps(made, indent=2) + "\n")
    found = locate(Workspace.open(root), ".")
    if frozen:
        freeze(found)
    return found


def freeze(folder: EvalFolder) -> None:
    approval.approve(folder, local_person("Ann"), open_log(folder.workspace), START)


class Fixed:
    """A judge whose answers are given by case; ``asked`` keeps every request."""

    def __init__(self, answers: Answers, during: Callable[[], None] = lambda: None) -> None:
        self._answers, self._during = answers, during
        self.asked: list[JudgeRequest[Any]] = []
        self._spec = JudgeSpec(model="judge-text-1")

    @property
    def spec(self) -> JudgeSpec:
        return self._spec

    def fingerprint(self, request: JudgeRequest[Reply]) -> Fingerprint:
        return Fingerprint("anthropic", "api", "judge-text-1", "", {}, "sha256:p", False, "sha256:f")

    def ask(self, request: JudgeRequest[Reply]) -> list[Sample[Reply]]:
        return self.ask_many([request])[0]

    def ask_many(
        self, requests: Sequence[JudgeRequest[Reply]], on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> list[list[Sample[Reply]]]:  # fmt: skip
        self.asked += requests
        self._during()
        if on_progress:
            on_progress(Progress(1, 1, 1, 0, 0, 0.01, requests[0].key))
        return [[self._one(request, index) for index in range(request.samples)] for request in requests]

    def _one(self, request: JudgeRequest[Reply], index: int) -> Sample[Reply]:
        given = self._answers[request.key]
        answer = given[index % len(given)]
        if isinstance(answer, Unscored):
            return answer
        value = request.reply.model_validate({"score": answer, "reasoning": f"because {answer}"})
        return Scored(value, "{}", f"because {answer}", Usage(1, 100, 10, 0.001), self.fingerprint(request))


def run(folder: EvalFolder, judge: Any, *, at: datetime = START, **more: Any) -> Any:
    """One run at a given time: `Done` or `Failed`."""
    return score(folder, lambda spec: judge, lambda: at, **more)


def later(hours: float) -> datetime:
    return START + timedelta(hours=hours)


def records(path: Path) -> list[dict[str, Any]]:
    """Every line of a JSON Lines file; none where there is no file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


__all__ = ["START", "Done", "Failed", "Fixed", "case", "config", "freeze", "later", "make_eval", "records", "run"]
