"""What a decision of the inbox changes beyond the inbox: written where it belongs, by the system it is about.

Triage contract, "Decisions by kind". Kinds that are not named here (errors) change nothing but the log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from core.decisions import Record, open_log
from core.errors import BadInput
from core.findings import Finding, Kind
from core.people import Person
from core.render_fidelity import scoring
from core.report_loop import decide as loop
from core.report_loop.decisions import ACCEPT_NODE, NONE, RUN_DECISIONS, UNFREEZE, RunDecision, all_decisions
from core.report_loop.residue import Item
from core.report_loop.runs import read_run
from core.report_loop.view import view_run
from core.suggestions import answers, confirm
from core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Wish:
    """A decision on a finding on its way to the system that it concerns."""

    workspace: Workspace
    person: Person
    finding: Finding
    decision: str
    note: str
    given: Mapping[str, Any]
    now: datetime

    def evidence(self, key: str) -> str:
        """A text of the finding's evidence. Raises BadInput when a finding of this kind does not have it."""
        value = self.finding.evidence.get(key)
        if not isinstance(value, str) or not value:
            raise BadInput.of(self.finding.subject, f"the finding does not say its {key}")
        return value


def carry_out(
    workspace: Workspace, person: Person, finding: Finding, decision: str, note: str, given: Mapping[str, Any],
    now: datetime,
) -> Record | None:  # fmt: skip
    """Do what the decision means; None where it changes nothing elsewhere. Raises what the system's function does."""
    effect = _EFFECTS.get(finding.kind)
    return None if effect is None else effect(Wish(workspace, person, finding, decision, note, given, now))


def _proposal(wish: Wish) -> Record:
    topic = wish.evidence("topic")
    if wish.decision == "no":
        return answers.no(wish.workspace, wish.person, topic, now=wish.now)
    return answers.yes(wish.workspace, wish.person, topic, now=wish.now, bullet=str(wish.given.get("topic", "")))


def _threshold(wish: Wish) -> Record | None:
    if wish.decision == "no":
        return None
    value = wish.finding.evidence.get("recommended")
    if not isinstance(value, int):
        raise BadInput.of(wish.finding.subject, "the advice names no threshold")
    return answers.change_threshold(wish.workspace, wish.person, value, now=wish.now)


def _verdict(wish: Wish) -> Record:
    log = open_log(wish.workspace)
    verdict: Any = wish.decision  # "pass" or "reject": the choices of the kind
    return scoring.decide_human(log, wish.person, wish.finding.subject, verdict, wish.note, wish.now)


_RUN = {"accept": "accept_as_it_stands", "send_back": "send_back", "waive": "waive_residue"}


def _run(wish: Wish) -> Record:
    run = wish.evidence("run")
    return loop.decide_run(
        wish.workspace, wish.person, run, cast(RunDecision, _RUN[wish.decision]), note=wish.note,
        residue=_named(wish, run) if wish.decision == "waive" else (),
        seen=str(wish.finding.evidence.get("decide_on", "")), now=wish.now,
    )  # fmt: skip


def _named(wish: Wish, run: str) -> list[Item]:
    """The lines of the run's checklist whose ids were given; an id that is not on it raises BadInput."""
    known = {item.id: item for item in residue(wish.workspace, run, wish.now)}
    wanted = [str(one) for one in wish.given.get("residue", ())]
    for one in wanted:
        if one not in known:
            raise BadInput.of(run, f"{one!r} is not on its checklist")
    return [known[one] for one in wanted]


def residue(workspace: Workspace, run: str, now: datetime) -> list[Item]:
    """The checklist of a run: what a waiver can name. Raises BadInput when there is no such run."""
    folder = workspace.run(run)
    if folder is None:
        raise BadInput.of(run, "there is no such run")
    decided = all_decisions(open_log(workspace)).get(run, NONE)
    view = view_run(read_run(workspace, folder), decided, now)
    return [line.item for line in view.checklist]


def _node(wish: Wish) -> Record:
    run, node = wish.evidence("run"), wish.evidence("node")
    unfreeze = wish.decision == "unfreeze"
    return loop.decide_node(
        wish.workspace, wish.person, run, node, unfreeze=unfreeze, note=wish.note, now=wish.now
    )  # fmt: skip


_EFFECTS: dict[Kind, Callable[[Wish], Record | None]] = {
    "blocklist_proposal": _proposal,
    "threshold_advice": _threshold,
    "needs_human": _verdict,
    "loop_escalated": _run,
    "node_frozen": _node,
}


# ---- and back

_LOOP_ACTIONS = (*RUN_DECISIONS, UNFREEZE, ACCEPT_NODE)


def take_back(workspace: Workspace, person: Person, seq: int, now: datetime) -> Record:
    """Undo what `carry_out` recorded as ``seq``, in its files and in the log.

    Raises BadInput when it is no such record, Conflict when its file was changed since or it was undone already.
    """
    log = open_log(workspace)
    record = log.record(seq)
    if record is None:
        raise BadInput.of("decision log", f"there is no record {seq}")
    if record.action in ("block", "unblock", "no"):
        return confirm.undo(workspace, person, record, now=now)
    if record.action == scoring.HUMAN:
        return scoring.undo_human(log, person, seq, now)
    if record.action in _LOOP_ACTIONS:
        return loop.undo(workspace, person, seq, now=now)
    return log.undo(person, seq, at=now)
