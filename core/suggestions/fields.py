"""The labelled lines of an entry, however a person or an agent spelled them (suggestions contract, Files)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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
    """What the lines below a heading say. ``comment_before``: the comment stands before any Feedback line."""

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
    comment_before: bool = field(default=False, compare=False)
    problems: list[str] = field(default_factory=list)


_SELECTORS = "\ufe0e\ufe0f"
_LEGACY = ("💎", "⚡", "🎯")
_SCORE = re.compile(r"📊[\ufe0e\ufe0f]? ?(?:Rubric: )?([0-6])/6 \(A:([0-2]) P:([0-2]) G:([0-2])\)")
_LOOSE_SCORE = re.compile(
    r"📊[\ufe0e\ufe0f]?\s*(?:\**\s*Rubric\s*\**\s*[:：]\s*\**\s*)?(?P<total>[^\s/(（|]*)\s*(?:[/／]\s*(?P<scale>[^\s(（|]*))?"
    r"\s*(?:[(（](?P<parts>[^)）]*)[)）])?",
    re.IGNORECASE,
)
_SCORE_LIKE = re.compile(r"📊[\ufe0e\ufe0f]?\s*(?:\**\s*Rubric\s*\**\s*[:：]\s*\**\s*)?\d+\s*[/／]", re.IGNORECASE)
_PART = re.compile(r"\b([APG])\s*[:：]\s*([^\s,，]*)", re.IGNORECASE)
_CATEGORY_END = re.compile(rf"\s*[|｜]\s*(?=📊|💎|⚡|🎯)|\s*(?={_SCORE_LIKE.pattern})", re.IGNORECASE)
_STRAY_SCORE = re.compile(rf"\s*(?:[-*+][ \t]+)?{_SCORE_LIKE.pattern}", re.IGNORECASE)
_LABEL = re.compile(
    r"[*_]*(?P<label>feedback|comment|reviewed|filter|next step|suggestion|建議下一步|建议下一步|建議|建议)"
    r"\s*[*_]*\s*[:：]\s*(?:\*\*|__)?\s*(?P<value>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BULLET = re.compile(r" ?[-*+][ \t]+")
_NESTED = re.compile(r"[ \t]+(?P<bullet>[-*+][ \t]+)?")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
Name = Literal["category", "score", "legacy", "next_step", "report", "filtered", "feedback", "comment", "reviewed_at"]
_LONG: frozenset[Name] = frozenset({"next_step", "comment", "filtered"})
REVIEW: frozenset[Name] = frozenset({"feedback", "comment", "reviewed_at"})
"""What a review adds to an entry."""
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
        if not continued:
            take = _TAKE.get(name)
            _set(found, name, value) if take is None else take(found, value)
        elif name in _LONG:
            setattr(found, name, f"{getattr(found, name)} {value}".strip())
        elif name == "score":
            found.problems.append(f"the score in {value!r} is not read: it stands in no field")
    return found


def owners(lines: list[str]) -> Iterator[tuple[Name | None, str, bool]]:
    """For every line the field it belongs to, what it says, and whether it only continues the line above.

    A comment, a next step or a reason may run over several lines: what follows belongs to it until a blank line, a
    rule, a heading or another field. To what a review adds belongs whatever is indented under it, blank lines between
    included. A score that stands in no field is passed on as one that begins nothing.
    """
    above: Name | None = None
    for number, line in enumerate(lines):
        named = classify(line) or (_nested(line, inside=True) if above in REVIEW else None)
        if named is not None:
            above = named[0] if named[0] in _LONG or named[0] in REVIEW else None
            yield *named, False
            continue
        text = line.strip()
        if not _continues(above, lines, number):
            above = None
        if above is None and _STRAY_SCORE.match(line):
            yield "score", text, True
        else:
            yield above, text, above is not None


def _continues(above: Name | None, lines: list[str], number: int) -> bool:
    """Whether a line that begins no field goes on with the one above."""
    line = lines[number]
    if above is None or line[:1] == "#" or is_rule(line):
        return False
    if above not in REVIEW:
        return bool(line.strip())
    if line.strip():
        return above == "comment" or line[0] in " \t"
    following = next((one for one in lines[number + 1 :] if one.strip()), "")
    begins = classify(following) or _nested(following, inside=True)
    return following[:1] in (" ", "\t") and not is_rule(following) and not begins


def _nested(line: str, *, inside: bool) -> tuple[Name, str] | None:
    """The part of a review that an indented line begins.

    Under another part of it (``inside``) a bullet with the label is enough; elsewhere, where it may be a point of the
    suggestion, the label must be bold or a mark follow it.
    """
    nested = _NESTED.match(line)
    body = line[nested.end() :].strip() if nested else ""
    label = _LABEL.match(body)
    name = _BY_LABEL.get(label["label"].lower()) if label else None
    if nested is None or label is None or name not in REVIEW:
        return None
    marked = inside or (name == "feedback" and _MARK.search(label["value"]) is not None)
    sure = body.startswith(("**", "__")) or (nested["bullet"] is not None and marked)
    return (name, label["value"].strip()) if sure else None


def classify(line: str) -> tuple[Name, str] | None:
    """The field that a line begins, with its text; None for a line that begins none."""
    bullet = _BULLET.match(line)
    if bullet is None and line[:1] not in _LABEL_STARTS:
        return _nested(line, inside=False)
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
        _legacy(found, rest)


def _legacy(found: Fields, text: str) -> None:
    """Legacy fields; a score that stands behind them on the line is one."""
    score = _SCORE_LIKE.search(text)
    if score:
        _score(found, text[score.start() :])
        text = text[: score.start()].rstrip(" \t|｜")
    found.legacy = found.legacy or text


def _feedback(found: Fields, text: str) -> None:
    """A second line is a second mark for `decision_of`, never a replacement."""
    found.feedback = text if found.feedback is None else f"{found.feedback} / {text}"


def _comment(found: Fields, text: str) -> None:
    """The reviewer's comment stands behind the Feedback line; what stands before it counts where there is no other."""
    if found.comment_before and found.feedback is not None:
        found.comment, found.comment_before = "", False
    elif not found.comment:
        found.comment_before = found.feedback is None
    _set(found, "comment", text)


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
    given = _PART.findall(parts)
    values = {name.upper(): value for name, value in given}
    if len(given) != 3 or set(values) != {"A", "P", "G"}:
        return "does not give A, P and G once each"
    if not all(re.fullmatch("[0-2]", value) for value in values.values()):
        return "has a part that is not 0, 1 or 2"
    _summed(found, int(total), *(int(values[name]) for name in "APG"))
    return None


_TAKE: dict[Name, Callable[[Fields, str], None]] = {
    "category": _tags, "score": _score, "legacy": _legacy, "comment": _comment, "feedback": _feedback,
}  # fmt: skip


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
