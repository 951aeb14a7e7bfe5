"""What the batches know of a pack: original pages, inventory, transform contract, verdict files (contract, Inputs)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput, Problem, UnsafePath
from core.files import read_json
from core.render_fidelity.deliverable import Deliverable, read_deliverable
from core.render_fidelity.mapping import MirrorPlan, read_plan
from core.render_fidelity.pack import Pack
from core.workspace import Workspace, safe_path

_PICTURE = re.compile(r".+\.(png|jpe?g|webp)", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{64}")


def bare_hash(value: object) -> str | None:
    """A whole sha256 as 64 lower-case hex digits; ``sha256:`` before it and capitals are read; else None."""
    if not isinstance(value, str):
        return None
    digits = value.strip().lower().removeprefix("sha256:")
    return digits if _HEX.fullmatch(digits) else None


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of the original: its number and the file that may be opened."""

    number: int
    file: str
    path: Path


@dataclass(frozen=True)
class Batch:
    """A batch's material for one pack. ``name`` is empty and everything is missing where no batch holds the pack."""

    name: str
    code: str
    sources: tuple[SourcePage, ...]
    spec: Mapping[str, Any] | None
    contract: Mapping[str, Any] | None
    problems: tuple[Problem, ...] = ()

    def source(self, number: int) -> SourcePage | None:
        """The original's page of that number, None where its picture is missing."""
        return next((page for page in self.sources if page.number == number), None)

    @property
    def elements(self) -> list[Mapping[str, Any]]:
        """The obligations of the transform contract."""
        found = (self.contract or {}).get("elements")
        return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


NO_BATCH = Batch("", "", (), None, None)


def plan_of(pack: Pack, batch: Batch | None) -> MirrorPlan | None:
    """The mirror plan: the pack's own, else the visual spec's."""
    return pack.plan or read_plan((batch.spec or {}).get("page_mirror_plan") if batch else None)


def find_batch(workspace: Workspace, pack: Pack) -> Batch:
    """The last batch by name that holds this pack's original or verdict; `NO_BATCH` where none does."""
    for folder in reversed(workspace.batches()):
        code = _code(workspace, folder, pack)
        if code:
            return _read(workspace, folder, code)
        if (folder / "fidelity_qa" / f"{pack.slug}.json").exists():
            return _read(workspace, folder, pack.slug)
    return NO_BATCH


def _code(workspace: Workspace, folder: Path, pack: Pack) -> str | None:
    """Which code of the batch is this pack's: its own, its slug, or the one with the same original."""
    declared = pack.meta.get("code")
    for code in (declared, pack.slug):
        if isinstance(code, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", code):
            places = (f"pages_src/{code}", f"visual_spec/{code}.json", f"transform_contract/{code}.json")
            if any((folder / place).exists() for place in places):
                return code
    original = bare_hash(pack.reference.get("sha256"))
    if original is None:
        return None
    for path in sorted((folder / "transform_contract").glob("*.json")):
        value = _object(workspace, path, [])
        if value is not None and bare_hash(value.get("reference_sha256")) == original:
            return path.stem
    return None


def _read(workspace: Workspace, folder: Path, code: str) -> Batch:
    problems: list[Problem] = []
    spec, contract = (
        _object(workspace, folder / place / f"{code}.json", problems) for place in ("visual_spec", "transform_contract")
    )
    sources = _sources(workspace, folder / "pages_src" / code, problems)
    return Batch(folder.name, code, sources, spec, contract, tuple(problems))


def _object(workspace: Workspace, path: Path, problems: list[Problem]) -> dict[str, Any] | None:
    label = workspace.label(path)
    try:
        if not workspace.path(label).exists():
            return None
        value = read_json(path, label)
    except BadInput as error:
        problems.append(error.problem)
        return None
    except UnsafePath as error:
        problems.append(Problem(label, str(error)))
        return None
    if not isinstance(value, dict):
        problems.append(Problem(label, "holds no object"))
        return None
    return value


def _sources(workspace: Workspace, folder: Path, problems: list[Problem]) -> tuple[SourcePage, ...]:
    label = workspace.label(folder)
    try:
        names = sorted(name for name in os.listdir(workspace.path(label, kind="folder")) if _PICTURE.fullmatch(name))
    except FileNotFoundError:
        return ()
    except UnsafePath as error:
        problems.append(Problem(label, str(error)))
        return ()
    except OSError as error:
        problems.append(Problem(label, f"cannot be listed: {error.strerror}"))
        return ()
    numbers = [_number(name) for name in names]
    # Numbers in the names count when every name has its own; otherwise the order of the names does.
    if None in numbers or len(set(numbers)) != len(numbers):
        numbers = list(range(1, len(names) + 1))
    found = []
    for number, name in zip(numbers, names, strict=True):
        try:
            found.append(SourcePage(number or 0, f"{label}/{name}", safe_path(folder, name)))
        except UnsafePath as error:
            problems.append(Problem(f"{label}/{name}", str(error)))
    return tuple(sorted(found, key=lambda page: page.number))


def _number(name: str) -> int | None:
    found = re.search(r"\d{1,5}", name)
    return int(found[0]) if found else None


@dataclass(frozen=True, slots=True)
class VerdictFile:
    """A verdict file of some batch: what it holds, or why it cannot be read."""

    batch: str
    path: Path
    label: str
    deliverable: Deliverable | None
    problem: Problem | None = None


def verdict_files(workspace: Workspace, slug: str | None = None) -> list[VerdictFile]:
    """Every ``fidelity_qa/*.json`` of every batch, or those named after one slug."""
    named = [(folder, path) for folder, path in verdict_paths(workspace) if slug in (None, path.stem)]
    return [verdict_file(workspace, folder, path) for folder, path in named]


def verdict_paths(workspace: Workspace) -> list[tuple[Path, Path]]:
    """(batch folder, path) of every verdict file; none of them is read."""
    return [
        (folder, path) for folder in workspace.batches() for path in sorted((folder / "fidelity_qa").glob("*.json"))
    ]


def verdict_file(workspace: Workspace, folder: Path, path: Path) -> VerdictFile:
    """One of `verdict_paths`, read. Never raises for what it holds."""
    label = workspace.label(path)
    try:
        safe_path(folder, f"fidelity_qa/{path.name}")
        return VerdictFile(folder.name, path, label, read_deliverable(path, label))
    except BadInput as error:
        return VerdictFile(folder.name, path, label, None, error.problem)
    except UnsafePath as error:
        return VerdictFile(folder.name, path, label, None, Problem(label, str(error)))
