"""Every way a provider can fail, chosen by the model's name: `test-429-then-ok`, `test-html`, `test-slow-200` …

Served only with `--scenarios`. `then-ok` fails on the first call of a question and answers from the second on;
`ra-3` adds `Retry-After: 3`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from core.judge.practice.asked import Asked
from core.judge.practice.wire import Stop

PREFIX = "test-"

Ending = Literal["send", "hang", "drop"]


@dataclass(frozen=True)
class Plan:
    """What happens to one call. body None: a reply of the protocol with `text`; else these very bytes."""

    status: int = 200
    text: str = ""
    said: str = ""
    stop: Stop = "end"
    thinking: str = ""
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    media_type: str = "application/json"
    ending: Ending = "send"


GOOD = json.dumps({"score": 0.8, "reasoning": "as the scenario says"})
_PAGE = b"<!doctype html><html><title>Sign in</title><p>Please sign in to the network.</p></html>"

_SAID = {
    400: "messages: this request is not valid",
    401: "invalid x-api-key",
    402: "the credit balance is too low",
    403: "this key may not use the model",
    404: "model: {model} was retired",
    413: "the request is too large",
    429: "this key sent more than its rate limit allows",
    500: "internal server error",
    503: "service unavailable",
    529: "Overloaded",
}

_FIXED: dict[str, Plan] = {
    "ok": Plan(text=GOOD),
    "refusal": Plan(text="I will not judge this.", stop="refused"),
    "cut": Plan(text='{"score": 0.9, "reasoning": "It was going to', stop="cut"),
    "cut-whole": Plan(text='{"score": 0.9}', stop="cut"),
    "think": Plan(text=GOOD, thinking='A draft: {"score": 0.1}. No, better.'),
    "html": Plan(body=_PAGE, media_type="text/html"),
    "html-404": Plan(status=404, body=_PAGE, media_type="text/html"),
    "broken-json": Plan(body=b'{"id": "msg_1", "content": [', media_type="application/json"),
    "wrong-shape": Plan(body=b'{"hello": "world"}'),
    "list": Plan(body=b"[]"),
    "empty": Plan(body=b""),
    "nothing-said": Plan(text=""),
    "redirect": Plan(status=307, headers={"location": "http://127.0.0.1:9/v1/messages"}, body=b""),
    "hang": Plan(ending="hang"),
    "drop": Plan(ending="drop"),
}


def plan_of(asked: Asked, seen: int, key: str) -> Plan | None:
    """The plan for a model name, or None where the name is no scenario.

    seen: how many calls of this very question came before. key: the key the call carried (`test-401-key` repeats it).
    """
    name = asked.model.removeprefix(PREFIX)
    if name == asked.model:
        return None
    if name in _FIXED:
        return _FIXED[name]
    for pattern, make in _PATTERNS:
        found = pattern.fullmatch(name)
        if found:
            return make(found, asked, seen, key)
    return None


def _score(found: re.Match[str], asked: Asked, seen: int, key: str) -> Plan:
    return Plan(text=json.dumps({"score": float(found[1]), "reasoning": "as the scenario says"}))


def _slow(found: re.Match[str], asked: Asked, seen: int, key: str) -> Plan:
    return Plan(text=GOOD, delay=float(found[1]) / 1000)


def _status(found: re.Match[str], asked: Asked, seen: int, key: str) -> Plan:
    if found["then"] and seen:
        return Plan(text=GOOD)
    status = int(found["status"])
    said = _SAID.get(status, "an error").format(model=asked.model)
    headers = {"retry-after": found["wait"]} if found["wait"] else {}
    return Plan(status=status, said=f"{said}: {key}" if found["key"] else said, headers=headers)


def _refuses(found: re.Match[str], asked: Asked, seen: int, key: str) -> Plan:
    """Refuses a parameter as long as it is sent."""
    sent = {
        "temperature": "temperature" in asked.body,
        "structured": "format" in asked.body.get("output_config", {}) or "response_format" in asked.body,
        "effort": "effort" in asked.body.get("output_config", {}) or "reasoning_effort" in asked.body,
    }[found[1]]
    named = {"temperature": "temperature", "structured": "output_config.format", "effort": "output_config.effort"}
    said = f"`{named[found[1]]}` is not supported by this model"
    return Plan(status=400, said=said) if sent else Plan(text=GOOD)


def _max_tokens(found: re.Match[str], asked: Asked, seen: int, key: str) -> Plan:
    old = "max_tokens" in asked.body
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    return Plan(status=400, said=said) if old else Plan(text=GOOD)


def _echo(found: re.Match[str], asked: Asked, seen: int, key: str) -> Plan:
    """Replies with the text of the part `reply`, or of `reply 1`, `reply 2` … call by call (the last one stays)."""
    texts = [text for name, text in asked.parts.items() if name.startswith("reply")]
    return Plan(text=texts[min(seen, len(texts) - 1)] if texts else "")


_Make = Callable[[re.Match[str], Asked, int, str], Plan]
_PATTERNS: list[tuple[re.Pattern[str], _Make]] = [
    (re.compile(r"score-([\d.]+)"), _score),
    (re.compile(r"slow-(\d+)"), _slow),
    (re.compile(r"(?P<status>[45]\d\d)(?P<key>-key)?(?:-ra-(?P<wait>.+?))?(?P<then>-then-ok)?"), _status),
    (re.compile(r"no-(temperature|structured|effort)"), _refuses),
    (re.compile(r"no-old-max-tokens"), _max_tokens),
    (re.compile(r"echo"), _echo),
]
