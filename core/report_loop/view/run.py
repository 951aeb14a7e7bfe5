"""Everything the page says about one run, together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import Problem
from core.report_loop.decisions import Decided, RunDecisions
from core.report_loop.draft import Draft, draft_of
from core.report_loop.feedback.model import Feedback
from core.report_loop.residue import Item, checklist
from core.report_loop.runs import RECEIPTS, ReceiptFile, RunFiles
from core.report_loop.stop import in_order
from core.report_loop.view.budget import NodeBudget, budgets
from core.report_loop.view.receipts import ReceiptView, view_receipt
from core.report_loop.view.status import Headline, headline, latest_receipt
from core.report_loop.view.timeline import Column, columns, held_to
from core.times import Instant


@dataclass(frozen=True, slots=True)
class ChecklistLine:
    """One line of the checklist with who ticked or waived it for this draft, or did so for an ``earlier`` one only."""

    item: Item
    ticked: Decided | None
    waived: Decided | None
    earlier: Decided | None = None

    @property
    def done(self) -> bool:
        """True when somebody has dealt with it for the draft in force."""
        return self.ticked is not None or self.waived is not None


@dataclass(frozen=True, slots=True)
class RunView:
    """One run, ready to be shown. ``receipts`` are by file name; ``problems`` hold file and iteration problems."""

    run: str
    path: str
    title: str
    format: str
    started: Instant | None
    evidence: str
    draft: Draft
    headline: Headline
    columns: tuple[Column, ...]
    receipts: Mapping[str, ReceiptView]
    latest_receipt: str
    checklist: tuple[ChecklistLine, ...]
    nodes: tuple[NodeBudget, ...]
    feedback: Feedback | None
    decisions: RunDecisions
    problems: tuple[Problem, ...]

    def receipt_of(self, column: Column) -> ReceiptView | None:
        """The receipt of an iteration: the one it names, else for the one whose draft stands the run's newest."""
        if column.receipt:
            return self.receipts.get(column.receipt, self.receipts.get(f"{RECEIPTS}/{column.receipt}"))
        return self.receipts.get(self.latest_receipt) if column is self.standing else None

    @property
    def standing(self) -> Column | None:
        """The iteration whose draft stands: the last that was not reverted."""
        return _standing(self.columns)

    def column(self, index: int) -> Column | None:
        """The iteration with that number."""
        return next((column for column in self.columns if column.index == index), None)


def view_run(files: RunFiles, decisions: RunDecisions, now: datetime) -> RunView:
    """The whole view of a run: a pure function of its files, of what people decided, and of the time."""
    head, draft = headline(files, decisions, now), draft_of(files)
    records, _ = in_order(files.records)
    latest = latest_receipt(files, records, now)
    environment = files.environment or _first_environment(files.receipts)
    lines = checklist(latest.receipt if latest else None, latest.a11y if latest else None)
    return RunView(
        run=files.run,
        path=files.path,
        title=files.title or files.run,
        format=files.format or (latest.receipt.format if latest and latest.receipt else ""),
        started=files.started,
        evidence=files.evidence,
        draft=draft,
        headline=head,
        columns=_columns(files, records, latest),
        receipts={file.name: view_receipt(file, now, environment) for file in files.receipts},
        latest_receipt=latest.name if latest else "",
        checklist=tuple(_line(item, decisions, draft) for item in lines),
        nodes=budgets(files, records, decisions, head.stop["status"] == "PASS"),
        feedback=files.feedback,
        decisions=decisions,
        problems=(*files.problems, *_iteration_problems(files, head)),
    )


def _columns(files: RunFiles, records: Sequence[Mapping[str, Any]], latest: ReceiptFile | None) -> tuple[Column, ...]:
    """The iterations, each held to the receipt it names, the standing one without a name to the run's newest."""
    made = columns(records)
    named = [next((file for file in files.receipts if file.goes_by(column.receipt)), None) for column in made]
    standing = _standing(made)
    return tuple(
        held_to(column, file) if file is not None else column
        for column, file in (
            (column, latest if column is standing and not column.receipt else file)
            for column, file in zip(made, named, strict=True)
        )
    )


def _standing(made: Sequence[Column]) -> Column | None:
    return next((column for column in reversed(made) if column.move != "reverted"), None)


def _line(item: Item, decisions: RunDecisions, draft: Draft) -> ChecklistLine:
    tick, waiver = decisions.ticks.get(item.id), decisions.waived.get(item.id)
    ticked, waived = (made if made is not None and made.draft == draft.key else None for made in (tick, waiver))
    made = [one for one in (tick, waiver) if one is not None]
    done = ticked is not None or waived is not None
    return ChecklistLine(item, ticked, waived, None if done else max(made, key=lambda one: one.seq, default=None))


def _first_environment(receipts: tuple[ReceiptFile, ...]) -> str:
    """The environment the run began in, where run.json does not name one."""
    return next((file.receipt.env_fingerprint for file in receipts if file.receipt is not None), "")


def _iteration_problems(files: RunFiles, head: Headline) -> list[Problem]:
    def problem(entry: Mapping[str, Any]) -> Problem:
        return Problem(f"{files.path}/iterations", entry["reason"], position=entry["position"])

    return [problem(entry) for entry in head.stop["problems"]]
