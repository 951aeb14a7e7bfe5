"""The accessibility gate beside a receipt, `<name>.a11y.json` (report-loop contract, The receipt, last point)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import BadInput, Problem
from core.report_loop.receipt import plain

SCHEMAS = frozenset({"report-regeneration/a11y-gate@1"})


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that the draft breaks; ``blocking`` is None when the file does not say so in a usable way."""

    rule: str
    wcag: str
    impact: str
    blocking: bool | None
    node: str
    detail: str


@dataclass(frozen=True, slots=True)
class A11y:
    """What the gate file says. ``signal`` is True or False, or None when the file cannot be read as a gate at all."""

    file: str
    gate: str
    signal: bool | None
    violations: tuple[Violation, ...]
    manual_residue: tuple[str, ...]
    contradiction: str
    problems: tuple[Problem, ...]


def unreadable(file: str, problem: Problem) -> A11y:
    """A gate file that could not be read: no signal, which is not a pass."""
    return A11y(file, "", None, (), (), "", (problem,))


def read_a11y(value: Any, file: str = "a11y") -> A11y:
    """The gate out of parsed JSON. Never raises: an unknown schema or spelling is unreadable, not PASS."""
    try:
        return _read(value, file)
    except BadInput as error:
        return unreadable(file, error.problem)


def _read(value: Any, file: str) -> A11y:
    if not isinstance(value, Mapping):
        raise BadInput.of(file, "an accessibility gate is an object")
    schema = value.get("schema")
    if schema is not None and not (isinstance(schema, str) and schema in SCHEMAS):
        raise BadInput.of(file, f"schema {plain(schema)[:60]!r} is not known", position="schema")
    gate = value.get("gate")
    if gate not in ("PASS", "FAIL"):
        raise BadInput.of(file, f"gate {plain(gate)[:40]!r} is neither PASS nor FAIL", position="gate")
    problems: list[Problem] = []
    violations = _violations(value.get("violations"), file, problems)
    contradiction = _contradiction(gate, violations, _blocking_count(value["counts"], file) if "counts" in value else 0)
    return A11y(
        file=file,
        gate=gate,
        signal=gate == "PASS" and not contradiction,
        violations=violations,
        manual_residue=_residue(value.get("manual_residue"), file, problems),
        contradiction=contradiction,
        problems=tuple(problems),
    )


def _violations(items: Any, file: str, problems: list[Problem]) -> tuple[Violation, ...]:
    if not isinstance(items, list):
        raise BadInput.of(file, "violations must be a list", position="violations")
    found: list[Violation] = []
    for number, item in enumerate(items):
        if not isinstance(item, Mapping):
            problems.append(Problem(file, "a violation is an object", position=f"violations[{number}]"))
            found.append(Violation("unreadable", "", "", None, "", plain(item)))
            continue
        blocking = item.get("blocking")
        if not isinstance(blocking, bool):
            problems.append(Problem(file, "blocking must be true or false", position=f"violations[{number}].blocking"))
        found.append(
            Violation(
                plain(item.get("rule")), plain(item.get("wcag")), plain(item.get("impact")),
                blocking if isinstance(blocking, bool) else None, plain(item.get("node")), plain(item.get("detail")),
            )
        )  # fmt: skip
    return tuple(found)


def _blocking_count(counts: Any, file: str) -> int:
    """How many blocking violations the gate counts. Raises BadInput for a count in an unknown spelling: it is no 0."""
    count = counts.get("blocking") if isinstance(counts, Mapping) else None
    if type(count) is not int or count < 0:
        said = plain(counts)[:60]
        raise BadInput.of(file, f"counts {said} does not say how many are blocking", position="counts.blocking")
    return count


def _contradiction(gate: str, violations: tuple[Violation, ...], counted: int) -> str:
    """Why gate and content do not agree, or "". A violation that may block counts as one that does."""
    blocking = sum(1 for violation in violations if violation.blocking is not False)
    if gate == "PASS" and blocking:
        return f"says PASS and lists {blocking} blocking {'violation' if blocking == 1 else 'violations'}"
    if gate == "PASS" and counted:
        return f"says PASS and counts {counted} blocking"
    if gate == "FAIL" and not blocking and not counted:
        return "says FAIL and lists no blocking violation"
    return ""


def _residue(items: Any, file: str, problems: list[Problem]) -> tuple[str, ...]:
    if items is None:
        return ()
    if not isinstance(items, list):
        problems.append(Problem(file, "manual_residue must be a list of texts", position="manual_residue"))
        return (plain(items),)
    return tuple(plain(item) for item in items)
