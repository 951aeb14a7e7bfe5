"""The document that a command names."""

from __future__ import annotations

import sys
from pathlib import Path

from core.errors import BadInput
from core.suggestions import store
from core.suggestions.entries import Document, Kind, parse
from core.workspace import Workspace

_KINDS: tuple[Kind, ...] = ("pending", "reviewed", "filtered")


def read_document(workspace: Workspace, file: str) -> Document:
    """A path from here, else from the workspace; ``-`` is standard input.

    Raises BadInput when there is no such file, unless it is one of the workspace's own, which may be missing.
    """
    if file == "-":
        return parse(sys.stdin.buffer.read(), "standard input")
    path = next((path for path in (Path(file), workspace.root / file) if path.exists()), workspace.root / file)
    for kind in _KINDS:
        place: Path = getattr(workspace.suggestions, kind)
        if path.absolute() == place.absolute() or (path.exists() and place.exists() and path.samefile(place)):
            return store.of_workspace(workspace, kind)
    if not path.exists():
        raise BadInput.of(file, "no such file")
    return store.load(path, file, _kind_by_name(path))


def _kind_by_name(path: Path) -> Kind | None:
    return next((kind for kind in _KINDS if path.stem.startswith(f"suggestions_{kind}")), None)
