"""The ledger record and the attempt record (text-fidelity contract, Aggregate). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.judge.protocol import Scored, ScoreReply, Usage
from core.text_fidelity.aggregate import Bound, composite, lower_bound, printed
from core.text_fidelity.config import Case, Policy
from core.text_fidelity.gather import Gathered

Outcome = Literal["stale", "env_error"]


@dataclass(frozen=True)
class Judged:
    """One case with all its samples; every one of them is a score, or there is no `Judged`."""

    case: Case
    text: Gathered
    samples: tuple[Scored[ScoreReply], ...]

    @property
    def scores(self) -> list[float]:
        """The samples as the judge gave them: the bound is theirs, and follows from what is on record."""
        return [sample.value.score for sample in self.samples]


def ledger_record(
    judged: Sequence[Judged], policy: Policy, *, at: str, definition_hash: str, freeze: str
) -> dict[str, Any]:
    """servo's keys first and with their meaning, then ours (contract, Aggregate)."""
    bounds = [lower_bound(entry.scores, policy.samples.k) for entry in judged]
    record: dict[str, Any] = {
        "at": at,
        "model": policy.judge.model,
        "transport": policy.judge.transport,
        "composite": printed(
            composite([(entry.case.weight, bound.lower) for entry, bound in zip(judged, bounds, strict=True)])
        ),
        "definition_hash": definition_hash,
        "cases": [_case(entry, bound) for entry, bound in zip(judged, bounds, strict=True)],
    }
    if policy.threshold is not None:
        record["threshold"] = policy.threshold
    samples = [sample for entry in judged for sample in entry.samples]
    record |= {"delta": policy.samples.delta, "usage": usage(samples), "freeze": freeze}
    if any(sample.fingerprint.practice for sample in samples):
        record["practice"] = True
    return record


def _case(entry: Judged, bound: Bound) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": entry.case.id,
        "samples": entry.scores,
        "lower_bound": printed(bound.lower),
        "weight": entry.case.weight,
        "artifact_sha256": entry.text.sha256,
        "reasons": [sample.reasoning for sample in entry.samples],
    }
    notes = list(dict.fromkeys(sample.note for sample in entry.samples if sample.note))
    if entry.text.held:
        made["held"] = True
    return made | ({"notes": notes} if notes else {}) | ({"stderr": entry.text.note} if entry.text.note else {})


def usage(samples: Sequence[Scored[ScoreReply]]) -> dict[str, Any]:
    """What a run cost: sums, null where one part is unknown. What an earlier, unfinished try paid is part of it."""
    used = [sample.usage for sample in samples]
    return {
        "calls": sum(use.calls for use in used),
        "input_tokens": _sum([use.input_tokens for use in used]),
        "output_tokens": _sum([use.output_tokens for use in used]),
        "cost_usd": _cost(used),
    }


def _sum(parts: Sequence[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _cost(used: Sequence[Usage]) -> float | None:
    known = [use.cost_usd for use in used if use.cost_usd is not None]
    return round(sum(known), 6) if len(known) == len(used) else None


def attempt_record(
    *, at: str, outcome: Outcome, reason: str, case: str | None, more: Mapping[str, Any]
) -> dict[str, Any]:
    """A run that could not score; ``more`` (a failure's kind, until when) stands behind the contract's keys."""
    return {"at": at, "outcome": outcome, "case": case, "reason": reason, **more}


def seconds(iso: str) -> str:
    """An ISO time cut to seconds, as servo writes it."""
    return f"{iso[:19]}Z"
