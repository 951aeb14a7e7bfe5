"""What of the report loop needs a human (triage contract, Findings)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from core.decisions import open_log
from core.files.memo import Memo
from core.findings import Finding, Kind, Severity
from core.report_loop.decisions import NONE, RunDecisions, all_decisions
from core.report_loop.runs import RunFiles, read_run, stamps
from core.report_loop.stop import in_order, standing, undersampled
from core.report_loop.view import RunView, view_run
from core.report_loop.view.receipts import turning_points
from core.workspace import Workspace

_SEVERITY: dict[Kind, Severity] = {
    "loop_escalated": "blocking", "overclaim": "blocking", "accurate_unverified": "attention",
    "node_frozen": "attention", "judge_undersampled": "attention", "unreadable": "attention",
    "feedback_undecided": "notice", "receipt_stale": "notice",
}  # fmt: skip


def findings(workspace: Workspace, now: datetime) -> list[Finding]:
    """Every finding of every run, in the order of the runs. Raises Unavailable when the decision log cannot be read."""
    decided = all_decisions(open_log(workspace))
    found: list[Finding] = []
    for folder in workspace.runs():
        made = decided.get(folder.name, NONE)
        found += _kept.get(folder, (stamps(folder), repr(made)), partial(_of_folder, workspace, folder, made, now), now)
    return found


_kept: Memo[tuple[Finding, ...]] = Memo()


def _of_folder(
    workspace: Workspace, folder: Path, made: RunDecisions, now: datetime
) -> tuple[tuple[Finding, ...], datetime | None]:
    """The findings of a run, and when the clock alone changes them: a receipt's time comes or its time to live ends."""
    files = read_run(workspace, folder)
    moments = turning_points(files.receipts)
    return tuple(run_findings(files, made, now)), min((moment for moment in moments if moment > now), default=None)


def run_findings(files: RunFiles, decisions: RunDecisions, now: datetime) -> list[Finding]:
    """The findings of one run: a pure function of its files, of what people decided, and of the time.

    Evidence holds nothing that changes with the clock alone, so that a resolved finding stays resolved.
    """
    view = view_run(files, decisions, now)
    return [
        *_stopped(view),
        *_nodes(view),
        *_receipt(view),
        *_judged(view, files),
        *_feedback(view),
        *_unreadable(view),
    ]


def link(run: str, iteration: int | None = None, **more: str) -> str:
    """The address of a run, or of one of its iterations, in the dashboard."""
    query: dict[str, str] = {"run": run}
    if iteration is not None:
        query["iteration"] = str(iteration)
    asked = urlencode({**query, **more}, errors="backslashreplace")  # a folder may have a name that is no Unicode
    return f"/report_loop?{asked}"


def _make(view: RunView, kind: Kind, subject: str, summary: str, evidence: dict[str, Any], address: str) -> Finding:
    return Finding.make(
        system="report_loop", kind=kind, severity=_SEVERITY[kind], subject=subject, summary=summary,
        evidence={"run": view.run, "title": view.title, **evidence}, link=address,
    )  # fmt: skip


def _last(view: RunView) -> int | None:
    return view.columns[-1].index if view.columns else None


def _stopped(view: RunView) -> Iterator[Finding]:
    head = view.headline
    if head.escalated:
        evidence = {
            "status": head.stop["status"], "reason": head.stop["reason"], "iterations": head.stop["iterations"],
            "held_back_by": list(head.held_back), "why": _reasons(view, head.held_back),
            "frozen": [node.node for node in view.nodes if node.frozen], "route": head.stop["route"],
            "decide_on": view.evidence,
        }  # fmt: skip
        summary = f"{view.title}: {head.words}, held back by {', '.join(head.held_back) or 'nothing that was checked'}"
        yield _make(view, "loop_escalated", view.run, summary, evidence, link(view.run, _last(view)))
    accurate, why = _accurate(view)
    if accurate == "unverified" and head.word not in ("running", "unreadable") and head.decided is None:
        summary = f"{view.title}: accurate is not proven ({why})"
        yield _make(view, "accurate_unverified", view.run, summary, {"why": why}, link(view.run, _last(view)))


def _reasons(view: RunView, dimensions: tuple[str, ...]) -> dict[str, str]:
    column = view.standing
    return {} if column is None else {name: column.cell(name).reason for name in dimensions}


def _accurate(view: RunView) -> tuple[str, str]:
    """Accurate as it stands: by the latest iteration, or by the receipt where there is no iteration."""
    if view.headline.word in ("unverified", "fail"):
        return "unverified", view.headline.why
    if view.standing is not None:
        cell = view.standing.cell("accurate")
        return str(cell.words), cell.reason
    receipt = view.receipts.get(view.latest_receipt)
    return (receipt.accurate, "by its receipt") if receipt is not None and receipt.readable else ("", "")


def _nodes(view: RunView) -> Iterator[Finding]:
    for node in view.nodes:
        if node.waiting:
            name = f"{node.name} ({node.node})" if node.name else node.node
            evidence = {"node": node.node, "name": node.name, "edits": node.edits, "allowed": node.allowed}
            summary = f"{view.title}: {name} is frozen after {node.edits} edits without reaching the bar"
            yield _make(view, "node_frozen", f"{view.run}/{node.node}", summary, evidence, link(view.run, _last(view)))


def _receipt(view: RunView) -> Iterator[Finding]:
    receipt = view.receipts.get(view.latest_receipt)
    if receipt is None or not receipt.readable:
        return
    address = link(view.run, next((c.index for c in view.columns if c.receipt == receipt.name), _last(view)))
    if receipt.overclaim:
        legs = {leg.leg: leg.verdict for leg in receipt.legs if leg.verdict != "pass"}
        evidence: dict[str, Any] = {
            "receipt": receipt.name, "claims": receipt.claimed, "computed": receipt.gate, "legs": legs,
        }  # fmt: skip
        summary = f"{view.title}: its receipt claims {receipt.claimed}, its legs give {receipt.gate}"
        yield _make(view, "overclaim", f"{view.run}/{receipt.name}", summary, evidence, address)
    fresh = receipt.freshness
    if fresh is not None and not fresh.fresh:
        evidence = {"receipt": receipt.name, "generated_at": receipt.generated, "why": fresh.why}
        summary = f"{view.title}: {receipt.name} is {'stale' if fresh.stale else 'of unknown age'} ({fresh.why})"
        yield _make(view, "receipt_stale", f"{view.run}/{receipt.name}", summary, evidence, address)


def _judged(view: RunView, files: RunFiles) -> Iterator[Finding]:
    records, _ = in_order(files.records)
    stands, column = standing(records), view.standing
    if stands is None or column is None:
        return
    names = sorted({*undersampled(stands), *(cell.dimension for cell in column.cells if cell.state == "undersampled")})
    if names:
        samples = {cell.dimension: list(cell.samples) for cell in column.cells if cell.dimension in names}
        summary = f"{view.title}: {', '.join(names)} judged on fewer than three samples"
        yield _make(view, "judge_undersampled", view.run, summary, {"samples": samples}, link(view.run, _last(view)))


def _feedback(view: RunView) -> Iterator[Finding]:
    undecided = [edit for edit in view.feedback.edits if edit.ruling.cls == "undecided"] if view.feedback else []
    if undecided:
        edits = [
            {"id": one.id, "before": one.edit.before[:200], "after": one.edit.after[:200]} for one in undecided[:5]
        ]
        noun = "edit" if len(undecided) == 1 else "edits"
        summary = f"{view.title}: {len(undecided)} reviewer {noun} that no rule could classify"
        evidence = {"undecided": len(undecided), "edits": edits}
        yield _make(view, "feedback_undecided", view.run, summary, evidence, link(view.run, tab="feedback"))


def _unreadable(view: RunView) -> Iterator[Finding]:
    by_file: dict[str, list[str]] = {}
    for problem in view.problems:
        by_file.setdefault(problem.file, []).append(str(problem))
    for file, problems in by_file.items():
        summary = f"{view.title}: {problems[0]}"
        yield _make(view, "unreadable", file, summary, {"file": file, "problems": problems[:10]}, link(view.run))
