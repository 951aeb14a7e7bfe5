"""A budget that stops before it is exceeded: room for the worst case is set aside before each call is made.

Text fidelity contract, "Judge": "a run may have a budget and stops before exceeding it".
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

from core.judge.prices import Price, Tokens
from core.judge.protocol import Usage


@dataclass(frozen=True, slots=True)
class Need:
    """The most one call can take. cost_usd is None where the price is not known."""

    tokens: int
    cost_usd: float | None


@dataclass(slots=True)
class _Sums:
    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0

    def add(self, calls: int, tokens: int, cost_usd: float) -> None:
        self.calls += calls
        self.tokens += tokens
        self.cost_usd += cost_usd


class Budget:
    """Upper limits over all calls of a run (or of several that share it). None: no limit. Safe between threads.

    A call is made only if what was spent, what is under way at its worst and this call at its worst stay within every
    limit. A call whose answer never came counts at its worst, since it may have been billed.
    """

    def __init__(
        self, *, max_cost_usd: float | None = None, max_tokens: int | None = None, max_calls: int | None = None
    ) -> None:
        """Raises ValueError for a limit below 0."""
        if any(limit is not None and limit < 0 for limit in (max_cost_usd, max_tokens, max_calls)):
            raise ValueError("a budget cannot be below 0")
        self.max_cost_usd, self.max_tokens, self.max_calls = max_cost_usd, max_tokens, max_calls
        self._spent, self._held = _Sums(), _Sums()
        self._lock = threading.Lock()

    def hold(self, need: Need) -> Literal["granted", "wait", "refused"]:
        """Set room aside for one call. `wait`: there may be room once calls under way are settled."""
        with self._lock:
            if self._over(need, self._spent.calls, self._spent.tokens, self._spent.cost_usd):
                return "refused"
            held, spent = self._held, self._spent
            if self._over(need, spent.calls + held.calls, spent.tokens + held.tokens, spent.cost_usd + held.cost_usd):
                return "wait"
            held.add(1, need.tokens, need.cost_usd or 0.0)
            return "granted"

    def _over(self, need: Need, calls: int, tokens: int, cost_usd: float) -> bool:
        if self.max_calls is not None and calls + 1 > self.max_calls:
            return True
        if self.max_tokens is not None and tokens + need.tokens > self.max_tokens:
            return True
        return self.max_cost_usd is not None and (need.cost_usd is None or cost_usd + need.cost_usd > self.max_cost_usd)

    def settle(self, need: Need, used: Usage | None) -> None:
        """Give the room back and count what was used; `used` None: no answer came, so the worst case counts.

        A `Usage` of no calls (refused before anything was billed) costs nothing.
        """
        with self._lock:
            self._held.add(-1, -need.tokens, -(need.cost_usd or 0.0))
            if used is None:
                self._spent.add(1, need.tokens, need.cost_usd or 0.0)
            elif used.calls:
                known = used.input_tokens is not None and used.output_tokens is not None
                tokens = (used.input_tokens or 0) + (used.output_tokens or 0) if known else need.tokens
                cost = (need.cost_usd or 0.0) if used.cost_usd is None else used.cost_usd
                self._spent.add(used.calls, tokens, cost)

    @property
    def spent(self) -> Usage:
        """What has been counted so far: calls and cost (tokens are one sum, given as input)."""
        with self._lock:
            return Usage(self._spent.calls, self._spent.tokens, 0, self._spent.cost_usd)

    def refusal(self, need: Need) -> str:
        """Why the next call is not made, in one line."""
        if self.max_cost_usd is not None and need.cost_usd is None:
            return "the budget is in dollars and the price of this model is not known; limit calls or tokens instead"
        with self._lock:
            spent = self._spent
            parts = [
                (self.max_cost_usd, f"${spent.cost_usd:.4f} of ${self.max_cost_usd or 0:.4f}"),
                (self.max_tokens, f"{spent.tokens:,} of {self.max_tokens or 0:,} tokens"),
                (self.max_calls, f"{spent.calls:,} of {self.max_calls or 0:,} calls"),
            ]
        told = " and ".join(text for limit, text in parts if limit is not None)
        return f"the next call could exceed the budget ({told} used)"


def worst_case(price: Price | None, prompt_tokens: int, pictures: int, max_output: int, overhead: int = 0) -> Need:
    """The most a call can take: the prompt at its most, 8,000 tokens for a picture, 200 for the frame around them, and
    overhead, what a command line adds of its own."""
    tokens = Tokens(input=prompt_tokens + 8_000 * pictures + 200 + overhead, output=max_output)
    return Need(tokens.input + tokens.output, price.cost(tokens) if price else None)
