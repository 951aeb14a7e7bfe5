"""What a reader of a receipt must be told: over-claims, softened legs, staleness (report-loop contract, Receipt)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from core.numbers import span
from core.report_loop.a11y import A11y
from core.report_loop.receipt import NON_BLOCKING, Receipt, claim, computed_gate, freshness, overclaims
from core.report_loop.words import GATES, LEGS

FlagKind = Literal[
    "overclaim", "underclaim", "empty_residue", "blocking_differs", "twice", "unknown_leg", "stale", "time_unknown",
    "other_environment", "version", "a11y_contradiction", "a11y_unreadable", "recovered",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flag:
    """One warning: its kind, and a sentence that says what is wrong and what counts instead."""

    kind: FlagKind
    text: str


def receipt_flags(
    receipt: Receipt, now: datetime | None = None, run_environment: str = "", a11y: A11y | None = None
) -> tuple[Flag, ...]:
    """Every warning about a receipt, the gravest first. Without ``now`` nothing is said about its age."""
    found = [*_claims(receipt), *_legs(receipt)]
    if now is not None:
        found += _age(receipt, now)
    if run_environment and receipt.env_fingerprint and receipt.env_fingerprint != run_environment:
        found.append(Flag("other_environment", "from another environment: env_fingerprint differs from the run's"))
    if receipt.version and not receipt.version.startswith("1."):
        found.append(Flag("version", f"receipt_version {receipt.version[:20]} is not known here; read as 1.x"))
    return (*found, *(_a11y(a11y) if a11y is not None else ()))


def _claims(receipt: Receipt) -> Iterator[Flag]:
    computed, claimed = computed_gate(receipt), claim(receipt)
    if overclaims(receipt):
        yield Flag("overclaim", f"over-claim: the receipt says {claimed}, its legs give {computed}; {computed} counts")
    elif claimed is not None and GATES.index(claimed) < GATES.index(computed):
        yield Flag("underclaim", f"receipt reports worse than its legs: it says {claimed}, they give {computed}")
    if not receipt.manual_residue and "PASS" in (computed, claimed):
        yield Flag("empty_residue", "over-claim: manual_residue is empty, as if nothing were left for a person")


def _legs(receipt: Receipt) -> Iterator[Flag]:
    for leg in receipt.legs:
        if leg.own_blocking is False and leg.name not in NON_BLOCKING:
            yield Flag("blocking_differs", f"{leg.name} is marked non-blocking, policy says blocking; it blocks")
        elif leg.own_blocking is True and leg.name in NON_BLOCKING:
            yield Flag(
                "blocking_differs", f"{leg.name} should be non-blocking, it is marked blocking; the stricter counts"
            )
    for standing in receipt.standings.values():
        if standing.copies > 1:
            words = ", ".join(leg.verdict for leg in receipt.legs if leg.name == standing.name)
            counts = f"the worst, {standing.verdict}, counts"
            yield Flag("twice", f"malformed: {standing.name} stands {standing.copies} times ({words}); {counts}")
        if standing.name not in LEGS:
            yield Flag("unknown_leg", f"leg {standing.name[:60]!r} is none of the seven; it counts as blocking")


def _age(receipt: Receipt, now: datetime) -> Iterator[Flag]:
    fresh = freshness(receipt, now)
    if fresh.stale and fresh.left_seconds is not None:
        late = span(timedelta(seconds=-fresh.left_seconds))
        yield Flag("stale", f"stale: past its time to live by {late}; scores are shown, PASS is not declared on it")
    elif fresh.stale is None:
        yield Flag("time_unknown", f"freshness unknown: {fresh.why}; PASS is not declared on it, run it again")


def _a11y(gate: A11y) -> Iterator[Flag]:
    if gate.signal is None:
        why = gate.problems[0].reason if gate.problems else "no usable gate"
        yield Flag("a11y_unreadable", f"accessibility gate unreadable: {why}; it is not a pass")
    elif gate.contradiction:
        yield Flag("a11y_contradiction", f"accessibility gate {gate.contradiction}; it is not a pass")
