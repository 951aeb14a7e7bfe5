"""Sign consistency: does the narrative say "up" only where the data went up? (report-loop contract, Four dimensions)

Decided is only what one plain direction word says of a known metric. Negation, "decline slowed", plans, comparisons and
anything else that turns a direction word round are left to the judge: undecided, never a pass.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.report_loop.signals.blocks import Block
from core.report_loop.signals.deltas import Delta
from core.report_loop.signals.direction import MARK, Direction, Said, directions
from core.report_loop.signals.remark import Remark
from core.report_loop.signals.sentences import clauses, sentences

_LEFT_TO_JUDGE = re.compile(
    r"\b(?:not|never|no\s+longer|without|nor|neither|hardly|barely|scarcely|cannot|fail(?:s|ed)?\s+to|rather\s+than|"
    r"instead\s+of|far\s+from|would|could|should|may|might|must|will|if|unless|until|expect\w*|forecast\w*|"
    r"project(?:ed|ion|s)|plan(?:s|ned)?|target\w*|budget\w*|guidance|likely|slow(?:s|ed|er|ing)?|eas(?:e|es|ed|ing)|"
    r"moderat\w+|accelerat\w+|decelerat\w+|narrow\w*|pace|rate\s+of|soften\w*|less|than|offset\w*|revers\w+|recover\w*|"
    r"rebound\w*|had|previous(?:ly)?|last\s+(?:year|quarter|month|period)|a\s+year\s+(?:ago|earlier)|prior|formerly|"
    r"f(?:ell|all|alls)\s+short|behind|risk\w*|potential\w*|aim\w*|to\s+(?:rise|grow|fall|increase|decline|drop))\b|"
    r"n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SignReport:
    """``passed`` is False on any contradiction, None while something is undecided or nothing was checked, else True.

    ``checked`` counts the direction words that were decided, the contradicting ones included.
    """

    passed: bool | None
    checked: int
    contradictions: tuple[Remark, ...]
    undecided: tuple[Remark, ...]


def sign_consistency(blocks: Iterable[Block], deltas: Sequence[Delta]) -> SignReport:
    """Check every narrative sentence that names a metric with a known delta (pure)."""
    metrics = _Metrics(deltas)
    checked = 0
    contradictions: list[Remark] = []
    undecided: list[Remark] = []
    for block in blocks:
        if block.role in ("cell", "header", "empty"):
            continue  # a table states figures; what it labels as "growth" is a column, not a claim
        for sentence in sentences(block.text):
            found = _sentence(sentence, metrics)
            checked += found.checked
            contradictions += [Remark("contradiction", sentence, why, block.line, block.node) for why in found.wrong]
            undecided += [Remark("undecided", sentence, why, block.line, block.node) for why in found.left]
    passed = False if contradictions else None if undecided or not checked else True
    return SignReport(passed, checked, tuple(contradictions), tuple(undecided))


class _Metrics:
    """Finds metric names in text: whole words, the longest name first, so that "gross margin" is not "margin"."""

    def __init__(self, deltas: Sequence[Delta]) -> None:
        self.deltas = tuple(deltas)
        self._number = {_folded(name): number for number, delta in enumerate(deltas) for name in delta.names}
        names = sorted(self._number, key=len, reverse=True)
        self._pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names)) if names else None

    def marked(self, text: str) -> str:
        """The text, folded, with a mark in the place of every metric's name."""
        if self._pattern is None:
            return _folded(text)
        return self._pattern.sub(lambda match: f"⟦{self._number[match[0]]}⟧", _folded(text).replace("⟦", "["))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass(slots=True)
class _Found:
    checked: int
    wrong: list[str]
    left: list[str]


def _sentence(sentence: str, metrics: _Metrics) -> _Found:
    found = _Found(0, [], [])
    marked = metrics.marked(sentence)
    if not MARK.search(marked):
        return found
    apart = False  # a direction word in a clause that names no metric, or the other way round
    for clause in clauses(marked):
        said = directions(clause)
        named = [int(mark[1]) for mark in MARK.finditer(clause)]
        if said and named:
            _clause(clause, said, named, sentence, metrics, found)
        else:
            apart = apart or bool(said)
    if apart and not found.checked and not found.left:
        found.left.append("the direction word stands in another clause than the metric: left to the judge")
    return found


def _clause(clause: str, said: list[Said], named: list[int], sentence: str, metrics: _Metrics, found: _Found) -> None:
    turned = _LEFT_TO_JUDGE.search(clause)
    if turned or sentence.rstrip("\"'”’)").endswith("?"):
        what = repr(turned[0]) if turned else "a question"
        found.left.append(f"{what} may turn the direction round: left to the judge")
        return
    for number in dict.fromkeys(named):
        tied = [word for word in said if number in word.metrics]
        _metric(metrics.deltas[number], tied, [word for word in said if not word.metrics], found)


def _metric(delta: Delta, tied: list[Said], loose: list[Said], found: _Found) -> None:
    """Words tied to the metric decide; loose ones count only where there are none, and only when all of them fit."""
    wrong = next((word for word in tied if not _fits(delta, word.direction)), None)
    if len({word.direction for word in tied}) > 1:
        found.left.append(f"{tied[0].word!r} and {tied[1].word!r} of {delta.names[0]}: left to the judge")
    elif tied:
        found.checked += 1
        found.wrong += [_contradiction(delta, wrong)] if wrong else []
    elif loose and all(_fits(delta, word.direction) for word in loose):
        found.checked += 1
    elif loose:
        found.left.append(f"{loose[0].word!r} may be said of something else than {delta.names[0]}: left to the judge")


def _fits(delta: Delta, said: Direction) -> bool:
    if said == "flat":
        return delta.flat
    return delta.direction == (1 if said == "rising" else -1)


def _contradiction(delta: Delta, word: Said) -> str:
    went = {1: "rose", -1: "fell", 0: "did not change"}[delta.direction]
    return f"says {word.word!r} ({word.direction}), but {delta.names[0]} {went} (Δ {delta.change:+g})"
