"""config.json: what is refused with a clear message, what is warned about (text-fidelity contract, The eval folder)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from core.errors import BadInput, Problem, UnsafePath
from core.files import parse_json, read_bytes
from core.text_fidelity.aggregate import MOST_SAMPLES, total_weight
from core.text_fidelity.place import EvalFolder, inside
from core.text_fidelity.reference import Reference, resolve

MOST_TOKENS = 1_000_000
"""More than any judge can answer with."""

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class _Part(BaseModel):
    """Unknown keys are kept in the file and play no part here."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class JudgePolicy(_Part):
    """Who judges. ``max_tokens`` from 1 to `MOST_TOKENS`; a missing temperature is not sent."""

    model: Annotated[str, Field(strict=True, min_length=1)]
    transport: Literal["api", "cli"] = "api"
    temperature: Annotated[Number, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(strict=True, ge=1, le=MOST_TOKENS)] = 1024
    provider: Literal["anthropic", "openai"] = "anthropic"


class SamplePolicy(_Part):
    """How often each case is judged (``n`` from 1 to `MOST_SAMPLES`), how wide the bound is (``k`` ≥ 0), the noise
    floor (``delta`` ≥ 0).
    """

    n: Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
    k: Annotated[Number, Field(ge=0)] = 1.0
    delta: Annotated[Number, Field(ge=0)] = 0.0

    @field_validator("n", mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise ValueError("must be a whole number")
        return int(value)


class FileSource(_Part):
    """The text under test is a file under the eval folder."""

    type: Literal["file"]
    path: Annotated[str, Field(strict=True, min_length=1)]


class CommandSource(_Part):
    """The text under test is what a command prints; ``run`` is its argv, never a shell line."""

    type: Literal["command"]
    run: tuple[str, ...]

    @field_validator("run", mode="before")
    @classmethod
    def _argv(cls, value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError("must be a list of texts, not one text: no shell takes it apart")
        if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
            raise ValueError("must be a list of texts")
        if not value or not value[0].strip():
            raise ValueError("is empty: it names no program")
        if any("\0" in part for part in value):
            raise ValueError("holds a NUL character")
        return tuple(value)


Source = Annotated[FileSource | CommandSource, Field(discriminator="type")]


class Case(_Part):
    """One text and what it is compared with; ``weight`` ≥ 0."""

    id: Annotated[str, Field(strict=True, min_length=1)]
    weight: Annotated[Number, Field(ge=0)] = 1.0
    reference: Annotated[str, Field(strict=True)]
    source: Source

    @property
    def command(self) -> tuple[str, ...] | None:
        """The argv of a command-backed case, else None."""
        return self.source.run if isinstance(self.source, CommandSource) else None


class Policy(_Part):
    """A usable config.json. ``threshold`` in 0..1, None where servo's own config has none."""

    schema_version: Annotated[int, Field(strict=True, ge=1, le=1)] = 1
    judge: JudgePolicy
    samples: SamplePolicy
    threshold: Annotated[Number, Field(ge=0, le=1)] | None = None
    rubric: Annotated[str, Field(strict=True)]
    cases: tuple[Case, ...]

    @field_validator("rubric")
    @classmethod
    def _said(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("is empty: the judge would have nothing to go by")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("holds half a surrogate pair, which is not text") from None
        return value


@dataclass(frozen=True)
class ConfigFile:
    """config.json as it stands: its bytes, and its object whose values hashes are taken from."""

    raw: bytes
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Checked:
    """A config with every fault found. ``policy`` and ``references`` are complete only when there is no error."""

    file: ConfigFile
    policy: Policy | None
    references: Mapping[str, Reference]
    errors: tuple[Problem, ...]
    warnings: tuple[str, ...]

    def usable(self) -> Policy:
        """The policy. Raises BadInput with the first fault, and how many more there are."""
        if self.policy is None or self.errors:
            more = f" (and {len(self.errors) - 1} more)" if len(self.errors) > 1 else ""
            raise BadInput(Problem(self.errors[0].file, self.errors[0].reason + more, position=self.errors[0].position))
        return self.policy


def read(folder: EvalFolder) -> ConfigFile:
    """Read config.json strictly. Raises BadInput when it is missing, not one JSON object, or not UTF-8."""
    label = folder.file_label(folder.config)
    raw = read_bytes(folder.config, label)
    data = parse_json(raw, label)
    if not isinstance(data, dict):
        raise BadInput.of(label, "is not a JSON object")
    return ConfigFile(raw, data)


def check(folder: EvalFolder) -> Checked:
    """Read config.json and every reference it names. Raises BadInput only where the file itself cannot be read."""
    return check_data(read(folder), folder.path, folder.file_label(folder.config))


def check_data(file: ConfigFile, base: Path, label: str) -> Checked:
    """Check a config that was read; ``base`` is the eval folder that its paths are under. Never raises for content."""
    try:
        policy = Policy.model_validate(file.data)
    except ValidationError as error:
        faults = tuple(_fault(detail, file.data, label) for detail in error.errors())
        return Checked(file, None, {}, faults, ())
    references: dict[str, Reference] = {}
    errors = [Problem(label, reason) for reason in _across(policy)]
    for case in policy.cases:
        errors += _case_faults(case, base, label, references)
    return Checked(file, policy, references, tuple(errors), tuple(_warnings(policy)))


def _fault(detail: Any, data: Mapping[str, Any], label: str) -> Problem:
    """A pydantic error in the words of the config: where, and what is wrong with it."""
    where = [part for part in detail["loc"] if part not in ("file", "command")]
    name = ".".join(str(part) for part in where)
    if len(where) > 1 and where[0] == "cases" and isinstance(where[1], int):
        name = f"case {_case_name(data, where[1])}" + (f": {'.'.join(map(str, where[2:]))}" if where[2:] else "")
    reason = "is missing" if detail["type"] == "missing" else str(detail["msg"]).removeprefix("Value error, ")
    if detail["type"].startswith("union_tag"):
        reason = "unknown source type (expected 'file' or 'command')"
    return Problem(label, f"{name or 'config'} {reason[:1].lower()}{reason[1:]}", position=name or None)


def _case_name(data: Mapping[str, Any], index: int) -> str:
    case = data["cases"][index]
    return repr(case["id"]) if isinstance(case, dict) and isinstance(case.get("id"), str) else f"number {index + 1}"


def _across(policy: Policy) -> Iterator[str]:
    """Faults that no single value shows."""
    if not policy.cases:
        yield "no cases: there is nothing to score"
        return
    ids = [case.id for case in policy.cases]
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield f"case {name!r} stands twice"
    total = total_weight([case.weight for case in policy.cases])
    if not 0 < total < math.inf:
        yield f"the total weight of the cases is {'larger than a number can be' if total else 0}"


def _case_faults(case: Case, base: Path, label: str, references: dict[str, Reference]) -> Iterator[Problem]:
    place = f"case {case.id!r}"
    try:
        references[case.id] = resolve(base, case.reference)
    except BadInput as error:
        yield Problem(label, f"{place}: reference: {error.problem.reason} ({error.problem.file[:120]})", position=place)
    except UnsafePath as error:
        yield Problem(label, f"{place}: reference: {error}", position=place)
    if isinstance(case.source, FileSource):
        try:
            inside(base, case.source.path)
        except UnsafePath as error:
            yield Problem(label, f"{place}: source.path: {error}", position=place)


def _warnings(policy: Policy) -> Iterator[str]:
    if policy.samples.n == 1:
        yield "samples.n is 1: one sample has no spread, so the bound is the sample itself"
    elif policy.samples.n < 3:
        yield f"samples.n is {policy.samples.n}: the bound says little with fewer than 3 samples"
    if policy.judge.temperature == 0:
        yield "judge.temperature is 0: samples cannot spread, so the bound collapses to the mean"
    if policy.threshold is None:
        yield "threshold is missing: no line to compare the composite with"
    if "delta" not in policy.samples.model_fields_set:
        yield "samples.delta is missing: every gain above 0 counts as improvement"
    for case in policy.cases:
        if case.command:
            yield f"case {case.id!r} is command-backed: its output may drift between runs, which delta does not cover"
