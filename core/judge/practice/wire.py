"""Answers and errors in the shape each provider's SDK expects."""

from __future__ import annotations

import itertools
from typing import Any, Literal

from core.judge.practice.asked import Protocol

Stop = Literal["end", "cut", "refused"]

_NUMBERS = itertools.count(1)
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "overloaded_error",
    529: "overloaded_error",
}


def message(
    protocol: Protocol, *, model: str, text: str, stop: Stop, given: int, made: int, thinking: str = ""
) -> dict[str, Any]:
    """A reply. given, made: tokens of input and output, as the usage reports them."""
    number = next(_NUMBERS)
    if protocol == "anthropic":
        blocks = [{"type": "thinking", "thinking": thinking, "signature": "none"}] if thinking else []
        reason = {"end": "end_turn", "cut": "max_tokens", "refused": "refusal"}[stop]
        return {
            "id": f"msg_{number:08d}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [*blocks, {"type": "text", "text": text}] if text else blocks,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": given, "output_tokens": made},
        }
    said = {"role": "assistant", "content": text, "refusal": None}
    if stop == "refused":
        said = {"role": "assistant", "content": None, "refusal": text}
    if thinking:
        said["reasoning_content"] = thinking
    return {
        "id": f"chatcmpl-{number:08d}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": said, "finish_reason": "length" if stop == "cut" else "stop"}],
        "usage": {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made},
    }


def error(protocol: Protocol, status: int, said: str) -> dict[str, Any]:
    """An error body."""
    sort = _ERROR_TYPES.get(status, "api_error")
    if protocol == "anthropic":
        return {"type": "error", "error": {"type": sort, "message": said}}
    return {"error": {"message": said, "type": sort, "param": None, "code": None}}
