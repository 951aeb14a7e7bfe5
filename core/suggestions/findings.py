"""What of the suggestions needs a human (triage contract, Findings)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

from core.errors import BadInput, Problem
from core.files import read_text, stamp
from core.files.memo import Memo
from core.findings import Finding
from core.suggestions import confirm, findings_maintain, store
from core.suggestions.edits import own_text
from core.suggestions.entries import Document, Entry, Kind
from core.suggestions.queue import Suggestion, distinct
from core.workspace import Workspace

_KINDS: tuple[Kind, ...] = ("pending", "reviewed", "filtered")


def findings(workspace: Workspace, now: datetime) -> list[Finding]:
    """Entries that could not be read or decide nothing, files that could not be read, and what maintaining asks.

    Writes nothing.
    """
    found: list[Finding] = []
    for kind in _KINDS:
        try:
            document = store.of_workspace(workspace, kind)
        except BadInput as error:
            found.append(_unreadable(error.problem, blocking=True))
            continue
        found += [_unreadable(problem, blocking=not document.complete) for problem in document.problems]
        found += _of_entries(document, kind, now)
    found += [_unreadable(problem, blocking=False) for problem in _of_the_rest(workspace)]
    return found + list(findings_maintain.findings(workspace, now))


def _of_entries(document: Document, kind: Kind, now: datetime) -> Iterator[Finding]:
    """A finding for each suggestion whose heading or decision says nothing.

    Its line is told and is no evidence: an entry that only moved in its file is the same finding.
    """
    wrong = {one.entry.id: one for one in distinct(document, now) if needs_human(one.entry)}
    if not wrong:
        return
    lines: dict[str, int] = {}
    for entry, line in zip(document.entries, document.lines(), strict=True):
        if entry.id in wrong:
            lines.setdefault(entry.id, line)
    for entry_id, suggestion in wrong.items():
        yield _of_entry(document.file, kind, lines[entry_id], suggestion)


def needs_human(entry: Entry) -> bool:
    """True for an entry whose heading could not be split, and for a review that says neither accept nor reject."""
    return not entry.readable or entry.decision == "undecided"


def _of_entry(file: str, kind: Kind, line: int, suggestion: Suggestion) -> Finding:
    entry = suggestion.entry
    return Finding.make(
        system="suggestions", kind="suggestion_unreadable", severity="attention",
        subject=f"{kind}:{entry.id}", summary=f"{file}:{line}: {entry.problems[0]}",
        evidence={"file": file, "problems": list(entry.problems), "text": own_text(entry).strip()},
        link=f"/suggestions?id={entry.id}",
    )  # fmt: skip


def _of_the_rest(workspace: Workspace) -> Iterator[Problem]:
    """What is wrong with the blocklist, goals, preferences and rubric."""
    try:
        yield from confirm.current(workspace).problems
    except BadInput as error:
        yield error.problem
    places = workspace.suggestions
    for path in (places.goals, places.preferences, places.rubric):
        yield from _kept.get((path, workspace.label(path)), stamp(path), partial(_of_text, path, workspace.label(path)))


_kept: Memo[tuple[Problem, ...]] = Memo()


def _of_text(path: Path, file: str) -> tuple[tuple[Problem, ...], None]:
    """What is wrong with a file that is only read; read again when it changed."""
    if stamp(path) is None:
        return (), None
    try:
        return tuple(read_text(path, file).problems), None
    except BadInput as error:
        return (error.problem,), None


def _unreadable(problem: Problem, *, blocking: bool) -> Finding:
    return Finding.make(
        system="suggestions", kind="unreadable", severity="blocking" if blocking else "attention",
        subject=f"{problem.file}: {problem.reason.partition(' from byte ')[0]}", summary=str(problem),
        evidence={"file": problem.file, "reason": problem.reason}, link="/suggestions",
    )  # fmt: skip
