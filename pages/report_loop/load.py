"""What this page reads: the list of runs, one run in full, the feedback trend; each again only when it changed."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from core.report_loop.decisions import NONE, RunDecisions, all_decisions
from core.report_loop.feedback.trend import Trend
from core.report_loop.index import RunsIndex
from core.report_loop.runs import RunFiles, read_run, stamps
from core.report_loop.view import Row, RunView, view_run
from core.workspace import Workspace
from pages.report_loop import keys
from pages.shared import data, frame
from pages.shared.frame import Context


def index(workspace: Workspace) -> RunsIndex:
    """One index of the runs, shared by all visitors."""
    return data.cached(RunsIndex, workspace)


def ahead(workspace: Workspace) -> None:
    """Read the runs before the first visitor asks for them (start-up)."""
    index(workspace).refresh()


def version(workspace: Workspace) -> Hashable:
    """Changes when a run or a decision does, and once when the first drawing is done: then what is below follows."""
    return index(workspace).refresh(), frame.open_log(workspace).version(), keys.SETTLED.get()


def decisions(ctx: Context) -> dict[str, RunDecisions]:
    """What people decided, by run."""
    return all_decisions(ctx.log)


def rows(ctx: Context) -> list[Row]:
    """The list of runs: what waits for a person first."""
    return index(ctx.workspace).rows(decisions(ctx), ctx.now)


def run(ctx: Context, name: str) -> RunView | None:
    """One run in full, as it stands at this moment."""
    folder = next((folder for folder in ctx.workspace.runs() if folder.name == name), None)
    if folder is None:
        return None
    files: RunFiles = data.cached(read_run, ctx.workspace, Path(folder), extra=stamps(folder))
    return view_run(files, decisions(ctx).get(name, NONE), ctx.now)


def trend(ctx: Context) -> Trend:
    """What reviewers still had to change, over all reports."""
    found = index(ctx.workspace)
    return data.cached(_trend, ctx.workspace, extra=found.version, given=(found,))


def _trend(_workspace: Workspace, found: RunsIndex) -> Trend:
    return found.trend()
