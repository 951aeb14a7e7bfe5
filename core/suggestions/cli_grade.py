"""``python -m core suggestions grade|backtest|maintain`` (suggestions contract, Command line)."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

import click

from core import numbers, times
from core.cli_support import COULD_NOT, answer, emit, json_option, workspace_option
from core.decisions import open_log
from core.errors import BadInput
from core.judge.batch import open_batches
from core.judge.budget import Budget
from core.judge.opening import DEFAULT_CONCURRENCY, open_judge
from core.judge.protocol import Judge, Progress
from core.stats import Estimate
from core.suggestions import backtest as rules
from core.suggestions import backtest_batch, backtest_run, incoming, runs, threshold
from core.suggestions.backtest_report import METRICS, PLACE, decision, report, write_report
from core.suggestions.calibration import Calibration
from core.suggestions.grade import Graded, Result, Step
from core.suggestions.grade import grade as grade_document
from core.suggestions.judge_choice import chosen
from core.suggestions.maintain import Maintenance
from core.suggestions.maintain import maintain as maintenance
from core.suggestions.proposals import Proposal
from core.suggestions.reading import read_document
from core.workspace import Workspace

_JUDGE = ("model", "provider", "transport", "base_url")
F = TypeVar("F", bound=Callable[..., Any])
_threshold_option = click.option(
    "--threshold", "wanted", type=click.IntRange(0, rules.HIGHEST_TOTAL), help="Pass at this total, not that in force."
)


def judge_options(command: F) -> F:
    """Which judge is asked, and what it may cost; the command gets an ``open_judge`` function of the workspace."""
    options = [
        click.option("--model", help="The model. Default: [judge] in touchstone.toml, else a middling one."),
        click.option("--provider", type=click.Choice(["anthropic", "openai"]), help="Whose protocol is spoken."),
        click.option("--transport", type=click.Choice(["api", "cli", "codex"]), help="SDK, claude -p or codex exec."),
        click.option("--base-url", metavar="URL", help="A server that speaks the provider's protocol."),
        click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="Stop before it is spent."),
        click.option("--concurrency", type=click.IntRange(1, 64), default=DEFAULT_CONCURRENCY, show_default=True),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _opener(workspace: Workspace, options: dict[str, Any]) -> Callable[[], Judge]:
    wanted = {name: options[name] for name in _JUDGE}

    def make() -> Judge:
        spec = chosen(workspace, wanted)
        budget = Budget(max_cost_usd=options["budget"])
        return open_judge(spec, workspace, budget=budget, concurrency=options["concurrency"])

    return make


@click.command()
@click.argument("file")
@_threshold_option
@judge_options
@workspace_option
@json_option
def grade(workspace: Workspace, file: str, wanted: int | None, as_json: bool, **options: Any) -> None:
    """Grade the suggestions of FILE (``-``: standard input): veto, ambiguity, score; each goes to pending or filtered.

    FILE itself is not changed. A run that was stopped is simply run again. Exit 1 when there is nothing to grade, exit
    2 when an entry is ungraded.
    """
    document = read_document(workspace, file)
    place = workspace.label(incoming.keep(workspace, document.raw)) if file == "-" and document.entries else file
    log = open_log(workspace, writable=True)
    limit = threshold.in_force(workspace, log).value if wanted is None else wanted
    done = grade_document(
        workspace, log, document, _opener(workspace, options), now=times.now(), threshold=limit, on_step=_step
    )
    data = {
        "results": [_result(one) for one in done.results], "threshold": limit, "asked": done.asked,
        "cost_usd": done.cost_usd, "practice": done.practice, "ungraded": done.count("ungraded"),
        "problems": [problem.as_dict() for problem in document.problems],
    }  # fmt: skip
    emit(data, as_json, _graded(done) if done.results else ["nothing to grade: no suggestion in this file"])
    if not done.results:
        answer(False)
    if done.count("ungraded"):
        first = next(one for one in done.results if one.outcome == "ungraded")
        told = numbers.count(done.count("ungraded"), "entry is ungraded", "entries are ungraded")
        _could_not(f"{told}, to be found in {place}: {first.reason}")


def _could_not(reason: str) -> NoReturn:
    """One line on standard error and exit 2, for a command that has printed its results already."""
    line = " ".join(f"touchstone: {reason}".split())
    click.echo(line.encode("utf-8", "backslashreplace"), err=True)
    sys.exit(COULD_NOT)


def _result(one: Result) -> dict[str, Any]:
    return {
        "id": one.entry.id, "title": one.entry.title, "outcome": one.outcome, "reason": one.reason or None,
        "score": one.score._asdict() if one.score else None, "reasoning": one.reasoning, "note": one.note,
    }  # fmt: skip


def _graded(done: Graded) -> Iterator[str]:
    for one in done.results:
        score = f" {one.score.total}/6 (A:{one.score.a} P:{one.score.p} G:{one.score.g})" if one.score else ""
        yield f"{one.entry.id}  {one.outcome}{score}  {one.entry.title}" + (f"  ({one.reason})" if one.reason else "")
    yield (
        f"{done.count('passed')} to pending, {done.count('hard_veto', 'ambiguity', 'below_threshold')} to filtered, "
        f"{done.count('known')} known, {done.count('ungraded')} ungraded; "
        f"{numbers.count(done.asked, 'entry', 'entries')} asked, {numbers.money(done.cost_usd)}"
    )
    if done.practice:
        yield "practice judge: no model graded this"


def _step(step: Step) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{step.done} of {step.total} graded", err=True, nl=step.done == step.total)


def _progress(progress: Progress) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{progress.done} of {progress.total} asked", err=True, nl=progress.done == progress.total)


@click.command()
@click.option("-n", "per_side", type=click.IntRange(min=1), default=backtest_run.DEFAULT_PER_SIDE, show_default=True,
              help="Entries of each decision.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Repeats the same sample.")
@_threshold_option
@click.option("--run", "run_id", default=None, metavar="ID", help="Reckon a stored run again (“last”): asks no judge.")
@click.option("--batch", is_flag=True, help="Ask through the provider's batch API; give the command again to collect.")
@click.option("--afresh", is_flag=True, help="Ask again, also what the workspace's store has an answer to.")
@judge_options
@workspace_option
@json_option
def backtest(
    workspace: Workspace, per_side: int, seed: int, wanted: int | None, run_id: str | None, batch: bool, afresh: bool,
    as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Hold the rubric against what reviewers decided; writes .tmp/rubric_backtest_report.md and keeps the run."""
    limit = threshold.in_force(workspace, open_log(workspace)).value if wanted is None else wanted
    if run_id is None:
        if batch:
            _batched(workspace, per_side, seed, afresh, options)
        judge = _opener(workspace, options)()
        run = backtest_run.run(
            workspace, judge, now=times.now(), per_side=per_side, seed=seed, threshold=limit, afresh=afresh,
            on_progress=_progress,
        )  # fmt: skip
        if run.rows:
            runs.store(workspace, run)
    else:
        run = _stored(workspace, run_id)
    if run.rows:
        write_report(workspace, run, limit)
    data = summary(run, limit)
    lines = report(run, limit).splitlines() if run.rows else ["nothing to review: no decided suggestion in the file"]
    emit(data, as_json, lines)
    if not run.rows:
        answer(False)
    if data["excluded"] == len(run.rows):
        _could_not(f"the judge gave no score for any entry: {run.rows[0].reason}")


def _batched(workspace: Workspace, per_side: int, seed: int, afresh: bool, options: dict[str, Any]) -> None:
    """Hand in, wait or collect; returns when every answer a batch can give is in the workspace's store."""
    if afresh:
        raise click.UsageError("--batch answers what the store lacks; it cannot ask --afresh")
    spec = chosen(workspace, {name: options[name] for name in _JUDGE})
    batches = open_batches(spec, workspace, budget=Budget(max_cost_usd=options["budget"]))
    questions = backtest_run.prepare(workspace, times.now(), per_side=per_side, seed=seed).questions
    for line in backtest_batch.advance(batches, questions):
        click.echo(line, err=True)


def _stored(workspace: Workspace, run_id: str) -> runs.Run:
    if run_id == "last":
        found, _ = runs.stored(workspace)
        if not found:
            raise BadInput.of(workspace.label(runs.folder(workspace)), "no backtest has been kept yet")
        return found[0]
    return runs.read(runs.path_of(workspace, run_id), f"run {run_id}")


def summary(run: runs.Run, limit: int) -> dict[str, Any]:
    """The JSON form of a run at a threshold, under the contract's keys; undefined figures are null."""
    counted = rules.tally(run.rows)
    at = rules.at_threshold(counted, limit)
    figures: dict[str, Estimate] = {name: getattr(at.figures, name) for name, _ in METRICS}
    return {
        **dataclasses.asdict(at.table),
        **{name: one.value for name, one in figures.items()},
        "intervals": {name: _interval(one) for name, one in figures.items()},
        "n": {name: one.n for name, one in figures.items()},
        "excluded": counted.excluded, "threshold": limit, "seed": run.seed, "run": run.id, "asked": run.asked,
        "cost_usd": run.cost_usd, "practice": run.judge.practice, "model": run.judge.model, "report": PLACE,
        "thresholds": [_at(one) for one in rules.at_every_threshold(counted)],
        "dimensions": {one.name: {"separation": one.separation.value, "interval": _interval(one.separation)}
                       for one in rules.dimensions(counted)},
        "recommendations": [{"advice": one.advice, "figure": one.figure}
                            for one in rules.recommendations(run.rows, counted, limit)],
        "sample": [_row(row, limit) for row in run.rows],
    }  # fmt: skip


def _interval(estimate: Estimate) -> list[float] | None:
    return [estimate.interval.low, estimate.interval.high] if estimate.interval else None


def _at(at: rules.AtThreshold) -> dict[str, Any]:
    figures = {name: getattr(at.figures, name).value for name, _ in METRICS}
    return {"threshold": at.threshold, **dataclasses.asdict(at.table), **figures}


def _row(row: rules.Row, limit: int) -> dict[str, Any]:
    return {
        "id": row.id, "title": row.title, "actual": row.actual, "outcome": row.outcome, "reason": row.reason or None,
        "total": row.total, "a": row.a, "p": row.p, "g": row.g, "predicted": row.passes(limit),
        "quadrant": row.quadrant(limit), "decision": decision(row, limit), "reasoning": row.reasoning,
    }  # fmt: skip


@click.command()
@workspace_option
@json_option
def maintain(workspace: Workspace, as_json: bool) -> None:
    """Propose topics to block and say what the scores support. Writes nothing."""
    found = maintenance(workspace, open_log(workspace), times.now())
    data = {
        "proposals": [_proposal(one) for one in found.proposals], "calibration": _calibration(found.calibration),
        "incomplete": found.incomplete, "problems": [problem.as_dict() for problem in found.problems],
    }  # fmt: skip
    emit(data, as_json, _maintained(found))


def _proposal(one: Proposal) -> dict[str, Any]:
    return {
        "topic": one.topic, "rejected": list(one.rejected), "examples": list(one.examples),
        "accepts_lost": list(one.cost.accepts_lost), "rejects_caught": list(one.cost.rejects_caught),
        "pending_hit": list(one.cost.pending_hit), "in_comments_only": one.in_content == 0, "prompt": one.prompt,
    }  # fmt: skip


def _calibration(found: Calibration) -> dict[str, Any]:
    advice = found.advice
    return {
        "n": found.n,
        "buckets": {
            str(total): {"n": one.n, "accepted": one.k, "rate": one.value, "interval": _interval(one)}
            for total, one in found.buckets.items()
        },
        "advice": advice.text if advice else None,
        "recommended_threshold": advice.threshold if advice else None,
        "supported": advice.supported if advice else None,
        "more_reviews": advice.more_reviews if advice else None,
        "undecided": found.undecided, "message": found.message,
    }  # fmt: skip


def _maintained(found: Maintenance) -> Iterator[str]:
    for one in found.proposals:
        yield from one.prompt.splitlines()
        caught, lost, hit = (len(ids) for ids in (one.cost.rejects_caught, one.cost.accepts_lost, one.cost.pending_hit))
        yield f"  It would have vetoed {caught} rejected and {lost} accepted, and would veto {hit} pending now."
        yield ""
    if not found.proposals:
        yield "No topic to propose."
    yield found.calibration.message
    if found.calibration.advice:
        yield f"Advice: {found.calibration.advice.text}"
    if found.incomplete:
        yield "incomplete: a file could not be read to its end, so these figures are partial"
    yield from (f"problem: {problem}" for problem in found.problems)
