"""Which field each line of an entry belongs to, however somebody spelled it (suggestions contract, Files)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal

Name = Literal["category", "score", "legacy", "next_step", "report", "filtered", "feedback", "comment", "reviewed_at"]
LONG: frozenset[Name] = frozenset({"next_step", "comment", "filtered"})
"""What may run over several lines."""
REVIEW: frozenset[Name] = frozenset({"feedback", "comment", "reviewed_at"})
"""What a review adds to an entry."""
_SELECTORS = "\ufe0e\ufe0f"
_LEGACY = ("💎", "⚡", "🎯")
_RUBRIC = r"📊[\ufe0e\ufe0f]?\s*+(?:\**+\s*+Rubric\s*+\**+\s*+[:：]\s*+\**+\s*+)?+"
SCORE_LIKE = re.compile(rf"{_RUBRIC}\d++\s*+[/／]", re.IGNORECASE)
"""What was meant as a score, whatever its scale."""
_ALONE = re.compile(
    rf"(?:[-*+][ \t]++)?{_RUBRIC}\d\s*+[/／]\s*+6\s*+(?:[(（](?P<parts>[^()（）]*+)[)）])?\s*+", re.IGNORECASE
)
PART = re.compile(r"\b([APG])\s*+[:：]\s*+([^\s,，]*)", re.IGNORECASE)
_LABEL = re.compile(
    r"[*_]*(?P<label>feedback|comment|reviewed|filter|next step|suggestion|建議下一步|建议下一步|建議|建议)"
    r"\s*+[*_]*+\s*+[:：]\s*(?:\*\*|__)?\s*(?P<value>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BULLET = re.compile(r" ?[-*+][ \t]+")
_BOLD = re.compile(r" ?(?:[-*+][ \t]+)?(?:\*\*|__)")
_NESTED = re.compile(r"[ \t]+(?P<bullet>[-*+][ \t]+)?")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_BY_MARK: dict[str, Name] = {"🏷": "category", "📊": "score", "📋": "next_step", "📄": "report"}
_BY_LABEL: dict[str, Name] = {
    "feedback": "feedback", "comment": "comment", "reviewed": "reviewed_at", "filter": "filtered",
}  # fmt: skip
_LABEL_STARTS = frozenset("FfCcRrNnSs建*_")
MARK = re.compile("[✅✔❌✖✘✗]")
"""What decides on a Feedback line."""


def is_rule(line: str) -> bool:
    """True for a thematic break (``---``, ``***``, ``----``, ``--- ``): decoration between entries."""
    return _RULE.match(line) is not None


def owners(lines: list[str], *, nested: bool) -> Iterator[tuple[Name | None, str, bool]]:
    """For every line the field it belongs to, what it says, and whether it only continues the line above.

    A comment, a next step or a reason may run over several lines: what follows belongs to it until a blank line, a
    rule, a heading or another field. To what a review adds belongs whatever is indented under it, blank lines between
    included. ``nested``: an indented Feedback line may begin a review. A score that stands in no field is passed on as
    one that begins nothing.
    """
    named = [classify(line) for line in lines]
    review = _Review(lines, named, nested)
    texts = [bool(line.strip()) for line in lines]
    following = list(accumulate(reversed(range(len(lines))), lambda last, at: at if texts[at] else last, initial=-1))
    for number, line in enumerate(lines):
        text = line.strip()
        begins = named[number] or review.part(number)
        if begins is not None:
            name = None if review.is_own(number) else begins[0]
            review.above = name if name in LONG or name in REVIEW else None
            review.depth = _depth(line)
            yield name, text if name is None else begins[1], False
            continue
        if not review.goes_on(number, following[-number - 2]):
            review.above = None
        name = "score" if review.above is None and _is_score(text) else review.above
        yield name, text, name is not None


def _is_score(text: str) -> bool:
    """Whether a line that is in no field is a score and nothing else, so that no prose goes with it."""
    found = _ALONE.fullmatch(text)
    return found is not None and (
        found["parts"] is None or sorted(name.upper() for name, _ in PART.findall(found["parts"])) == ["A", "G", "P"]
    )


class _Review:
    """Where in an entry its review stands, and the field above a line (``above``) with its indentation (``depth``)."""

    def __init__(self, lines: list[str], named: Sequence[tuple[Name, str] | None], nested: bool) -> None:
        self.above: Name | None = None
        self.depth = 0
        self._lines, self._named = lines, named
        whole = next((at for at, one in enumerate(named) if one and one[0] == "feedback"), None)
        self._nested = nested and whole is None
        self._first = self._indented_feedback() if self._nested else whole
        self._given = {one[0] for one in named[self._first or 0 :] if one}
        self._root = 0 if self._first is None else _depth(lines[self._first])

    def _indented_feedback(self) -> int | None:
        """The first indented Feedback line whose value begins with a mark, outside a comment."""
        comment = False
        for number, line in enumerate(self._lines):
            one = self._named[number]
            comment = one[0] == "comment" if one else comment
            part = None if one or comment else _nested(line)
            if part and part[0] == "feedback" and MARK.match(part[1]):
                return number
        return None

    def is_own(self, number: int) -> bool:
        """Whether a Comment line is the suggestion's own: it stands before any Feedback and is not the bold label."""
        one = self._named[number]
        before = self._first is None or number < self._first
        return bool(one and one[0] == "comment" and before and not _BOLD.match(self._lines[number]))

    def part(self, number: int) -> tuple[Name, str] | None:
        """The part of the review that an indented line begins: under the Feedback line, where no bullet gives it."""
        found = _nested(self._lines[number])
        if found is None or number == self._first:
            return found
        depth = _depth(self._lines[number])
        inside = depth > self.depth if self.above == "feedback" else self._root < depth <= self.depth
        beside = self._nested and depth == self._root and depth <= self.depth
        fits = (inside and found[0] != "feedback") or beside
        return found if fits and self.above in REVIEW and found[0] not in self._given else None

    def goes_on(self, number: int, following: int) -> bool:
        """Whether a line that begins no field goes on with the one above; ``following``: the next that is not blank."""
        line = self._lines[number]
        if self.above is None or line[:1] == "#" or is_rule(line):
            return False
        if self.above not in REVIEW or line.strip():
            return bool(line.strip()) and (self.above in LONG or _depth(line) > self.depth)
        if following < 0 or self._named[following] or is_rule(self._lines[following]):
            return False
        return _depth(self._lines[following]) > self.depth or self.part(following) is not None


def _depth(line: str) -> int:
    """How far a line is indented, in columns."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def _nested(line: str) -> tuple[Name, str] | None:
    """The label of a review that an indented line holds, as a bullet or in bold, with its text."""
    nested = _NESTED.match(line)
    body = line[nested.end() :].strip() if nested else ""
    label = _LABEL.match(body)
    name = _BY_LABEL.get(label["label"].lower()) if label else None
    if nested is None or label is None or name not in REVIEW:
        return None
    return (name, label["value"].strip()) if nested["bullet"] or body.startswith(("**", "__")) else None


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
