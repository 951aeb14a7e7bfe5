"""A receipt as a page shows it: every leg with its evidence, the computed gate beside the claim, its age."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import Problem
from core.numbers import span
from core.report_loop.a11y import A11y
from core.report_loop.dimensions import score_accurate
from core.report_loop.flags import Flag, receipt_flags
from core.report_loop.receipt import Freshness, Receipt, computed_gate, freshness, overclaims
from core.report_loop.runs import ReceiptFile
from core.report_loop.words import LEG_CHECKS, LEGS, Gate


@dataclass(frozen=True, slots=True)
class LegRow:
    """One copy of one leg. ``note`` says what is unusual about it; a missing leg has the verdict "missing"."""

    leg: str
    checks: str
    verdict: str
    label: str
    blocking: bool
    evidence: str
    fingerprint: str
    repeat_count: int | None
    note: str


@dataclass(frozen=True, slots=True)
class ReceiptView:
    """Everything about one receipt file. ``gate`` is computed; None throughout where the file is unreadable."""

    name: str
    readable: bool
    gate: Gate | None
    claimed: str
    overclaim: bool
    accurate: str
    freshness: Freshness | None
    age: str
    generated: str
    flags: tuple[Flag, ...]
    legs: tuple[LegRow, ...]
    legs_passed: int
    a11y: A11y | None
    format: str
    environment: str
    extra: dict[str, object]
    problems: tuple[Problem, ...]


def view_receipt(file: ReceiptFile, now: datetime, run_environment: str = "") -> ReceiptView:
    """The view of one receipt at one time (pure)."""
    receipt = file.receipt
    if receipt is None:
        return ReceiptView(
            file.name, False, None, "", False, "unverified", None, "", "", (), (), 0, file.a11y, "", "", {}, ()
        )
    fresh = freshness(receipt, now)
    return ReceiptView(
        name=file.name,
        readable=True,
        gate=computed_gate(receipt),
        claimed=receipt.claimed_gate,
        overclaim=overclaims(receipt),
        accurate=str(score_accurate(receipt)["status"]),
        freshness=fresh,
        age=age_words(fresh),
        generated=receipt.generated_text,
        flags=receipt_flags(receipt, now, run_environment, file.a11y),
        legs=tuple(_rows(receipt)),
        legs_passed=sum(1 for name, leg in receipt.standings.items() if name in LEGS and leg.verdict == "pass"),
        a11y=file.a11y,
        format=receipt.format,
        environment=receipt.env_fingerprint,
        extra=dict(receipt.extra),
        problems=receipt.problems,
    )


def turning_points(receipts: Iterable[ReceiptFile]) -> list[datetime]:
    """When the clock alone makes the freshness of one of them another: its time comes, its time to live has ended."""
    found: list[datetime] = []
    for receipt in (file.receipt for file in receipts):
        if receipt is not None and receipt.generated_at is not None:
            made = receipt.generated_at.utc
            found.append(made)
            try:
                found.append(made + timedelta(seconds=receipt.ttl_seconds or 0.0, microseconds=1))
            except OverflowError:
                continue  # it lives beyond the last year there is
    return found


def age_words(fresh: Freshness) -> str:
    """The age of a receipt against its time to live: "3 min old, valid 57 min"."""
    if fresh.stale is None:
        return fresh.why
    age, left = (span(timedelta(seconds=abs(value or 0.0))) for value in (fresh.age_seconds, fresh.left_seconds))
    return f"{age} old, stale since {left}" if fresh.stale else f"{age} old, valid {left}"


def _rows(receipt: Receipt) -> list[LegRow]:
    copies = Counter(leg.name for leg in receipt.legs)
    standings = receipt.standings
    order = {name: number for number, name in enumerate(LEGS)}
    rows: list[LegRow] = []
    for leg in sorted(receipt.legs, key=lambda leg: order.get(leg.name, len(order))):
        notes = []
        if copies[leg.name] > 1:
            notes.append(f"stands {copies[leg.name]} times, {standings[leg.name].verdict} counts")
        if leg.written != leg.verdict:
            notes.append(f"written {leg.written[:40]!r}, counts as {leg.verdict}")
        if leg.own_blocking is not None and leg.own_blocking != leg.blocking:
            notes.append("marked non-blocking, blocks by policy")
        elif leg.name == "V5" and leg.blocking:
            notes.append("marked blocking, not by policy")
        rows.append(
            LegRow(leg.name, LEG_CHECKS.get(leg.name, "none of the seven"), leg.verdict, leg.label, leg.blocking,
                   leg.evidence, leg.judge_fingerprint, leg.repeat_count, "; ".join(notes))
        )  # fmt: skip
    rows += [LegRow(name, LEG_CHECKS[name], "missing", "", name != "V5", "", "", None, "") for name in receipt.missing]
    return rows
