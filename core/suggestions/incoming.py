"""Suggestions on their way to the grader that stand in no file of their own: pasted, uploaded, piped.

Each batch is kept under `.touchstone/grading/` before anybody is asked, so that an entry the judge failed on is lost
nowhere and grading it again is one step (suggestions contract, Grade).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from core.files import write_new
from core.suggestions import store
from core.suggestions.entries import Document
from core.suggestions.routing import known_ids
from core.workspace import STATE, Workspace

FOLDER = "grading"


@dataclass(frozen=True)
class Batch:
    """A kept batch: its file and what it holds.

    `waiting` counts the distinct entries that are yet to be graded; `reviewed` those that carry a review, which no
    grading takes. The others stand in one of the three files.
    """

    path: Path
    document: Document
    waiting: int
    reviewed: int


def keep(workspace: Workspace, raw: bytes) -> Path:
    """Keep the bytes of a batch and return where; the same bytes are kept once."""
    workspace.state_dir()
    path = workspace.path(f"{STATE}/{FOLDER}/{hashlib.sha256(raw).hexdigest()[:12]}.md")
    with workspace.lock(path):
        if not path.exists():
            write_new(path, raw, workspace.lock)
    return path


def batch(workspace: Workspace, path: Path, known: dict[str, str] | None = None) -> Batch:
    """What a file of new suggestions holds. Raises BadInput when it cannot be read."""
    known = known_ids(workspace) if known is None else known
    document = store.load(path, workspace.label(path))
    new = {entry.id for entry in document.entries} - known.keys()
    reviewed = {entry.id for entry in document.entries if entry.decision is not None} & new
    return Batch(path, document, len(new - reviewed), len(reviewed))


def kept(workspace: Workspace) -> list[Path]:
    """The files of all kept batches, by name."""
    folder = workspace.root / STATE / FOLDER
    return sorted(folder.glob("*.md")) if folder.is_dir() else []


def waiting(workspace: Workspace) -> list[Batch]:
    """The kept batches that hold entries which are graded nowhere yet, by name."""
    known = known_ids(workspace)
    found = (batch(workspace, path, known) for path in kept(workspace))
    return [one for one in found if one.waiting]
