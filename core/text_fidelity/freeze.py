"""The frozen definition and its hashes, byte for byte as servo makes them (text-fidelity contract, Freeze). Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

APPROVED = "approved"


def sha256_tag(content: bytes) -> str:
    """``sha256:`` and 64 hex digits."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def definition(config: Mapping[str, Any]) -> dict[str, Any]:
    """What a freeze pins, each value taken from the config as it stands; a missing one is null (contract, Freeze)."""
    cases = config.get("cases")
    return {
        "judge": config.get("judge"),
        "samples": config.get("samples"),
        "threshold": config.get("threshold"),
        "cases": [_pinned(case) for case in cases if isinstance(case, Mapping)] if isinstance(cases, list) else [],
    }


def _pinned(case: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": case.get("id"),
        "reference": case.get("reference"),
        "source": case.get("source"),
        "weight": case.get("weight", 1.0),
    }


def canonical(value: Any) -> str:
    """The text that is hashed: sorted keys, Python's default separators, ASCII escapes (contract, Freeze)."""
    return json.dumps(value, sort_keys=True)


def definition_hash(config: Mapping[str, Any]) -> str:
    """``sha256:…`` over the canonical definition; the rubric is not part of it and has its own hash."""
    return sha256_tag(canonical(definition(config)).encode())


def hashes(rubric: str, references: Mapping[str, bytes]) -> dict[str, str]:
    """The ``hashes`` of a freeze: the rubric's text, then every file-backed reference by its path as written."""
    return {"rubric": sha256_tag(rubric.encode()), **{path: sha256_tag(raw) for path, raw in references.items()}}


def freeze_id(approved_hash: str, frozen: Mapping[str, str]) -> str:
    """A name for one freeze: definition and hashes together, as two times 16 hex digits."""
    return f"{approved_hash.removeprefix('sha256:')[:16]}-{hashlib.sha256(canonical(frozen).encode()).hexdigest()[:16]}"


def stale_reasons(config: Mapping[str, Any], files: Mapping[str, bytes | None]) -> list[str]:
    """Why a run is refused as stale, most general first; empty when the freeze holds (contract, Freeze).

    ``files`` gives the bytes of each frozen file by its key in ``hashes``, None where it is missing.
    """
    if config.get("approval_status") != APPROVED:
        return [f"not approved (approval_status is {config.get('approval_status')!r})"]
    frozen = config.get("hashes")
    reasons: list[str] = []
    if definition_hash(config) != config.get("approved_content_hash"):
        reasons.append("the definition changed since the freeze (judge, samples, threshold or cases)")
    if not isinstance(frozen, Mapping) or not frozen:
        return [*reasons, "no frozen hashes"]
    rubric = config.get("rubric")
    if not isinstance(rubric, str) or frozen.get("rubric") != _text_hash(rubric):
        reasons.append("the rubric changed since the freeze")
    return reasons + _file_reasons(frozen, files)


def _text_hash(text: str) -> str | None:
    try:
        return sha256_tag(text.encode())
    except UnicodeEncodeError:
        return None


def _file_reasons(frozen: Mapping[str, Any], files: Mapping[str, bytes | None]) -> list[str]:
    reasons: list[str] = []
    for path, wanted in frozen.items():
        if path == "rubric":
            continue
        raw = files.get(path)
        if raw is None:
            reasons.append(f"frozen file missing: {path}")
        elif sha256_tag(raw) != wanted:
            reasons.append(f"frozen file changed: {path}")
    return reasons


def frozen_paths(config: Mapping[str, Any]) -> Sequence[str]:
    """The files whose bytes `stale_reasons` needs."""
    frozen = config.get("hashes")
    return [path for path in frozen if path != "rubric"] if isinstance(frozen, Mapping) else []


def frozen_members(approved_hash: str, frozen: Mapping[str, str], at: str) -> dict[str, Any]:
    """What a freeze writes into config.json; every other key stays (contract, Freeze). ``at``: UTC, seconds, ``Z``."""
    return {
        "approval_status": APPROVED,
        "hashes": dict(frozen),
        "approved_content_hash": approved_hash,
        "approved_at": at,
    }
