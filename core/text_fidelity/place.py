"""Where an eval is: its folder, its files, its paths (text-fidelity contract, The eval folder)."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from core.decisions import open_log
from core.errors import BadInput, UnsafePath
from core.files import Lock
from core.workspace import Workspace

EVAL_DIR = ".servo/content-fidelity"
_OWN_FILES = ("config.json", "ledger.jsonl")


@dataclass(frozen=True)
class EvalFolder:
    """One eval. ``path`` is the folder that holds config.json, ``project`` the one where oracle.sh would stand."""

    workspace: Workspace
    path: Path
    project: Path

    @property
    def label(self) -> str:
        """The folder as people know it: relative to the workspace. It is the subject of decisions and findings."""
        return self.workspace.label(self.path)

    @property
    def name(self) -> str:
        """A short name: the project's for a servo layout, else the folder's own."""
        return self.project.name if self.in_project else self.path.name

    @property
    def in_project(self) -> bool:
        """True when it stands where servo looks for it: ``<project>/.servo/content-fidelity``."""
        return self.path == self.project / EVAL_DIR

    @property
    def config(self) -> Path:
        """The frozen policy."""
        return self.path / "config.json"

    @property
    def lock(self) -> Lock:
        """The lock of each of its files, between processes and, where a PostgreSQL is shared, between servers."""
        return open_log(self.workspace).lock

    @property
    def launcher(self) -> Path:
        """What the oracle calls."""
        return self.path / "score.py"

    @property
    def ledger(self) -> Path:
        """One record a scored run."""
        return self.path / "ledger.jsonl"

    @property
    def attempts(self) -> Path:
        """One record a run that could not score."""
        return self.path / "attempts.jsonl"

    def artifact(self, sha256: str) -> Path:
        """The gathered text with that hash (64 hex digits). Raises UnsafePath for anything else."""
        return self.path / "artifacts" / f"{_hex(sha256, 64)}.txt"

    def snapshot(self, freeze_id: str) -> Path:
        """What a freeze held, for looking back (33 characters: hex-hex). Raises UnsafePath for anything else."""
        definition, _, artifacts = freeze_id.partition("-")
        return self.path / "freezes" / f"{_hex(definition, 16)}-{_hex(artifacts, 16)}.json"

    def file_label(self, path: Path) -> str:
        """A file of the eval as people know it."""
        return self.workspace.label(path)


def _hex(text: str, length: int) -> str:
    if len(text) != length or any(char not in "0123456789abcdef" for char in text):
        raise UnsafePath(f"{text[:80]!r} is not a hash")
    return text


def locate(workspace: Workspace, target: str | Path) -> EvalFolder:
    """The eval of TARGET: a project that holds ``.servo/content-fidelity``, an eval folder itself, or a file of one.

    A relative TARGET is looked for in the workspace, then in the current folder. An eval outside the given workspace is
    its own workspace. Raises BadInput when TARGET is no folder.
    """
    given = Path(target)
    choices = [workspace.root / given, Path(os.path.abspath(given))]
    choices = [path.parent if path.name in _OWN_FILES and path.is_file() else path for path in choices]
    folder = next((Path(os.path.abspath(path)) for path in choices if path.is_dir()), None)
    if folder is None:
        raise BadInput.of(str(target), "is not a folder")
    inner = folder / EVAL_DIR
    itself = not inner.is_dir() and any((folder / name).exists() for name in _OWN_FILES)
    return at(workspace, folder if itself or _is_eval_dir(folder) else inner)


def at(workspace: Workspace, path: Path) -> EvalFolder:
    """The eval whose folder is ``path`` (as `Workspace.evals` gives them)."""
    project = path.parent.parent if _is_eval_dir(path) else path
    inside = path.is_relative_to(workspace.root)
    return EvalFolder(workspace if inside else Workspace.open(project), path, project)


def _is_eval_dir(path: Path) -> bool:
    return path.as_posix().endswith("/" + EVAL_DIR)


def inside(folder: Path, relative: str) -> Path:
    """The path that ``relative`` names under ``folder``, ``..`` and links followed; it need not exist.

    Raises UnsafePath when it leads outside, cannot be a path, or names something that is neither file nor folder.
    """
    try:
        real, base = os.path.realpath(folder / relative), os.path.realpath(folder)
        kind = stat.S_IFMT(os.stat(real).st_mode) if os.path.lexists(real) else stat.S_IFREG
    except (OSError, ValueError):
        raise UnsafePath(f"{relative[:120]!r} is not a path inside {folder.name}/") from None
    if real != base and not real.startswith(base.rstrip(os.sep) + os.sep):
        raise UnsafePath(f"{relative[:120]!r} leaves {folder.name}/")
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        raise UnsafePath(f"{relative[:120]!r} is not a regular file")
    return folder / relative
