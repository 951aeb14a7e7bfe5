"""Backtest runs as they are kept in the workspace, one JSON file each (suggestions contract, Backtest)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadInput
from core.files import Problem, parse_json, read_bytes, write_new
from core.judge.protocol import Judge
from core.suggestions.backtest import DEFAULT_THRESHOLD, HIGHEST_TOTAL, Row
from core.workspace import STATE, Workspace

FOLDER = "backtests"


class JudgeUsed(BaseModel):
    """Who judged a run. `practice` marks the practice judge: no model, a function of the text."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    provider: str
    transport: str
    model: str
    endpoint: str = ""
    practice: bool = False

    @classmethod
    def of(cls, judge: Judge, endpoint: str) -> JudgeUsed:
        """The judge as a run names it; `endpoint` as its fingerprint shows it."""
        spec = judge.spec
        return cls(
            provider=spec.provider, transport=spec.transport, model=spec.model, endpoint=endpoint,
            practice=spec.practice,
        )  # fmt: skip

    @property
    def label(self) -> str:
        """Its name for people; the practice judge is always called so."""
        return f"practice judge ({self.model})" if self.practice else self.model


class Run(BaseModel):
    """One backtest as stored. `id` names it; `at` is ISO 8601 UTC; `threshold` the one it was run with (0–6).

    `rubric` hashes rubric, goals and preferences, `blocklist` the patterns; `asked` counts the entries the judge was
    asked about now (the others came from the store), `cost_usd` what that cost (None: unknown). `stopped`: somebody
    stopped it, so its last entries were not asked. `available`: accepted and rejected entries there were to draw from.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    at: str
    per_side: Annotated[int, Field(ge=1)]
    seed: int
    threshold: Annotated[int, Field(ge=0, le=HIGHEST_TOTAL)] = DEFAULT_THRESHOLD
    judge: JudgeUsed
    rubric: str
    rubric_source: str
    blocklist: str
    asked: int
    cost_usd: float | None
    stopped: bool = False
    available: tuple[int, int]
    rows: tuple[Row, ...]


def folder(workspace: Workspace) -> Path:
    """Where runs are kept; need not exist."""
    return workspace.root / STATE / FOLDER


def path_of(workspace: Workspace, run_id: str) -> Path:
    """The file of a run. Raises UnsafePath for an id that is no file name."""
    return workspace.path(f"{STATE}/{FOLDER}/{run_id}.json")


def store(workspace: Workspace, run: Run) -> Path:
    """Keep a run. Raises Conflict when one with this id is kept already."""
    workspace.state_dir()
    path = path_of(workspace, run.id)
    write_new(path, to_bytes(run), workspace.lock)
    return path


def to_bytes(run: Run) -> bytes:
    """A run as it stands in its file."""
    return orjson.dumps(run.model_dump(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def read(path: Path, file: str) -> Run:
    """One stored run. Raises BadInput for what is none."""
    value = parse_json(read_bytes(path, file), file)
    try:
        return Run.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput.of(file, f"is no backtest run: {place}: {first['msg']}") from None


def paths(workspace: Workspace) -> list[Path]:
    """The files of all stored runs, newest first (their names begin with the time)."""
    place = folder(workspace)
    return sorted(place.glob("*.json"), key=lambda path: path.name, reverse=True) if place.is_dir() else []


def stored(workspace: Workspace) -> tuple[list[Run], list[Problem]]:
    """All stored runs, newest first, and the files that are none."""
    found: list[Run] = []
    problems: list[Problem] = []
    for path in paths(workspace):
        try:
            found.append(read(path, workspace.label(path)))
        except BadInput as error:
            problems.append(error.problem)
    return found, problems
