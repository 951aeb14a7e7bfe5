"""Questions for the tests of the judge."""

from __future__ import annotations

from typing import Any

from core.judge import JudgeRequest, ScoreReply

REFERENCE = "Restart the router, wait two minutes, then sign in again."


def question(number: int = 0, **more: Any) -> JudgeRequest[ScoreReply]:
    """A fidelity question; another number is another text."""
    given: dict[str, Any] = {
        "instructions": "Score how faithfully the text matches the reference.",
        "untrusted": {"reference": REFERENCE, "text_under_test": f"Text {number}: restart the router and sign in."},
        "reply": ScoreReply,
        "key": f"case-{number}",
    }
    return JudgeRequest(**(given | more))


def echo(*replies: str, **more: Any) -> JudgeRequest[ScoreReply]:
    """A question that model `test-echo` answers with these replies, call by call (the last one stays)."""
    parts = {f"reply {number}": reply for number, reply in enumerate(replies, 1)}
    return question(untrusted=parts, **more)
