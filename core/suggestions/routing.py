"""Where a graded entry goes, in which words, and how it gets there once (suggestions contract, Files and Grade)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from core.decisions import Log
from core.errors import BadInput
from core.files import replace
from core.files.read import BOM
from core.suggestions import edits
from core.suggestions.entries import Document, Entry
from core.suggestions.fields import Score
from core.suggestions.lines import Name
from core.suggestions.moves import check_writable, document_of, locks_of, path_of
from core.workspace import Workspace

Target = Literal["pending", "filtered"]
_KINDS: tuple[Literal["pending", "reviewed", "filtered"], ...] = ("pending", "reviewed", "filtered")
_GIVE_WAY: frozenset[Name] = frozenset({"score", "legacy", "filtered"})


@dataclass(frozen=True, slots=True)
class Routed:
    """An entry on its way: the file it goes to, its score (None: vetoed) and the filter reason ("" when it passed)."""

    entry: Entry
    source: Document
    target: Target
    score: Score | None
    reason: str


def tag_line(category: str, score: Score) -> str:
    """``- 🏷️ {category} | 📊 {total}/6 (A:{a} P:{p} G:{g})``"""
    return f"- 🏷️ {category or '未分類'} | 📊 {score.total}/6 (A:{score.a} P:{score.p} G:{score.g})"


def text_for(routed: Routed) -> str:
    """The entry as it is appended: legacy fields give way to the 📊 one, a filter reason follows the next step.

    Every other line stays as it is; a vetoed entry keeps its own tag line, since nothing was scored.
    """
    lines = list(edits.owned_lines(edits.own_text(routed.entry)))
    if routed.score is not None:
        lines = list(_scored(lines, tag_line(routed.entry.category, routed.score)))
    else:
        lines = [(line, name) for line, name in lines if name != "filtered"]
    if routed.reason:
        lines.insert(_behind_next_step(lines), (f"- ❌ Filter: {edits.one_line(routed.reason)}\n", "filtered"))
    return "".join(line if line.endswith("\n") else f"{line}\n" for line, _ in lines)


def _scored(lines: Sequence[tuple[str, Name | None]], tag: str) -> Iterator[tuple[str, Name | None]]:
    """The lines with the tag line in the place of the old one, or below the heading where there was none."""
    first = next((number for number, (_, name) in enumerate(lines) if name == "category"), 0)
    for number, (line, name) in enumerate(lines):
        if name not in _GIVE_WAY and name != "category":
            yield (line if line.endswith("\n") else f"{line}\n"), name
        if number == first:
            yield f"{tag}\n", "category"


def _behind_next_step(lines: Sequence[tuple[str, Name | None]]) -> int:
    """Behind the last line of the next step; without one, behind the tag line or the heading."""
    for wanted in ("next_step", "category"):
        found = [number for number, (_, name) in enumerate(lines) if name == wanted]
        if found:
            return found[-1] + 1
    return 1


def known_ids(workspace: Workspace) -> dict[str, str]:
    """The id of every entry that stands in one of the three files, with the kind of file."""
    return {entry.id: kind for kind in _KINDS for entry in document_of(workspace, kind).entries}


def check_targets(workspace: Workspace) -> None:
    """Raises BadInput when an entry could not be appended to pending or filtered: asked before a judge is paid."""
    check_writable(*(document_of(workspace, kind) for kind in _KINDS))


def deliver(workspace: Workspace, log: Log, routed: Sequence[Routed]) -> set[str]:
    """Append entries to their files; returns the ids written. One that stands in any of the three files is left out.

    Each file is changed in one step, which a kill leaves done or not begun. Raises BadInput for a damaged file,
    Conflict when a file was changed past the locks, Unavailable.
    """
    written: set[str] = set()
    with ExitStack() as held:
        for path in locks_of(workspace):
            held.enter_context(log.lock(path))
        check_targets(workspace)
        known = known_ids(workspace)
        for kind in ("pending", "filtered"):
            mine = [one for one in routed if one.target == kind and one.entry.id not in known]
            if mine:
                _append(workspace, log, kind, mine)
                written.update(one.entry.id for one in mine)
                known.update((one.entry.id, kind) for one in mine)
    return written


def _append(workspace: Workspace, log: Log, kind: Target, routed: Sequence[Routed]) -> None:
    target = document_of(workspace, kind)
    newline = edits.newline_for(target, routed[0].source)
    gap = edits.needs_gap(target)
    blocks: list[str] = []
    for one in routed:
        blocks.append(edits.block_for(text_for(one), [], newline, gap=gap))
        gap = True
    if target.open_ended and any(map(edits.could_close, blocks)):
        raise BadInput(target.problems[-1])
    before = target.raw
    if not before.removeprefix(BOM).strip():
        before = before.removesuffix(before.removeprefix(BOM)) + edits.opening_for(kind, newline)
    elif not before.endswith((b"\n", b"\r")):
        before += newline.encode()
    new = before + "".join(blocks).encode()
    replace(path_of(workspace, kind), new, expected=target.raw if target.exists else None, lock=log.lock)
