"""The timeline: an iteration a column, a dimension a row, and what the ratchet did beneath."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.report_loop.dimensions import exact, judged_median, score_accurate
from core.report_loop.named import receipt_of
from core.report_loop.ratchet import Movement, movements
from core.report_loop.runs import ReceiptFile
from core.report_loop.stop import undersampled, unscored
from core.report_loop.words import DIMENSIONS, JUDGED_SAMPLE_N, Dimension

CellState = Literal["pass", "fail", "unverified", "awaiting_judge", "undersampled", "unreadable"]
Move = Literal["baseline", "accepted", "reverted", "scored again", "improved", "not improved", "unknown"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One dimension in one iteration. ``words`` stand in the cell; ``median`` and ``samples`` lie in [0, 1].

    ``anchor`` is None for accurate, which has no judged part, and where the record does not say. ``claimed`` is what
    the record says where the receipt says otherwise, and ``state`` is then the receipt's.
    """

    dimension: Dimension
    state: CellState
    words: str
    anchor: bool | None
    median: float | None
    samples: tuple[float, ...]
    bar: float | None
    target: bool
    reason: str
    claimed: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One iteration. ``move`` is what the ratchet did, ``why`` in words, ``short`` in as few; ``diff`` counts changes.

    ``measured`` is False where the candidate was refused without a scoring and the cells repeat the standing scores.
    """

    index: int
    at: str
    cells: tuple[Cell, ...]
    move: Move
    why: str
    short: str
    target: str
    node: str
    diff: int | None
    receipt: str
    fingerprint: str
    measured: bool

    def cell(self, dimension: str) -> Cell:
        """The cell of one dimension."""
        return next(cell for cell in self.cells if cell.dimension == dimension)


def columns(records: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The columns of records that are in order (`stop.in_order`)."""
    made: list[Column] = []
    standing: Mapping[str, Any] | None = None
    for number, record in enumerate(records, start=1):
        made.append(_column(record, number, standing))
        if record.get("accepted") is not False and isinstance(record.get("scores"), Mapping):
            standing = record["scores"]
    return tuple(made)


def held_to(column: Column, file: ReceiptFile) -> Column:
    """The column with accurate no better than its receipt: a record's pass is a claim, the legs are evidence."""
    cell = column.cell("accurate")
    if cell.state != "pass":
        return column
    state, reason = "unverified", f"{file.name} cannot be read"
    if file.receipt is not None:
        result = score_accurate(file.receipt)
        state, reason = result["status"] or "unverified", f"by its receipt: {result['reason']}"
    if state == "pass":
        return column
    seen, words = _accurate(state)
    held = replace(cell, state=seen, words=words, reason=reason, claimed=cell.words)
    return replace(column, cells=tuple(held if one is cell else one for one in column.cells))


def _column(record: Mapping[str, Any], number: int, standing: Mapping[str, Any] | None) -> Column:
    index, diff = record.get("index"), record.get("content_diff_count")
    move = _move(record, number)
    return Column(
        index=index if type(index) is int else number,
        at=_text(record.get("at")),
        cells=tuple(_cell(name, record) for name in DIMENSIONS),
        move=move,
        why=_text(record.get("reason")) or _why(move, record, standing),
        short=_short(move, record, standing),
        target=_text(record.get("target_dim")),
        node=_text(record.get("node_id")),
        diff=diff if type(diff) is int else None,
        receipt=receipt_of(record) or "",
        fingerprint=_text(record.get("judge_fingerprint")),
        measured=record.get("scored") is not False,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _move(record: Mapping[str, Any], number: int) -> Move:
    accepted, improved = record.get("accepted"), record.get("improved")
    if accepted is True or accepted is False:
        return "accepted" if accepted else "reverted"
    if improved is None:
        return "baseline" if number == 1 else "unknown"
    if record.get("target_dim") is None and number > 1:
        return "scored again"
    return "improved" if improved is True else "not improved"


def _why(move: Move, record: Mapping[str, Any], standing: Mapping[str, Any] | None) -> str:
    """What moved, where the record itself gives no reason."""
    scores = record.get("scores")
    if standing is None or move == "baseline" or not isinstance(scores, Mapping):
        return ""
    try:
        moved = [change for change in movements(standing, scores).values() if change.direction]
    except ValueError as error:
        return str(error)
    words = {1: "rose", -1: "fell"}
    return "; ".join(f"{change.dimension} {words[change.direction]} ({change.words})" for change in moved)


def _short(move: Move, record: Mapping[str, Any], standing: Mapping[str, Any] | None) -> str:
    """What decided it: what fell in a reverted candidate, what its target gained in an accepted one."""
    scores = record.get("scores")
    if record.get("scored") is False:
        return "not scored"
    if standing is None or move == "baseline" or not isinstance(scores, Mapping):
        return ""
    try:
        moved = movements(standing, scores)
    except ValueError:
        return ""
    wanted = -1 if move in ("reverted", "not improved") else 1
    target = moved.get(_text(record.get("target_dim")))
    ordered = [*([target] if target is not None else []), *moved.values()]
    found = next((change for change in ordered if change.direction == wanted), None)
    if found is None:
        return f"{_text(record.get('target_dim')).capitalize() or 'nothing'} did not rise"
    return f"{found.dimension.capitalize()} {_difference(standing, scores, found)}"


def _difference(before: Mapping[str, Any], after: Mapping[str, Any], change: Movement) -> str:
    old, new = before.get(change.dimension), after.get(change.dimension)
    if not isinstance(old, Mapping) or not isinstance(new, Mapping) or change.dimension == "accurate":
        return change.words
    if old.get("anchor_pass") is not new.get("anchor_pass"):
        return "anchor ✓" if new.get("anchor_pass") is True else "anchor ✕"
    values = _unit(old.get("judged_score")), _unit(new.get("judged_score"))
    if values[0] is None or values[1] is None:
        return "scored" if values[1] is not None else "unscored"
    return f"{'+' if values[1] > values[0] else '−'}{exact(abs(values[1] - values[0]))}"


def _cell(name: Dimension, record: Mapping[str, Any]) -> Cell:
    scores = record.get("scores")
    result = scores.get(name) if isinstance(scores, Mapping) else None
    target = record.get("target_dim") == name
    if not isinstance(result, Mapping):
        return Cell(name, "unreadable", "not in the record", None, None, (), None, target, "")
    samples = _samples(record, name)
    median, bar = _unit(result.get("judged_score")), _unit(result.get("bar"))
    if name in unscored(record):
        reason = _text(result.get("reason"))
        return Cell(name, "unreadable", "unreadable score", None, None, samples, bar, target, reason)
    anchor = result.get("anchor_pass") if isinstance(result.get("anchor_pass"), bool) else None
    if name == "accurate":
        state, words = _accurate(result.get("status"))
        return Cell(name, state, words, None, None, (), None, target, _text(result.get("reason")))
    state, words = _judged(result, median, anchor, samples, name in undersampled(record))
    return Cell(name, state, words, anchor, median, samples, bar, target, _text(result.get("reason")))


def _accurate(status: Any) -> tuple[CellState, str]:
    if status in ("pass", "fail", "unverified"):
        return status, status
    return "unreadable", f"{status!r} is no status"


def _judged(
    result: Mapping[str, Any], median: float | None, anchor: bool | None, samples: tuple[float, ...], short: bool
) -> tuple[CellState, str]:
    status = result.get("status")
    if anchor is False and status != "pass":
        return "fail", "anchor red"
    if short:
        return "undersampled", f"{exact(median)}, {len(samples)} of {JUDGED_SAMPLE_N} samples"
    if status is None:
        few = 0 < len(samples) < JUDGED_SAMPLE_N
        seen = (
            f"{exact(judged_median(samples))}, {len(samples)} of {JUDGED_SAMPLE_N} samples" if few else "awaiting judge"
        )
        return ("undersampled" if few else "awaiting_judge"), seen
    if status in ("pass", "fail"):
        words = exact(median) if median is not None else f"{status}, no score"
        return status, words
    return "unreadable", f"{status!r} is no status"


def _samples(record: Mapping[str, Any], name: str) -> tuple[float, ...]:
    samples = record.get("samples")
    listed = samples.get(name) if isinstance(samples, Mapping) else None
    values = [_unit(value) for value in listed] if isinstance(listed, list) else []
    return tuple(value for value in values if value is not None)


def _unit(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)
