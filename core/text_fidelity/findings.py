"""What of text fidelity needs a person (triage contract, Findings)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from core.errors import BadInput, Problem
from core.files.jsonl import TORN
from core.files.memo import Memo, Seen, seen
from core.findings import Finding, Kind, Severity
from core.text_fidelity import approval
from core.text_fidelity.approval import FreezeState
from core.text_fidelity.place import EvalFolder, at
from core.text_fidelity.runs import Failure
from core.text_fidelity.view import Book, book
from core.workspace import Workspace

_MOST_PROBLEMS = 20


def findings(workspace: Workspace, now: datetime) -> list[Finding]:
    """Every open cause: stale or unusable evals, runs that could not score, drops, drift, unreadable records.

    An eval that was never frozen is not stale: it is a draft, and its author knows.
    """
    found: list[Finding] = []
    for path in workspace.evals():
        folder = at(workspace, path)
        found += _kept.get(path, _files(folder), partial(_of_folder, folder, now), now)
    return found


_kept: Memo[tuple[Finding, ...]] = Memo()
_CLOCK = timedelta(minutes=10)
"""How long findings hold when no file changes: a record whose time lies in the future counts when it has come."""


def _files(folder: EvalFolder) -> Seen:
    """The stamps of what findings are made of: all but the gathered texts, of which the ledger has the hashes."""
    with os.scandir(folder.path) as entries:
        return seen(*(Path(entry.path) for entry in entries if entry.name != "artifacts"))


def _of_folder(folder: EvalFolder, now: datetime) -> tuple[tuple[Finding, ...], datetime]:
    return tuple(eval_findings(folder, now)), now + _CLOCK


def eval_findings(folder: EvalFolder, now: datetime) -> list[Finding]:
    """The findings of one eval. Never raises for what its files hold."""
    frozen = approval.state(folder)
    try:
        made = book(folder, now)
    except BadInput as error:
        return [*_freeze(folder, frozen), _unreadable(folder, [error.problem])]
    return [*_freeze(folder, frozen), *_failed(made), *_latest(made), *_problems(folder, made)]


def _make(
    folder: EvalFolder, kind: Kind, severity: Severity, summary: str, evidence: dict[str, Any],
    subject: str = "", **query: str,
) -> Finding:  # fmt: skip
    address = urlencode({"eval": folder.label} | query, errors="backslashreplace")
    return Finding.make(
        system="text_fidelity", kind=kind, severity=severity, subject=subject or folder.label,
        summary=f"{folder.name}: {summary}", evidence={"eval": folder.label} | evidence,
        link=f"/text_fidelity?{address}",
    )  # fmt: skip


def _freeze(folder: EvalFolder, frozen: FreezeState) -> Iterator[Finding]:
    if frozen.errors:
        reasons = [str(problem) for problem in frozen.errors]
        unread = frozen.checked is None
        kind: Kind = "unreadable" if unread else "eval_error"
        summary = "config.json cannot be read" if unread else f"the config is refused: {frozen.errors[0].reason}"
        subject = folder.file_label(folder.config)
        yield _make(folder, kind, "blocking", summary, {"reasons": reasons}, subject, tab="freeze")
    elif frozen.stale and frozen.freeze_id is not None:
        evidence = {"reasons": list(frozen.stale), "definition_hash": frozen.definition_hash}
        yield _make(folder, "eval_stale", "blocking", f"refused as stale: {frozen.stale[0]}", evidence, tab="freeze")


def _failed(made: Book) -> Iterator[Finding]:
    """The last run, if it could not score and nobody stopped it on purpose; older failures are history."""
    last = made.failed_since
    if last is None or last.outcome != "env_error" or last.kind == "cancelled":
        return
    in_a_row = sum(1 for one in made.failures if not _scored_since(made, one))
    evidence = {"at": last.text_at, "case": last.case, "reason": last.reason, "kind": last.kind, "in_a_row": in_a_row}
    yield _make(made.folder, "eval_error", "blocking", f"could not score: {last.reason}", evidence)


def _scored_since(made: Book, failure: Failure) -> bool:
    rows = made.reading.order[made.reading.marks.trusted[made.reading.order]]
    return bool(len(rows)) and int(made.reading.runs.at[rows[-1]]) > failure.at


def _latest(made: Book) -> Iterator[Finding]:
    """What the latest run says: a drop beyond δ, a command's text that drifted."""
    reading, row = made.reading, made.reading.latest
    if row is None:
        return
    runs, line = reading.runs, str(int(reading.runs.line[row]))
    evidence: dict[str, Any] = {
        "line": int(line), "composite": round(float(runs.composite[row]), 4), "definition": runs.definition.word(row),
    }  # fmt: skip
    if reading.change_word(row) == "dropped":
        best = round(float(runs.composite[row]) - float(reading.gain[row]), 4)
        summary = f"dropped to {evidence['composite']:.4f} from a best of {best:.4f}"
        yield _make(made.folder, "eval_drop", "attention", summary, evidence | {"best": best}, run=line)
    for case in reading.drifted().get(row, []):
        summary = f"{case}'s text changed under one definition: the difference mixes generator and judge"
        subject = f"{made.folder.label}#{case}"
        yield _make(
            made.folder, "generator_drift", "notice", summary, evidence | {"case": case}, subject, run=line, case=case
        )


def _problems(folder: EvalFolder, made: Book) -> Iterator[Finding]:
    """Records that cannot be read; a last line that is being written is not one of them."""
    found = [problem for problem in made.history.problems if not problem.reason.startswith(TORN)]
    if found:
        yield _unreadable(folder, found)


def _unreadable(folder: EvalFolder, problems: list[Problem]) -> Finding:
    shown = [problem.as_dict() for problem in problems[:_MOST_PROBLEMS]]
    summary = f"{len(problems)} record(s) cannot be read: {problems[0]}"
    evidence = {"problems": shown, "count": len(problems)}
    return _make(folder, "unreadable", "attention", summary, evidence, folder.file_label(folder.ledger))
