"""The labelled lines of an entry, however a person or an agent spelled them (suggestions contract, Files)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Decision = Literal["accept", "reject", "undecided"]


class Score(NamedTuple):
    """A rubric score out of 6: ``total`` is A + P + G; the parts are None where only a total stands in the file."""

    total: int
    a: int | None
    p: int | None
    g: int | None


@dataclass(slots=True)
class Fields:
    """What the lines below a heading say. ``stored`` is the total as it was written, where it differs from the sum."""

    category: str = ""
    score: Score | None = None
    scored_line: bool = False
    legacy: str = ""
    next_step: str = ""
    report: str = ""
    filtered: str = ""
    feedback: str | None = None
    comment: str = ""
    reviewed_at: str = ""
    problems: list[str] = field(default_factory=list)


_SELECTORS = "\ufe0e\ufe0f"
_LEGACY = ("💎", "⚡", "🎯")
_SCORE = re.compile(r"📊[\ufe0e\ufe0f]? ?(?:Rubric: )?([0-6])/6 \(A:([0-2]) P:([0-2]) G:([0-2])\)")
_LOOSE_SCORE = re.compile(
    r"📊[\ufe0e\ufe0f]?\s*(?:\**\s*Rubric\s*\**\s*[:：]\s*\**\s*)?(?P<total>[^\s/(（|]*)\s*(?:[/／]\s*(?P<scale>[^\s(（|]*))?"
    r"\s*(?:[(（](?P<parts>[^)）]*)[)）])?",
    re.IGNORECASE,
)
_PART = re.compile(r"\b([APG])\s*[:：]\s*([^\s,，]*)", re.IGNORECASE)
_CATEGORY_END = re.compile(r"\s*[|｜]\s*(?=📊|💎|⚡|🎯)")
_LABEL = re.compile(
    r"[*_]*(?P<label>feedback|comment|reviewed|filter|next step|suggestion|建議下一步|建议下一步|建議|建议)"
    r"\s*[*_]*\s*[:：]\s*(?:\*\*|__)?\s*(?P<value>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BULLET = re.compile(r" ?[-*+][ \t]+")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
Name = Literal["category", "score", "legacy", "next_step", "report", "filtered", "feedback", "comment", "reviewed_at"]
_LONG: frozenset[Name] = frozenset({"next_step", "comment", "filtered"})
_BY_MARK: dict[str, Name] = {"🏷": "category", "📊": "score", "📋": "next_step", "📄": "report"}
_BY_LABEL: dict[str, Name] = {
    "feedback": "feedback", "comment": "comment", "reviewed": "reviewed_at", "filter": "filtered",
}  # fmt: skip
_CALLED: dict[str, str] = {
    "next_step": "next step", "comment": "comment", "reviewed_at": "Reviewed time", "filtered": "filter reason",
}  # fmt: skip
_LABEL_STARTS = frozenset("FfCcRrNnSs建*_")
_MARK = re.compile("[✅✔❌✖✘✗]")
_ACCEPTING = "✅✔"


def is_rule(line: str) -> bool:
    """True for a thematic break (``---``, ``***``, ``----``, ``--- ``): decoration between entries."""
    return _RULE.match(line) is not None


def read_fields(lines: list[str]) -> Fields:
    """The fields of an entry from the visible lines below its heading; the first of each kind counts."""
    found = Fields()
    for name, value, continued in owners(lines):
        if name is None:
            continue
        if continued:
            setattr(found, name, f"{getattr(found, name)} {value}".strip())
        elif name == "category":
            _tags(found, value)
        elif name == "score":
            _score(found, value)
        elif name == "feedback":
            # A second line is a second mark for `decision_of`, never a replacement.
            found.feedback = value if found.feedback is None else f"{found.feedback} / {value}"
        else:
            _set(found, name, value)
    return found


def owners(lines: list[str]) -> Iterator[tuple[Name | None, str, bool]]:
    """For every line the field it belongs to, what it says, and whether it only continues the line above.

    A comment, a next step or a reason may run over several lines: what follows belongs to it until a blank line, a
    rule, a heading or another field.
    """
    above: Name | None = None
    for line in lines:
        named = classify(line)
        if named is not None:
            above = named[0] if named[0] in _LONG else None
            yield *named, False
            continue
        text = line.strip()
        if not text or line[:1] == "#" or is_rule(line):
            above = None
        yield above, text, above is not None


def classify(line: str) -> tuple[Name, str] | None:
    """The field that a line begins, with its text; None for a line that begins none."""
    bullet = _BULLET.match(line)
    if bullet is None and line[:1] not in _LABEL_STARTS:
        return None
    body = line[bullet.end() if bullet else 0 :].strip()
    first, rest = body[:1], body[1:].lstrip(_SELECTORS + " \t")
    if bullet and first in _BY_MARK:
        return _BY_MARK[first], _step_text(rest) if first == "📋" else body if first == "📊" else rest
    if bullet and first in _LEGACY:
        return "legacy", body
    label = _LABEL.match(rest if bullet and first == "❌" else body)
    if label is None:
        return None
    return _BY_LABEL.get(label["label"].lower(), "next_step"), label["value"].strip()


def _step_text(text: str) -> str:
    """The text of a 📋 bullet behind its label, where it has one."""
    label = _LABEL.match(text)
    if label and label["label"].lower() not in _BY_LABEL:
        return label["value"].strip()
    return text[1:].strip() if text[:1] in ("：", ":") else text


def _tags(found: Fields, text: str) -> None:
    end = _CATEGORY_END.search(text)
    if end is None:
        found.category = found.category or text
        return
    found.category = found.category or text[: end.start()].strip()
    rest = text[end.end() :]
    if rest[0] == "📊":
        _score(found, rest)
    else:
        found.legacy = found.legacy or rest


def _set(found: Fields, name: str, value: str) -> None:
    """Set a field once; a second, different one is reported and the first counts."""
    if not getattr(found, name):
        setattr(found, name, value)
    elif getattr(found, name) != value and name in _CALLED:
        found.problems.append(f"a second {_CALLED[name]}: the first counts")


def _score(found: Fields, text: str) -> None:
    if found.scored_line:
        found.problems.append("a second 📊 score: the first counts")
        return
    found.scored_line = True
    exact = _SCORE.match(text)
    if exact:
        total, a, p, g = map(int, exact.groups())
        _summed(found, total, a, p, g)
        return
    loose = _LOOSE_SCORE.match(text)
    wrong = "not a rubric score" if loose is None else _loose(found, loose)
    if wrong:
        found.problems.append(f"no score: {text.strip()!r} {wrong}")


def _summed(found: Fields, total: int, a: int, p: int, g: int) -> None:
    found.score = Score(a + p + g, a, p, g)
    if total != a + p + g:
        found.problems.append(f"stored total {total} differs from A+P+G = {a + p + g}; the sum counts")


def _loose(found: Fields, match: re.Match[str]) -> str | None:
    """Read a score in another spelling; what makes it none."""
    total, scale, parts = match["total"], match["scale"], match["parts"]
    if scale != "6":
        return "is not out of 6"
    if not re.fullmatch("[0-6]", total):
        return "has a total that is not 0 to 6"
    if parts is None:
        found.score = Score(int(total), None, None, None)
        found.problems.append("the score has a total only, no A, P and G")
        return None
    values = {name.upper(): value for name, value in _PART.findall(parts)}
    if set(values) != {"A", "P", "G"}:
        return "does not give A, P and G once each"
    if not all(re.fullmatch("[0-2]", value) for value in values.values()):
        return "has a part that is not 0, 1 or 2"
    _summed(found, int(total), *(int(values[name]) for name in "APG"))
    return None


def decision_of(feedback: str) -> tuple[Decision, str | None]:
    """What a Feedback line decides, and what is wrong with it where it decides nothing.

    The mark decides and words do not: one ✅ (or ✔) is accept, one ❌ (or ✖ ✗ ✘) reject; two marks or none are
    undecided and a person must say which.
    """
    marks = _MARK.findall(feedback)
    if len(marks) == 1:
        return ("accept" if marks[0] in _ACCEPTING else "reject"), None
    if marks:
        return "undecided", f"Feedback has {len(marks)} marks: {feedback!r}"
    return "undecided", f"Feedback has neither ✅ nor ❌: {feedback!r}"
