"""The server: both providers' paths over one judge."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from core.judge.practice import reply, wire
from core.judge.practice.asked import Asked, NotAsked, Protocol, read
from core.judge.practice.batches import Batches
from core.judge.practice.scenarios import Plan, plan_of
from core.judge.practice.skim import SKIMS, skimmed
from core.judge.prompt import digest
from core.judge.protocol import PRACTICE_PREFIX

_BYTES_A_TOKEN = 4


class Desk:
    """What the routes share: the mode, and (with scenarios) a log of what was asked."""

    def __init__(self, *, scenarios: bool, latency: float) -> None:
        self.scenarios, self.latency = scenarios, latency
        self.log: list[dict[str, Any]] = []
        self.seen: Counter[str] = Counter()
        self.under_way = self.most_at_once = 0
        self.batches = Batches(self.batched)

    def reset(self) -> None:
        """Forget what was asked."""
        self.log.clear()
        self.seen.clear()
        self.most_at_once = 0
        self.batches = Batches(self.batched)

    def plan(self, body: object, protocol: Protocol, key: str) -> tuple[Asked | None, Plan]:
        """What happens to a call."""
        try:
            asked = read(body, protocol)
        except NotAsked as error:
            return None, Plan(status=400, said=str(error))
        question = digest(json.dumps([asked.model, list(asked.parts.items())]))
        before = self.seen[question]
        self.seen[question] += 1
        found = plan_of(asked, before, key) if self.scenarios else None
        if found:
            return asked, found
        if not self.scenarios and not asked.model.startswith(PRACTICE_PREFIX):
            said = f"model: {asked.model}; this is the practice judge, its models are named {PRACTICE_PREFIX}…"
            return asked, Plan(status=404, said=said)
        if asked.model.endswith(SKIMS):
            return asked, _practised(skimmed(asked, before))
        return asked, _practised(asked)

    def batched(self, body: dict[str, Any], protocol: Protocol) -> tuple[int, dict[str, Any]]:
        """One request of a batch."""
        asked, plan = self.plan(body, protocol, "")
        return plan.status, _body(asked, plan, protocol)


def _practised(asked: Asked) -> Plan:
    text = json.dumps(reply.answer(asked), ensure_ascii=False)
    limit = asked.body.get("max_tokens") or asked.body.get("max_completion_tokens") or len(text)
    most = int(limit) * _BYTES_A_TOKEN
    return Plan(text=text[:most], stop="cut" if len(text) > most else "end")


def _body(asked: Asked | None, plan: Plan, protocol: Protocol) -> dict[str, Any]:
    if plan.status != 200 or asked is None:
        return wire.error(protocol, plan.status, plan.said)
    given = len(json.dumps(asked.body)) // _BYTES_A_TOKEN
    made = max(1, (len(plan.text) + len(plan.thinking)) // _BYTES_A_TOKEN)
    return wire.message(
        protocol, model=asked.model, text=plan.text, stop=plan.stop, thinking=plan.thinking, given=given, made=made
    )


class _Hang(Response):
    """Never answers; leaves when the caller does."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass


class _Drop(Response):
    """Breaks the connection: an answer that promises more than it sends."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"id": ', "more_body": False})


async def _ask(request: Request, protocol: Protocol) -> Response:
    desk: Desk = request.app.state.desk
    body = _json(await request.body())
    key = request.headers.get("x-api-key") or request.headers.get("authorization", "")
    asked, plan = desk.plan(body, protocol, key)
    if desk.scenarios:
        desk.log.append({"path": request.url.path, "model": asked.model if asked else None, "body": body, "key": key})
    desk.under_way += 1
    desk.most_at_once = max(desk.most_at_once, desk.under_way)
    try:
        await asyncio.sleep(plan.delay or desk.latency)
    finally:
        desk.under_way -= 1
    if plan.ending != "send":
        return _Hang() if plan.ending == "hang" else _Drop()
    if plan.body is not None:
        return Response(plan.body, plan.status, plan.headers, plan.media_type)
    return JSONResponse(_body(asked, plan, protocol), plan.status, plan.headers)


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None


async def _messages(request: Request) -> Response:
    return await _ask(request, "anthropic")


async def _completions(request: Request) -> Response:
    return await _ask(request, "openai")


def _gone(protocol: Protocol, what: str) -> Response:
    return JSONResponse(wire.error(protocol, 404, f"{what} is not here"), 404)


async def _anthropic_submit(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    body = _json(await request.body())
    if not isinstance(body, dict) or not isinstance(body.get("requests"), list) or not body["requests"]:
        return JSONResponse(wire.error("anthropic", 400, "requests: at least one is required"), 400)
    batch = desk.batches.submit("anthropic", body["requests"], {})
    return JSONResponse(desk.batches.anthropic_shape(batch, _root(request)))


async def _anthropic_batch(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    batch = desk.batches.look(request.path_params["name"])
    if batch is None:
        return _gone("anthropic", "this batch")
    return JSONResponse(desk.batches.anthropic_shape(batch, _root(request)))


async def _anthropic_results(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    batch = desk.batches.look(request.path_params["name"])
    if batch is None or not batch.ended:
        return _gone("anthropic", "this batch's result")
    return Response(desk.batches.anthropic_results(batch), media_type="application/x-jsonl")


async def _openai_upload(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    form = await request.form()
    given = form.get("file")
    content = given.encode() if isinstance(given, str) else await given.read() if given else b""
    name = desk.batches.upload(content)
    shape = {"id": name, "object": "file", "bytes": len(content), "created_at": 0, "filename": "batch.jsonl"}
    return JSONResponse(shape | {"purpose": "batch", "status": "processed"})


async def _openai_file(request: Request) -> Response:
    content = request.app.state.desk.batches.file(request.path_params["name"])
    return Response(content, media_type="application/jsonl") if content is not None else _gone("openai", "this file")


async def _openai_submit(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    body = _json(await request.body())
    content = desk.batches.file(str((body or {}).get("input_file_id")))
    if content is None:
        return JSONResponse(wire.error("openai", 400, "input_file_id: no such file"), 400)
    requests = [json.loads(line) for line in content.splitlines() if line.strip()]
    batch = desk.batches.submit("openai", requests, dict(body.get("metadata") or {}))
    return JSONResponse(desk.batches.openai_shape(batch))


async def _openai_batch(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    batch = desk.batches.look(request.path_params["name"])
    return JSONResponse(desk.batches.openai_shape(batch)) if batch else _gone("openai", "this batch")


def _root(request: Request) -> str:
    return str(request.base_url).rstrip("/")


async def _about(request: Request) -> Response:
    return JSONResponse({"practice_judge": True, "models": [f"{PRACTICE_PREFIX}judge"]})


async def _log(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    return JSONResponse({"calls": desk.log, "most_at_once": desk.most_at_once})


async def _reset(request: Request) -> Response:
    request.app.state.desk.reset()
    return Response(status_code=204)


def make_app(*, scenarios: bool = False, latency: float = 0.0) -> Starlette:
    """The server. scenarios: answer to `test-…` models with failures, and keep a log at /_log. latency: seconds."""
    routes = [
        Route("/", _about),
        Route("/v1/messages", _messages, methods=["POST"]),
        Route("/v1/messages/batches", _anthropic_submit, methods=["POST"]),
        Route("/v1/messages/batches/{name}", _anthropic_batch),
        Route("/v1/messages/batches/{name}/results", _anthropic_results),
        Route("/v1/chat/completions", _completions, methods=["POST"]),
        Route("/v1/files", _openai_upload, methods=["POST"]),
        Route("/v1/files/{name}/content", _openai_file),
        Route("/v1/batches", _openai_submit, methods=["POST"]),
        Route("/v1/batches/{name}", _openai_batch),
    ]
    if scenarios:
        routes += [Route("/_log", _log), Route("/_reset", _reset, methods=["POST"])]
    app = Starlette(routes=routes)
    app.state.desk = Desk(scenarios=scenarios, latency=latency)
    return app
