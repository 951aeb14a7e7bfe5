"""JSON, read strictly: what is ambiguous is unreadable, with its position (contract README, "JSON is read")."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from core.errors import BadInput
from core.files.read import decode, read_bytes

_DEEPEST = 200


class _Refused(ValueError):
    """A value that JSON allows a parser to accept and that Touchstone does not."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Refused(f"key {key!r} stands twice in one object")
            seen.add(key)
    return made


def _constant(word: str) -> NoReturn:
    raise _Refused(f"{word} is not a JSON number")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _Refused(f"{text} is larger than a number can be")
    return value


def _int(text: str) -> int:
    if len(text) > 400:
        raise _Refused("a whole number of more than 400 digits")
    return int(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float, parse_int=_int, strict=True
)


def parse_json(raw: bytes | str, file: str, *, first_line: int = 1) -> Any:
    """The one JSON value that the text holds.

    Raises BadInput, with line and column, for anything that is not exactly one value: duplicate keys, NaN or Infinity,
    two documents, trailing text, a cut end, NUL bytes, bytes that are not UTF-8, nesting deeper than 200.
    ``first_line`` is the line of the file at which ``raw`` starts.
    """
    text = _text(raw, file)
    start = len(text) - len(text.lstrip(" \t\r\n"))
    value, end = _decode(text, start, file, first_line)
    rest = text[end:].lstrip(" \t\r\n")
    if rest:
        what = "a second JSON document" if rest[0] in '{["' else "text after the JSON document"
        _refuse(text, len(text) - len(rest), file, first_line, what)
    return value


def _text(raw: bytes | str, file: str) -> str:
    if isinstance(raw, bytes):
        decoded = decode(raw, file)
        if not decoded.complete:
            raise BadInput(decoded.problems[0])
        text = decoded.text
    else:
        text = raw.removeprefix("\ufeff")
    nul = text.find("\0")
    if nul >= 0:
        _refuse(text, nul, file, 1, "a NUL byte")
    return text


def _decode(text: str, start: int, file: str, first_line: int) -> tuple[Any, int]:
    if start >= len(text):
        raise BadInput.of(file, "empty: no JSON document", line=first_line)
    if _too_deep(text):
        raise BadInput.of(file, f"nested deeper than {_DEEPEST} levels", line=first_line)
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        _refuse(text, error.pos, file, first_line, "cut off before its end" if cut else f"not JSON: {error.msg}")
    except _Refused as error:
        _refuse(text, _offence(text, start), file, first_line, str(error))


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


def _offence(text: str, start: int) -> int:
    """Where a refused value stands: the second copy of a key, or a number that is none. Walked only after a refusal."""
    keys: list[set[str]] = []
    last = start
    for token in _TOKEN.finditer(text, start):
        word = token[0]
        if word == "{":
            keys.append(set())
        elif word == "}" and keys:
            keys.pop()
        elif word[0] == '"' and keys and text[token.end() :].lstrip()[:1] == ":":
            if word in keys[-1]:
                return token.start()
            keys[-1].add(word)
        elif _not_a_number(word):
            return token.start()
        last = token.start()
    return last


def _not_a_number(word: str) -> bool:
    if word in ("NaN", "Infinity", "-Infinity") or len(word) > 400:
        return True
    return word[0] in "-0123456789" and any(mark in word for mark in "eE.") and math.isinf(float(word))


def _too_deep(text: str) -> bool:
    """Cheap bound: only a text with that many opening brackets can be nested that deep, and only then is it walked."""
    if text.count("[") + text.count("{") <= _DEEPEST:
        return False
    depth = deepest = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text, re.DOTALL):
        first = token[0][0]
        depth += (first in "[{") - (first in "]}")
        deepest = max(deepest, depth)
    return deepest > _DEEPEST


def _refuse(text: str, at: int, file: str, first_line: int, reason: str) -> NoReturn:
    before = text[:at]
    line = before.count("\n")
    column = at - (before.rfind("\n") + 1) + 1
    raise BadInput.of(
        file, f"{reason} (line {first_line + line} column {column})", line=first_line + line,
        position=f"line {first_line + line} column {column}",
    )  # fmt: skip


def read_json(path: Path, file: str | None = None) -> Any:
    """The one JSON value in a file. Raises BadInput as `parse_json` and `read_bytes` do."""
    label = file or str(path)
    return parse_json(read_bytes(path, label), label)


@dataclass(frozen=True, slots=True)
class Recovered:
    """A value and, where it had to be dug out of something else, a note that says so."""

    value: Any
    note: str | None


_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)


def recover_json(raw: bytes | str, file: str) -> Recovered:
    """The one JSON object in a text: the text itself, or inside a code fence, or inside chat text.

    Nothing is repaired: the object must itself be strict JSON. Raises BadInput when there is none, more than one, or
    the only candidate is damaged.
    """
    try:
        return Recovered(parse_json(raw, file), None)
    except BadInput as error:
        strict = error
    text = _text(raw, file)
    if text.lstrip()[:1] in ("{", "["):
        raise strict  # it starts as JSON: what is wrong with it is wrong with the document
    fenced = [found[2] for found in _FENCE.finditer(text) if found[2].lstrip().startswith("{")]
    if len(fenced) == 1:
        return Recovered(parse_json(fenced[0], file), "recovered from a code fence")
    objects = _objects_within(text, file)
    if len(objects) != 1:
        reason = "no JSON object in the text" if not objects else f"{len(objects)} JSON objects in the text, not one"
        raise BadInput.of(file, reason, line=1)
    return Recovered(objects[0], "recovered from chat text")


def _objects_within(text: str, file: str) -> list[Any]:
    """Every outermost ``{…}`` of the text, parsed strictly. Raises BadInput when one of them is damaged."""
    found: list[Any] = []
    at = text.find("{")
    while at >= 0:
        value, end = _decode(text, at, file, 1)
        found.append(value)
        at = text.find("{", end)
    return found
