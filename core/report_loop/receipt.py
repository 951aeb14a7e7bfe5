"""A fidelity receipt: read tolerantly, judged strictly (report-loop contract, The receipt).

Nothing here raises for what a receipt says; only a document that is no object is refused. Whatever could not be
understood is a `Problem` with its place, counts as "not captured", and is therefore never a pass.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.errors import BadInput, Problem
from core.report_loop.words import BROKEN, GATES, LEGS, VERDICTS, Gate, Verdict
from core.times import Instant, parse_instant

NON_BLOCKING = frozenset({"V5"})
_KEYS = frozenset(
    {
        "receipt_version", "run_id", "format", "generated_at", "ttl_seconds", "env_fingerprint", "overall_gate",
        "manual_residue", "legs",
    }
)  # fmt: skip
_LEG_KEYS = frozenset(
    {
        "leg", "verdict", "label", "inference_independent", "blocking", "repeat_count", "judge_fingerprint", "evidence",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg as it stands in the file.

    ``verdict`` is what counts (an unknown spelling counts as not_captured), ``written`` what stood there; ``blocking``
    is the stricter of the policy and the leg's own flag ``own_blocking`` (None when it says nothing usable).
    """

    name: str
    verdict: Verdict
    written: str
    blocking: bool
    own_blocking: bool | None
    label: str = ""
    evidence: str = ""
    inference_independent: bool | None = None
    repeat_count: int | None = None
    judge_fingerprint: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Standing:
    """What counts for one leg name after all its copies: the worst verdict, blocking if any copy blocks."""

    name: str
    verdict: Verdict
    blocking: bool
    copies: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt with everything that stood in it; ``extra`` keeps the keys nobody here knows."""

    file: str
    version: str
    run_id: str
    format: str
    generated_text: str
    generated_at: Instant | None
    ttl_seconds: float | None
    env_fingerprint: str
    claimed_gate: str
    legs: tuple[Leg, ...]
    manual_residue: tuple[str, ...]
    extra: Mapping[str, Any]
    problems: tuple[Problem, ...]

    @property
    def standings(self) -> dict[str, Standing]:
        """The legs by name, in the receipt's order; a leg that stands twice counts once, at its worst."""
        found: dict[str, Standing] = {}
        for leg in self.legs:
            before = found.get(leg.name)
            worst = leg.verdict if before is None else max(before.verdict, leg.verdict, key=VERDICTS.index)
            found[leg.name] = Standing(
                leg.name, worst, leg.blocking or bool(before and before.blocking), 1 + (before.copies if before else 0)
            )
        return found

    @property
    def missing(self) -> tuple[str, ...]:
        """Those of the seven legs that the receipt does not mention."""
        names = {leg.name for leg in self.legs}
        return tuple(name for name in LEGS if name not in names)


def computed_gate(receipt: Receipt) -> Gate:
    """The gate as the legs have it, whatever the receipt claims (report-loop contract, Gate)."""
    standings = receipt.standings.values()
    if any(leg.blocking and leg.verdict in BROKEN for leg in standings):
        return "FAIL"
    if receipt.missing or any(leg.verdict != "pass" for leg in standings):
        return "PARTIAL"
    return "PASS"


def claim(receipt: Receipt) -> Gate | None:
    """What `overall_gate` claims, in whatever case it is written; None when it is none of the three words."""
    word = receipt.claimed_gate.strip().upper()
    return next((gate for gate in GATES if gate == word), None)


def overclaims(receipt: Receipt) -> bool:
    """True when the receipt claims a better gate than its legs give."""
    claimed = claim(receipt)
    return claimed is not None and GATES.index(claimed) > GATES.index(computed_gate(receipt))


@dataclass(frozen=True, slots=True)
class Freshness:
    """``stale`` is None when it cannot be decided; only False means fresh. Seconds are of age and of time left."""

    stale: bool | None
    why: str
    age_seconds: float | None = None
    left_seconds: float | None = None

    @property
    def fresh(self) -> bool:
        """True only when it is known not to be stale."""
        return self.stale is False


def freshness(receipt: Receipt, now: datetime) -> Freshness:
    """Stale when now > generated_at + ttl_seconds, equal is still valid (report-loop contract, Stale).

    A time that is invalid, has no zone or lies in the future, or an invalid time to live, decides nothing.
    """
    made, ttl = receipt.generated_at, receipt.ttl_seconds
    if made is None:
        return Freshness(None, f"generated_at {receipt.generated_text!r} is not a time")
    if not made.zone_known:
        return Freshness(None, "generated_at has no zone")
    age = (now - made.utc).total_seconds()
    if made.in_future(now):
        return Freshness(None, "generated in the future (clock skew)", age)
    if ttl is None:
        return Freshness(None, "ttl_seconds is not a number of seconds from 1 on", age)
    if age > ttl:
        return Freshness(True, "past its time to live", age, ttl - age)
    return Freshness(False, "within its time to live", age, ttl - age)


def read_receipt(value: Any, file: str = "receipt") -> Receipt:
    """A receipt out of parsed JSON. Raises BadInput only when the document is not an object."""
    if not isinstance(value, Mapping):
        raise BadInput.of(file, f"a receipt is an object, not {_kind(value)}")
    problems: list[Problem] = []
    reader = _Reader(file, problems)
    return Receipt(
        file=file,
        version=reader.text(value, "receipt_version"),
        run_id=reader.text(value, "run_id"),
        format=reader.word(value, "format", ("html", "office")),
        generated_text=reader.text(value, "generated_at"),
        generated_at=reader.instant(value, "generated_at"),
        ttl_seconds=reader.ttl(value, "ttl_seconds"),
        env_fingerprint=reader.text(value, "env_fingerprint"),
        claimed_gate=reader.word(value, "overall_gate", GATES),
        legs=reader.legs(value.get("legs")),
        manual_residue=reader.texts(value, "manual_residue"),
        extra={key: item for key, item in value.items() if key not in _KEYS},
        problems=tuple(problems),
    )


def as_receipt(receipt: Receipt | Mapping[str, Any]) -> Receipt:
    """The receipt itself, or one read from a plain mapping. Raises BadInput as `read_receipt` does."""
    return receipt if isinstance(receipt, Receipt) else read_receipt(receipt)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Takes fields out of a mapping and notes what is not as the contract has it."""

    file: str
    problems: list[Problem]

    def note(self, position: str, reason: str) -> None:
        self.problems.append(Problem(self.file, reason, position=position))

    def text(self, value: Mapping[str, Any], key: str) -> str:
        item = value.get(key)
        if isinstance(item, str) and item.strip():
            return item
        self.note(key, f"must be a text, not {_kind(item)}")
        return "" if item is None else plain(item)

    def word(self, value: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str:
        word = self.text(value, key)
        if word and word not in known:
            self.note(key, f"{word[:40]!r} is none of {', '.join(known)}")
        return word

    def instant(self, value: Mapping[str, Any], key: str) -> Instant | None:
        item = value.get(key)
        try:
            return parse_instant(item) if isinstance(item, str) else None
        except ValueError as error:
            self.note(key, str(error))
            return None

    def ttl(self, value: Mapping[str, Any], key: str) -> float | None:
        item = value.get(key)
        if isinstance(item, bool) or not isinstance(item, int | float) or not 1 <= item < 1e12:
            self.note(key, f"must be a number of seconds from 1 on, not {plain(item)[:40]}")
            return None
        return float(item)

    def texts(self, value: Mapping[str, Any], key: str) -> tuple[str, ...]:
        item = value.get(key)
        if not isinstance(item, list):
            self.note(key, f"must be a list of texts, not {_kind(item)}; read as empty")
            return () if item is None else (plain(item),)
        for number, entry in enumerate(item):
            if not isinstance(entry, str):
                self.note(f"{key}[{number}]", f"must be a text, not {_kind(entry)}")
        return tuple(plain(entry) for entry in item)

    def legs(self, value: Any) -> tuple[Leg, ...]:
        if not isinstance(value, list):
            self.note("legs", f"must be a list, not {_kind(value)}; read as no legs")
            return ()
        return tuple(self.leg(item, f"legs[{number}]") for number, item in enumerate(value))

    def leg(self, item: Any, place: str) -> Leg:
        if not isinstance(item, Mapping):
            self.note(place, f"a leg is an object, not {_kind(item)}; counted as not_captured")
            return Leg(f"({place})", "not_captured", plain(item), True, None)
        name = item.get("leg")
        if not isinstance(name, str) or not name:
            self.note(f"{place}.leg", f"must be a text, not {_kind(name)}")
            name = f"({place})"
        own = item.get("blocking")
        if not isinstance(own, bool):
            self.note(f"{place}.blocking", f"must be true or false, not {_kind(own)}; policy counts")
            own = None
        repeat = item.get("repeat_count")
        independent = item.get("inference_independent")
        return Leg(
            name=name,
            verdict=self.verdict(item.get("verdict"), place),
            written=plain(item.get("verdict")),
            blocking=name not in NON_BLOCKING or own is True,
            own_blocking=own,
            label=self.word(item, "label", ("proven", "judged")) if "label" in item else "",
            evidence=plain(item.get("evidence", "")),
            inference_independent=independent if isinstance(independent, bool) else None,
            repeat_count=repeat if isinstance(repeat, int) and not isinstance(repeat, bool) else None,
            judge_fingerprint=plain(item.get("judge_fingerprint", "")),
            extra={key: entry for key, entry in item.items() if key not in _LEG_KEYS},
        )

    def verdict(self, word: Any, place: str) -> Verdict:
        for known in VERDICTS:
            if word == known:
                return known
        self.note(f"{place}.verdict", f"{plain(word)[:40]!r} is no verdict; counted as not_captured")
        return "not_captured"


def plain(value: Any) -> str:
    """Any JSON value as text to be shown: a text as it is, nothing as "", anything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return names.get(type(value), "an object")
