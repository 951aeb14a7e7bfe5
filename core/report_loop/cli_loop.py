"""``report loop``: two outside commands, one line an iteration, safe to stop, resumes where it stood."""

from __future__ import annotations

import signal
import types
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import click

from core import times
from core.cli_support import answer, emit, json_option, workspace_option
from core.errors import Unavailable
from core.report_loop.cli_options import judge_of, judge_options, now_option
from core.report_loop.commands import Command
from core.report_loop.dimensions import dimension_score, exact
from core.report_loop.drive import Drive, Judging, find_run
from core.report_loop.grants import granted_edits
from core.report_loop.loop import LoopResult, Record
from core.report_loop.words import DEFAULT_BAR, DIMENSIONS, ITERATION_CAP
from core.workspace import Workspace


@click.command()
@click.argument("run")
@click.option("--score-cmd", required=True, metavar="CMD", help="Scores a draft: JSON in, JSON out; no shell.")
@click.option(
    "--revise-cmd", required=True, metavar="CMD", help="Revises a draft in place: JSON in, JSON out; no shell."
)
@click.option("--bar", type=click.FloatRange(0, 1), default=DEFAULT_BAR, show_default=True, help="The bar.")
@click.option("--cap", type=click.IntRange(1), default=ITERATION_CAP, show_default=True, help="Most iterations.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=900.0, show_default=True, metavar="SECONDS",
              help="Most seconds for one command.")  # fmt: skip
@click.option("--own-signals/--no-own-signals", default=True, show_default=True,
              help="Measure format, and sign by deltas.json, where the score command does not.")  # fmt: skip
@judge_options
@now_option
@workspace_option
@json_option
def loop(
    run: str, score_cmd: str, revise_cmd: str, bar: float, cap: int, timeout: float, own_signals: bool,
    now: datetime | None, workspace: Workspace, as_json: bool, **judge: Any,
) -> None:  # fmt: skip
    """Drive a run to its end: score, revise, accept or revert. Exit 0 on PASS, 1 when it goes to a human.

    RUN is a run's name or folder; its draft is draft.html, .md or .txt there. Stop it at any time and run it again: it
    goes on where it stood.
    """
    folder = find_run(workspace, run)
    drive = Drive(
        workspace=workspace,
        folder=folder,
        score_command=Command.parse("--score-cmd", score_cmd, workspace.root, timeout),
        revise_command=Command.parse("--revise-cmd", revise_cmd, workspace.root, timeout),
        clock=times.now if now is None else lambda: now,
        bar=bar,
        cap=cap,
        own_signals=own_signals,
        judge=_judging(workspace, judge),
        more_edits=granted_edits(workspace, folder),
    )
    result = _stoppable(drive, lambda record: click.echo(progress(record), err=as_json))
    _tell(result, workspace.label(folder), as_json)
    answer(result.passed)


def _judging(workspace: Workspace, options: dict[str, Any]) -> Callable[[str], Judging] | None:
    judge = judge_of(workspace, options)
    if judge is None:
        return None
    from core.report_loop.judging import LoopJudge

    return lambda series: LoopJudge(judge, series)


def _stoppable(drive: Drive, on_iteration: Callable[[Record], None]) -> LoopResult[bytes]:
    """Ctrl-C and SIGTERM end the command that runs, too; every finished iteration is on disk."""

    def stop(_number: int, _frame: types.FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        return drive.run(on_iteration)
    except KeyboardInterrupt:
        raise Unavailable("stopped; what was finished is kept, run the same command to go on") from None
    finally:
        signal.signal(signal.SIGTERM, before)


def progress(record: Mapping[str, Any]) -> str:
    """One line about one iteration: its scores, its target, and what the ratchet did."""
    scores = record["scores"]
    cells = [_cell(name, scores[name]) for name in DIMENSIONS]
    if record.get("target_dim") is None:
        what = record.get("reason") or "baseline"
    else:
        verb = "accepted" if record.get("accepted") else "reverted"
        node = f" {record['node_id']}" if record.get("node_id") else ""
        what = f"{verb}{node} ({record['content_diff_count']} lines) for {record['target_dim']}: {record['reason']}"
    return f"iteration {record['index']}: {' · '.join(cells)} | {what}"


def _cell(name: str, result: Mapping[str, Any]) -> str:
    if name == "accurate":
        return f"accurate {result['status']}"
    if result["anchor_pass"] is not True:
        return f"{name} anchor red"
    return f"{name} {exact(dimension_score(result))}" if result["status"] else f"{name} awaiting judge"


def _tell(result: LoopResult[bytes], label: str, as_json: bool) -> None:
    held = [name for name, score in result.iterations[-1]["scores"].items() if score["status"] != "pass"]
    data: dict[str, Any] = {
        "run": label, **result.stop, "held_back_by": held if not result.passed else [], "frozen": list(result.frozen),
    }  # fmt: skip
    lines = [f"{result.stop['status']}: {result.stop['reason']}"]
    if not result.passed:
        lines.append(f"needs a human, by way of the {result.stop['route']}; held back by {', '.join(held)}")
    if result.frozen:
        lines.append(f"frozen nodes: {', '.join(result.frozen)}")
    emit(data, as_json, lines)
