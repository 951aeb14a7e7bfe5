"""What a deterministic check found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Found:
    """An outcome with the sentence that says why."""

    outcome: Literal["pass", "fail", "unknown"]
    detail: str


def held(detail: str) -> Found:
    """The check holds."""
    return Found("pass", detail)


def failed(detail: str) -> Found:
    """The check fails: the pack is rejected before any scoring."""
    return Found("fail", detail)


def unknown(detail: str) -> Found:
    """What the check needs is missing: neither pass nor fail."""
    return Found("unknown", detail)
