"""Topics that reviewers keep rejecting: phrases of rejected entries that are rarer among accepted ones.

Pure and deterministic; no model. Every run of words or characters that stands in three or more rejected entries is a
candidate; it is a topic when no stop word borders it, when no longer topic covers the very same entries, and when it is
not equally common among accepted entries. (suggestions contract, Maintain, "Blocklist proposals")
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.stats import wilson
from core.suggestions.phrases import Corpus, Phrase, repeated, whole
from core.suggestions.units import is_topic
from core.suggestions.variants import simplified_alone

MIN_ENTRIES = 3
"""Different rejected entries a topic needs (contract: "three or more different entries")."""

_WIDEST = 12
"""Six Latin words or twelve Chinese characters: longer repeats are copied sentences."""

_TIMES_AS_COMMON = 2
"""A phrase is a topic when it is at least this many times as common among rejected entries as among accepted ones."""

_ENOUGH_TO_TEST, _CHANCE = 40, 0.35

_TOGETHER = 0.3
"""Of the entries that hold the rarer half of a phrase, the share that must hold the whole: "feature flag" is a phrase,
"feature flag in production" merely happens."""

_MOST_SPELLINGS = 3


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
    rejected ones that hold it outside the comment. `strength` (0–1) is the least share of the entries with it that
    reviewers reject, at 95%: it orders.
    """

    text: str
    spellings: tuple[str, ...]
    rejected: tuple[str, ...]
    accepted: tuple[str, ...]
    in_content: int
    strength: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    phrase: Phrase
    keys: tuple[str, ...]
    rejected: tuple[int, ...]
    accepted: tuple[int, ...]
    in_content: int
    strength: float

    @property
    def holders(self) -> int:
        """Entries that hold it, rejected or accepted."""
        return len(self.rejected) + len(self.accepted)


def mine(rejected: Sequence[Text], accepted: Sequence[Text]) -> list[Topic]:
    """The repeated topics of rejected entries, surest first (suggestions contract, Maintain).

    Each text is one different entry; ids need not be unique but are reported as given. Nothing but the texts decides.
    """
    if len(rejected) < MIN_ENTRIES:
        return []
    corpus = Corpus([(text.content, text.comment) for text in [*rejected, *accepted]], len(rejected))
    candidates = [made for phrase in repeated(corpus, MIN_ENTRIES, _WIDEST) if (made := _candidate(corpus, phrase))]
    standing = _standing(_longest(candidates), {one.keys: one.holders for one in candidates})
    contrasted = [one for one in standing if _rarer_among_accepted(one, corpus)]
    chosen = _without_nested(sorted(contrasted, key=_surest_first))
    ids = [text.id for text in [*rejected, *accepted]]
    return [_topic(one, corpus, ids) for one in chosen]


def _surest_first(one: _Candidate) -> tuple[float, int, int, tuple[str, ...]]:
    return (-round(one.strength, 9), -one.in_content, -one.phrase.length, one.keys)


def _candidate(corpus: Corpus, phrase: Phrase) -> _Candidate | None:
    place = int(phrase.places[0])
    if not is_topic(corpus.row(place, phrase.length)) or phrase.cohesion < _TOGETHER or not whole(corpus, phrase):
        return None
    docs = corpus.texts_of(phrase.places)
    rejected = tuple(docs[docs < corpus.turn].tolist())
    accepted = tuple(docs[docs >= corpus.turn].tolist())
    inside = corpus.texts_of(phrase.places[corpus.content[phrase.places]])
    strength = _sureness(len(rejected), len(accepted))
    keys = tuple(key for key in corpus.keys[place : place + phrase.length] if key is not None)
    return _Candidate(phrase, keys, rejected, accepted, int((inside < corpus.turn).sum()), strength)


def _standing(candidates: Iterable[_Candidate], common: Mapping[tuple[str, ...], int]) -> list[_Candidate]:
    """The candidates that are more than a commoner topic with words around it: "notes on X at scale" is about X."""

    def stands(one: _Candidate) -> bool:
        inner = (one.keys[a:b] for a in range(1, len(one.keys) - 1) for b in range(a + 1, len(one.keys)))
        return all(one.holders >= _TOGETHER * common.get(part, 0) for part in inner)

    return [one for one in candidates if stands(one)]


def _sureness(hits: int, slips: int) -> float:
    """At least this share of the decided entries with it were rejected: the lower end of the 95% Wilson interval."""
    interval = wilson(hits, hits + slips)
    return interval.low if interval else 0.0


def _longest(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Of phrases within one another that stand in the same rejected entries, the longest."""
    groups: defaultdict[tuple[int, ...], list[_Candidate]] = defaultdict(list)
    for one in candidates:
        groups[one.rejected].append(one)
    kept: list[_Candidate] = []
    for group in groups.values():
        maximal: list[_Candidate] = []
        for one in sorted(group, key=lambda member: (-member.phrase.length, member.keys)):
            if not any(_within(one.keys, longer.keys) for longer in maximal):
                maximal.append(one)
        kept += maximal
    return kept


def _within(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    width = len(short)
    return any(long[start : start + width] == short for start in range(len(long) - width + 1))


def _rarer_among_accepted(one: _Candidate, corpus: Corpus) -> bool:
    """Whether the rate among rejected entries is `_TIMES_AS_COMMON` times the rate among accepted ones or more.

    From `_ENOUGH_TO_TEST` decided entries on, a phrase that accepted entries hold too must besides differ by more than
    chance (Fisher, one-sided): of a thousand phrases some always lean to one side.
    """
    accepted = corpus.size - corpus.turn
    hits, slips = len(one.rejected), len(one.accepted)
    if slips == 0 or accepted == 0:
        return True
    if hits * accepted < _TIMES_AS_COMMON * slips * corpus.turn:
        return False
    if corpus.size < _ENOUGH_TO_TEST:
        return True
    from scipy.stats import hypergeom  # here, because it takes a second to import

    return bool(hypergeom.sf(hits - 1, corpus.size, hits + slips, corpus.turn) <= _CHANCE)


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


def _topic(one: _Candidate, corpus: Corpus, ids: Sequence[str]) -> Topic:
    spellings = _spellings(one, corpus)
    return Topic(
        text=" / ".join(spellings),
        spellings=spellings,
        rejected=tuple(ids[doc] for doc in one.rejected),
        accepted=tuple(ids[doc] for doc in one.accepted),
        in_content=one.in_content,
        strength=one.strength,
    )


def _spellings(one: _Candidate, corpus: Corpus) -> tuple[str, ...]:
    """The commonest way of writing it, and others that a pattern of the first would not match (plurals, spaces)."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for place in one.phrase.places:
        if corpus.docs[place] < corpus.turn:
            surface = corpus.surface(int(place), one.phrase.length)
            written[simplified_alone(surface.casefold())][surface] += 1
    common = sorted(written.values(), key=lambda forms: (-forms.total(), min(forms)))
    return tuple(min(forms, key=lambda form: (-forms[form], form)) for forms in common[:_MOST_SPELLINGS])
