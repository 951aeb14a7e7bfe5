"""The stop rule: PASS, then cap, then plateau, else go on; pure (report-loop contract, terminate)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypedDict

from core.report_loop.dimensions import passes_bar, unit_value
from core.report_loop.words import (
    ITERATION_CAP,
    JUDGED,
    JUDGED_SAMPLE_N,
    PLATEAU_PATIENCE,
    ROUTE,
    STATUS_CAP,
    STATUS_PASS,
    STATUS_PLATEAU,
)


class Stop(TypedDict):
    """What `terminate` says.

    ``status`` is None while the loop goes on; ``content_diff_count`` is that of the latest record.
    """

    status: str | None
    reason: str
    iterations: int
    content_diff_count: int | None
    escalate_to_human: bool
    route: str | None
    problems: list[dict[str, str]]


def terminate(
    iterations: Sequence[Any], cap: int = ITERATION_CAP, plateau_patience: int = PLATEAU_PATIENCE
) -> tuple[bool, Stop]:
    """Whether the loop stops and why: PASS, then cap, then plateau, else go on (report-loop contract, terminate).

    Records count in the order of their ``index``; disorder, gaps, repeats and malformed values are in ``problems``. A
    record that says its candidate was reverted, or that its receipt was not fresh, cannot be a PASS. Raises ValueError
    for a cap or patience below 1.
    """
    if cap < 1 or plateau_patience < 1:
        raise ValueError("cap and plateau_patience are whole numbers from 1 on")
    records, problems = in_order(iterations)
    if not records:
        return False, _stop(None, "no iterations yet", [], problems)
    latest = _latest(records)
    if all(at_bar(record) for record in latest):
        return True, _stop(STATUS_PASS, "every checked dimension cleared its bar", records, problems)
    if len(records) >= cap:
        return True, _stop(STATUS_CAP, f"{len(records)} iterations reached the cap of {cap}", records, problems)
    window = records[-plateau_patience:]
    if len(window) == plateau_patience and all(record.get("improved") is False for record in window):
        reason = f"the last {plateau_patience} iterations improved nothing"
        return True, _stop(STATUS_PLATEAU, reason, records, problems)
    return False, _stop(None, _going_on(records), records, problems)


def at_bar(record: Mapping[str, Any]) -> bool:
    """True when this record's draft stands and passes.

    Every dimension is `pass`, the candidate was not reverted, its receipt is not known to be unfresh, and no judged
    score rests on fewer than three samples where the record tells the samples.
    """
    scores = record.get("scores")
    if record.get("accepted") is False or record.get("receipt_fresh", True) is not True:
        return False
    return isinstance(scores, Mapping) and passes_bar(scores) and not (undersampled(record) or unscored(record))


def standing(records: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The record whose draft stands (of records that are `in_order`): the last that was not reverted."""
    return next((record for record in reversed(records) if record.get("accepted") is not False), None)


def unscored(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The dimensions whose judged score is there and no number from 0 to 1: no bar was cleared by it."""
    scores = record.get("scores")
    results = {name: scores.get(name) for name in JUDGED} if isinstance(scores, Mapping) else {}
    return tuple(name for name, result in results.items() if isinstance(result, Mapping) and _no_score(result))


def _no_score(result: Mapping[str, Any]) -> bool:
    try:
        return result.get("judged_score") is not None and unit_value(result["judged_score"], "") is None
    except ValueError:
        return True


def undersampled(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The dimensions that were judged on fewer than three samples, as far as the record tells its samples."""
    scores, samples = record.get("scores"), record.get("samples")
    if not isinstance(scores, Mapping) or not isinstance(samples, Mapping):
        return ()
    return tuple(
        name
        for name in JUDGED
        if isinstance(scores.get(name), Mapping)
        and scores[name].get("judged_score") is not None
        and name in samples
        and not (isinstance(samples[name], list) and len(samples[name]) >= JUDGED_SAMPLE_N)
    )


def _going_on(records: Sequence[Mapping[str, Any]]) -> str:
    earlier = [str(record.get("index")) for record in records[:-1] if at_bar(record)]
    return f"go on; iteration {', '.join(earlier)} had been at the bar" if earlier else "go on"


def _stop(
    status: str | None, reason: str, records: Sequence[Mapping[str, Any]], problems: list[dict[str, str]]
) -> Stop:
    escalate = status in (STATUS_CAP, STATUS_PLATEAU)
    diff = records[-1].get("content_diff_count") if records else None
    return Stop(
        status=status,
        reason=reason,
        iterations=len(records),
        content_diff_count=diff if isinstance(diff, int) and not isinstance(diff, bool) else None,
        escalate_to_human=escalate,
        route=ROUTE if escalate else None,
        problems=problems,
    )


def in_order(iterations: Sequence[Any]) -> tuple[list[Mapping[str, Any]], list[dict[str, str]]]:
    """The records by index, each an object, and what is wrong with them. Values that are malformed become unknown."""
    problems: list[dict[str, str]] = []
    records = [_usable(item, number, problems) for number, item in enumerate(iterations, start=1)]
    indices = [_index(record) for record in records]
    if None in indices:
        problems += [
            _problem(
                number, f"index is {records[number - 1].get('index')!r}, not a whole number; the file's order counts"
            )
            for number, index in enumerate(indices, start=1)
            if index is None
        ]
        return records, problems
    problems += _order_problems([index for index in indices if index is not None])
    return sorted(records, key=lambda record: _index(record) or 0), problems


def _usable(item: Any, number: int, problems: list[dict[str, str]]) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        problems.append(_problem(number, "an iteration is an object"))
        return {}
    if not isinstance(item.get("scores"), Mapping):
        problems.append(_problem(number, "scores must be an object"))
    problems += [_problem(number, f"judged_score of {name} is no number from 0 to 1") for name in unscored(item)]
    target = item.get("target_dim")
    if target is not None and not isinstance(target, str):
        problems.append(_problem(number, f"target_dim is {target!r:.40}, not a text or null"))
    improved = item.get("improved")
    if improved is None or isinstance(improved, bool):
        return item
    problems.append(_problem(number, f"improved is {improved!r:.40}, not true, false or null"))
    return {**item, "improved": None}


def _index(record: Mapping[str, Any]) -> int | None:
    index = record.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _order_problems(indices: list[int]) -> list[dict[str, str]]:
    problems: list[dict[str, str]] = []
    seen: set[int] = set()
    for number, index in enumerate(indices, start=1):
        if index in seen:
            problems.append(_problem(number, f"index {index} stands twice"))
        elif number > 1 and index < indices[number - 2]:
            problems.append(_problem(number, f"index {index} stands after {indices[number - 2]}"))
        seen.add(index)
    ordered = sorted(seen)
    for before, after in pairwise(ordered):
        if after - before > 1:
            gap = f"index {before + 1}" if after - before == 2 else f"index {before + 1} to {after - 1}"
            problems.append(_problem(indices.index(after) + 1, f"{gap} is missing"))
    if ordered and ordered[0] != 1:
        problems.append(_problem(1, f"the first index is {ordered[0]}, not 1"))
    return problems


def _problem(number: int, reason: str) -> dict[str, str]:
    return {"position": f"record {number}", "reason": reason}


def _latest(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The last record; with it every other of the same index, since nobody can say which of them is the latest."""
    index = _index(records[-1])
    if index is None:
        return [records[-1]]
    return [record for record in records if _index(record) == index]
