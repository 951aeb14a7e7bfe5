"""A workspace is a folder: where the four systems keep their files, and which paths are safe (contract README)."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from core.errors import BadInput, Problem, UnsafePath
from core.files import folder_lock, read_bytes, write_new
from core.files.write import swap

STATE = ".touchstone"
SETTINGS = "touchstone.toml"


def safe_path(base: Path, relative: str, *, kind: Literal["file", "folder", "any"] = "file") -> Path:
    """The path of ``relative`` inside ``base``, which need not exist yet.

    Raises UnsafePath for an absolute path, ``..``, a backslash, a NUL or other control character, a link that leads out
    of ``base``, and for something that exists and is not of that kind (a pipe or a device never is).
    """
    if not relative or relative != relative.strip() or any(ord(char) < 32 for char in relative):
        raise UnsafePath(f"{relative!r} is not a path inside {base.name}/")
    parts = relative.split("/")
    if relative.startswith(("/", "~")) or "\\" in relative or ".." in parts or ":" in parts[0]:
        raise UnsafePath(f"{relative!r} leaves {base.name}/")
    path = base / relative
    try:
        real, real_base = os.path.realpath(path), os.path.realpath(base)
    except (OSError, ValueError) as error:
        raise UnsafePath(f"{relative!r} cannot be followed: {error}") from None
    if real != real_base and not real.startswith(real_base.rstrip(os.sep) + os.sep):
        raise UnsafePath(f"{relative!r} leaves {base.name}/ through a link")
    _check_kind(real, relative, kind)
    return path


def _check_kind(real: str, relative: str, kind: str) -> None:
    try:
        mode = os.stat(real).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnsafePath(f"{relative!r} cannot be followed: {error.strerror}") from None
    fits = {"file": stat.S_ISREG(mode), "folder": stat.S_ISDIR(mode), "any": stat.S_ISREG(mode) or stat.S_ISDIR(mode)}
    if not fits[kind]:
        raise UnsafePath(f"{relative!r} is not a {'file or folder' if kind == 'any' else kind}")


@dataclass(frozen=True, slots=True)
class SuggestionPlaces:
    """The files of the suggestions system; none of them needs to exist (suggestions contract, Files)."""

    pending: Path
    reviewed: Path
    filtered: Path
    blocklist: Path
    goals: Path
    preferences: Path
    rubric: Path


_SUGGESTION_DEFAULTS = {
    "pending": ["data/suggestions_pending.md"],
    "reviewed": ["data/suggestions_reviewed.md"],
    "filtered": ["data/suggestions_filtered.md"],
    "blocklist": ["data/rubric_blocklist.md"],
    "goals": ["data/goals.md"],
    "preferences": ["data/user_preferences.md"],
    "rubric": ["references/rubric.md", ".agents/skills/rubric-grader/references/rubric.md"],
}

_LIST_DEFAULTS = {
    ("report_loop", "runs"): [".ravenclaude/runs"],
    ("text_fidelity", "evals"): [".servo/content-fidelity"],
    ("render_fidelity", "packs"): ["design-packs"],
    ("render_fidelity", "batches"): ["_workspace"],
}
_PEOPLE = ("administrators", "reviewers", "lookers")


@dataclass(frozen=True)
class Workspace:
    """One opened folder. Opening it writes nothing; ``problems`` tells what in touchstone.toml was not usable."""

    root: Path
    settings: Mapping[str, Any]
    problems: tuple[Problem, ...]

    @classmethod
    def open(cls, root: Path | str) -> Workspace:
        """Open a folder. Raises BadInput when it is none; a bad touchstone.toml is a problem and the defaults hold."""
        folder = Path(os.path.abspath(root))
        if not folder.is_dir():
            raise BadInput.of(str(root), "is not a folder")
        settings, problems = _settings(folder)
        return cls(folder, settings, tuple(problems))

    def path(self, relative: str, *, kind: Literal["file", "folder", "any"] = "file") -> Path:
        """A safe path inside the workspace. Raises UnsafePath as `safe_path` does."""
        return safe_path(self.root, relative, kind=kind)

    def label(self, path: Path) -> str:
        """The path as people know it: relative to the workspace, with forward slashes."""
        text = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        return text.encode("utf-8", "backslashreplace").decode()  # a name may be any bytes; people are shown text

    def state_dir(self) -> Path:
        """Touchstone's own folder in the workspace, made on first use and kept out of git."""
        folder = self.root / STATE
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            swap(ignore, b"*\n")
        return folder

    def lock(self, path: Path) -> AbstractContextManager[None]:
        """The lock of one file, between threads and processes; re-entrant."""
        return folder_lock(self.state_dir() / "locks")(path)

    @cached_property
    def suggestions(self) -> SuggestionPlaces:
        """Where the suggestions files are, or would be."""
        section = self.settings.get("suggestions", {})
        return SuggestionPlaces(**{
            name: self._first([section[name]] if name in section else defaults)
            for name, defaults in _SUGGESTION_DEFAULTS.items()
        })  # fmt: skip

    def _first(self, choices: list[str]) -> Path:
        paths = [self.path(choice) for choice in choices]
        return next((path for path in paths if path.exists()), paths[0])

    def runs(self) -> list[Path]:
        """The report loop's run folders, by name. Raises BadInput, as its like below do, for a place not readable."""
        return self._children("report_loop", "runs")

    def run(self, name: str) -> Path | None:
        """The run folder of that name, found without listing the others; None when there is none."""
        if not name or name.startswith(".") or "/" in name:
            return None
        for place in self._places("report_loop", "runs"):
            folder = place / name
            if folder.is_dir() and (not folder.is_symlink() or _inside(folder, self.root)):
                return folder
        return None

    def evals(self) -> list[Path]:
        """The text-fidelity eval folders (those that exist)."""
        return [path for path in self._places("text_fidelity", "evals") if path.is_dir()]

    def packs(self) -> list[Path]:
        """The render-fidelity pack folders, by name."""
        return self._children("render_fidelity", "packs")

    def batches(self) -> list[Path]:
        """The render-fidelity batch folders, by name."""
        return self._children("render_fidelity", "batches")

    @cached_property
    def people(self) -> dict[str, list[str]]:
        """``[people]`` of touchstone.toml: addresses by role key; empty when nobody is named."""
        section = self.settings.get("people", {})
        return {key: list(section.get(key, [])) for key in _PEOPLE}

    def _places(self, system: str, key: str) -> list[Path]:
        named = self.settings.get(system, {}).get(key, _LIST_DEFAULTS[system, key])
        return [self.path(place, kind="folder") for place in named]

    def _children(self, system: str, key: str) -> list[Path]:
        found: list[Path] = []
        for place in self._places(system, key):
            if place.is_dir():
                try:
                    found += _folders(place, self.root)
                except OSError as error:  # not an empty place: what was in it is not known
                    raise BadInput.of(self.label(place), f"cannot be read: {error.strerror}") from None
        return sorted(found, key=lambda child: child.name)


def _folders(place: Path, root: Path) -> list[Path]:
    """The visible folders in a place; a link counts only where it leads to one inside the workspace."""
    with os.scandir(place) as entries:
        return [
            Path(entry.path)
            for entry in entries
            if not entry.name.startswith(".")
            and entry.is_dir()
            and (not entry.is_symlink() or _inside(Path(entry.path), root))
        ]


def _inside(child: Path, root: Path) -> bool:
    return Path(os.path.realpath(child)).is_relative_to(os.path.realpath(root))


def _settings(folder: Path) -> tuple[dict[str, Any], list[Problem]]:
    path = folder / SETTINGS
    if not path.exists():
        return {}, []
    try:
        raw = read_bytes(path, SETTINGS).decode("utf-8-sig")
        return _usable(folder, tomllib.loads(raw))
    except BadInput as error:
        return {}, [error.problem]
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return {}, [Problem(SETTINGS, f"not TOML, so the default places hold: {error}")]


def _usable(folder: Path, given: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """The settings with every place that is unsafe or of the wrong type taken out and reported."""
    known: dict[tuple[str, str], str] = {("suggestions", name): "place" for name in _SUGGESTION_DEFAULTS}
    known |= dict.fromkeys(_LIST_DEFAULTS, "places") | {("people", key): "names" for key in _PEOPLE}
    kept: dict[str, Any] = {}
    problems: list[Problem] = []
    for section, entries in given.items():
        if not isinstance(entries, dict):
            problems.append(Problem(SETTINGS, f"{section!r} is not a section"))
            continue
        for key, value in entries.items():
            wrong = _wrong(folder, known.get((section, key)), value)
            if wrong:
                problems.append(Problem(SETTINGS, f"[{section}] {key}: {wrong}"))
            else:
                kept.setdefault(section, {})[key] = value
    return kept, problems


def _wrong(folder: Path, sort: str | None, value: Any) -> str | None:
    if sort is None:
        return None  # a setting of a system's own, checked there
    texts = [value] if sort == "place" else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return "must be a text" if sort == "place" else "must be a list of texts"
    if sort == "names":
        return None
    try:
        for text in texts:
            safe_path(folder, text, kind="file" if sort == "place" else "folder")
    except UnsafePath as error:
        return str(error)
    return None


def ensure_file(workspace: Workspace, path: Path, content: bytes) -> None:
    """Create ``path`` with ``content`` unless it is there; never touches an existing file."""
    if not path.exists():
        with workspace.lock(path):
            if not path.exists():
                write_new(path, content, workspace.lock)
