"""Topics that reviewers keep rejecting: phrases of rejected entries that are rarer among accepted ones.

Pure and deterministic; no model. Every run of words or characters that stands in three or more rejected entries is a
candidate; it is a topic when no stop word borders it, when no longer topic covers the very same entries, and when it is
not equally common among accepted entries. (suggestions contract, Maintain, "Blocklist proposals")
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
import numpy.typing as npt

from core.suggestions.units import Unit, is_topic, segments, simplified, singular

MIN_ENTRIES = 3
"""Different rejected entries a topic needs (contract: "three or more different entries")."""

_WIDEST = 12
"""Six Latin words or twelve Chinese characters: longer repeats are copied sentences."""

_TIMES_AS_COMMON = 1.5
"""A phrase is a topic when it is more than this many times as common among rejected entries as among accepted."""

_MOST_SPELLINGS = 3

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Text:
    """One decided entry for the miner: `content` is what a block pattern can match, `comment` the reviewer's words."""

    id: str
    content: str
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    """A repeated topic. `text` joins its spellings as a blocklist bullet would ("NFT / NFTs").

    `rejected` and `accepted` are the ids of the entries it stands in, in the order given; `in_content` counts the
    rejected ones that hold it outside the comment. `strength` is the log odds ratio of rejected against accepted in
    standard errors: how surely it is a reason, for ordering only.
    """

    text: str
    spellings: tuple[str, ...]
    rejected: tuple[str, ...]
    accepted: tuple[str, ...]
    in_content: int
    strength: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    keys: tuple[str, ...]
    places: Ints
    length: int
    rejected: tuple[int, ...]
    accepted: tuple[int, ...]
    in_content: int
    strength: float


class _Corpus:
    """All units in one row, cut between segments, so that phrases can be counted by arithmetic."""

    def __init__(self, rejected: Sequence[Text], accepted: Sequence[Text]) -> None:
        self.texts = [*rejected, *accepted]
        self.turn = len(rejected)
        self.units: list[Unit | None] = []
        docs: list[int] = []
        content: list[bool] = []
        for index, text in enumerate(self.texts):
            for part, inside in ((text.content, True), (text.comment, False)):
                for row in segments(part):
                    self.units += [*row, None]
                    docs += [index] * (len(row) + 1)
                    content += [inside] * (len(row) + 1)
        self.docs: Ints = np.array(docs, dtype=np.int64)
        self.content = np.array(content, dtype=bool)
        self.keys = self._keys()
        vocabulary = {key: number for number, key in enumerate(sorted({key for key in self.keys if key is not None}))}
        self.codes: Ints = np.array([-1 if key is None else vocabulary[key] for key in self.keys], dtype=np.int64)
        self.weights: Ints = np.array([0 if unit is None else unit.weight for unit in self.units], dtype=np.int64)

    def _keys(self) -> list[str | None]:
        words = {unit.key for unit in self.units if unit is not None and unit.word}
        forms = {word: singular(word, words) for word in sorted(words)}
        return [None if unit is None else forms.get(unit.key, unit.key) for unit in self.units]

    def row(self, place: int, length: int) -> list[Unit]:
        return [unit for unit in self.units[place : place + length] if unit is not None]


def mine(rejected: Sequence[Text], accepted: Sequence[Text]) -> list[Topic]:
    """The repeated topics of rejected entries, surest first (suggestions contract, Maintain).

    Each text is one different entry; ids need not be unique but are reported as given. Nothing but the texts decides.
    """
    if len(rejected) < MIN_ENTRIES:
        return []
    corpus = _Corpus(rejected, accepted)
    candidates = _longest(_candidates(corpus))
    contrasted = [one for one in candidates if _rarer_among_accepted(one, corpus)]
    chosen = _without_nested(sorted(contrasted, key=_surest_first))
    return [_topic(one, corpus) for one in chosen]


def _surest_first(one: _Candidate) -> tuple[float, int, int, tuple[str, ...]]:
    return (-round(one.strength, 9), -one.in_content, -one.length, one.keys)


def _candidates(corpus: _Corpus) -> list[_Candidate]:
    """Every phrase in `MIN_ENTRIES` rejected entries or more that may stand as a topic, by growing frequent ones."""
    found: list[_Candidate] = []
    size = len(corpus.codes)
    codes, width, length = corpus.codes.copy(), corpus.weights.copy(), 1
    valid = codes >= 0
    while True:
        places = np.flatnonzero(valid)
        if not len(places):
            return found
        codes, frequent, groups = _frequent(corpus, codes, places)
        found += [made for group in groups if (made := _candidate(corpus, group, length)) is not None]
        # A phrase one longer needs both its shorter halves to be frequent, and to fit.
        longer = np.zeros(size, dtype=bool)
        longer[: size - 1] = frequent[:-1] & frequent[1:]
        if length < size:
            longer[size - length :] = False
        nexts = np.flatnonzero(longer)
        width[nexts] += corpus.weights[nexts + length]
        longer[nexts[width[nexts] > _WIDEST]] = False
        nexts = np.flatnonzero(longer)
        codes[nexts] = codes[nexts] * (int(corpus.codes.max()) + 1) + corpus.codes[nexts + length]
        valid, length = longer, length + 1


def _frequent(corpus: _Corpus, codes: Ints, places: Ints) -> tuple[Ints, npt.NDArray[np.bool_], list[Ints]]:
    """Renumbers the phrases at `places`; tells which places hold a frequent one, and the places of each of those."""
    _, numbers = np.unique(codes[places], return_inverse=True)
    docs = corpus.docs[places]
    pairs = np.unique(numbers * len(corpus.texts) + docs)
    in_rejected = np.bincount(
        pairs[pairs % len(corpus.texts) < corpus.turn] // len(corpus.texts), minlength=int(numbers.max()) + 1
    )
    often = in_rejected >= MIN_ENTRIES
    renumbered = codes.copy()
    renumbered[places] = numbers
    frequent = np.zeros(len(codes), dtype=bool)
    frequent[places] = often[numbers]
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], np.arange(int(numbers.max()) + 2))
    groups = [places[order[bounds[n] : bounds[n + 1]]] for n in np.flatnonzero(often)]
    return renumbered, frequent, groups


def _candidate(corpus: _Corpus, places: Ints, length: int) -> _Candidate | None:
    row = corpus.row(int(places[0]), length)
    if not is_topic(row):
        return None
    docs = np.unique(corpus.docs[places])
    rejected = tuple(int(doc) for doc in docs[docs < corpus.turn])
    accepted = tuple(int(doc) for doc in docs[docs >= corpus.turn])
    inside = np.unique(corpus.docs[places][corpus.content[places]])
    keys = tuple(key for key in corpus.keys[int(places[0]) : int(places[0]) + length] if key is not None)
    strength = _log_odds(len(rejected), corpus.turn, len(accepted), len(corpus.texts) - corpus.turn)
    return _Candidate(keys, places, length, rejected, accepted, int((inside < corpus.turn).sum()), strength)


def _log_odds(hits: int, among: int, others: int, other_among: int) -> float:
    """Log odds ratio of two proportions over its standard error, each cell raised by one half."""
    cells = [hits + 0.5, among - hits + 0.5, others + 0.5, other_among - others + 0.5]
    return log(cells[0] * cells[3] / (cells[1] * cells[2])) / sqrt(sum(1 / cell for cell in cells))


def _longest(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Of phrases within one another that stand in the same rejected entries, the longest."""
    groups: defaultdict[tuple[int, ...], list[_Candidate]] = defaultdict(list)
    for one in candidates:
        groups[one.rejected].append(one)
    kept: list[_Candidate] = []
    for group in groups.values():
        maximal: list[_Candidate] = []
        for one in sorted(group, key=lambda member: (-member.length, member.keys)):
            if not any(_within(one.keys, longer.keys) for longer in maximal):
                maximal.append(one)
        kept += maximal
    return kept


def _within(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    width = len(short)
    return any(long[start : start + width] == short for start in range(len(long) - width + 1))


def _rarer_among_accepted(one: _Candidate, corpus: _Corpus) -> bool:
    """Whether the rate among rejected entries is more than `_TIMES_AS_COMMON` times the rate among accepted."""
    accepted = len(corpus.texts) - corpus.turn
    return len(one.rejected) * accepted > _TIMES_AS_COMMON * len(one.accepted) * corpus.turn or accepted == 0


def _without_nested(ordered: Sequence[_Candidate]) -> list[_Candidate]:
    """One proposal for phrases of one family: inside one another, or windows on the same longer repeat."""
    chosen: list[_Candidate] = []
    for one in ordered:
        if not any(_same_family(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def _same_family(one: _Candidate, chosen: _Candidate) -> bool:
    if _within(chosen.keys, one.keys):
        return True  # blocking the chosen one blocks this one too
    fresh = len(set(one.rejected) - set(chosen.rejected))
    return fresh < MIN_ENTRIES and (_within(one.keys, chosen.keys) or _overlap(one.keys, chosen.keys))


def _overlap(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether one begins with what the other ends with."""
    shared = range(1, min(len(left), len(right)))
    return any(left[-size:] == right[:size] or right[-size:] == left[:size] for size in shared)


def _topic(one: _Candidate, corpus: _Corpus) -> Topic:
    spellings = _spellings(one, corpus)
    return Topic(
        text=" / ".join(spellings),
        spellings=spellings,
        rejected=tuple(corpus.texts[doc].id for doc in one.rejected),
        accepted=tuple(corpus.texts[doc].id for doc in one.accepted),
        in_content=one.in_content,
        strength=one.strength,
    )


def _spellings(one: _Candidate, corpus: _Corpus) -> tuple[str, ...]:
    """The commonest way of writing it, and others that a pattern of the first would not match (plurals, spaces)."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for place in one.places:
        if corpus.docs[place] < corpus.turn:
            surface = "".join(
                (" " if unit.gap and number else "") + unit.surface
                for number, unit in enumerate(corpus.row(int(place), one.length))
            )
            written[simplified(surface.casefold())][surface] += 1
    common = sorted(written.values(), key=lambda forms: (-forms.total(), min(forms)))
    return tuple(min(forms, key=lambda form: (-forms[form], form)) for forms in common[:_MOST_SPELLINGS])
