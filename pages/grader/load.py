"""What the grader reads: stored runs and what maintaining finds, each kept until its files change."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.decisions import Log
from core.errors import Problem
from core.suggestions import runs, threshold
from core.suggestions.backtest import Tally, tally
from core.suggestions.maintain import Maintenance, maintain
from core.suggestions.runs import Run
from core.suggestions.threshold import Threshold
from core.workspace import Workspace
from pages.shared import data, frame
from pages.shared.frame import Context


@dataclass(frozen=True)
class Stored:
    """The stored runs, newest first, and the files among them that are none."""

    runs: Sequence[Run]
    problems: Sequence[Problem]

    @cached_property
    def by_id(self) -> dict[str, Run]:
        """Every run by its id."""
        return {run.id: run for run in self.runs}

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        """Every run counted once, so that a threshold costs nothing."""
        return {run.id: tally(run.rows) for run in self.runs}


def version(workspace: Workspace) -> Hashable:
    """What the page is drawn from: the runs, the three files, the blocklist, the log."""
    places = workspace.suggestions
    paths = [*runs.paths(workspace), places.pending, places.reviewed, places.filtered, places.blocklist]
    return (tuple(path.name for path in paths), data.version(paths), frame.open_log(workspace).version())


def stored(ctx: Context) -> Stored:
    """The stored runs of the workspace."""
    paths = runs.paths(ctx.workspace)
    return data.cached(_stored, ctx.workspace, paths=paths, extra=tuple(path.name for path in paths))


def _stored(workspace: Workspace) -> Stored:
    return Stored(*runs.stored(workspace))


def maintenance(ctx: Context) -> Maintenance:
    """Proposals and calibration as the files and the log stand now."""
    places = ctx.workspace.suggestions
    paths = [places.pending, places.reviewed, places.blocklist]
    minute = ctx.now.replace(second=0, microsecond=0)  # only a review dated in the future depends on the clock
    return data.cached(
        _maintenance, ctx.workspace, paths=paths, extra=(ctx.log.version(), minute), given=(ctx,)
    )  # fmt: skip


def _maintenance(workspace: Workspace, ctx: Context) -> Maintenance:
    return maintain(workspace, ctx.log, ctx.now)


def in_force(workspace: Workspace, log: Log) -> Threshold:
    """The threshold that grading uses now."""
    return threshold.in_force(workspace, log)
