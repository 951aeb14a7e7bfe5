"""`rubric_blocklist.md`: its patterns and how they match (suggestions contract, Matching). Pure.

A topic is matched against title and content, an ambiguity phrase against the next step alone. Both sides are folded
(`fold`); a pattern end that is a Latin letter or digit needs a word boundary there, other scripts match anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from core.errors import Problem
from core.suggestions.markup import hidden, plain_lines
from core.suggestions.placeholders import is_placeholder
from core.suggestions.variants import has_chinese, simplified, simplified_alone

Section = Literal["topic", "ambiguity"]
Outcome = Literal["hard_veto", "ambiguity", "clear"]

SECTIONS: dict[Section, str] = {"topic": "## Topic Blocks", "ambiguity": "## Ambiguity Blocklist"}
_OUTSIDE = "bullets that stand under neither “{topic}” nor “{ambiguity}” block nothing".format(**SECTIONS)

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_SPACES = re.compile(r"\s+")
_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02b8\u1e00-\u1eff\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab64"
_WORD = rf"[{_LATIN}0-9_\u0300-\u036f]"
_ENDS_IN_WORD = re.compile(rf"[{_LATIN}0-9]")
_BULLET = re.compile(r"\s*[-*+][ \t]+(?P<text>.*\S)")
_WRAPPED = re.compile(r"^(\*\*|__|`|\*|_)(.+)\1$")
_OPENING, _CLOSING = "(（", ")）"


def fold(text: str) -> str:
    """The text as it is compared: nothing invisible in it, NFKC and case folded, white space runs as one blank."""
    # The invisible first: between a letter and its accent it would keep the two from becoming one.
    seen = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", seen)).strip()


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern: ``text`` as it stands in the file, its section, and the line of its bullet (from 1)."""

    text: str
    section: Section
    line: int


@dataclass(frozen=True, slots=True)
class Match:
    """A pattern that fired. ``variant``: it matched only in the other form of Chinese writing."""

    pattern: Pattern
    variant: bool

    @property
    def reason(self) -> str:
        """The reason as it is written into the filtered file."""
        label = "Hard-veto" if self.pattern.section == "topic" else "Ambiguity blocklist"
        return f"{label}: {self.pattern.text}{' (Traditional/Simplified variant)' if self.variant else ''}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the free part of grading says: ``reason`` is None exactly when the outcome is ``clear``."""

    outcome: Outcome
    reason: str | None
    match: Match | None


CLEAR = Verdict("clear", None, None)


@dataclass(frozen=True, slots=True)
class Blocklist:
    """The patterns of a blocklist file, in file order, and what in it could not be read.

    ``complete`` is false when the file could be read in part only: that nothing of it matches then says nothing.
    """

    patterns: tuple[Pattern, ...]
    problems: tuple[Problem, ...] = ()
    complete: bool = True

    def of(self, section: Section) -> tuple[Pattern, ...]:
        """The patterns of one section."""
        return tuple(pattern for pattern in self.patterns if pattern.section == section)

    def check(self, title_and_content: str, next_step: str) -> Verdict:
        """Hard veto first, then ambiguity; the first pattern in the file that matches is named."""
        veto = first_match(self.of("topic"), title_and_content)
        if veto:
            return Verdict("hard_veto", veto.reason, veto)
        vague = first_match(self.of("ambiguity"), next_step)
        return Verdict("ambiguity", vague.reason, vague) if vague else CLEAR


class Line(NamedTuple):
    """A line of a blocklist file: where it starts (characters), its text, and what it is.

    ``heading`` and ``bullet`` are those of a line that no comment or fence hides; ``section`` is the one it stands in,
    a section's own heading included.
    """

    start: int
    text: str
    heading: bool
    bullet: str | None
    section: Section | None


def lines_of(text: str) -> Iterator[Line]:
    """Every line with its ending. A section ends at the next heading no deeper than its own; deeper ones divide it."""
    plain = plain_lines(text)
    spans = hidden(plain).spans
    at = 0
    section: Section | None = None
    level = 0
    for line in re.split(r"(?<=\n)", plain):
        end = at + len(line)
        shown = not any(begin <= at < stop for begin, stop in spans)
        heading = shown and line.startswith("#")
        if heading:
            depth = len(line) - len(line.lstrip("#"))
            opened = section_of(line)
            if opened or depth <= level:
                section, level = opened, depth
        bullet = _BULLET.fullmatch(line.rstrip()) if shown else None
        yield Line(at, text[at:end], heading, bullet["text"] if bullet else None, section)
        at = end


def parse(text: str, file: str) -> Blocklist:
    """Read a blocklist: bullets under its two sections; placeholders, comments and code fences are no patterns.

    A bullet that stands in neither section blocks nothing, which is a problem: somebody meant it to.
    """
    plain = plain_lines(text)
    patterns: list[Pattern] = []
    problems = [
        Problem(file, "a comment or code fence is never closed", plain.count("\n", 0, at) + 1)
        for at in hidden(plain).unclosed
    ]  # fmt: skip
    told = False
    for number, line in enumerate(lines_of(text), 1):
        if line.heading:
            told = False
        if not line.bullet or is_placeholder(line.bullet):
            continue
        texts = alternatives(line.bullet)
        if line.section:
            patterns += [Pattern(found, line.section, number) for found in texts]
            if not texts:
                problems.append(Problem(file, f"the bullet {line.bullet!r} holds no pattern", number))
        elif not told:
            told = True  # once under each heading
            problems.append(Problem(file, _OUTSIDE, number))
    return Blocklist(tuple(patterns), tuple(problems))


def section_of(line: str) -> Section | None:
    """Which section a heading line opens."""
    name = " ".join(line.strip("# \t\n:：").casefold().split())
    return next((section for section, heading in SECTIONS.items() if heading[3:].casefold() == name), None)


def alternatives(bullet: str) -> tuple[str, ...]:
    """The patterns of one bullet: parted by `` / ``, without a closing note in parentheses; none of a placeholder."""
    if is_placeholder(bullet):
        return ()
    parts = map(_bare, _parted(bullet)[0].split(" / "))
    return tuple(part for part in parts if fold(part))


def _parted(bullet: str) -> tuple[str, str]:
    """The bullet without its closing note, and the note with the blanks before it; parentheses inside it are its own.

    Half- and full-width ones close each other, as people type them.
    """
    whole = bullet.rstrip()
    depth = 0
    for at in range(len(whole) - 1, -1, -1):
        depth += (whole[at] in _CLOSING) - (whole[at] in _OPENING)
        if depth <= 0:
            break
    if not whole.endswith(tuple(_CLOSING)) or depth:
        return bullet, ""
    rest = whole[:at].rstrip()
    return rest, bullet[len(rest) :]


def _bare(part: str) -> str:
    """An alternative without the bold, italic or code marks around it."""
    return _WRAPPED.sub(r"\2", part.strip()).strip()


def without(bullet: str, pattern: str) -> str:
    """The bullet without one of its alternatives, in whatever spelling and however often; its note stays."""
    parts, note = _parted(bullet)
    return " / ".join(part for part in parts.split(" / ") if fold(_bare(part)) != fold(pattern)) + note


class Folded:
    """A text folded once, to be searched by many patterns; its Simplified forms are made when first asked for."""

    __slots__ = ("_forms", "direct")

    def __init__(self, text: str) -> None:
        self.direct = fold(text)
        self._forms: tuple[str, str] | None = None

    @property
    def forms(self) -> tuple[str, str]:
        """The text in Simplified form, by words and character by character."""
        if self._forms is None:
            self._forms = simplified(self.direct), simplified_alone(self.direct)
        return self._forms


def first_match(patterns: Sequence[Pattern], text: str | Folded) -> Match | None:
    """The first pattern that matches the text, directly or in the other form of Chinese writing."""
    if not patterns:
        return None
    folded = text if isinstance(text, Folded) else Folded(text)
    for pattern in patterns:
        needle = _needle(pattern.text)
        if needle.direct.search(folded.direct):
            return Match(pattern, False)
        if needle.chinese and (needle.words.search(folded.forms[0]) or needle.alone.search(folded.forms[1])):
            return Match(pattern, True)
    return None


def matches(pattern: str, text: str | Folded) -> bool:
    """True when one pattern, by its text, matches."""
    return first_match((Pattern(pattern, "topic", 0),), text) is not None


@dataclass(frozen=True, slots=True)
class _Needle:
    """A pattern compiled for the folded text and, where it is Chinese, for the text's Simplified forms."""

    direct: re.Pattern[str]
    words: re.Pattern[str]
    alone: re.Pattern[str]
    chinese: bool


@lru_cache(maxsize=4096)
def _needle(text: str) -> _Needle:
    folded = fold(text)
    words, alone = simplified(folded), simplified_alone(folded)
    return _Needle(_bounded(folded), _bounded(words), _bounded(alone), has_chinese(folded))


def _bounded(folded: str) -> re.Pattern[str]:
    before = rf"(?<!{_WORD})" if _ENDS_IN_WORD.match(folded[0]) else ""
    after = rf"(?!{_WORD})" if _ENDS_IN_WORD.match(folded[-1]) else ""
    return re.compile(before + re.escape(folded) + after)
