"""A judge for tests that answers by a function of the entry's title and counts what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.judge.protocol import (
    Cancel,
    Fingerprint,
    JudgeRequest,
    JudgeSpec,
    OnProgress,
    Progress,
    Sample,
    Scored,
    Unscored,
    Usage,
)

Answer = tuple[int, int, int] | Unscored


class ByTitle:
    """`answers(suggestion text)` gives A, P, G or an Unscored; `asked` holds every request, in order."""

    def __init__(self, answers: Callable[[str], Answer], *, stop_after: int | None = None) -> None:
        self.answers = answers
        self.asked: list[JudgeRequest[Any]] = []
        self.spec = JudgeSpec(model="test-judge")
        self._stop_after = stop_after

    def fingerprint(self, request: JudgeRequest[Any]) -> Fingerprint:
        return Fingerprint("anthropic", "api", "test-judge", "", {}, f"sha256:{request.key}", False, "sha256:x")

    def ask(self, request: JudgeRequest[Any]) -> list[Sample[Any]]:
        self.asked.append(request)
        answer = self.answers(request.untrusted["suggestion"])
        if isinstance(answer, Unscored):
            return [answer] * request.samples
        a, p, g = answer
        value = request.reply(actionability=a, preference_alignment=p, goal_relevance=g, reasoning="because")
        return [Scored(value, "{}", "because", Usage(calls=1, cost_usd=0.01), self.fingerprint(request))]

    def ask_many(
        self, requests: Sequence[JudgeRequest[Any]], on_progress: OnProgress | None = None, cancel: Cancel | None = None
    ) -> list[list[Sample[Any]]]:
        found: list[list[Sample[Any]]] = []
        for request in requests:
            if self._stop_after is not None and len(self.asked) >= self._stop_after:
                raise KeyboardInterrupt  # the process is killed here
            stopped = cancel is not None and cancel()
            found.append([Unscored("stopped", "cancelled")] if stopped else self.ask(request))
            if on_progress:
                on_progress(Progress(len(found), len(requests), len(found), 0, 0, None, request.key))
        return found
