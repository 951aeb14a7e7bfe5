"""Anthropic's Messages API, or a server that speaks it, through the official SDK."""

from __future__ import annotations

import asyncio
import base64
from functools import lru_cache
from typing import Any

import anthropic
from pydantic import BaseModel

from core import times
from core.judge.api import (
    Address,
    client_options,
    no_connection,
    no_key,
    not_the_protocol,
    said_by,
    status_failure,
)
from core.judge.prices import Tokens
from core.judge.prompt import Prompt
from core.judge.protocol import Image, JudgeSpec
from core.judge.sending import Parameters, Refused
from core.judge.transport import Answer, CallFailed, Transport, overall_seconds

_CUT = ("max_tokens", "model_context_window_exceeded")


class _Stopped(anthropic.AnthropicError):
    """Leaves the SDK's retry loop at once."""


def client_of(spec: JudgeSpec, address: Address) -> anthropic.AsyncAnthropic:
    """An SDK client for one event loop. Raises CallFailed where there is no key."""
    if address.key is None:
        raise no_key(address)
    bearer = address.key_name == "ANTHROPIC_AUTH_TOKEN"
    return anthropic.AsyncAnthropic(
        api_key=None if bearer else address.key,
        auth_token=address.key if bearer else None,
        base_url=address.base_url,
        max_retries=spec.max_retries,
        http_client=anthropic.DefaultAsyncHttpxClient(**client_options(spec, address, _Stopped)),
    )


def body_of(spec: JudgeSpec, prompt: Prompt, parameters: Parameters) -> dict[str, Any]:
    """The request body, the same for a single call and in a batch."""
    body: dict[str, Any] = {
        "model": spec.model,
        "max_tokens": spec.max_tokens,
        "system": prompt.system,
        "messages": [{"role": "user", "content": _content(prompt)}],
    }
    if parameters.temperature is not None:
        body["temperature"] = parameters.temperature
    output: dict[str, Any] = {}
    if parameters.structured:
        output["format"] = {"type": "json_schema", "schema": _schema(prompt.reply)}
    if parameters.effort:
        output["effort"] = parameters.effort
    if output:
        body["output_config"] = output
    return body


@lru_cache
def _schema(reply: type[BaseModel]) -> dict[str, Any]:
    return anthropic.transform_schema(reply)


def _content(prompt: Prompt) -> list[dict[str, Any]]:
    return [{"type": "text", "text": prompt.text}, *(_picture(image) for image in prompt.images)]


def _picture(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": data}}


def answer_of(message: object, spec: JudgeSpec, address: Address, note: str) -> Answer:
    """A message as an `Answer`. Raises CallFailed for a 200 that is no message."""
    content = getattr(message, "content", None)
    if not isinstance(message, BaseModel) or not isinstance(content, list):
        raise not_the_protocol(address, message)
    stop = getattr(message, "stop_reason", None)
    text = "".join(_text(block, "text") for block in content)
    return Answer(
        text=text,
        thinking="\n".join(filter(None, (_text(block, "thinking") for block in content))),
        model=str(getattr(message, "model", "") or spec.model),
        stop="cut" if stop in _CUT else "refused" if stop == "refusal" else "end",
        tokens=_tokens(getattr(message, "usage", None)),
        note=note,
    )


def _text(block: object, sort: str) -> str:
    value = getattr(block, sort, "") if getattr(block, "type", None) == sort else ""
    return value if isinstance(value, str) else ""


def _tokens(usage: object) -> Tokens | None:
    def number(name: str) -> int:
        value = getattr(usage, name, None)
        return value if isinstance(value, int) and value >= 0 else 0

    if not isinstance(getattr(usage, "input_tokens", None), int) or not isinstance(
        getattr(usage, "output_tokens", None), int
    ):
        return None
    cached, written = number("cache_read_input_tokens"), number("cache_creation_input_tokens")
    return Tokens(number("input_tokens") + cached + written, number("output_tokens"), cached, written)


def failure_of(error: anthropic.AnthropicError, address: Address) -> CallFailed:
    """An SDK error by its name here."""
    if isinstance(error, _Stopped):
        return CallFailed("budget", str(error))
    if isinstance(error, anthropic.APIStatusError):
        return status_failure(error.status_code, error.response.headers, error.body, address, times.now())
    if isinstance(error, anthropic.APITimeoutError):
        return CallFailed("timeout", "no answer in time, after the retries", unbilled=False)
    if isinstance(error, anthropic.APIConnectionError):
        return no_connection(address, error)
    return not_the_protocol(address, str(error))


class AnthropicApi(Transport):
    """One run's way to Anthropic's API."""

    overhead_tokens = 0

    def __init__(self, spec: JudgeSpec, address: Address) -> None:
        self._spec, self._address = spec, address
        self._parameters = Parameters(spec)
        self._client: anthropic.AsyncAnthropic | None = None

    async def call(self, prompt: Prompt) -> Answer:
        """Ask once. Raises CallFailed."""
        try:
            message = await self._parameters.send(lambda: self._create(prompt))
        except Refused as error:
            raise CallFailed("bad_request", f"HTTP 400: {error.message}") from None
        return answer_of(message, self._spec, self._address, self._parameters.note)

    async def _create(self, prompt: Prompt) -> object:
        if self._client is None:
            self._client = client_of(self._spec, self._address)
        body = body_of(self._spec, prompt, self._parameters)
        try:
            # The time-out belongs to a single read; a server that drips must not hold the run for ever.
            async with asyncio.timeout(overall_seconds(self._spec)):
                # The SDK's own signature has no temperature any more; the models that take one still do.
                extra = {"temperature": body.pop("temperature")} if "temperature" in body else None
                return await self._client.messages.create(**body, extra_body=extra)
        except anthropic.APIStatusError as error:
            if error.status_code in (400, 422):
                raise Refused(said_by(error.body) or error.message) from None
            raise failure_of(error, self._address) from None
        except anthropic.AnthropicError as error:
            raise failure_of(error, self._address) from None
        except TimeoutError:
            raise CallFailed("timeout", "no answer in time", unbilled=False) from None
        except ValueError as error:  # the SDK lets a body that is no JSON through as the decoder's own error
            raise not_the_protocol(self._address, str(error)) from None

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
