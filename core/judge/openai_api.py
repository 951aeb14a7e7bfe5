"""OpenAI's chat completions, or a server that speaks them (Ollama, vLLM, a gateway), through the official SDK.

Chat completions rather than responses: every compatible server has them.
"""

from __future__ import annotations

import asyncio
import base64
from functools import lru_cache
from typing import Any

import openai
from openai.lib._pydantic import to_strict_json_schema
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


class _Stopped(openai.OpenAIError):
    """Leaves the SDK's retry loop at once."""


def client_of(spec: JudgeSpec, address: Address) -> openai.AsyncOpenAI:
    """An SDK client for one event loop. Raises CallFailed where there is no key."""
    if address.key is None:
        raise no_key(address)
    return openai.AsyncOpenAI(
        api_key=address.key,
        base_url=address.base_url,
        max_retries=spec.max_retries,
        http_client=openai.DefaultAsyncHttpxClient(**client_options(spec, address, _Stopped)),
    )


def body_of(spec: JudgeSpec, prompt: Prompt, parameters: Parameters, *, official: bool) -> dict[str, Any]:
    """The request body, the same for a single call and in a batch.

    OpenAI's own models take `max_completion_tokens`, other servers mostly know only `max_tokens`; whichever is refused
    is replaced by the other.
    """
    modern = official != ("max_tokens" in parameters.out)
    body: dict[str, Any] = {
        "model": spec.model,
        "max_completion_tokens" if modern else "max_tokens": spec.max_tokens,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": _content(prompt)}],
    }
    if parameters.temperature is not None:
        body["temperature"] = parameters.temperature
    if parameters.effort:
        body["reasoning_effort"] = parameters.effort
    if parameters.structured:
        schema = {"name": "reply", "schema": _strict_schema(prompt.reply), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


@lru_cache
def _strict_schema(reply: type[BaseModel]) -> dict[str, Any]:
    """The SDK's strict schema without defaults, which strict mode does not take."""
    schema: dict[str, Any] = _without_defaults(to_strict_json_schema(reply))
    return schema


def _without_defaults(node: Any) -> Any:
    if isinstance(node, dict):
        kept = {key: value for key, value in node.items() if key != "default" or isinstance(value, dict)}
        return {key: _without_defaults(value) for key, value in kept.items()}
    return [_without_defaults(item) for item in node] if isinstance(node, list) else node


def _content(prompt: Prompt) -> str | list[dict[str, Any]]:
    if not prompt.images:
        return prompt.text
    return [{"type": "text", "text": prompt.text}, *(_picture(image) for image in prompt.images)]


def _picture(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}", "detail": "high"}}


def answer_of(completion: object, spec: JudgeSpec, address: Address, note: str) -> Answer:
    """A completion as an `Answer`. Raises CallFailed for a 200 that is no completion."""
    choices = getattr(completion, "choices", None)
    message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    if message is None:
        raise not_the_protocol(address, completion)
    refusal = getattr(message, "refusal", None)
    finish = getattr(choices[0], "finish_reason", None) if choices else None
    refused = bool(refusal) or finish == "content_filter"
    return Answer(
        text=str(refusal) if refusal else str(getattr(message, "content", None) or ""),
        thinking=_thinking(message),
        model=str(getattr(completion, "model", "") or spec.model),
        stop="refused" if refused else "cut" if finish == "length" else "end",
        tokens=_tokens(getattr(completion, "usage", None)),
        note=note,
    )


def _thinking(message: object) -> str:
    """Where compatible servers put a model's thinking; OpenAI itself sends none."""
    for name in ("reasoning_content", "reasoning"):
        value = getattr(message, name, None)
        if isinstance(value, str) and value:
            return value
    return ""


def _tokens(usage: object) -> Tokens | None:
    given, made = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    if not isinstance(given, int) or not isinstance(made, int):
        return None
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    return Tokens(given, made, cached if isinstance(cached, int) else 0)


def failure_of(error: openai.OpenAIError, address: Address) -> CallFailed:
    """An SDK error by its name here."""
    if isinstance(error, _Stopped):
        return CallFailed("budget", str(error))
    if isinstance(error, openai.APIStatusError):
        return status_failure(error.status_code, error.response.headers, error.body, address, times.now())
    if isinstance(error, openai.APITimeoutError):
        return CallFailed("timeout", "no answer in time, after the retries", unbilled=False)
    if isinstance(error, openai.APIConnectionError):
        return no_connection(address, error)
    return not_the_protocol(address, str(error))


class OpenAiApi(Transport):
    """One run's way to OpenAI's API, or to a server that speaks it."""

    overhead_tokens = 0

    def __init__(self, spec: JudgeSpec, address: Address) -> None:
        self._spec, self._address = spec, address
        self._parameters = Parameters(spec)
        self._client: openai.AsyncOpenAI | None = None

    async def call(self, prompt: Prompt) -> Answer:
        """Ask once. Raises CallFailed."""
        try:
            completion = await self._parameters.send(lambda: self._create(prompt))
        except Refused as error:
            raise CallFailed("bad_request", f"HTTP 400: {error.message}") from None
        return answer_of(completion, self._spec, self._address, self._parameters.note)

    async def _create(self, prompt: Prompt) -> object:
        if self._client is None:
            self._client = client_of(self._spec, self._address)
        body = body_of(self._spec, prompt, self._parameters, official=self._address.endpoint is None)
        try:
            # The time-out belongs to a single read; a server that drips must not hold the run for ever.
            async with asyncio.timeout(overall_seconds(self._spec)):
                return await self._client.chat.completions.create(**body)
        except openai.APIStatusError as error:
            if error.status_code in (400, 422):
                raise Refused(said_by(error.body) or error.message) from None
            raise failure_of(error, self._address) from None
        except openai.OpenAIError as error:
            raise failure_of(error, self._address) from None
        except TimeoutError:
            raise CallFailed("timeout", "no answer in time", unbilled=False) from None
        except ValueError as error:  # the SDK lets a body that is no JSON through as the decoder's own error
            raise not_the_protocol(self._address, str(error)) from None

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
