"""Phrases that many texts share, counted by arithmetic over one long row of units.

Pure and deterministic. A phrase of n units is looked for only where both its halves of n − 1 units are frequent, so
that twenty thousand texts take seconds. (suggestions contract, Maintain)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.suggestions.units import Unit, cuts_a_word, is_stop_at, segments, singular

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_LOOKED_AT = 24
"""Places of a phrase whose surroundings are looked at; more tell nothing new."""

_REACH = 5
"""Characters around a phrase in which a stop word may lie."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase by where it stands: `places` in the corpus, in order, `length` in units.

    `cohesion` (0–1) is the share of the entries with its rarer half that hold it whole, at its weakest joint; 1 for a
    single unit.
    """

    places: Ints
    length: int
    cohesion: float


class Corpus:
    """All units in one row, cut between segments; the first `turn` texts are those whose repeats count."""

    def __init__(self, texts: Sequence[tuple[str, str]], turn: int) -> None:
        self.size = len(texts)
        self.turn = turn
        self.units: list[Unit | None] = []
        docs: list[int] = []
        content: list[bool] = []
        for index, parts in enumerate(texts):
            for part, inside in zip(parts, (True, False), strict=True):
                for row in segments(part):
                    self.units += [*row, None]
                    docs += [index] * (len(row) + 1)
                    content += [inside] * (len(row) + 1)
        self.docs: Ints = np.array(docs, dtype=np.int64)
        self.content: Bools = np.array(content, dtype=bool)
        self.keys = self._keys()
        numbers = {key: number for number, key in enumerate(sorted({key for key in self.keys if key is not None}))}
        self.codes: Ints = np.array([-1 if key is None else numbers[key] for key in self.keys], dtype=np.int64)
        self.weights: Ints = np.array([0 if unit is None else unit.weight for unit in self.units], dtype=np.int64)

    def _keys(self) -> list[str | None]:
        words = {unit.key for unit in self.units if unit is not None and unit.word}
        forms = {word: singular(word, words) for word in sorted(words)}
        return [None if unit is None else forms.get(unit.key, unit.key) for unit in self.units]

    def texts_of(self, places: Ints) -> Ints:
        """The texts that hold these places (in order), each once."""
        docs = self.docs[places]
        return docs[np.concatenate(([True], docs[1:] != docs[:-1]))] if len(docs) else docs

    def row(self, place: int, length: int) -> list[Unit]:
        """The units of a phrase."""
        return [unit for unit in self.units[place : place + length] if unit is not None]

    def surface(self, place: int, length: int) -> str:
        """The phrase as it stands there."""
        row = self.row(place, length)
        return "".join((" " if unit.gap and number else "") + unit.surface for number, unit in enumerate(row))


@dataclass(frozen=True, slots=True)
class _Level:
    """All places at which phrases of one length may stand: which phrase, and in how many texts each is."""

    codes: Ints
    texts: Ints
    frequent: Bools
    groups: list[Ints]


def repeated(corpus: Corpus, at_least: int, widest: int) -> Iterator[Phrase]:
    """Every phrase in `at_least` of the texts that count, up to `widest` in weight, shorter ones first."""
    levels: list[_Level] = []
    codes, widths = corpus.codes.copy(), corpus.weights.copy()
    valid: Bools = codes >= 0
    while valid.any():
        level = _count(corpus, codes, np.flatnonzero(valid), at_least)
        levels.append(level)
        for places in level.groups:
            yield Phrase(places, len(levels), _cohesion(levels, int(places[0])))
        valid, codes, widths = _longer(corpus, level, widths, len(levels), widest)


def _count(corpus: Corpus, codes: Ints, places: Ints, at_least: int) -> _Level:
    """Number the phrases at `places` anew and count the texts each stands in."""
    _, numbers = np.unique(codes[places], return_inverse=True)
    kinds = int(numbers.max()) + 1
    pairs = np.unique(numbers * corpus.size + corpus.docs[places])
    counting = np.bincount(pairs[pairs % corpus.size < corpus.turn] // corpus.size, minlength=kinds)
    often = counting >= at_least
    renumbered = np.full(len(codes), -1, dtype=np.int64)
    renumbered[places] = numbers
    frequent = np.zeros(len(codes), dtype=bool)
    frequent[places] = often[numbers]
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], np.arange(kinds + 1))
    groups = [places[order[bounds[kind] : bounds[kind + 1]]] for kind in np.flatnonzero(often)]
    return _Level(renumbered, np.bincount(pairs // corpus.size, minlength=kinds), frequent, groups)


def _longer(corpus: Corpus, level: _Level, widths: Ints, length: int, widest: int) -> tuple[Bools, Ints, Ints]:
    """Where a phrase one unit longer may be frequent, its code there, and its weight."""
    valid = np.zeros(len(level.codes), dtype=bool)
    valid[:-1] = level.frequent[:-1] & level.frequent[1:]
    valid[max(0, len(valid) - length) :] = False
    places = np.flatnonzero(valid)
    wider = widths.copy()
    wider[places] += corpus.weights[places + length]
    valid[places[wider[places] > widest]] = False
    places = np.flatnonzero(valid)
    codes = np.full(len(level.codes), -1, dtype=np.int64)
    codes[places] = level.codes[places] * (int(corpus.codes.max()) + 1) + corpus.codes[places + length]
    return valid, codes, wider


def _cohesion(levels: Sequence[_Level], place: int) -> float:
    length = len(levels)
    whole_in = int(levels[-1].texts[levels[-1].codes[place]])
    weakest = 1.0
    for cut in range(1, length):
        left, right = levels[cut - 1], levels[length - cut - 1]
        halves = left.texts[left.codes[place]], right.texts[right.codes[place + cut]]
        weakest = min(weakest, whole_in / int(min(halves)))
    return weakest


def whole(corpus: Corpus, phrase: Phrase) -> bool:
    """Whether the phrase begins and ends where words do; always true at the side of a Latin word.

    Chinese shows no boundaries. A side is a boundary when different characters stand next to it, or a stop word does;
    it is none when a stop word lies across it.
    """
    places = [int(place) for place in phrase.places[:_LOOKED_AT]]
    return _bounded(corpus, places, phrase.length, left=True) and _bounded(corpus, places, phrase.length, left=False)


def _bounded(corpus: Corpus, places: list[int], length: int, *, left: bool) -> bool:
    edge = corpus.units[places[0] if left else places[0] + length - 1]
    if edge is None or edge.word:
        return True
    across = stopped = 0
    neighbours: set[str] = set()
    for place in places:
        at = place if left else place + length
        before, after = _characters(corpus, at, -1), _characters(corpus, at, 1)
        outside = before if left else after
        across += cuts_a_word(before, after)
        stopped += is_stop_at(outside, end=left)
        neighbours.add((outside[-1:] if left else outside[:1]) or f"none at {at}")
    return 2 * across < len(places) and (len(neighbours) > 1 or stopped > 0)


def _characters(corpus: Corpus, at: int, step: int) -> str:
    """Up to `_REACH` characters from a place on, in one direction, until a word or the end of the segment."""
    keys: list[str] = []
    place = at if step > 0 else at - 1
    while 0 <= place < len(corpus.units) and len(keys) < _REACH:
        unit = corpus.units[place]
        if unit is None or unit.word:
            break
        keys.append(unit.key)
        place += step
    return "".join(keys if step > 0 else reversed(keys))
