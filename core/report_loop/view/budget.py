"""Edits by node: how many of its budget each has used, and which are frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.report_loop.decisions import RunDecisions
from core.report_loop.loop import edit_counts
from core.report_loop.ratchet import node_edit_budget_exceeded
from core.report_loop.runs import RunFiles
from core.report_loop.words import NODE_EDIT_BUDGET


@dataclass(frozen=True, slots=True)
class NodeBudget:
    """One node. ``edits`` counts revisions that did not reach the bar, ``allowed`` the budget with what was granted.

    ``waiting`` is True for a frozen node that no person has accepted.
    """

    node: str
    name: str
    edits: int
    allowed: int
    frozen: bool
    accepted_by: str

    @property
    def waiting(self) -> bool:
        """True when a person has to say something about it."""
        return self.frozen and not self.accepted_by


def budgets(
    files: RunFiles, records: Sequence[Mapping[str, Any]], decisions: RunDecisions, passed: bool
) -> tuple[NodeBudget, ...]:
    """The nodes of a run, frozen ones first. In a run that passed, no node is frozen: the bar was reached."""
    counts = files.edit_counts if files.edit_counts is not None else edit_counts(records)
    made = [
        NodeBudget(
            node=node,
            name=files.node_names.get(node, ""),
            edits=count,
            allowed=NODE_EDIT_BUDGET + decisions.grants.get(node, 0),
            frozen=not passed
            and node_edit_budget_exceeded(counts, node, NODE_EDIT_BUDGET + decisions.grants.get(node, 0)),
            accepted_by=decisions.accepted_nodes[node].reviewer if node in decisions.accepted_nodes else "",
        )
        for node, count in counts.items()
    ]
    return tuple(sorted(made, key=lambda node: (not node.frozen, -node.edits, node.node)))
