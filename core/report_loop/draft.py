"""Which draft of a run a person's tick or waiver is about: it holds for that draft and for no later one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.report_loop.runs import RunFiles
from core.report_loop.stop import in_order, standing


@dataclass(frozen=True, slots=True)
class Draft:
    """The draft in force: ``key`` stays the same as long as it does, ``iteration`` is the one that brought it."""

    key: str
    iteration: int | None = None


def draft_in_force(records: Sequence[Any]) -> Draft:
    """The draft that stands after these records, as written; a reverted candidate changes nothing. Pure."""
    ordered, _ = in_order(records)
    record = standing(ordered)
    if record is None:
        return Draft("")
    index, content = record.get("index"), record.get("draft_sha256")
    key = content if isinstance(content, str) and content else _digest(record)
    return Draft(key, index if type(index) is int else None)


def draft_of(files: RunFiles) -> Draft:
    """`draft_in_force` of a run; where it has no iterations, a new receipt is about a new draft."""
    found = draft_in_force(files.records)
    if found.key:
        return found
    receipts = [(file.name, file.receipt.generated_text) for file in files.receipts if file.receipt is not None]
    return Draft(_digest(receipts)) if receipts else found


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
