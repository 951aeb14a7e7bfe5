"""Installing the component into a project's oracle, and taking it out again (text-fidelity contract, Command line)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import core
from core.errors import BadInput
from core.files import jsontext, parse_json, read_bytes, replace
from core.text_fidelity import splice
from core.text_fidelity.place import EvalFolder
from core.text_fidelity.splice import COMPONENT, CannotSplice

OURS = b"a launcher, not the scorer."
ASIDE = "score.py.before-touchstone"


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was changed, or that stood as it should already."""

    file: str
    changed: bool


@dataclass(frozen=True, slots=True)
class _Change:
    path: Path
    before: bytes | None
    after: bytes


def launcher() -> bytes:
    """``score.py`` for this installation: it records the version, the interpreter and the place."""
    text = files("core.text_fidelity").joinpath("launcher.py.txt").read_text("utf-8")
    root = str(Path(core.__file__).resolve().parent.parent)
    for name, value in (("@VERSION@", core.__version__), ("@PYTHON@", sys.executable), ("@ROOT@", root)):
        text = text.replace(name, ascii(value))
    return text.encode()


def install(folder: EvalFolder, weight: float) -> list[Written]:
    """Put block, entry and manifest in place; twice is the same as once.

    All of it is worked out before anything is written. Raises BadInput when oracle.sh is missing or has another shape,
    when the eval is not where the oracle looks for it, or for a weight that is not a number above 0; Conflict when a
    file changed meanwhile.
    """
    if not (0 < weight < float("inf")):
        raise BadInput.of("--weight", f"must be a number above 0, not {weight!r}")
    _expect_in_project(folder)
    oracle, manifest = _oracle_path(folder), folder.project / ".servo" / "install.json"
    raw, text = _text(folder, oracle)
    manifest_change, key_added = _registered(folder, manifest)
    try:
        key_added = key_added or splice.key_was_added(text)
        after = splice.install(text, core.__version__, weight, key_added=key_added)
    except CannotSplice as error:
        raise BadInput.of(folder.file_label(oracle), str(error)) from None
    changes = [*_launcher_changes(folder), *manifest_change, _Change(oracle, raw, after.encode())]
    return _write(folder, changes)


def uninstall(folder: EvalFolder) -> list[Written]:
    """Undo block, entry and manifest; the frozen files stay, and a score.py that was put aside comes back.

    Raises BadInput when oracle.sh is missing or holds half a block, Conflict when a file changed meanwhile.
    """
    oracle, manifest = _oracle_path(folder), folder.project / ".servo" / "install.json"
    raw, text = _text(folder, oracle)
    try:
        key_added = splice.key_was_added(text)
        after = splice.uninstall(text)
    except CannotSplice as error:
        raise BadInput.of(folder.file_label(oracle), str(error)) from None
    changes = [_Change(oracle, raw, after.encode()), *_deregistered(folder, manifest, key_added)]
    aside = folder.path / ASIDE
    if aside.exists() and folder.launcher.exists():
        changes.append(_Change(folder.launcher, read_bytes(folder.launcher), read_bytes(aside)))
    return _write(folder, changes)


def _expect_in_project(folder: EvalFolder) -> None:
    if not folder.in_project:
        raise BadInput.of(folder.label, "the oracle looks for its eval in <project>/.servo/content-fidelity")
    if not folder.config.exists():
        raise BadInput.of(folder.file_label(folder.config), "no such file; `text init` makes one")


def _oracle_path(folder: EvalFolder) -> Path:
    path = folder.project / "oracle.sh"
    if not path.exists():
        raise BadInput.of(folder.file_label(path), "no such file: the component has nothing to go into")
    return path


def _text(folder: EvalFolder, path: Path) -> tuple[bytes, str]:
    raw = read_bytes(path, folder.file_label(path))
    try:
        return raw, raw.decode()
    except UnicodeDecodeError as error:
        raise BadInput.of(folder.file_label(path), f"is not UTF-8 (byte {error.start}); left as it is") from None


def write_launcher(folder: EvalFolder) -> list[Written]:
    """Put ``score.py`` in the eval folder; one that is not ours is put aside first, under another name."""
    return _write(folder, _launcher_changes(folder))


def _launcher_changes(folder: EvalFolder) -> list[_Change]:
    new = launcher()
    if not folder.launcher.exists():
        return [_Change(folder.launcher, None, new)]
    old = read_bytes(folder.launcher, folder.file_label(folder.launcher))
    aside = folder.path / ASIDE
    kept = read_bytes(aside) if aside.exists() else None
    if OURS in old or kept == old:
        return [_Change(folder.launcher, old, new)]
    if kept is not None:
        raise BadInput.of(folder.file_label(folder.launcher), f"is neither ours nor what {ASIDE} holds; move it away")
    return [_Change(aside, None, old), _Change(folder.launcher, old, new)]


def _manifest(folder: EvalFolder, path: Path) -> tuple[bytes, str, int | None] | None:
    """Bytes and text of install.json, and where its ``components`` array starts; None where there is no such file."""
    if not path.exists():
        return None
    label = folder.file_label(path)
    raw = read_bytes(path, label)
    value = parse_json(raw, label)
    if not isinstance(value, dict) or not isinstance(value.get("components", []), list):
        raise BadInput.of(label, "components is not a list; left as it is")
    text = raw.decode()
    start = next((one.value_start for one in jsontext.members(text) if one.name == "components"), None)
    return raw, text, start


def _registered(folder: EvalFolder, path: Path) -> tuple[list[_Change], bool]:
    """The manifest with the component in it, and whether its ``components`` key is new."""
    return _edited(folder, path, _add_to)


def _add_to(text: str, start: int | None) -> tuple[str, bool]:
    if start is None:
        return jsontext.set_members(text, {"components": [COMPONENT]}), True
    there = COMPONENT in parse_json(text, "install.json")["components"]
    return (text if there else jsontext.append_element(text, start, COMPONENT)), False


def _edited(
    folder: EvalFolder, path: Path, edit: Callable[[str, int | None], tuple[str, bool]]
) -> tuple[list[_Change], bool]:
    found = _manifest(folder, path)
    if found is None:
        return [], False
    raw, text, start = found
    after, flag = edit(text, start)
    return [_Change(path, raw, after.encode())], flag


def _deregistered(folder: EvalFolder, path: Path, key_added: bool) -> list[_Change]:
    def edit(text: str, start: int | None) -> tuple[str, bool]:
        if start is None:
            return text, False
        without = jsontext.remove_elements(text, start, COMPONENT)
        if key_added and parse_json(without, "install.json")["components"] == []:
            without = jsontext.remove_member(without, "components")
        return without, False

    return _edited(folder, path, edit)[0]


def _write(folder: EvalFolder, changes: list[_Change]) -> list[Written]:
    written: list[Written] = []
    for change in changes:
        different = change.before != change.after
        if different:
            replace(change.path, change.after, expected=change.before, lock=folder.lock)
        written.append(Written(folder.file_label(change.path), different))
    return written
