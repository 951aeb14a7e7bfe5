"""``python -m core report``: score, terminate, accept, median, signals, feedback, loop (report-loop contract)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar, TypeVar

import click

from core import files, times
from core.cli_support import answer, emit, json_option, workspace_option
from core.errors import BadInput
from core.report_loop import inputs
from core.report_loop.cli_options import now_option
from core.report_loop.dimensions import exact, judged_median, judged_sample_insufficient, passes_bar
from core.report_loop.flags import receipt_flags
from core.report_loop.ratchet import ratchet
from core.report_loop.receipt import computed_gate, freshness, overclaims
from core.report_loop.residue import checklist
from core.report_loop.rubric import score_all, terminate
from core.report_loop.scoring import Evidence, signals_of
from core.report_loop.signals import format_consistency, kind_of, read_blocks, read_deltas, sign_consistency
from core.report_loop.words import DEFAULT_BAR, DIMENSIONS, STATUS_PASS
from core.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


class _Lazy(click.Group):
    """Commands that need a judge, the log or statistics are imported on use: a receipt is scored without them."""

    later: ClassVar[dict[str, str]] = {"feedback": "cli_feedback", "loop": "cli_loop"}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self.later]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.later:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"core.report_loop.{self.later[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group(cls=_Lazy, help="Receipts, four dimensions, ratchet and stop.")
def group() -> None:
    """The report loop's commands."""


def _tristate(name: str, what: str) -> Callable[[F], F]:
    words = click.Choice(["true", "false"])
    return click.option(f"--{name}", type=words, default=None, help=f"{what}; not given: not supplied.")


def _truth(word: str | None) -> bool | None:
    return None if word is None else word == "true"


@group.command()
@click.option("--receipt", "receipt_path", required=True, metavar="FILE", help="The fidelity receipt.")
@_tristate("sign-consistency", "Narrative direction matches the data's")
@_tristate("a11y-axe", "axe-core gate of an HTML report")
@_tristate("a11y-verapdf", "veraPDF gate of an office report")
@_tristate("format-consistency", "One format for each kind of figure, no leftovers")
@click.option("--dynamic-judged", type=float, default=None, metavar="X", help="Median of at least 3 judge samples.")
@click.option("--inclusive-judged", type=float, default=None, metavar="X", help="Median of at least 3 judge samples.")
@click.option("--polished-judged", type=float, default=None, metavar="X", help="Median of at least 3 judge samples.")
@click.option("--bar", type=float, default=DEFAULT_BAR, show_default=True, metavar="X", help="The bar, 0 to 1.")
@now_option
@workspace_option
@json_option
def score(
    receipt_path: str, sign_consistency: str | None, a11y_axe: str | None, a11y_verapdf: str | None,
    format_consistency: str | None, dynamic_judged: float | None, inclusive_judged: float | None,
    polished_judged: float | None, bar: float, now: datetime | None, workspace: Workspace, as_json: bool,
) -> None:  # fmt: skip
    """Score one receipt on the four dimensions. Exit 0 only when accurate is `pass`."""
    path = inputs.find(workspace, receipt_path)
    receipt = inputs.load_receipt(path, workspace.label(path))
    gate = inputs.load_a11y(inputs.beside(path), workspace.label(inputs.beside(path)))
    given = {
        "sign_consistency": _truth(sign_consistency), "a11y_axe": _truth(a11y_axe),
        "a11y_verapdf": _truth(a11y_verapdf), "format_consistency": _truth(format_consistency),
    }  # fmt: skip
    signals = signals_of(Evidence(receipt, gate, given))
    try:
        scores = score_all(
            receipt, signals["sign_consistency"], signals["a11y_axe"], signals["a11y_verapdf"],
            signals["format_consistency"], dynamic_judged, inclusive_judged, polished_judged, bar,
        )  # fmt: skip
    except ValueError as error:
        raise BadInput.of("report score", str(error)) from None
    at = now or times.now()
    flags = [flag.text for flag in receipt_flags(receipt, at, a11y=gate)]
    residue = [item.text for item in checklist(receipt, gate)]
    data = {
        "computed_gate": computed_gate(receipt),
        "overclaim": overclaims(receipt),
        "stale": freshness(receipt, at).stale,
        "flags": flags,
        "residue": residue,
        "scores": scores,
        "passes_bar": passes_bar(scores),
        "problems": [problem.as_dict() for problem in (*receipt.problems, *(gate.problems if gate else ()))],
    }
    lines = [f"gate {data['computed_gate']} (computed)", *(f"! {flag}" for flag in flags)]
    lines += [
        f"{name:10} {scores[name]['status'] or 'awaiting judge':14} {scores[name]['reason']}" for name in DIMENSIONS
    ]
    lines += ["left for a person:", *(f"  [ ] {text}" for text in residue)]
    emit(data, as_json, lines)
    answer(scores["accurate"]["status"] == "pass")


@group.command(name="terminate")
@click.option("--iterations", "path_text", required=True, metavar="FILE", help="iterations.json or iterations.jsonl.")
@workspace_option
@json_option
def terminate_command(path_text: str, workspace: Workspace, as_json: bool) -> None:
    """Decide whether the loop stops. Exit 0 to stop, 1 to go on, 2 where records that cannot be read forbid a PASS."""
    path = inputs.find(workspace, path_text)
    label = workspace.label(path)
    records = inputs.load_iterations(path, label)
    should_stop, verdict = terminate(records.items)
    if records.damaged is not None and (verdict["status"] == STATUS_PASS or not records.items):
        raise BadInput(records.damaged)  # the latest iteration may be the one that cannot be read
    problems = [problem.as_dict() for problem in records.problems]
    problems += [{"file": label, **problem} for problem in verdict["problems"]]
    data = {"should_stop": should_stop, **verdict, "problems": problems}
    word = verdict["status"] or "go on"
    lines = [f"{word}: {verdict['reason']}", *(f"! {problem['reason']}" for problem in problems)]
    if verdict["escalate_to_human"]:
        lines.append(f"needs a human, by way of the {verdict['route']}")
    emit(data, as_json, lines)
    answer(should_stop)


@group.command()
@click.option("--prev", "prev_path", required=True, metavar="FILE", help="Scores before the revision.")
@click.option("--new", "new_path", required=True, metavar="FILE", help="Scores after it.")
@click.option("--target", required=True, metavar="DIM", help="The dimension the revision was for.")
@workspace_option
@json_option
def accept(prev_path: str, new_path: str, target: str, workspace: Workspace, as_json: bool) -> None:
    """Apply the ratchet to one revision. Exit 0 to accept, 1 to revert."""
    paths = [inputs.find(workspace, text) for text in (prev_path, new_path)]
    prev, new = (inputs.load_scores(path, workspace.label(path)) for path in paths)
    try:
        accepted, reason = ratchet(prev, new, target)
    except ValueError as error:
        raise BadInput.of("report accept", str(error)) from None
    emit({"accept": accepted, "reason": reason}, as_json, [f"{'accept' if accepted else 'revert'}: {reason}"])
    answer(accepted)


@group.command(context_settings={"ignore_unknown_options": True})
@click.argument("samples", nargs=-1, type=str, metavar="X...")
@workspace_option
@json_option
def median(samples: tuple[str, ...], workspace: Workspace, as_json: bool) -> None:
    """Median of judge samples. Exit 0 when there are enough of them (3) to use it as a score, else 1."""
    values = [_sample(number, text) for number, text in enumerate(samples, start=1)]
    try:
        middle, sufficient = judged_median(values), not judged_sample_insufficient(values)
    except ValueError as error:
        raise BadInput.of("report median", str(error)) from None
    note = "" if sufficient else f" (insufficient samples: {len(values)} of 3; not a score)"
    emit({"median": middle, "sufficient": sufficient}, as_json, [f"{exact(middle)}{note}"])
    answer(sufficient)


def _sample(number: int, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput.of("report median", f"sample {number} is {text!r}, not a number from 0 to 1") from None


@group.command()
@click.argument("draft")
@click.option("--deltas", "deltas_path", default=None, metavar="FILE", help="Known change of each metric (JSON).")
@workspace_option
@json_option
def signals(draft: str, deltas_path: str | None, workspace: Workspace, as_json: bool) -> None:
    """Check a draft for sign and format consistency. Exit 0 when all that was checked holds, else 1."""
    path = inputs.find(workspace, draft)
    text = files.read_text(path, workspace.label(path))
    blocks = read_blocks(text.text, kind_of(path.name))
    formats = format_consistency(blocks)
    data: dict[str, Any] = {
        "format_consistency": {
            "pass": formats.passed, "findings": [remark.as_dict() for remark in formats.findings],
            "styles": formats.styles,
        },
        "problems": [problem.as_dict() for problem in text.problems],
    }  # fmt: skip
    passed = [formats.passed if text.complete else None]
    lines = [f"format consistency: {_word(passed[0])}"]
    lines += [f"  line {remark.line} {remark.node}: {remark.text!r}: {remark.reason}" for remark in formats.findings]
    if deltas_path is not None:
        source = inputs.find(workspace, deltas_path)
        label = workspace.label(source)
        signs = sign_consistency(blocks, read_deltas(files.read_json(source, label), label))
        found = {"findings": signs.contradictions, "undecided": signs.undecided}
        data["sign_consistency"] = {
            "pass": signs.passed, "checked": signs.checked,
            **{key: [remark.as_dict() for remark in remarks] for key, remarks in found.items()},
        }  # fmt: skip
        passed.append(signs.passed if text.complete else None)
        lines.append(f"sign consistency: {_word(passed[1])} ({signs.checked} checked)")
        for remark in (*signs.contradictions, *signs.undecided):
            lines.append(f"  line {remark.line} {remark.node}: {remark.text!r}: {remark.reason}")
    emit(data, as_json, lines)
    answer(all(result is True for result in passed))


def _word(passed: bool | None) -> str:
    return {True: "pass", False: "fail", None: "undecided"}[passed]
