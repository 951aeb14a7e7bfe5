"""What a verifier wrote down that decides by itself: what is recorded as wrong, left unjudged, or claimed.

Contract, render-fidelity: Verdict (recorded), Verdict (unreviewed, unverifiable, no_evidence), Checks (synthesis).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from core.render_fidelity.rubric import UNJUDGED


def stripped(value: object) -> str:
    """A text without the blanks around it; empty for anything that is no text."""
    return value.strip() if isinstance(value, str) else ""


def items(value: object) -> list[Any]:
    """A list as it is; a single value as one item; nothing for null and empty text."""
    if value is None or value == "" or value is False:
        return []
    return list(value) if isinstance(value, list) else [value]


def describe(item: object) -> str:
    """One recorded item in a few words: its name and page where it has them."""
    if isinstance(item, Mapping):
        name = next(
            (stripped(item.get(key)) for key in ("name", "element_id", "text", "id") if stripped(item.get(key))), ""
        )
        page = item.get("page")
        place = f" (page {page})" if isinstance(page, int | str) and not isinstance(page, bool) else ""
        return (name or json.dumps(item, ensure_ascii=False, default=str)[:80]) + place
    return str(item)[:120]


_RECORDED = (
    ("must_preserve_broken", "a must_preserve item not reproduced as contracted"),
    ("copied_assets", "a protected asset copied"),
    ("value_errors", "an error in a number, unit or chart direction"),
)


COMPUTED, SUBMITTED = "computed_verdict", "submitted_verdict"
"""Beside a ``verdict`` that Touchstone wrote: that word once more, and the one that was submitted, if any."""
_WORDS = ("verdict", COMPUTED, SUBMITTED, "human_verdict")
_FREE_TEXT = ("text", "note")


def _open_item(item: object) -> bool:
    return isinstance(item, Mapping) and any(_is_unjudged(value) or _opens(key, value) for key, value in item.items())


def _is_unjudged(value: object) -> bool:
    return isinstance(value, str) and value.strip().casefold() in UNJUDGED


def _opens(key: object, value: object) -> bool:
    """True for ``"unverifiable": ["the axis of chart 3"]``: the word as the key of something."""
    return _is_unjudged(key) and bool(value.strip() if isinstance(value, str) else value)


def recorded(value: Mapping[str, Any]) -> list[str]:
    """Everything recorded as missing, broken, copied or wrong: each rejects by itself."""
    found = []
    for item in _meant(value.get("missing_signatures")):
        required = not isinstance(item, Mapping) or item.get("must_preserve") is not False
        if required and not _open_item(item) and not _is_unjudged(item):
            found.append(f"a signature is missing: {describe(item)}")
    for key, what in _RECORDED:
        found += [f"{what}: {describe(item)}" for item in _meant(value.get(key)) if not _open_item(item)]
    return found


def _meant(value: object) -> list[Any]:
    """The items that say something: an empty object, text or number 0 in such a list is nothing that was found."""
    return [item for item in items(value) if (item.strip() if isinstance(item, str) else item)]


def unjudged(value: Mapping[str, Any]) -> list[str]:
    """Every place of the file that holds one of the three words: as a value whatever its key, or as a key itself.

    Left out are the words of a person (`human_verdict`, the text of a note), who may well write such a word.
    """
    found: list[str] = []

    def walk(node: object, place: str) -> None:
        if isinstance(node, Mapping):
            for key, inner in node.items():
                if key in _FREE_TEXT and isinstance(inner, str):
                    continue
                here = f"{place}.{key}" if place else str(key)
                if _opens(key, inner):
                    found.append(f"{here}: {'; '.join(map(describe, items(inner)))}")
                else:
                    walk(inner, here)
        elif isinstance(node, list):
            for position, inner in enumerate(node):
                walk(inner, f"{place}[{position}]")
        elif _is_unjudged(node):
            found.append(f"{place} is {str(node).strip().casefold()}")

    walk({key: inner for key, inner in value.items() if key not in _WORDS}, "")
    return found


_CLAIM = re.compile(r"\breproduc|\b1\s*:\s*1\b|one[- ]to[- ]one|faithful copy|original text|원문|재현", re.IGNORECASE)
_CLAIM_KEYS = ("claims", "claim", "summary", "description", "title")


def reproduction_claims(value: Mapping[str, Any]) -> list[str]:
    """Where an object claims full depth or reproduction, which a synthesis of a style never is."""
    found = []
    if stripped(value.get("source_depth")).casefold() == "full":
        found.append("source_depth is full")
    for key in _CLAIM_KEYS:
        for item in items(value.get(key)):
            if isinstance(item, str) and _CLAIM.search(item):
                found.append(f"{key} says {item.strip()[:80]!r}")
    return found
