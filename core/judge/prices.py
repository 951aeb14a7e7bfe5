"""What a call costs: list prices from prices.json, which says when it was checked. An unknown price is not 0."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.files import read_json
from core.judge.protocol import JudgeSpec, Usage

_FILE = Path(__file__).with_name("prices.json")
_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a provider counted for one call. input: all of it; cached and written: the part of input that was read from
    or written to its prompt cache; output: thinking included."""

    input: int
    output: int
    cached: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class Rate:
    """US dollars for one million tokens of input, output and cached input."""

    input: float
    output: float
    cached: float


@dataclass(frozen=True, slots=True)
class Price:
    """A model's list price; above `threshold` input tokens the whole request costs `above`."""

    base: Rate
    above: Rate | None
    threshold: int
    as_of: str

    def cost(self, tokens: Tokens, factor: float = 1.0) -> float:
        """US dollars for one call. factor: 0.5 for a batch. Cache writes cost 1.25 times the input price."""
        rate = self.above if self.above and tokens.input > self.threshold else self.base
        plain = max(0, tokens.input - tokens.cached - tokens.written)
        weighed = plain * rate.input + tokens.cached * rate.cached + tokens.written * rate.input * 1.25
        return factor * (weighed + tokens.output * rate.output) / _MILLION


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    table: dict[str, Any] = read_json(_FILE, "core/judge/prices.json")
    return table


def checked_on() -> str:
    """The day on which the price file was last checked (ISO 8601)."""
    return str(_table()["checked_on"])


def batch_factor() -> float:
    """What a batch costs against single calls, 0..1."""
    return float(_table()["batch_factor"])


def known_models(provider: str | None = None) -> list[str]:
    """Model names with a known price, for a chooser; no promise that any key may use them."""
    return [name for name, entry in _table()["models"].items() if provider in (None, entry["provider"])]


def default_model(provider: str) -> str:
    """The model that is asked where nobody named one: a middling one, by price and by strength."""
    return str(_table()["default_models"][provider])


def price_of(spec: JudgeSpec) -> Price | None:
    """The list price of a spec's model, by name, with or without its date; None where it is not known.

    The practice judge is free, and that is known.
    """
    if spec.practice:
        free = Rate(0.0, 0.0, 0.0)
        return Price(free, None, 0, checked_on())
    entry = _entry(spec)
    if entry is None:
        return None
    above = entry.get("above")
    return Price(_rate(entry), _rate(above) if above else None, above["tokens"] if above else 0, entry["as_of"])


def takes_temperature(spec: JudgeSpec) -> bool:
    """False only for a model that is known to refuse a temperature."""
    entry = _entry(spec)
    return bool(entry is None or entry.get("sampling", True))


def _entry(spec: JudgeSpec) -> dict[str, Any] | None:
    models = _table()["models"]
    entry: dict[str, Any] | None = models.get(spec.model) or models.get(_DATED.sub("", spec.model))
    return entry if entry and entry["provider"] == spec.provider else None


def _rate(entry: dict[str, Any]) -> Rate:
    return Rate(float(entry["input"]), float(entry["output"]), float(entry.get("cached", entry["input"])))


def usage_of(spec: JudgeSpec, tokens: Tokens | None, factor: float = 1.0) -> Usage:
    """The usage of one call; without counted tokens everything but the call itself is unknown."""
    if tokens is None:
        return Usage(calls=1, cost_usd=0.0 if spec.practice else None)
    price = price_of(spec)
    return Usage(1, tokens.input, tokens.output, price.cost(tokens, factor) if price else None)


def added(first: Usage, second: Usage) -> Usage:
    """Two usages together; what is unknown in a part that made a call is unknown in the whole."""
    if not first.calls or not second.calls:
        return second if second.calls else first
    return Usage(
        calls=first.calls + second.calls,
        input_tokens=_sum(first.input_tokens, second.input_tokens),
        output_tokens=_sum(first.output_tokens, second.output_tokens),
        cost_usd=None if first.cost_usd is None or second.cost_usd is None else first.cost_usd + second.cost_usd,
        cost_reported=first.cost_reported and second.cost_reported,
    )


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second
