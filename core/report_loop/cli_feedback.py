"""``report feedback``: what the reviewer still had to change, classified and written beside the receipt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from core import files, numbers
from core.cli_support import emit, json_option, workspace_option
from core.decisions import open_log
from core.errors import BadInput
from core.report_loop.cli_options import judge_of, judge_options
from core.report_loop.drive import find_run
from core.report_loop.feedback import document
from core.report_loop.feedback.model import Feedback
from core.report_loop.judging import judge_edits
from core.workspace import Workspace


@click.command()
@click.argument("run")
@judge_options
@workspace_option
@json_option
def feedback(run: str, workspace: Workspace, as_json: bool, **judge: Any) -> None:
    """Classify what the reviewer changed between shipped.* and reviewed.*, and write feedback.json. Exit 0.

    Rules first; with --judge what they leave undecided is put to a judge. What a person decided stands.
    """
    folder = find_run(workspace, run)
    found = _standing(workspace, folder)
    asked = judge_of(workspace, judge)
    judged = None if asked is None else judge_edits(asked, found)
    path = folder / document.FILE
    lock = open_log(workspace).lock
    with lock(path):
        found = _standing(workspace, folder)  # again: asking takes minutes, and a person may have decided meanwhile
        found = found if judged is None else document.with_judged(found, judged)
        before = files.read_bytes(path) if path.exists() else None
        after = document.as_bytes(found, before)
        if before != after:
            files.replace(path, after, expected=before, lock=lock)
    emit({**document.to_json(found), "file": workspace.label(path), "problems": []}, as_json, _feedback_lines(found))


def _standing(workspace: Workspace, folder: Path) -> Feedback:
    found = document.current(folder, workspace.root)
    if found is None:
        needed = "feedback needs a shipped and a reviewed version (HTML, Markdown or text)"
        raise BadInput.of(workspace.label(folder), needed)
    return found


def _feedback_lines(found: Feedback) -> list[str]:
    share = found.share
    low, high = (share.interval.low, share.interval.high) if share.interval else (None, None)
    counts = ", ".join(f"{found.count(cls)} {cls}" for cls in ("substantive", "mechanical", "undecided"))
    lines = [f"{numbers.count(len(found.edits), 'edit')}: {counts}"]
    lines.append(f"substantive {numbers.percent_of(share.value)} of {share.n} decided ({numbers.interval(low, high)})")
    for one in found.edits:
        missed = f" missed by {one.ruling.dimension}" if one.ruling.dimension else ""
        change = f"{one.edit.before!r} -> {one.edit.after!r}"
        lines.append(f"  line {one.edit.line} {change}: {one.ruling.cls}{missed}: {one.ruling.reason}")
    return lines
