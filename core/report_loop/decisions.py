"""What people decided about runs: state out of the decision log (triage contract, The decision log).

Subjects are ``report_loop/<run>`` for a run, with ``/residue/<item>``, ``/node/<node>`` or ``/edit/<edit>`` behind it
for a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from core.decisions import Log, Record, undone
from core.files import jsontext
from core.files.memo import Memo

RunDecision = Literal["accept_as_it_stands", "send_back", "waive_residue"]
RUN_DECISIONS: Final[tuple[RunDecision, ...]] = ("accept_as_it_stands", "send_back", "waive_residue")
TICK, UNTICK = "tick_residue", "untick_residue"
UNFREEZE, ACCEPT_NODE = "unfreeze_node", "accept_node"
CLASSIFY = "classify_edit"
SYSTEM = "report_loop"


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision in force: the log's record, and the parts of its payload that a page shows.

    ``draft`` and ``iteration`` say which draft (`draft.Draft`) a tick or waiver is about.
    """

    seq: int
    at: str
    reviewer: str
    action: str
    note: str = ""
    residue: tuple[str, ...] = ()
    evidence: str = ""
    draft: str = ""
    iteration: int | None = None


@dataclass(frozen=True)
class RunDecisions:
    """Everything in force about one run. ``ticks`` and ``waived`` are by checklist item, ``grants`` by node."""

    decided: tuple[Decided, ...] = ()
    ticks: dict[str, Decided] = field(default_factory=dict)
    waived: dict[str, Decided] = field(default_factory=dict)
    grants: dict[str, int] = field(default_factory=dict)
    accepted_nodes: dict[str, Decided] = field(default_factory=dict)

    @property
    def latest(self) -> Decided | None:
        """The decision on the run as a whole that counts now."""
        return self.decided[-1] if self.decided else None


NONE: Final = RunDecisions()
_kept: Memo[dict[str, RunDecisions]] = Memo(most=100)


def subject(run: str, part: str = "", item: str = "") -> str:
    """The log's subject for a run or a part of it; what the log can keep in no subject is escaped in the item."""
    safe = jsontext.encoded(item).decode().replace("\0", "\\u0000")
    return "/".join(filter(None, (SYSTEM, run, part, safe)))


def all_decisions(log: Log) -> dict[str, RunDecisions]:
    """The decisions in force by run, to be read only. Raises Unavailable when the log cannot be read."""
    key = (str(log.workspace.root), log.place)
    return _kept.get(key, log.version(), lambda: (fold(log.records()), None))


def fold(records: Iterable[Record]) -> dict[str, RunDecisions]:
    """State by run out of the log's records, in order; what was undone does not count (pure)."""
    listed = list(records)
    taken_back = undone(listed)
    state: dict[str, RunDecisions] = {}
    for record in listed:
        parts = record.subject.split("/", 3)
        if parts[0] != SYSTEM or len(parts) < 2 or record.seq in taken_back:
            continue
        run = state.setdefault(parts[1], RunDecisions())
        state[parts[1]] = _step(run, record, parts[3] if len(parts) == 4 else "")
    return state


def _step(run: RunDecisions, record: Record, item: str) -> RunDecisions:
    made, node = _decided(record), str(record.payload.get("node", item))
    if record.action in RUN_DECISIONS:
        waived = {**run.waived, **dict.fromkeys(made.residue, made)} if record.action == "waive_residue" else run.waived
        return RunDecisions((*run.decided, made), run.ticks, waived, run.grants, run.accepted_nodes)
    if record.action == TICK:
        run.ticks[item] = made
    elif record.action == UNTICK:
        run.ticks.pop(item, None)
    elif record.action == UNFREEZE:
        run.grants[node] = run.grants.get(node, 0) + 1
    elif record.action == ACCEPT_NODE:
        run.accepted_nodes[node] = made
    return run


def _decided(record: Record) -> Decided:
    residue, iteration = record.payload.get("residue", []), record.payload.get("iteration")
    return Decided(
        seq=record.seq,
        at=record.at,
        reviewer=record.reviewer,
        action=record.action,
        note=str(record.payload.get("note", "")),
        residue=tuple(str(item) for item in residue) if isinstance(residue, list) else (),
        evidence=str(record.payload.get("evidence", "")),
        draft=str(record.payload.get("draft", "")),
        iteration=iteration if type(iteration) is int else None,
    )
