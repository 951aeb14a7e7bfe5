"""A judge's reply, read strictly: one JSON object with the answer at its top level, or no answer.

Text fidelity contract, "Judge". Nothing is clamped, rescaled or repaired: a reply that is not plainly the answer is a
`ReplyError`, and the judge is asked again. The rules, for `ScoreReply` whose answer key is `score`:

- think blocks are set aside, and so are code fences and chat text around the object; what was set aside is noted;
- an object that is damaged (cut, duplicate key, NaN) and mentions the answer key is no answer, and nor is one inside a
  list or inside another object: the answer is never dug out of something else;
- two objects that hold the same answer are one; two that disagree are none;
- a plain decimal string ("0.8") is read as its number and noted; "4/5", "80%", "0,8" and full-width digits are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, get_args

from pydantic import BaseModel, ValidationError

from core.errors import BadInput
from core.files import parse_json
from core.judge.protocol import Reply, ScoreReply

_FREE_TEXT = "reasoning"
_SHOWN = 80
_LONGEST = 200_000
_MOST_OPEN = 20  # brackets that never close; each is looked at to the end of the reply


@dataclass(frozen=True, slots=True)
class ReplyError:
    """Why a reply is no answer, in one line that may be shown."""

    reason: str


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Reply]):
    """The validated answer, and what its reader must know about how it was found ("" where there is nothing)."""

    value: Reply
    note: str


class ReadScore(ScoreReply):
    """A `ScoreReply` and, in `note`, what its reader must know (a decimal string, chat text around it)."""

    note: str = ""


def parse_reply(text: str) -> ReadScore | ReplyError:
    """The score in a judge's reply, in [0, 1], or why there is none. Never raises; text fidelity contract, "Judge"."""
    found = parse_as(text, ScoreReply)
    if isinstance(found, ReplyError):
        return found
    return ReadScore(score=found.value.score, reasoning=found.value.reasoning, note=found.note)


def parse_as(text: str, reply: type[Reply]) -> Parsed[Reply] | ReplyError:
    """The one answer of type `reply` in a text, validated strictly, or why there is none. Never raises.

    The answer keys are the required fields of `reply` other than `reasoning`; an object is an answer when it holds at
    least one of them at its top level (and is then refused if another is missing).
    """
    try:
        answer, notes = _the_answer(_readable(text), _answer_keys(reply))
        answer, read = _numbers(answer, reply)
        value = reply.model_validate_json(json.dumps(answer, allow_nan=False), strict=True)
    except _NoAnswer as error:
        return ReplyError(str(error))
    except ValidationError as error:
        return ReplyError(_told(error))
    return Parsed(value, "; ".join(notes + read))


class _NoAnswer(Exception):
    """Carries the reason out of the search."""


@lru_cache
def _answer_keys(reply: type[BaseModel]) -> frozenset[str]:
    required = {name for name, field in reply.model_fields.items() if field.is_required()}
    return frozenset((required or set(reply.model_fields)) - {_FREE_TEXT})


def _readable(text: str) -> str:
    if "\0" in text:
        raise _NoAnswer("a NUL byte in the reply")
    if len(text) > _LONGEST:
        raise _NoAnswer(f"a reply of more than {_LONGEST:,} characters")
    return text.removeprefix("\ufeff")


def _the_answer(text: str, keys: frozenset[str]) -> tuple[dict[str, Any], list[str]]:
    whole = _whole(text)
    if whole is not None:
        return _must_hold(whole, keys), []
    body, thought = _thinking_aside(text)
    notes = ["a think block was set aside"] if thought else []
    if not body.strip():
        raise _NoAnswer("the reply ends inside its think block" if thought else "the reply is empty")
    whole = _whole(body)
    if whole is not None:
        return _must_hold(whole, keys), notes
    found = list(_answers(body, keys))
    if not found:
        raise _NoAnswer(f"no JSON object with {_named(keys)} in the reply")
    first = found[0]
    if any(_content(other, keys) != _content(first, keys) for other in found[1:]):
        raise _NoAnswer(f"{len(found)} answers in the reply that disagree")
    return found[-1], [*notes, _around(body, len(found))]


def _whole(text: str) -> dict[str, Any] | None:
    """The reply as a whole where it is one JSON object, which is what was asked for."""
    if not text.strip().startswith("{"):
        return None
    try:
        value = parse_json(text, "reply")
    except BadInput:
        return None
    return value if isinstance(value, dict) else None


def _must_hold(value: dict[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    if not keys & value.keys():
        raise _NoAnswer(f"the object in the reply has no {_named(keys)} at its top level")
    return value


def _named(keys: frozenset[str]) -> str:
    return ", ".join(f'"{key}"' for key in sorted(keys))


def _content(answer: dict[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    """What two answers must share to be the same: 0.8, 0.80 and "0.8" are one number."""
    return {key: _decimal(value) for key, value in answer.items() if key in keys}


def _around(body: str, copies: int) -> str:
    if copies > 1:
        return f"the same answer stands {copies} times in the reply"
    fenced = re.fullmatch(r"\s*(`{3,}|~{3,})\w*\s*\{.*\}\s*\1\s*", body, re.DOTALL)
    return "taken out of a code fence" if fenced else "taken out of chat text"


_THINK = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)


def _thinking_aside(text: str) -> tuple[str, bool]:
    """The text outside think blocks. A closing mark without its opening one ends thinking that began at the start (the
    opening mark is often part of the prompt); an opening one without its end leaves nothing after it."""
    kept: list[str] = []
    depth = position = 0
    thought = False
    for mark in _THINK.finditer(text):
        thought = True
        if not mark[1]:
            if depth == 0:
                kept.append(text[position : mark.start()])
            depth += 1
            continue
        if depth == 0:
            kept.clear()
        depth = max(0, depth - 1)
        position = mark.end()
    if depth == 0:
        kept.append(text[position:])
    return "\n".join(kept), thought


_OBJECT = re.compile(r'\{\s*["}]')
_OPENING = re.compile(r"[{\[]")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


def _answers(body: str, keys: frozenset[str]) -> Iterator[dict[str, Any]]:
    """Every outermost object that holds an answer key. Raises _NoAnswer for one that is damaged or in a list."""
    mentions = re.compile(rf"""\b(?:{"|".join(map(re.escape, keys))})\b["'”]?\s*:""")
    at = unclosed = 0
    while opening := _OPENING.search(body, at):
        start = opening.start()
        end = _end(body, start)
        piece = body[start:end]
        at = start + 1 if end is None else end
        unclosed += end is None
        if unclosed > _MOST_OPEN:
            raise _NoAnswer("more open brackets in the reply than can be told apart")
        if end is None and not (_OBJECT.match(body, start) or piece.startswith("[")):
            continue  # a lone brace in prose
        if mentions.search(piece):
            value = _strict(piece, cut=end is None)
            if isinstance(value, list):
                raise _NoAnswer("the answer stands inside a list")
            if keys & value.keys():
                yield value


def _strict(piece: str, *, cut: bool) -> Any:
    if cut:
        raise _NoAnswer("the JSON in the reply is cut off before its end")
    try:
        return parse_json(piece, "reply")
    except BadInput as error:
        raise _NoAnswer(f"the JSON in the reply is unreadable: {error.problem.reason}") from None


def _end(body: str, start: int) -> int | None:
    """Just past the bracket that closes the one at `start`; None where it stays open."""
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(body, start):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


_PLAIN_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def _decimal(value: Any) -> Any:
    """A plain decimal string as its number; any other value as it is."""
    return float(value) if isinstance(value, str) and _PLAIN_DECIMAL.fullmatch(value) and len(value) < 30 else value


def _numbers(answer: dict[str, Any], reply: type[BaseModel]) -> tuple[dict[str, Any], list[str]]:
    """The answer with decimal strings in numeric fields read, and a note for each.

    A `reasoning` that is no text is left out where the reply can do without: it is not what the answer hangs on.
    """
    notes: list[str] = []
    made = dict(answer)
    spare = reply.model_fields.get(_FREE_TEXT)
    if spare and not spare.is_required() and not isinstance(made.get(_FREE_TEXT, ""), str):
        notes.append(f"its reasoning was no text and is left out: {made.pop(_FREE_TEXT)!r:.{_SHOWN}}")
    for name, field in reply.model_fields.items():
        kinds = {field.annotation, *get_args(field.annotation)} & {int, float}
        if name not in made or not kinds:
            continue
        given = made[name]
        value = _decimal(given)
        if isinstance(given, str) and value is not given:
            notes.append(f"{name} was the text {given!r}, read as a number")
        if isinstance(value, float):
            value = int(value) if float not in kinds and value.is_integer() else value + 0.0  # -0.0 becomes 0.0
        made[name] = value
    return made, notes


def _told(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    if first["type"] == "missing":
        return f"the reply has no {place!r}"
    given = repr(first["input"])
    shown = given if len(given) <= _SHOWN else given[:_SHOWN] + "…"
    return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}, not {shown}"
