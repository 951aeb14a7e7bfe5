"""``python -m core text …`` (text-fidelity contract, Command line)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from core import times
from core.cli_support import COULD_NOT, emit, json_option, person_option, workspace_option
from core.decisions import open_log
from core.errors import BadInput, TouchstoneError
from core.judge import Budget, ReplyError, open_judge, parse_reply
from core.people import Person
from core.text_fidelity import approval, oracle, scaffold
from core.text_fidelity.aggregate import lower_bound
from core.text_fidelity.oracle import Written
from core.text_fidelity.place import EvalFolder, locate
from core.text_fidelity.report import ledger_lines, ledger_report
from core.text_fidelity.score import Done, Failed, score
from core.workspace import Workspace

_target = click.argument("target", default=".")


@click.group()
def group() -> None:
    """Freeze, score and read a text-fidelity eval. TARGET is a project, or an eval folder itself."""


@group.command()
@workspace_option
@_target
def init(workspace: Workspace, target: str) -> None:
    """Scaffold .servo/content-fidelity in TARGET; a config that is there is left alone."""
    emit({}, False, _written(scaffold.init(workspace, target)))


@group.command()
@workspace_option
@person_option
@json_option
@_target
def freeze(workspace: Workspace, person: Person, as_json: bool, target: str) -> None:
    """Pin the definition, the rubric and every reference file as they stand, and approve them."""
    folder = locate(workspace, target)
    shown = approval.review(folder)
    approval.approve(folder, person, open_log(folder.workspace, writable=True), times.now(), shown.token)
    data = {
        "definition_hash": shown.definition_hash, "hashes": dict(shown.hashes),
        "changes": [change.short for change in shown.changes], "warnings": list(approval.state(folder).warnings),
    }  # fmt: skip
    lines = [f"frozen {folder.label}: {shown.definition_hash}", *(f"  changed: {text}" for text in data["changes"])]
    emit(data, as_json, [*lines, *(f"  warning: {text}" for text in data["warnings"])])


@group.command()
@workspace_option
@click.option("--weight", type=float, default=1.0, show_default=True, help="Weight in the oracle's composite.")
@_target
def install(workspace: Workspace, weight: float, target: str) -> None:
    """Put the component into TARGET's oracle.sh."""
    emit({}, False, _written(oracle.install(locate(workspace, target), weight)))


@group.command()
@workspace_option
@_target
def uninstall(workspace: Workspace, target: str) -> None:
    """Take the component out of TARGET's oracle.sh; the frozen files stay."""
    emit({}, False, _written(oracle.uninstall(locate(workspace, target))))


def _written(files: Iterable[Written]) -> Iterable[str]:
    return [f"{'wrote' if one.changed else 'unchanged'} {one.file}" for one in files]


@group.command("score")
@workspace_option
@json_option
@click.option("--hold-artifacts", is_flag=True, help="Reuse the last gathered text of command-backed cases.")
@click.option("--budget", type=float, default=None, metavar="USD", help="Stop before the run would cost more.")
@_target
def score_command(workspace: Workspace, as_json: bool, hold_artifacts: bool, budget: float | None, target: str) -> None:
    """Score TARGET once and print the composite; no score is never a number, but exit 2 and the reason."""
    outcome = _score(locate(workspace, target), hold_artifacts, budget)
    if isinstance(outcome, Failed):
        # The oracle's component reads this line; it stands beside the JSON too.
        click.echo(f"{outcome.line}\n".encode(), err=True, nl=False)
        sys.exit(COULD_NOT)
    for note in outcome.notes:
        click.echo(f"content-fidelity: note — {note}\n".encode("utf-8", "backslashreplace"), err=True, nl=False)
    emit(dict(outcome.record), as_json, [f"{outcome.composite:.4f}"])


def _score(folder: EvalFolder, hold: bool, budget: float | None) -> Done | Failed:
    try:
        limit = Budget(max_cost_usd=budget)
        return score(
            folder, lambda spec: open_judge(spec, folder.workspace, budget=limit), times.now, hold_artifacts=hold
        )
    except (TouchstoneError, ValueError) as error:
        return Failed("env_error", str(error))
    except OSError as error:
        return Failed("env_error", f"the run could not be recorded: {error.strerror}")


@group.command()
@workspace_option
@json_option
@_target
def check(workspace: Workspace, as_json: bool, target: str) -> None:
    """Say whether TARGET may be scored: exit 0 when it is fresh, 2 when it is stale or unusable."""
    folder = locate(workspace, target)
    found = approval.state(folder)
    data: dict[str, Any] = {
        "fresh": found.fresh, "definition_hash": found.definition_hash, "reasons": found.reasons,
        "warnings": list(found.warnings), "approved_at": found.approved_at,
    }  # fmt: skip
    lines = [f"{folder.label}: {'fresh' if found.fresh else 'stale' if not found.errors else 'unusable'}"]
    lines += [f"  {reason}" for reason in found.reasons] + [f"  warning: {text}" for text in found.warnings]
    emit(data, as_json, lines)
    if not found.fresh:
        raise BadInput.of(folder.label, f"{'unusable' if found.errors else 'stale'} — {'; '.join(found.reasons)}")


@group.command()
@workspace_option
@json_option
@_target
def ledger(workspace: Workspace, as_json: bool, target: str) -> None:
    """Read TARGET's ledger: series, changes beyond the noise floor, drift, failures."""
    report = ledger_report(locate(workspace, target), times.now())
    emit(report, as_json, ledger_lines(report))


@group.command()
@workspace_option
@json_option
@click.option("--k", "k", type=float, default=1.0, show_default=True, help="Standard errors below the mean.")
@click.argument("samples", nargs=-1, required=True, type=float)
def bound(workspace: Workspace, as_json: bool, k: float, samples: tuple[float, ...]) -> None:
    """Print the lower bound of samples in [0, 1]."""
    try:
        found = lower_bound(samples, k)
    except ValueError as error:
        raise BadInput.of("samples", str(error)) from None
    spread = f"{found.stderr:.4f}" if found.spread_known else "unknown (n=1)"
    data = {
        "n": found.n, "mean": found.mean, "stderr": found.stderr, "spread_known": found.spread_known,
        "lower_bound": found.lower,
    }  # fmt: skip
    emit(data, as_json, [f"mean {found.mean:.4f}  stderr {spread}  lower bound {found.lower:.4f}"])


@group.command()
@workspace_option
@json_option
@click.argument("source", type=click.File("rb"))
def reply(workspace: Workspace, as_json: bool, source: Any) -> None:
    """Read a judge's reply (`-`: from standard input) and print its score, or why it holds none (exit 2)."""
    raw = source.read()
    try:
        read = parse_reply(raw.decode())
    except UnicodeDecodeError as error:
        read = ReplyError(f"the reply is not UTF-8 (byte {error.start})")
    if isinstance(read, ReplyError):
        emit({"error": read.reason}, as_json, [])
        raise BadInput.of("reply", read.reason)
    data = {"score": read.score, "reasoning": read.reasoning, "note": read.note}
    emit(data, as_json, [f"{read.score:g}", *([f"note: {read.note}"] if read.note else [])])
