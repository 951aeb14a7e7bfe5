"""Ratchet and edit budget: pure, without model, clock or file (report-loop contract, Ratchet, budget, stop)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.report_loop.dimensions import dimension_score, exact
from core.report_loop.words import DIMENSIONS, NODE_EDIT_BUDGET

# A leak that is proven is worse than accuracy that could not be verified (docs/decisions/0040-report-loop-readings.md).
_ACCURATE_RANK = {"fail": 0, "unverified": 1, "pass": 2}


def accept_revision(prev: Mapping[str, Any], new: Mapping[str, Any], target_dim: str) -> bool:
    """True only if the target's score rises and no other falls, by however little; never if accurate leaves `pass`.

    ``prev`` and ``new`` have the shape of `score_all`. Raises ValueError for an unknown dimension or a score outside
    [0, 1] (report-loop contract, Ratchet).
    """
    return ratchet(prev, new, target_dim)[0]


def ratchet(prev: Mapping[str, Any], new: Mapping[str, Any], target_dim: str) -> tuple[bool, str]:
    """`accept_revision` with the reason in words. Raises ValueError as it does."""
    if target_dim not in DIMENSIONS:
        raise ValueError(f"unknown target dimension {target_dim!r}")
    moves = movements(prev, new)
    fallen = [move for move in moves.values() if move.direction < 0]
    if fallen:
        return False, "; ".join(f"{move.dimension} fell ({move.words})" for move in fallen)
    target = moves[target_dim]
    if target.direction <= 0:
        return False, f"{target_dim} did not rise ({target.words})"
    return True, f"{target_dim} rose ({target.words}), nothing fell"


@dataclass(frozen=True, slots=True)
class Movement:
    """How one dimension moved: ``direction`` −1, 0 or 1, and the two values in words."""

    dimension: str
    direction: int
    words: str


def movements(prev: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Movement]:
    """How each dimension moved between two scorings. Raises ValueError as `accept_revision` does."""
    for name in (*prev, *new):
        if name not in DIMENSIONS:
            raise ValueError(f"unknown dimension {name!r}")
    return {name: _movement(name, _result(prev, name), _result(new, name)) for name in DIMENSIONS}


def _result(scores: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    result = scores.get(name)
    if result is None:
        return None
    if not isinstance(result, Mapping):
        raise ValueError(f"{name} is {result!r}, not a result of score_all")
    return {**result, "dimension": name}


def _movement(name: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Movement:
    old, new = (None if side is None else dimension_score(side) for side in (before, after))
    if name == "accurate":
        return Movement(name, _accurate_direction(before, after), f"{_status(before)} → {_status(after)}")
    return Movement(name, _direction(before, after, old, new), f"{_score(before, old)} → {_score(after, new)}")


def _accurate_direction(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> int:
    if after is None:
        return 0 if before is None else -1
    if before is None:  # a baseline: nothing falls, and only a pass is something gained
        return int(after.get("status") == "pass")
    step = _sign(_ACCURATE_RANK.get(str(after.get("status")), 1) - _ACCURATE_RANK.get(str(before.get("status")), 1))
    return min(step, int(after.get("status") == "pass"))  # fail and unverified both count 0.0: no rise between them


def _direction(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, old: float | None, new: float | None
) -> int:
    """Anchors first (a red one is no score), then the numbers; a score that goes missing is unproven, hence a fall."""
    if after is None:
        return 0 if before is None else -1
    green = after.get("anchor_pass") is True
    if before is None:
        return int(green and new is not None)
    was_green = before.get("anchor_pass") is True
    lost = before.get("judged_score") is not None and new is None
    if lost or (was_green and not green):
        return -1
    if green and not was_green:
        return 1
    if old is None or new is None:
        return int(new is not None)
    return _sign(new - old)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _status(result: Mapping[str, Any] | None) -> str:
    return "missing" if result is None else str(result.get("status"))


def _score(result: Mapping[str, Any] | None, score: float | None) -> str:
    if result is None:
        return "missing"
    return "unscored" if score is None else "anchor red" if result.get("anchor_pass") is not True else exact(score)


def node_edit_budget_exceeded(edit_counts: Mapping[str, int], node_id: str, budget: int = NODE_EDIT_BUDGET) -> bool:
    """True when a node was revised ``budget`` times without reaching the bar: it is frozen and goes to the human.

    Raises ValueError for a count that is not a whole number from 0 on, or a budget below 1.
    """
    if budget < 1:
        raise ValueError(f"an edit budget of {budget!r} leaves nothing to revise")
    count = edit_counts.get(node_id, 0)
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ValueError(f"node {node_id!r} has {count!r} edits, not a whole number from 0 on")
    return count >= budget
