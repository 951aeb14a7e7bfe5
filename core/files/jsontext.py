"""Members and elements of a JSON text changed in place: every other byte stays as its author wrote it. Pure.

The text must already have been read strictly (`core.files.parse_json`); positions are found with the standard
library's own scanner, so strings and numbers are never re-spelled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"\ufeff?[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the outermost object: where its name starts, and where its value starts and ends."""

    name: str
    start: int
    value_start: int
    end: int


def encoded(text: str) -> bytes:
    """Half a surrogate pair has no UTF-8; it can only stand inside a string, where JSON has an escape for it."""
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")


def members(text: str) -> list[Member]:
    """The members of the outermost object, in order. Raises ValueError when the text holds no object."""
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        raise ValueError("the JSON document is not an object")
    found: list[Member] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        name, after = _DECODER.raw_decode(text, at)
        value_start = _skip(text, _skip(text, after) + 1)
        _, end = _DECODER.raw_decode(text, value_start)
        found.append(Member(name, at, value_start, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at : at + 1] == "," else at
    return found


def outermost(text: str) -> int:
    """Where the document's one value starts, behind a BOM and white space."""
    return _skip(text, 0)


def elements(text: str, start: int) -> list[tuple[int, int]]:
    """Start and end of each element of the array whose ``[`` stands at ``start``."""
    found: list[tuple[int, int]] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        found.append((at, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def set_members(text: str, values: Mapping[str, Any]) -> str:
    """The text with these members of the outermost object set: in place where they stand, else added at its end."""
    for name, value in values.items():
        text = _set(text, name, value)
    return text


def _set(text: str, name: str, value: Any) -> str:
    found = members(text)
    newline, indent = _style(text, found)
    rendered = json.dumps(value, indent=len(indent) if newline else None, ensure_ascii=False)
    rendered = rendered.replace("\n", newline + indent) if newline else rendered
    for member in found:
        if member.name == name:
            return text[: member.value_start] + rendered + text[member.end :]
    entry = f"{json.dumps(name)}: {rendered}"
    if not found:
        at = text.index("{") + 1
        return text[:at] + entry + text[at:]
    return f"{text[: found[-1].end]},{newline + indent if newline else ' '}{entry}{text[found[-1].end :]}"


def _style(text: str, found: list[Member]) -> tuple[str, str]:
    """Line ending and indent before the members: ("", "") when they stand on one line."""
    if not found:
        return "", ""
    lead = text[text.index("{") + 1 : found[0].start]
    if "\n" not in lead:
        return "", ""
    return ("\r\n" if "\r\n" in lead else "\n"), lead.rpartition("\n")[2]


def remove_member(text: str, name: str) -> str:
    """The text without a member of the outermost object, undoing what `set_members` added; unchanged without it."""
    found = members(text)
    for index, member in enumerate(found):
        if member.name != name:
            continue
        if index:
            return text[: found[index - 1].end] + text[member.end :]
        after = found[1].start if len(found) > 1 else member.end
        return text[: member.start] + text[after:]
    return text


def append_element(text: str, start: int, value: Any) -> str:
    """The text with one more value at the end of the array at ``start``, laid out as its neighbours are.

    Raises ValueError for NaN and infinities.
    """
    found = elements(text, start)
    if not found:
        return text[: start + 1] + json.dumps(value, ensure_ascii=False, allow_nan=False) + text[start + 1 :]
    lead = text[(found[-2][1] if len(found) > 1 else start + 1) : found[-1][0]].lstrip(" ")
    lead = lead.partition(",")[2] if len(found) > 1 else lead
    gap = lead if "\n" in lead else " "
    rendered = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2 if "\n" in gap else None)
    return text[: found[-1][1]] + "," + gap + rendered.replace("\n", gap) + text[found[-1][1] :]


def remove_element(text: str, start: int, index: int) -> str:
    """The text without the element at ``index`` of the array at ``start``, undoing what `append_element` added."""
    found = elements(text, start)
    at, end = found[index]
    if index:
        return text[: found[index - 1][1]] + text[end:]
    return text[:at] + text[found[1][0] if len(found) > 1 else end :]


def remove_elements(text: str, start: int, value: str) -> str:
    """The text without that string in the array at ``start``, undoing what `append_element` added."""
    while True:
        found = elements(text, start)
        index = next((i for i, (at, end) in enumerate(found) if _DECODER.raw_decode(text, at)[0] == value), None)
        if index is None:
            return text
        text = remove_element(text, start, index)
