"""The batch life of both protocols, without a clock: a batch is in progress when first looked at, and then ended."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.judge.practice.asked import Protocol

Answering = Callable[[dict[str, Any], Protocol], tuple[int, dict[str, Any]]]
"""A request body to status and reply body."""

_EPOCH = "2026-01-01T00:00:00Z"


@dataclass
class Batch:
    """One submitted batch."""

    id: str
    requests: list[dict[str, Any]]
    looks: int = 0
    cancelled: bool = False
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """True from the second look on."""
        return self.cancelled or self.looks > 1


class Batches:
    """What was submitted to this server."""

    def __init__(self, answer: Answering) -> None:
        self._answer = answer
        self._numbers = itertools.count(1)
        self._batches: dict[str, Batch] = {}
        self._files: dict[str, bytes] = {}

    def submit(self, protocol: Protocol, requests: list[dict[str, Any]], metadata: dict[str, str]) -> Batch:
        """Take a batch in."""
        name = f"{'msgbatch' if protocol == 'anthropic' else 'batch'}_{next(self._numbers):06d}"
        batch = Batch(name, requests, metadata=metadata)
        self._batches[name] = batch
        return batch

    def look(self, name: str) -> Batch | None:
        """A batch by its id; looking at it lets its time pass."""
        batch = self._batches.get(name)
        if batch:
            batch.looks += 1
        return batch

    def upload(self, content: bytes) -> str:
        """Keep a file and return its id."""
        name = f"file-{next(self._numbers):06d}"
        self._files[name] = content
        return name

    def file(self, name: str) -> bytes | None:
        """A kept file."""
        return self._files.get(name)

    def anthropic_shape(self, batch: Batch, root: str) -> dict[str, Any]:
        """A batch as Anthropic describes it."""
        outcomes = [self._anthropic_result(request)["type"] for request in batch.requests] if batch.ended else []
        counts = {sort: outcomes.count(sort) for sort in ("succeeded", "errored", "canceled", "expired")} | {
            "processing": 0 if batch.ended else len(batch.requests)
        }
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if batch.ended else "in_progress",
            "request_counts": counts,
            "created_at": _EPOCH,
            "expires_at": "2026-01-02T00:00:00Z",
            "ended_at": _EPOCH if batch.ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{root}/v1/messages/batches/{batch.id}/results" if batch.ended else None,
        }

    def anthropic_results(self, batch: Batch) -> bytes:
        """The result lines, last first: the order says nothing."""
        rows = [
            {"custom_id": request["custom_id"], "result": self._anthropic_result(request)}
            for request in reversed(batch.requests)
        ]
        return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    def _anthropic_result(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["params"].get("model") == "test-expired":
            return {"type": "expired"}
        status, body = self._answer(request["params"], "anthropic")
        return {"type": "succeeded", "message": body} if status == 200 else {"type": "errored", "error": body}

    def openai_shape(self, batch: Batch) -> dict[str, Any]:
        """A batch as OpenAI describes it; its output is a file once it has ended."""
        output = errors = None
        counts = {"total": len(batch.requests), "completed": 0, "failed": 0}
        if batch.ended:
            rows = [self._openai_row(request) for request in reversed(batch.requests)]
            good = [row for row in rows if row["response"] and row["response"]["status_code"] == 200]
            bad = [row for row in rows if row not in good]
            counts |= {"completed": len(good), "failed": len(bad)}
            output = self._kept(batch, "output", good)
            errors = self._kept(batch, "errors", bad)
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": 0,
            "input_file_id": "",
            "status": "completed" if batch.ended else "in_progress",
            "output_file_id": output,
            "error_file_id": errors,
            "request_counts": counts,
            "metadata": batch.metadata,
        }

    def _kept(self, batch: Batch, sort: str, rows: list[dict[str, Any]]) -> str | None:
        if not rows:
            return None
        name = f"file-{batch.id}-{sort}"
        self._files[name] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        return name

    def _openai_row(self, request: dict[str, Any]) -> dict[str, Any]:
        row: dict[str, Any] = {"id": request["custom_id"], "custom_id": request["custom_id"], "error": None}
        if request["body"].get("model") == "test-expired":
            gone = {"code": "batch_expired", "message": "This request could not be executed before the window closed."}
            return row | {"response": None, "error": gone}
        status, body = self._answer(request["body"], "openai")
        return row | {"response": {"status_code": status, "request_id": "none", "body": body}}
