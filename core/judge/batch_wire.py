"""The batch calls of both providers, through their SDKs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from core.errors import Unavailable
from core.files import parse_jsonl
from core.judge.api import address_of, status_failure
from core.judge.prompt import Prompt
from core.judge.protocol import JudgeSpec
from core.judge.redact import one_line
from core.judge.sending import Parameters
from core.judge.transport import Answer, CallFailed
from core.times import now

_Done = TypeVar("_Done")


@dataclass(frozen=True)
class Item:
    """One call in a batch."""

    custom_id: str
    prompt: Prompt


@dataclass(frozen=True)
class Look:
    """How a batch stands at the provider. done and total count calls."""

    ended: bool
    done: int
    total: int
    word: str


class Wire(Protocol):
    """What a provider's batch API can do. Every method raises Unavailable where the provider cannot be used."""

    most_items: int

    def submit(self, items: Sequence[Item], ticket: str) -> str:
        """Hand a batch in; returns the provider's id for it."""
        ...

    def look(self, batch: str) -> Look:
        """How it stands."""
        ...

    def results(self, batch: str) -> list[tuple[str, Answer | CallFailed]]:
        """Each call's outcome by its custom id, in any order."""
        ...


def wire_of(spec: JudgeSpec) -> Wire:
    """The batch API of a spec's provider. Raises Unavailable for a command-line judge, which has none."""
    if spec.transport != "api":
        raise Unavailable(f"transport {spec.transport} has no batches; use transport api")
    return _OpenAi(spec) if spec.provider == "openai" else _Anthropic(spec)


def _wait_for(work: Coroutine[Any, Any, _Done]) -> _Done:
    """Run a coroutine to its end on a thread of its own, whatever loop the caller's thread may have."""
    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(asyncio.run, work).result()
        except CallFailed as failed:
            raise Unavailable(failed.reason) from failed


class _Anthropic:
    most_items = 100_000

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec, self._address = spec, address_of(spec)

    def submit(self, items: Sequence[Item], ticket: str) -> str:
        from core.judge.anthropic_api import body_of

        parameters = Parameters(self._spec)
        requests = [
            {"custom_id": item.custom_id, "params": body_of(self._spec, item.prompt, parameters)} for item in items
        ]
        return str(_wait_for(self._call("create", requests=requests)).id)

    def look(self, batch: str) -> Look:
        seen = _wait_for(self._call("retrieve", batch))
        counts = seen.request_counts
        done = counts.succeeded + counts.errored + counts.canceled + counts.expired
        return Look(seen.processing_status == "ended", done, done + counts.processing, seen.processing_status)

    def results(self, batch: str) -> list[tuple[str, Answer | CallFailed]]:
        return _wait_for(self._results(batch))

    async def _results(self, batch: str) -> list[tuple[str, Answer | CallFailed]]:
        rows = await self._call("results", batch, collect=True)
        return [(row.custom_id, self._outcome(row.result)) for row in rows]

    async def _call(self, name: str, *given: Any, collect: bool = False, **named: Any) -> Any:
        import anthropic

        from core.judge.anthropic_api import client_of, failure_of

        client = client_of(self._spec, self._address)
        try:
            answer = await getattr(client.messages.batches, name)(*given, **named)
            return [row async for row in answer] if collect else answer
        except anthropic.AnthropicError as error:
            raise failure_of(error, self._address) from None
        finally:
            await client.close()

    def _outcome(self, result: Any) -> Answer | CallFailed:
        from core.judge.anthropic_api import answer_of

        note = Parameters(self._spec).note
        if result.type == "succeeded":
            return _caught(lambda: answer_of(result.message, self._spec, self._address, note))
        if result.type == "errored":
            error = getattr(getattr(result, "error", None), "error", None)
            return CallFailed("bad_request", f"in the batch: {one_line(str(getattr(error, 'message', 'an error')))}")
        return CallFailed("timeout", f"the batch ended before this call was made ({result.type})")


class _OpenAi:
    most_items = 50_000

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec, self._address = spec, address_of(spec)

    def submit(self, items: Sequence[Item], ticket: str) -> str:
        return str(_wait_for(self._submit(self._lines(items), ticket)).id)

    def _lines(self, items: Sequence[Item]) -> bytes:
        from core.judge.openai_api import body_of

        parameters, official = Parameters(self._spec), self._address.endpoint is None
        frame = {"method": "POST", "url": "/v1/chat/completions"}
        bodies = (body_of(self._spec, item.prompt, parameters, official=official) for item in items)
        rows = (frame | {"custom_id": item.custom_id, "body": body} for item, body in zip(items, bodies, strict=True))
        return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    async def _submit(self, lines: bytes, ticket: str) -> Any:
        async def work(client: Any) -> Any:
            file = await client.files.create(file=("batch.jsonl", lines), purpose="batch")
            return await client.batches.create(
                input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h",
                metadata={"touchstone_ticket": ticket},
            )  # fmt: skip

        return await self._with_client(work)

    def look(self, batch: str) -> Look:
        seen = _wait_for(self._retrieve(batch))
        counts = seen.request_counts
        done, total = (counts.completed + counts.failed, counts.total) if counts else (0, 0)
        return Look(seen.status in ("completed", "failed", "expired", "cancelled"), done, total, seen.status)

    async def _retrieve(self, batch: str) -> Any:
        return await self._with_client(lambda client: client.batches.retrieve(batch))

    def results(self, batch: str) -> list[tuple[str, Answer | CallFailed]]:
        return _wait_for(self._results(batch))

    async def _results(self, batch: str) -> list[tuple[str, Answer | CallFailed]]:
        async def work(client: Any) -> list[bytes]:
            seen = await client.batches.retrieve(batch)
            files = [file for file in (seen.output_file_id, seen.error_file_id) if file]
            return [(await client.files.content(file)).content for file in files]

        return [self._outcome(row) for content in await self._with_client(work) for row in _rows(content)]

    async def _with_client(self, work: Any) -> Any:
        import openai

        from core.judge.openai_api import client_of, failure_of

        client = client_of(self._spec, self._address)
        try:
            return await work(client)
        except openai.OpenAIError as error:
            raise failure_of(error, self._address) from None
        finally:
            await client.close()

    def _outcome(self, row: dict[str, Any]) -> tuple[str, Answer | CallFailed]:
        from openai.types.chat import ChatCompletion

        from core.judge.openai_api import answer_of

        name, response = str(row.get("custom_id")), row.get("response")
        note = Parameters(self._spec).note
        if not isinstance(response, dict):
            error = row.get("error") or {}
            return name, CallFailed("timeout", f"in the batch: {one_line(str(error.get('message', 'not made')))}")
        if response.get("status_code") != 200:
            status = int(response.get("status_code") or 500)
            return name, status_failure(status, {}, response.get("body"), self._address, now())
        completion = ChatCompletion.construct(**response.get("body", {}))
        return name, _caught(lambda: answer_of(completion, self._spec, self._address, note))


def _rows(content: bytes) -> Iterator[dict[str, Any]]:
    """The rows that can be read; a call whose row cannot counts as one without a result."""
    for line in parse_jsonl(content, "the batch's results").records:
        if isinstance(line.value, dict):
            yield line.value


def _caught(make: Any) -> Answer | CallFailed:
    try:
        answer: Answer = make()
    except CallFailed as failed:
        return failed
    return answer
