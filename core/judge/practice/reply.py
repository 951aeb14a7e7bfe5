"""A reply that fits the asked schema, each field filled by the rule that its name stands for."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any

from PIL import Image, ImageChops, ImageStat, UnidentifiedImageError

from core.judge.practice import rules
from core.judge.practice.asked import Asked
from core.judge.practice.rules import Finding

_DEEPEST = 8
LABEL = "practice judge, no model: "


def answer(asked: Asked) -> dict[str, Any]:
    """The reply to a question, a function of its text and pictures alone."""
    writer = _Writer(asked)
    made = writer.fill(asked.schema, "", 0)
    return (
        made if isinstance(made, dict) else {"score": round(writer.overall.value, 4), "reasoning": writer.reasoning()}
    )


class _Writer:
    """Fills one schema and collects the sentences that explain what it wrote."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._defs = asked.schema.get("$defs", {})
        self._told: list[str] = []
        self.overall = _overall(asked)

    def reasoning(self) -> str:
        return LABEL + "; ".join(dict.fromkeys(self._told or [self.overall.why])) + "."

    def fill(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            choices = schema["enum"]
            return choices[min(len(choices) - 1, int(self._value(name) * len(choices)))]
        kind = schema.get("type")
        if kind == "object" and depth < _DEEPEST:
            return self._object(schema, depth)
        if kind in ("number", "integer"):
            return self._number(schema, name, whole=kind == "integer")
        if kind == "boolean":
            return self._value(name) >= 0.5
        if kind == "array":
            least = int(schema.get("minItems", 0)) if depth < _DEEPEST else 0
            return [self.fill(schema.get("items", {}), name, depth + 1) for _ in range(least)]
        return self.reasoning() if kind == "string" else None

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """Its fields in order, texts last, since they explain the numbers."""
        fields = list(schema.get("properties", {}).items())
        texts = {name for name, field in fields if self._resolved(field).get("type") == "string"}
        order = [item for item in fields if item[0] not in texts] + [item for item in fields if item[0] in texts]
        made = {name: self.fill(field, name, depth + 1) for name, field in order}
        return {name: made[name] for name, _ in fields}

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        for _ in range(_DEEPEST):
            if "$ref" in schema:
                schema = self._defs.get(str(schema["$ref"]).rpartition("/")[2], {})
            elif "anyOf" in schema:
                options = [option for option in schema["anyOf"] if option.get("type") != "null"]
                schema = options[0] if options else {"type": "null"}
            else:
                break
        return schema

    def _number(self, schema: Mapping[str, Any], name: str, *, whole: bool) -> float | int:
        low, high = float(schema.get("minimum", 0)), float(schema.get("maximum", 1))
        value = low + self._value(name) * (high - low)
        return round(value) if whole else round(value, 4)

    def _value(self, name: str) -> float:
        found = _by_name(name, self._asked) or self.overall
        self._told.append(f"{name}: {found.why}" if name and found is not self.overall else found.why)
        return found.value


def _by_name(name: str, asked: Asked) -> Finding | None:
    """The rule a field's name stands for, where it is one of the grader's dimensions."""
    entry = rules.pick(asked.parts, "suggestion", "entry")
    if entry is None:
        return None
    if re.fullmatch(r"a|actionab\w*", name, re.IGNORECASE):
        return rules.actionability(entry)
    if re.fullmatch(r"p|preference\w*", name, re.IGNORECASE):
        return rules.preference(entry, rules.pick(asked.parts, "preference") or "")
    if re.fullmatch(r"g|goal\w*", name, re.IGNORECASE):
        return rules.goal(entry, rules.pick(asked.parts, "goal") or "")
    return None


def _overall(asked: Asked) -> Finding:
    """The likeness of two pictures, else of a text to its reference, else what of the instructions a text takes up."""
    if len(asked.pictures) >= 2:
        return pictures_alike(asked.pictures)
    reference = rules.pick(asked.parts, "reference", "original", "expected")
    others = [text for text in asked.parts.values() if text is not reference]
    if reference is not None and others:
        return rules.likeness(reference, "\n".join(others))
    return rules.coverage(asked.instructions, "\n".join(asked.parts.values()))


def pictures_alike(pictures: tuple[bytes, ...]) -> Finding:
    """1 minus the mean difference of neighbours (first with second, third with fourth …), scaled to 64 by 64 pixels."""
    values = [_alike(first, second) for first, second in zip(pictures[::2], pictures[1::2], strict=False)]
    readable = [value for value in values if value is not None]
    if not readable:
        return Finding(0.0, "the pictures cannot be read")
    value = sum(readable) / len(readable)
    return Finding(value, f"{len(readable)} picture pairs agree to {value:.0%} at 64 by 64 pixels")


def _alike(first: bytes, second: bytes) -> float | None:
    try:
        small = [Image.open(io.BytesIO(data)).convert("RGB").resize((64, 64)) for data in (first, second)]
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return None
    difference = ImageStat.Stat(ImageChops.difference(*small)).mean
    # Most pages are mostly white: a difference of a quarter of the range already means nothing in common.
    return max(0.0, 1.0 - sum(difference) / len(difference) / 64.0)
