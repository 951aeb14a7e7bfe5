"""Files a command is pointed at: receipts, iteration lists, scores, drafts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import files
from core.errors import BadInput, Problem, UnsafePath
from core.report_loop.a11y import A11y, read_a11y, unreadable
from core.report_loop.receipt import Receipt, read_receipt
from core.workspace import Workspace, safe_path


def find(workspace: Workspace, text: str) -> Path:
    """The file a person names: as given, else inside the workspace. Raises UnsafePath when it is neither."""
    path = Path(text)
    return path if path.exists() or path.is_absolute() else workspace.path(text, kind="any")


def locate(root: Path, folder: Path, name: str, label: str = "") -> Path | None:
    """The file ``name`` of a run folder in the workspace at ``root``; None where there is none.

    Raises BadInput where a link leads out of the workspace or the place cannot be looked at. Only a link costs more
    than a look: the folder itself was found inside the workspace.
    """
    path, at = folder / name, str(folder)
    try:
        for part in name.split("/"):
            at = f"{at}/{part}"
            if os.path.islink(at):
                safe_path(root, path.relative_to(root).as_posix(), kind="any")
                break
        return path if files.stamp(path) is not None else None
    except UnsafePath as error:
        raise BadInput.of(label or name, str(error)) from None
    except (OSError, ValueError) as error:
        raise BadInput.of(label or name, f"cannot be looked at: {getattr(error, 'strerror', None) or error}") from None


def beside(receipt: Path) -> Path:
    """Where the accessibility gate of a receipt lies: ``<name>.a11y.json`` (report-loop contract, The receipt)."""
    name = receipt.name.removesuffix(".json").removesuffix(".receipt")
    return receipt.with_name(f"{name}.a11y.json")


def load_receipt(path: Path, label: str) -> Receipt:
    """A receipt file, strictly: a document wrapped in chat text or a code fence is unreadable.

    A gate must not rest on what a model says a receipt was. Raises BadInput with the position.
    """
    return read_receipt(files.read_json(path, label), label)


def load_a11y(path: Path, label: str) -> A11y | None:
    """The accessibility gate at ``path``; None when there is no such file, no signal when it cannot be read."""
    if files.stamp(path) is None:
        return None
    try:
        return read_a11y(files.read_json(path, label), label)
    except BadInput as error:
        return unreadable(label, error.problem)


@dataclass(frozen=True, slots=True)
class Records:
    """Iteration records as they stand in a file, and what in it could not be read.

    ``torn`` is True where the last of the problems is a last line that is cut short: a write in progress, or a crash.
    """

    items: tuple[Any, ...]
    problems: tuple[Problem, ...]
    torn: bool = False

    @property
    def damaged(self) -> Problem | None:
        """The first record that is there and cannot be read; a torn last line is no record yet."""
        whole = self.problems[:-1] if self.torn else self.problems
        return whole[0] if whole else None


def load_iterations(path: Path, label: str) -> Records:
    """``iterations.json`` (a list) or ``iterations.jsonl``. Raises BadInput for a file that is neither."""
    return parse_iterations(files.read_bytes(path, label), label, lines=path.suffix == ".jsonl")


def parse_iterations(raw: bytes, label: str, *, lines: bool) -> Records:
    """Iteration records out of bytes, one a line or as one list. Raises BadInput as `load_iterations` does."""
    if lines:
        found = files.parse_jsonl(raw, label)
        return Records(tuple(line.value for line in found.records), tuple(found.problems), found.torn)
    value = files.parse_json(raw, label)
    if isinstance(value, Mapping) and isinstance(value.get("iterations"), list):
        value = value["iterations"]
    if not isinstance(value, list):
        raise BadInput.of(label, "must be a list of iterations")
    return Records(tuple(value), ())


def load_scores(path: Path, label: str) -> Mapping[str, Any]:
    """Scores of the four dimensions: the object itself, or the ``scores`` of an iteration record. Raises BadInput."""
    found = files.read_json(path, label)
    if isinstance(found, Mapping) and isinstance(found.get("scores"), Mapping):
        found = found["scores"]
    if not isinstance(found, Mapping):
        raise BadInput.of(label, "must be an object of dimensions")
    return found
