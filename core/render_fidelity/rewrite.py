"""A deliverable as it is to be, written over the one that was read: what stays the same keeps its bytes. Pure.

Other tools write these files too; their spelling of a number, their line endings and their order of keys are theirs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.files import jsontext


def rewritten(content: bytes, old: Mapping[str, Any], new: Mapping[str, Any]) -> bytes:
    """``content``, which was read as ``old``, changed so that it reads as ``new``; BOM and line endings stay."""
    return jsontext.encoded(_object(content.decode("utf-8"), old, new))


def fresh(new: Mapping[str, Any]) -> bytes:
    """The bytes of a file that was not there before."""
    return jsontext.encoded(json.dumps(new, ensure_ascii=False, indent=2) + "\n")


def _same(one: Any, other: Any) -> bool:
    """Alike as JSON: 1 is neither true nor 1.0."""
    return json.dumps(one) == json.dumps(other)


def _object(text: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    for key in [key for key in old if key not in new]:
        text = jsontext.remove_member(text, key)
    for key, value in new.items():
        if key not in old or not _same(old[key], value):
            text = _member(text, key, old.get(key), value)
    return text


def _member(text: str, key: str, old: Any, new: Any) -> str:
    """One member set: inside an object or a list only what differs, anything else as a whole."""
    place = next((found for found in jsontext.members(text) if found.name == key), None)
    inner = text[place.value_start : place.end] if place else ""
    if place and isinstance(old, Mapping) and isinstance(new, Mapping) and _once(inner):
        inner = _object(inner, old, new)
    elif place and isinstance(old, list) and isinstance(new, list):
        inner = _list(inner, old, new)
    else:
        return jsontext.set_members(text, {key: new})
    return text[: place.value_start] + inner + text[place.end :]


def _list(text: str, old: list[Any], new: list[Any]) -> str:
    """Entries that stay, in their order, keep their bytes; the others go, and what is left of ``new`` comes last."""
    stays, gone = 0, []
    for index, entry in enumerate(old):
        if stays < len(new) and _same(entry, new[stays]):
            stays += 1
        else:
            gone.append(index)
    for index in reversed(gone):
        text = jsontext.remove_element(text, 0, index)
    for value in new[stays:]:
        text = jsontext.append_element(text, 0, value)
    return text


def _once(text: str) -> bool:
    """False for an object with a key that stands twice: which of the two would be changed?"""
    names = [member.name for member in jsontext.members(text)]
    return len(names) == len(set(names))
