"""What a request asks, read from either protocol's body."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Protocol = Literal["anthropic", "openai"]

_PART = re.compile(r"<<<BEGIN (?P<name>.+?) (?P<code>[0-9a-f]{10})>>>\n(?P<text>.*?)\n<<<END \1 \2>>>", re.DOTALL)
_SCHEMA = "fits this schema, and with nothing else:\n"


@dataclass(frozen=True)
class Asked:
    """One question: the model's name, the trusted half, the material by name, pictures, and the reply's schema."""

    model: str
    instructions: str
    parts: Mapping[str, str]
    pictures: tuple[bytes, ...]
    schema: Mapping[str, Any]
    body: Mapping[str, Any]


class NotAsked(ValueError):
    """A body that is no request of this protocol; the message says why."""


def read(body: object, protocol: Protocol) -> Asked:
    """The question in a request body. Raises NotAsked."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise NotAsked("model: field required")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise NotAsked("messages: at least one message is required")
    if protocol == "anthropic":
        if not isinstance(body.get("max_tokens"), int):
            raise NotAsked("max_tokens: field required")
        system = body.get("system") or ""
        content = _content(messages)
    else:
        system = " ".join(_text_of(message.get("content")) for message in messages if message.get("role") == "system")
        content = _content([message for message in messages if message.get("role") != "system"])
    system = system if isinstance(system, str) else _text_of(system)
    user = "\n\n".join(str(block.get("text", "")) for block in content if block.get("type") == "text")
    return Asked(
        model=body["model"],
        instructions=system.partition("\n\nThe user message holds")[0],
        parts={found["name"]: found["text"] for found in _PART.finditer(user)} or {"text": user},
        pictures=tuple(filter(None, map(_picture, content))),
        schema=_schema(system),
        body=body,
    )


def _content(messages: list[Any]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            blocks.append({"type": "text", "text": content})
        elif isinstance(content, list):
            blocks += [block for block in content if isinstance(block, dict)]
    return blocks


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(str(block.get("text", "")) for block in blocks if isinstance(block, dict))


def _picture(block: Mapping[str, Any]) -> bytes | None:
    source = block.get("source")
    if block.get("type") == "image" and isinstance(source, dict):
        return _decoded(source.get("data"))
    address = block.get("image_url")
    if block.get("type") == "image_url" and isinstance(address, dict):
        return _decoded(str(address.get("url", "")).partition(";base64,")[2])
    return None


def _decoded(data: object) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True) if isinstance(data, str) else None
    except binascii.Error:
        return None


def _schema(system: str) -> Mapping[str, Any]:
    text = system.rpartition(_SCHEMA)[2]
    try:
        schema = json.loads(text)
    except ValueError:
        return {}
    return schema if isinstance(schema, dict) else {}
