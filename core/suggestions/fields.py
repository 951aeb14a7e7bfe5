"""What the labelled lines of an entry say (suggestions contract, Files)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from core.suggestions.lines import LONG, MARK, PART, SCORE_LIKE, Name, owners

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


_SCORE = re.compile(r"📊[\ufe0e\ufe0f]? ?(?:Rubric: )?([0-6])/6 \(A:([0-2]) P:([0-2]) G:([0-2])\)")
_LOOSE_SCORE = re.compile(
    r"📊[\ufe0e\ufe0f]?\s*(?:\**\s*Rubric\s*\**\s*[:：]\s*\**\s*)?(?P<total>[^\s/(（|]*)\s*(?:[/／]\s*(?P<scale>[^\s(（|]*))?"
    r"\s*(?:[(（](?P<parts>[^)）]*)[)）])?",
    re.IGNORECASE,
)
# Begins where a run of blanks does, so that a long one is read once.
_CATEGORY_END = re.compile(rf"(?<!\s)\s*+(?:[|｜]\s*+(?=📊|💎|⚡|🎯)|(?={SCORE_LIKE.pattern}))", re.IGNORECASE)
_STRAY_SCORE = re.compile(rf"(?:[-*+][ \t]++)?{SCORE_LIKE.pattern}", re.IGNORECASE)
_CALLED: dict[str, str] = {
    "next_step": "next step", "comment": "comment", "reviewed_at": "Reviewed time", "filtered": "filter reason",
}  # fmt: skip
_ACCEPTING = "✅✔"


def read_fields(lines: list[str], *, nested: bool = True) -> Fields:
    """The fields of an entry from the visible lines below its heading; the first of each kind counts."""
    found = Fields()
    for name, value, continued in owners(lines, nested=nested):
        if name is not None and not continued:
            take = _TAKE.get(name)
            _set(found, name, value) if take is None else take(found, value)
        elif name in LONG:
            setattr(found, name, f"{getattr(found, name)} {value}".strip())
        elif name in (None, "score") and _STRAY_SCORE.match(value):
            found.problems.append(f"the score in {value!r} is not read: it stands in no field")
    return found


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
    score = SCORE_LIKE.search(text)
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
    given = PART.findall(parts)
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
    marks = MARK.findall(feedback)
    if len(marks) == 1:
        return ("accept" if marks[0] in _ACCEPTING else "reject"), None
    if marks:
        return "undecided", f"Feedback has {len(marks)} marks: {feedback!r}"
    return "undecided", f"Feedback has neither ✅ nor ❌: {feedback!r}"
