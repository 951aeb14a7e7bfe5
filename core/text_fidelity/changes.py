"""What differs between two definitions, in words (text-fidelity contract, Freeze, "exactly what changed"). Pure."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.text_fidelity.freeze import canonical, sha256_tag

_SHORT = {
    "samples.n": "n",
    "samples.k": "k",
    "samples.delta": "δ",
    "judge.model": "judge",
    "judge.max_tokens": "max_tokens",
}
_LARGEST_SEARCH = 50_000


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. ``where`` is its place (``samples.n``, ``case 'intro': weight``); a text is read as a diff."""

    where: str
    kind: Literal["changed", "added", "removed", "text"]
    before: str
    after: str

    @property
    def short(self) -> str:
        """A few words for a chart: ``n 4 → 6``."""
        name = _SHORT.get(self.where, self.where.removeprefix("judge."))
        if self.kind == "changed" and len(self.before) + len(self.after) <= 48:
            return f"{name} {self.before} → {self.after}"
        return f"{name} {'changed' if self.kind in ('changed', 'text') else self.kind}"


def between(
    before: Mapping[str, Any], after: Mapping[str, Any], texts_before: Mapping[str, str], texts_after: Mapping[str, str]
) -> list[Change]:
    """Differences of two definitions (`freeze.definition`) and of their texts (``rubric`` and each reference file)."""
    changes = list(_values("", _head(before), _head(after)))
    old, new = _cases(before), _cases(after)
    changes += [Change(f"case {name!r}", "removed", _shown(old[name]), "") for name in old if name not in new]
    for name, case in new.items():
        if name not in old:
            changes.append(Change(f"case {name!r}", "added", "", _shown(case)))
        else:
            changes += _values(f"case {name!r}: ", old[name], case)
    if not changes and canonical(before) != canonical(after):
        changes.append(Change("cases", "changed", "another order", "this order"))
    return changes + list(_texts(texts_before, texts_after))


def _head(definition: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {"threshold": definition.get("threshold")}
    for part in ("judge", "samples"):
        value = definition.get(part)
        flat |= {f"{part}.{key}": item for key, item in value.items()} if isinstance(value, Mapping) else {part: value}
    return flat


def _cases(definition: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {str(case.get("id")): {k: v for k, v in case.items() if k != "id"} for case in definition.get("cases", [])}


def _values(prefix: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for key in dict.fromkeys([*old, *new]):
        before, after = old.get(key), new.get(key)
        if canonical(before) == canonical(after):
            continue
        long_text = key == "reference" and isinstance(before, str) and isinstance(after, str)
        kind: Literal["changed", "added", "removed", "text"] = "text" if long_text else "changed"
        if key not in old or key not in new:
            kind = "added" if key not in old else "removed"
        yield Change(prefix + key, kind, _shown(before), _shown(after))


def _texts(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            kind: Literal["text", "added", "removed"] = "text"
            if name not in old or name not in new:
                kind = "added" if name not in old else "removed"
            yield Change(name, kind, old.get(name, ""), new.get(name, ""))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def respelled(definition: Mapping[str, Any], approved_hash: str) -> list[str]:
    """Numbers whose spelling alone makes the hash differ (``1`` for ``1.0``, ``"0.8"`` for ``0.8``), else [].

    The hash covers how a number is spelled, so another tool's harmless re-save makes a freeze stale; every spelling of
    the policy's few numbers is tried until one gives the approved hash. Definitions of over 50 kB are not searched.
    """
    if len(canonical(definition)) > _LARGEST_SEARCH:
        return []
    places = list(_numbers(definition))
    for spelling in itertools.product(*(options for _, options in places)):
        candidate = _respell(definition, dict(zip((name for name, _ in places), spelling, strict=True)))
        if sha256_tag(canonical(candidate).encode()) == approved_hash:
            return [
                f"{name} is {canonical(options[0])}, was {canonical(value)}"
                for (name, options), value in zip(places, spelling, strict=True)
                if canonical(value) != canonical(options[0])
            ]
    return []


def _numbers(definition: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The places of the policy's numbers, each with the spellings it may have had, the present one first."""
    for part, keys in (("judge", ("temperature", "max_tokens")), ("samples", ("n", "k", "delta"))):
        values = definition.get(part)
        if isinstance(values, Mapping):
            yield from ((f"{part}.{key}", _spellings(values[key])) for key in keys if key in values)
    yield "threshold", _spellings(definition.get("threshold"))
    # Weights are re-spelled together: a tool that drops one ".0" drops them all.
    weights = [case["weight"] for case in definition.get("cases", [])]
    yield "weights", [weights, [_with_point(weight) for weight in weights], [_without(weight) for weight in weights]]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _with_point(value: Any) -> Any:
    return float(value) if _is_number(value) else value


def _without(value: Any) -> Any:
    return int(value) if _is_number(value) and float(value).is_integer() else value


def _spellings(value: Any) -> list[Any]:
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return [value]
        return [value, number, int(number)] if number.is_integer() else [value, number]
    if not _is_number(value):
        return [value]
    other = _with_point(value) if isinstance(value, int) else _without(value)
    return [value, str(value)] if canonical(other) == canonical(value) else [value, other, str(value), str(other)]


def _respell(definition: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    candidate = dict(definition)
    for name, value in values.items():
        part, _, key = name.partition(".")
        if key:
            candidate[part] = {**candidate[part], key: value}
        elif name == "threshold":
            candidate["threshold"] = value
        else:
            pairs = zip(candidate["cases"], value, strict=True)
            candidate["cases"] = [{**case, "weight": weight} for case, weight in pairs]
    return candidate
