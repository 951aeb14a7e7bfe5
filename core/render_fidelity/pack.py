"""A pack folder as it lies on disk: declarations, hashes, pages with their states (render-fidelity contract, Inputs).

``prompt.md`` is opened for its ``spec_version`` and hash only: its text is in no value made here (Firewall).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from core.errors import BadInput, Problem, UnsafePath
from core.files import parse_json, parse_yaml, read_bytes
from core.render_fidelity.deliverable import slug_ok
from core.render_fidelity.imaging.facts import facts
from core.render_fidelity.imaging.header import Header
from core.render_fidelity.mapping import MirrorPlan, read_plan
from core.render_fidelity.page_refs import bare_id
from core.render_fidelity.rubric import Mode, mode_of
from core.workspace import Workspace, safe_path

PageState = Literal["ok", "missing", "refused", "unreadable", "undeclared"]
SOURCES = ("prompt.md", "tokens.json")
"""What the render is made from, besides meta.yaml: a change of these makes the render stale."""

_VERSION_LINE = re.compile(r"^[\s>*_`#-]*spec_version[*_`]*\s*[:=]\s*[`\"']?([^\s`\"'#,]+)", re.MULTILINE)
_PAGE_FILE = re.compile(r"(\d{1,4})-(.+)\.(png|jpe?g|webp)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One declaration file: its spec_version as written and its hashes (hex), or why there is none of it."""

    name: str
    version: str | None = None
    sha256: str | None = None
    sha256_lf: str | None = None
    sha256_crlf: str | None = None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class PackPage:
    """One page of the render. ``path`` is set only for a file that may be opened; ``reason`` says what is wrong."""

    number: int
    id: str
    file: str
    state: PageState
    reason: str = ""
    path: Path | None = None
    sha256: str | None = None
    header: Header | None = None

    def as_dict(self) -> dict[str, Any]:
        """The contract's row of ``pages``, with the reason beside it."""
        row: dict[str, Any] = {"number": self.number, "id": self.id, "file": self.file, "state": self.state}
        return row | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True)
class Pack:
    """A pack as read. Values of ``meta`` are text as written; a file that could not be read is a problem."""

    slug: str
    folder: Path
    label: str
    meta: Mapping[str, Any]
    manifest: Mapping[str, Any] | None
    files: Mapping[str, SourceFile]
    pages: tuple[PackPage, ...]
    plan: MirrorPlan | None
    problems: tuple[Problem, ...] = field(default=())

    @property
    def mode(self) -> Mode | None:
        """The reference mode, None where it is missing or unknown."""
        return mode_of(self.meta.get("reference_mode"))

    @property
    def reference(self) -> Mapping[str, Any]:
        """What the pack says of its original."""
        value = self.meta.get("reference")
        return value if isinstance(value, dict) else {}

    @property
    def track(self) -> str:
        """``ppt`` or ``web``: as declared, else as the slug begins."""
        track = self.meta.get("track")
        return track if track in ("ppt", "web") else self.slug.split("-", 1)[0]

    @property
    def author(self) -> str:
        """Which model made the pack, for the family rule; Claude unless the pack says otherwise."""
        author = self.meta.get("author")
        return author if isinstance(author, str) and author.strip() else "claude"

    @property
    def declared(self) -> tuple[PackPage, ...]:
        """The pages that belong to the pack (a stray file does not)."""
        return tuple(page for page in self.pages if page.state != "undeclared")

    def render_hashes(self) -> dict[str, str]:
        """The hash of every page that can be read, by page number."""
        return {str(page.number): page.sha256 for page in self.declared if page.sha256}


def find_pack(workspace: Workspace, slug: str) -> Path:
    """The folder of a pack. Raises UnsafePath for a slug that is none, BadInput where there is no such pack."""
    if not slug_ok(slug):
        raise UnsafePath(f"{slug!r} is no slug: it must look like ppt-name or web-name")
    found = [folder for folder in workspace.packs() if folder.name == slug]
    if not found:
        raise BadInput.of(f"design-packs/{slug}", "no such pack in this workspace")
    return found[0]


def read_pack(workspace: Workspace, folder: Path) -> Pack:
    """Read a pack folder. Nothing that is wrong with it raises: it is a problem, or the state of a page."""
    problems: list[Problem] = []
    label = workspace.label(folder)
    raws = {name: _raw(folder, name, label, problems) for name in ("meta.yaml", "tokens.json", "render-manifest.json")}
    meta = _mapping(raws["meta.yaml"], f"{label}/meta.yaml", problems, parse_meta)
    tokens = _mapping(raws["tokens.json"], f"{label}/tokens.json", problems, parse_json)
    manifest = _mapping(raws["render-manifest.json"], f"{label}/render-manifest.json", problems, parse_json)
    files = {
        "meta.yaml": _source("meta.yaml", raws["meta.yaml"], _scalar(meta, "spec_version")),
        "tokens.json": _source("tokens.json", raws["tokens.json"], _json_version(tokens, raws["tokens.json"])),
        "prompt.md": _prompt(folder, label, problems),
    }
    pages = _pages(folder, label, meta or {}, manifest, problems)
    slug = _scalar(meta, "slug")
    if slug is not None and slug != folder.name:
        problems.append(Problem(f"{label}/meta.yaml", f"slug {slug!r} is not the folder's name {folder.name!r}"))
    return Pack(
        folder.name, folder, label, meta or {}, manifest, files, pages,
        read_plan((meta or {}).get("page_mirror_plan")), tuple(problems),
    )  # fmt: skip


def parse_meta(raw: bytes, file: str) -> Any:
    """``meta.yaml`` with its scalars as written. Raises BadInput as `parse_yaml` does."""
    return parse_yaml(raw, file).value


def _raw(folder: Path, name: str, label: str, problems: list[Problem]) -> bytes | None:
    try:
        path = safe_path(folder, name)
        return read_bytes(path, f"{label}/{name}") if path.exists() else None
    except BadInput as error:
        problems.append(error.problem)
    except UnsafePath as error:
        problems.append(Problem(f"{label}/{name}", str(error)))
    return None


def _mapping(raw: bytes | None, file: str, problems: list[Problem], parse: Any) -> dict[str, Any] | None:
    if raw is None:
        problems += [Problem(file, "no such file")] if not any(found.file == file for found in problems) else []
        return None
    try:
        value = parse(raw, file)
    except BadInput as error:
        problems.append(error.problem)
        return None
    if not isinstance(value, dict):
        problems.append(Problem(file, "holds no object"))
        return None
    return value


def _scalar(value: Mapping[str, Any] | None, key: str) -> str | None:
    found = value.get(key) if value else None
    return found.strip() if isinstance(found, str) and found.strip() else None


def _json_version(tokens: Mapping[str, Any] | None, raw: bytes | None) -> str | None:
    """The version as its characters stand: a bare 3.10 is not 3.1."""
    value = tokens.get("spec_version") if tokens else None
    if isinstance(value, int | float) and not isinstance(value, bool) and raw is not None:
        found = re.search(rb'"spec_version"\s*:\s*([0-9.eE+-]+)', raw)
        return found[1].decode("ascii") if found else str(value)
    return _scalar(tokens, "spec_version")


def _source(name: str, raw: bytes | None, version: str | None) -> SourceFile:
    if raw is None:
        return SourceFile(name, missing="no such file, or it cannot be read")
    plain = raw.replace(b"\r\n", b"\n")
    digests = (hashlib.sha256(form).hexdigest() for form in (raw, plain, plain.replace(b"\n", b"\r\n")))
    return SourceFile(name, version, *digests)


def _prompt(folder: Path, label: str, problems: list[Problem]) -> SourceFile:
    raw = _raw(folder, "prompt.md", label, problems)
    found = _VERSION_LINE.search(raw.decode("utf-8", "replace")) if raw is not None else None
    return _source("prompt.md", raw, found[1] if found else None)


def _rows(value: Any) -> list[dict[str, Any]]:
    rows = value if isinstance(value, list) else []
    return [row if isinstance(row, dict) else {"id": row} for row in rows if isinstance(row, dict | str)]


def _row_id(row: Mapping[str, Any]) -> str:
    value = row.get("id")
    return bare_id(value) if isinstance(value, str) else ""


def _pages(
    folder: Path, label: str, meta: Mapping[str, Any], manifest: Mapping[str, Any] | None, problems: list[Problem]
) -> tuple[PackPage, ...]:
    named = _rows((manifest or {}).get("pages"))
    files = {_row_id(row): row["file"] for row in named if isinstance(row.get("file"), str)}
    on_disk = _on_disk(folder)
    declared = [_row_id(row) for row in _rows(meta.get("pages")) or named] or [page for _, page, _ in on_disk]
    made = []
    for number, page in enumerate(declared, 1):
        found = next((name for _, known, name in on_disk if known == page), None)
        made.append(_page(folder, label, number, page, files.get(page) or found or f"pages/{number:02d}-{page}.png"))
    used = {page.file for page in made}
    stray = [(page, name) for _, page, name in on_disk if name not in used]
    for number, (page, name) in enumerate(stray, len(made) + 1):
        made.append(PackPage(number, page, name, "undeclared", "a file that no declaration names"))
    for found_page in made:
        where = "render-manifest.json" if found_page.state == "refused" else found_page.file
        problems += [Problem(f"{label}/{where}", found_page.reason)] if found_page.state != "ok" else []
    return tuple(made)


def _on_disk(folder: Path) -> list[tuple[int, str, str]]:
    """The page files that are there, by number: (number, id, path inside the pack)."""
    try:
        names = sorted(os.listdir(folder / "pages"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [(match, name) for name in names if (match := _PAGE_FILE.fullmatch(name))]
    return sorted((int(match[1]), match[2], f"pages/{name}") for match, name in found)


def _page(folder: Path, label: str, number: int, page: str, file: str) -> PackPage:
    try:
        if "://" in file or ":" in file or not file.startswith("pages/"):
            raise UnsafePath(f"{file!r} is not a file in this pack's pages/")
        path = safe_path(folder, file)
    except UnsafePath as error:
        return PackPage(number, page, file, "refused", str(error))
    if not path.exists():
        return PackPage(number, page, file, "missing", "no such file")
    try:
        found = facts(path, f"{label}/{file}")
        return PackPage(number, page, file, "ok", "", path, found.sha256, found.header)
    except BadInput as error:
        return PackPage(number, page, file, "unreadable", error.problem.reason)
