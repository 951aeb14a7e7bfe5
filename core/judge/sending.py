"""Parameters a server may not take: left out once it says so, and said in every answer that follows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from core.judge.prices import takes_temperature
from core.judge.protocol import JudgeSpec

Parameter = Literal["temperature", "structured", "effort", "max_tokens"]

_Sent = TypeVar("_Sent")

_SIGNS: dict[Parameter, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "effort": ("effort",),  # before structured: it lives in output_config too
    "structured": ("response_format", "output_config", "output_format", "json_schema", "structured output"),
    "max_tokens": ("max_tokens", "max_completion_tokens"),
}


class Refused(Exception):
    """A server refused the request as it was put (HTTP 400 or 422); `message` is its own."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Parameters:
    """Which parameters are still sent to a model. Shared by the calls of one run."""

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec = spec
        self.out: set[Parameter] = set() if spec.structured else {"structured"}
        if spec.temperature is not None and not takes_temperature(spec):
            self.out.add("temperature")

    @property
    def temperature(self) -> float | None:
        """The temperature to send, or None."""
        return None if "temperature" in self.out else self._spec.temperature

    @property
    def structured(self) -> bool:
        """Whether a structured reply is asked for."""
        return "structured" not in self.out

    @property
    def effort(self) -> str | None:
        """The effort to send, or None."""
        return None if "effort" in self.out else self._spec.effort

    @property
    def note(self) -> str:
        """What was asked for and not sent, for the reader of a sample."""
        told = []
        if self._spec.temperature is not None and "temperature" in self.out:
            told.append(f"temperature {self._spec.temperature:g} was not sent: this model takes none")
        if self._spec.structured and "structured" in self.out:
            told.append("this server has no structured output; the reply was read strictly")
        if self._spec.effort and "effort" in self.out:
            told.append(f"effort {self._spec.effort} was not sent: this model takes none")
        return "; ".join(told)

    async def send(self, once: Callable[[], Awaitable[_Sent]]) -> _Sent:
        """`once`, and again without a parameter that the server names in its refusal. Raises Refused."""
        for _ in _SIGNS:
            before = frozenset(self.out)
            try:
                return await once()
            except Refused as error:
                culprit = self._culprit(error.message, before)
                if culprit is None:
                    raise
                self.out.add(culprit)
        return await once()

    def _culprit(self, message: str, before: frozenset[Parameter]) -> Parameter | None:
        """The parameter that was sent and is named; one that another call has taken out meanwhile counts as well."""
        sent: dict[Parameter, bool] = {
            "temperature": self._spec.temperature is not None,
            "structured": self._spec.structured,
            "effort": self._spec.effort is not None,
            "max_tokens": self._spec.provider == "openai",
        }
        for parameter, signs in _SIGNS.items():
            named = any(sign in message.lower() for sign in signs)
            if sent[parameter] and parameter not in before and named:
                return parameter
        return None
