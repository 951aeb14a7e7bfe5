"""Direction words in a clause, and which metric each of them is said of.

Metrics stand in the text as marks (``⟦0⟧``). A word is tied to a metric where the grammar leaves little doubt: a verb
after it, "higher" before it, "a decline in" it. Everything else is loose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Direction = Literal["rising", "falling", "flat"]
_Sort = Literal["finite", "participle", "base", "adjective"]

MARK = re.compile(r"⟦(\d+)⟧")

_LEXICON: dict[tuple[Direction, _Sort], str] = {
    (
        "rising",
        "finite",
    ): "rose rises grew grows climbed climbs jumped jumps surged soared advanced gained gains doubled "
    "tripled increases",
    ("rising", "participle"): "increased expanded risen grown",
    ("rising", "base"): "rise increase growth gain climb jump surge grow expansion uptick",
    ("rising", "adjective"): "higher rising growing increasing up upward",
    (
        "falling",
        "finite",
    ): "fell falls declined declines dropped drops shrank shrinks slid slipped slips plunged tumbled "
    "dipped dips sank sinks halved contracted decreases",
    ("falling", "participle"): "decreased reduced fallen shrunk lowered",
    ("falling", "base"): "fall decline decrease drop reduction dip slump contraction downturn shrink",
    ("falling", "adjective"): "lower falling declining decreasing shrinking down downward",
    ("flat", "adjective"): "flat unchanged stable steady",
}
_WORDS = {word: meaning for meaning, words in _LEXICON.items() for word in words.split()}
_ANY = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?![\w-])|\bno\s+change\b", re.I)
_NUMBER = r"(?:about|around|nearly|some|roughly|over|almost|only|just)?\s*[-+−]?\s*[$€£¥]?\s*\d"
_COPULA = re.compile(
    r"\b(?:is|are|was|were|be|been|remain(?:s|ed)?|stay(?:s|ed)?|held|holds|kept|end(?:s|ed)|clos(?:es|ed)|"
    r"finish(?:es|ed)|came\s+in|mov(?:es|ed)|went|look(?:s|ed)|trended|broadly)(?:\s+(?:\w+ly|broadly|much|slightly|at|a))*\s*$",
    re.I,
)
_SHOWS = re.compile(
    r"\b(?:show|saw|see|post|record|report|register|deliver|enjoy|suffer|experienc)\w*(?:\s+[^\s⟦]+){0,3}\s*$", re.I
)
_AUXILIARY = re.compile(r"\b(?:has|have|was|were|is|are)(?:\s+\w+ly)?\s*$", re.I)
_AFTER_PARTICIPLE = re.compile(
    rf"^\s*(?:$|[,.!:]|{_NUMBER}|(?:by|to|from|in|over|again|further|and|another|year|quarter|on|at|across|for|every|"
    r"\w+ly)\b)",
    re.I,
)
_THEN_METRIC = re.compile(r"^\s*(?:of\s+[^⟦]{1,24}?\s+)?(?:in|of|for)\s+(?:the\s+|our\s+|total\s+|net\s+)?⟦", re.I)
_NEAR = 9
_JOINED = re.compile(r"^[\s,&]*(?:(?:and|both|the|our|plus|as\s+well\s+as)[\s,&]*)*$", re.I)


@dataclass(frozen=True, slots=True)
class Said:
    """A direction word: what it says, how it stands, and the marks it is tied to (none: it is loose)."""

    direction: Direction
    word: str
    metrics: tuple[int, ...]


def directions(clause: str) -> list[Said]:
    """Every direction word of a clause with marks in the place of its metrics."""
    return [_read(clause, match) for match in _ANY.finditer(clause)]


def _read(clause: str, match: re.Match[str]) -> Said:
    word = " ".join(match[0].lower().split())
    direction, sort = _WORDS.get(word, ("flat", "base"))
    before, after = clause[: match.start()], clause[match.end() :]
    if sort in ("base", "adjective") and _before_metric(sort, after):
        return Said(direction, word, _coordinated(clause, match.end(), forwards=True))
    if _after_metric(sort, word, before, after):
        return Said(direction, word, _coordinated(clause, match.start(), forwards=False))
    return Said(direction, word, ())


def _before_metric(sort: _Sort, after: str) -> bool:
    if sort == "adjective":
        return re.match(r"\s*⟦", after) is not None
    return _THEN_METRIC.match(after) is not None


def _after_metric(sort: _Sort, word: str, before: str, after: str) -> bool:
    last = before.rfind("⟧")
    gap = before[last + 1 :] if last >= 0 else ""
    if last < 0 or len(gap.split()) > _NEAR:
        return False
    adjacent = not gap.strip(" :'’s")
    if sort == "finite":
        return True
    if sort == "participle":
        return bool(_AUXILIARY.search(before) or _AFTER_PARTICIPLE.match(after))
    if sort == "base":
        return adjacent or _SHOWS.search(gap) is not None
    moved = word in ("up", "down") and re.match(rf"\s*(?:by\s+)?{_NUMBER}", after, re.I) is not None
    return adjacent or moved or _COPULA.search(before) is not None


def _coordinated(clause: str, at: int, *, forwards: bool) -> tuple[int, ...]:
    """The nearest mark on that side, and those joined to it by nothing but "and" and commas."""
    marks = [mark for mark in MARK.finditer(clause) if (mark.start() >= at) == forwards]
    if not forwards:
        marks.reverse()
    chosen: list[int] = []
    for number, mark in enumerate(marks):
        if number:
            nearer = marks[number - 1]
            between = clause[nearer.end() : mark.start()] if forwards else clause[mark.end() : nearer.start()]
            if not _JOINED.match(between):
                break
        chosen.append(int(mark[1]))
    return tuple(chosen)


def direction_of(word: str) -> Direction | None:
    """The direction that one word says by itself; None for any other word."""
    meaning = _WORDS.get(word.lower())
    return meaning[0] if meaning else None
