"""What every way of reaching a model gives: one answer, or one named failure."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, Protocol

from core.judge.prices import Tokens
from core.judge.prompt import Prompt
from core.judge.protocol import RUN_ENDING, FailureKind, JudgeSpec

LONGEST_WAIT_SECONDS = 60.0
"""A judge that asks for a longer wait ends the run (text fidelity contract, "Judge")."""

MAX_CONCURRENCY = 64


def overall_seconds(spec: JudgeSpec) -> float:
    """The longest a call may take with all its retries and the waits between them."""
    return spec.timeout_s * (spec.max_retries + 1) + LONGEST_WAIT_SECONDS * spec.max_retries


@dataclass(frozen=True)
class Answer:
    """What a model sent for one call.

    stop: `end` it finished, `cut` it ran into max_tokens, `refused` it declined (text is then its reason).
    tokens None: not reported. cost_usd: only where the transport itself reports one.
    """

    text: str
    model: str
    stop: Literal["end", "cut", "refused"] = "end"
    thinking: str = ""
    tokens: Tokens | None = None
    cost_usd: float | None = None
    note: str = ""

    @property
    def raw(self) -> str:
        """Everything that was sent: the thinking, where there is some, in a think block before the text."""
        return f"<think>\n{self.thinking}\n</think>\n{self.text}" if self.thinking else self.text


class CallFailed(Exception):
    """One call that gave no answer: its kind, a line that may be shown, and what it may have cost.

    until: the instant (ISO 8601) before which the judge asked not to be called. unbilled: no answer was begun, so
    nothing can have been charged (a refusal by status code, a connection that never stood).
    """

    def __init__(self, kind: FailureKind, reason: str, *, until: str | None = None, unbilled: bool = True) -> None:
        super().__init__(reason)
        self.kind, self.reason, self.until, self.unbilled = kind, reason, until, unbilled

    @property
    def ends_run(self) -> bool:
        """True where asking anything else of this judge now is pointless."""
        return self.kind in RUN_ENDING or self.until is not None


def _always() -> bool:
    return True


@dataclass
class Attempt:
    """One call with its repeats: a repeat after silence may be billed twice, so it needs room in the budget too."""

    may_repeat: Callable[[], bool] = _always
    sent: int = 0
    answered: int = 0
    silent: int = field(default=0, init=False)

    def sending(self) -> bool:
        """Note that a request goes out; False where it must not, because the budget has no room for it."""
        if self.sent > self.answered:
            self.silent += 1
            self.answered = self.sent
            if not self.may_repeat():
                return False
        self.sent += 1
        return True


current_attempt: ContextVar[Attempt | None] = ContextVar("current_attempt", default=None)


class Transport(Protocol):
    """One way to a model, for one run: made, used and closed inside one event loop."""

    overhead_tokens: int
    """Input tokens the transport adds of its own, at most (0 for an API)."""

    async def call(self, prompt: Prompt) -> Answer:
        """Ask once. Raises CallFailed; retries are its own affair."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
