"""Text as a row of units a topic can be made of: Latin words, and single characters of scripts without spaces.

Pure. The miner's half of the blocklist's matching rule (suggestions contract, Matching): words where a pattern needs a
word boundary, characters where it matches as a substring.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from core.suggestions.stopwords import (
    CHINESE_CHARS,
    CHINESE_EDGE,
    CHINESE_PLAIN,
    CHINESE_VERBS,
    ENGLISH_VERBS,
    english_edge,
    english_plain,
)
from core.suggestions.variants import simplified_alone

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]")
_ADDRESS = re.compile(r"(?:https?|file)://\S+|www\.\S+", re.IGNORECASE)
_SPACED = "A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ԯ0-9"
_UNIT = re.compile(
    rf"(?P<word>[{_SPACED}]+(?:[-'’._+&][{_SPACED}]+)*(?:\+\+|#)?)|(?P<space>\s+)|(?P<char>[^\W_])|(?P<cut>.)"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """One word or character: `key` compares, `surface` is what stood there, `gap` tells that a space came before."""

    key: str
    surface: str
    gap: bool
    word: bool

    @property
    def weight(self) -> int:
        """Roughly its width in characters of thought: a word counts two, a Chinese character one."""
        return 2 if self.word else 1


def segments(text: str) -> Iterator[list[Unit]]:
    """The units of a text, cut at punctuation, line ends, links and symbols: a topic never reaches across those."""
    plain = _ADDRESS.sub("\n", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))
    row: list[Unit] = []
    gap = False
    for found in _UNIT.finditer(plain):
        kind, surface = found.lastgroup, found.group()
        if kind == "space" and "\n" not in surface:
            gap = True
        elif kind in ("word", "char"):
            key = surface.casefold() if kind == "word" else simplified_alone(surface.casefold())
            row.append(Unit(key, surface, gap and bool(row), kind == "word"))
            gap = False
        elif row:
            yield row
            row, gap = [], False
    if row:
        yield row


def singular(word: str, vocabulary: frozenset[str] | set[str]) -> str:
    """The singular of a case-folded word where that word occurs too and is itself a topic word, else the word."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    guesses = [word[:-1]] + ([word[:-3] + "y"] if word.endswith("ies") else [])
    return next((guess for guess in guesses if guess in vocabulary and guess not in english_edge()), word)


_LONGEST = 5
"""Characters in the longest Chinese stop word."""


@lru_cache(maxsize=1)
def _english_stop() -> frozenset[str]:
    return english_edge() | ENGLISH_VERBS | english_plain()


@dataclass(frozen=True, slots=True)
class _Chinese:
    """The Chinese stop words in the form units are compared in."""

    chars: frozenset[str]
    starts: frozenset[str]
    ends: frozenset[str]
    all: frozenset[str]


@lru_cache(maxsize=1)
def _chinese() -> _Chinese:
    def folded(words: frozenset[str]) -> frozenset[str]:
        return frozenset(simplified_alone(word) for word in words)

    chars, edge, verbs = folded(CHINESE_CHARS), folded(CHINESE_EDGE), folded(CHINESE_VERBS)
    return _Chinese(chars, edge | verbs, edge, chars | edge | verbs | folded(CHINESE_PLAIN))


def is_topic(units: list[Unit]) -> bool:
    """Whether a row of units may stand as a topic: no stop word at an edge, and not made of stop words alone."""
    if len(units) == 1 and units[0].word and len(units[0].key) < 2:
        return False
    return _clean_start(units) and _clean_end(units) and not _all_stop(units)


def _clean_start(units: list[Unit]) -> bool:
    first = units[0]
    if first.word:
        return first.key not in english_edge() and first.key not in ENGLISH_VERBS and _has_letter(first.key)
    run = _run(units)
    if len(run) < 2 or run[0] in _chinese().chars:
        return False
    # A stop word is cut off only where a word remains without it: 研究所 is not 研究 and 所.
    return not any(run[:size] in _chinese().starts for size in range(1, min(len(run) - 1, _LONGEST + 1)))


def _clean_end(units: list[Unit]) -> bool:
    last = units[-1]
    if last.word:
        return last.key not in english_edge() and _has_letter(last.key)
    run = _run(units[::-1])[::-1]
    if len(run) < 2 or run[-1] in _chinese().chars:
        return False
    return not any(run[-size:] in _chinese().ends for size in range(1, min(len(run) - 1, _LONGEST + 1)))


def _has_letter(key: str) -> bool:
    """Dates, versions and counts are no topics."""
    return any(char.isalpha() for char in key)


def _run(units: list[Unit]) -> str:
    """The characters from the first unit up to the first word."""
    return "".join(unit.key for unit in takewhile(lambda unit: not unit.word, units))


def _all_stop(units: list[Unit]) -> bool:
    words = all(unit.key in _english_stop() or not _has_letter(unit.key) for unit in units if unit.word)
    return words and _covered("".join(unit.key for unit in units if not unit.word))


def _covered(run: str) -> bool:
    """Whether the characters can be laid out completely with stop words and stop characters."""
    stops = _chinese().all
    reached = [True] + [False] * len(run)
    for end in range(1, len(run) + 1):
        reached[end] = any(reached[start] and run[start:end] in stops for start in range(max(0, end - _LONGEST), end))
    return reached[-1]


def cuts_a_word(before: str, after: str) -> bool:
    """Whether a stop word lies across the place between two runs of characters (at most five of each are needed)."""
    stops = _chinese().all
    return any(
        before[-left:] + after[:right] in stops
        for left in range(1, min(len(before), 5) + 1)
        for right in range(1, min(len(after), 5) + 1)
    )


def is_stop_at(run: str, *, end: bool) -> bool:
    """Whether a run of characters ends (or begins) with a stop word or stop character."""
    stops = _chinese().all
    pieces = (run[-size:] if end else run[:size] for size in range(1, min(len(run), _LONGEST) + 1))
    return any(piece in stops for piece in pieces)
