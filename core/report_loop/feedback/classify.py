"""Mechanical or substantive: rules that decide only what they are sure of (report-loop contract, Feedback).

A mechanical edit names the dimension whose anchor should have caught it. What no rule decides is undecided, until a
judge or a person decides; no rule guesses. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rapidfuzz import fuzz

from core.report_loop.feedback.lexicon import EMPHASIS, EXPLAINS, ORDINAL_PERIOD, PERIOD_CODE, PERIOD_WORDS, STOP, YEAR
from core.report_loop.feedback.model import Edit, Ruling
from core.report_loop.signals.blocks import Block
from core.report_loop.signals.direction import direction_of
from core.report_loop.signals.figures import Figure, figures
from core.report_loop.signals.orphans import orphans
from core.report_loop.words import Dimension

_WORDS = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_AMOUNT = re.compile(r"(-?\d+(?:\.\d+)?)(e\d+|%)?")
_DECIMALS = re.compile(r"\d[.,](\d{1,2}|\d{4,})(?!\d)")
_NARRATIVE = frozenset({"paragraph", "item"})
_LABELS = frozenset({"header", "caption", "label"})
_PERIODS = frozenset({"date", "month", "period"})
_ASPECTS = frozenset({"grouping", "decimal mark", "scale"})
_CODES = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "NT$": "TWD"}


def classify(edit: Edit) -> Ruling:
    """The ruling of the first rule that knows the edit; undecided when none does."""
    for rule in _RULES:
        ruling = rule(edit)
        if ruling is not None:
            return ruling
    return Ruling("undecided", "no rule decides this: a person or a judge does", decided_by="nobody")


def _mechanical(dimension: Dimension, reason: str) -> Ruling:
    return Ruling("mechanical", reason, dimension)


def _substantive(reason: str) -> Ruling:
    return Ruling("substantive", reason)


def _leftover(edit: Edit) -> Ruling | None:
    def left(text: str, context: str) -> bool:
        # In its context too: "None" is a leftover by what stands around it.
        return any(
            remark.kind == "orphan" and remark.text in text
            for remark in orphans(Block(context or text, "paragraph", 1, ""))
        )

    if edit.role == "empty" and edit.sort == "removed":
        return _mechanical("polished", "an empty element was taken out")
    if edit.before and left(edit.before, edit.context) and not left(edit.after, edit.now):
        return _mechanical("polished", "a leftover of a template or a failed binding was replaced")
    return None


def _picture(edit: Edit) -> Ruling | None:
    if edit.sort != "picture" or edit.role != "alt":
        return None
    if not edit.before and edit.after:
        return _mechanical("inclusive", "a picture had no alt text")
    return None


def _markup(edit: Edit) -> Ruling | None:
    if edit.sort == "attribute" and edit.role == "accessibility":
        return _mechanical("inclusive", "an accessibility attribute was missing or wrong")
    if edit.sort == "attribute":
        return _mechanical("polished", "layout changed, the words stayed")
    if edit.sort == "structure":
        return _mechanical("polished", "the same words are another element now")
    return None


def _figures(edit: Edit) -> Ruling | None:
    """Only figures changed: their format, their period, or their value."""
    if edit.sort != "words" or not edit.before or not edit.after:
        return None
    before, after = _worth(edit.before), _worth(edit.after)
    if not before or not after or _without_figures(edit.before) != _without_figures(edit.after):
        return None
    if [_same(figure) for figure in before] == [_same(figure) for figure in after]:
        return _mechanical("polished", "the same figures in another format")
    if len(before) == len(after) and all(_rounded(*pair) for pair in zip(before, after, strict=True)):
        return _mechanical("polished", "the same figures with another number of decimals")
    if all(figure.kind in _PERIODS or YEAR.fullmatch(figure.text) for figure in (*before, *after)):
        return _mechanical("accurate", "a stale period or date (period coherence)")
    if len(before) == len(after):
        return _mechanical("accurate", "a wrong value")
    return None


def _worth(text: str) -> list[Figure]:
    return [figure for figure in figures(text) if figure.kind not in _ASPECTS]


def _without_figures(text: str) -> str:
    for figure in sorted(_worth(text), key=lambda found: -found.start):
        text = text[: figure.start] + " " + text[figure.start + len(figure.text) :]
    return " ".join(re.sub(r"[^\w\s]", " ", text).lower().split())


def _same(figure: Figure) -> str:
    symbol, _, rest = figure.value.partition(" ")
    return f"{_CODES.get(symbol, symbol)} {rest}" if rest else figure.value


def _rounded(before: Figure, after: Figure) -> bool:
    """True when one is the other with fewer decimals."""
    old, new = (_AMOUNT.search(_same(figure).rpartition(" ")[2]) for figure in (before, after))
    if old is None or new is None or old[2] != new[2] or before.kind != after.kind:
        return False
    # As written: "15.0" has a decimal, although it is worth 15.
    digits = [len((_DECIMALS.findall(figure.text) or [""])[-1]) for figure in (before, after)]
    return digits[0] != digits[1] and round(float(old[1]), min(digits)) == round(float(new[1]), min(digits))


def _period_words(edit: Edit) -> Ruling | None:
    tokens = [[word.strip(".,;:()").lower() for word in text.split()] for text in (edit.before, edit.after)]
    if all(tokens) and tokens[0] != tokens[1] and all(_is_period(word) for side in tokens for word in side):
        return _mechanical("accurate", "a stale period or date (period coherence)")
    before = _content(edit.before)
    old, new = ORDINAL_PERIOD.findall(edit.context), ORDINAL_PERIOD.findall(edit.now)
    if old != new and len(before) <= 2 and ORDINAL_PERIOD.sub("", edit.context) == ORDINAL_PERIOD.sub("", edit.now):
        return _mechanical("accurate", "a stale period or date (period coherence)")
    return None


def _is_period(word: str) -> bool:
    return word in PERIOD_WORDS or PERIOD_CODE.fullmatch(word) is not None or YEAR.fullmatch(word) is not None


def _direction(edit: Edit) -> Ruling | None:
    before, after = ([direction_of(word) for word in _WORDS.findall(text)] for text in (edit.before, edit.after))
    if len(before) != 1 or len(after) != 1 or None in (*before, *after):
        return None
    if before != after:
        return _mechanical("dynamic", "the narrative said another direction than the data (sign consistency)")
    return _substantive("the same direction in a stronger or weaker word")


def _label(edit: Edit) -> Ruling | None:
    short = all(1 <= len(_content(text)) <= 4 for text in (edit.before, edit.after))
    if edit.sort == "words" and edit.role in _LABELS and short and not figures(edit.before + " " + edit.after):
        return _mechanical("dynamic", "a stale label: a slot that was not bound again")
    return None


def _name(edit: Edit) -> Ruling | None:
    names = [word for text in (edit.before, edit.after) for word in _WORDS.findall(text)]
    if edit.sort == "words" and edit.times > 1 and names and edit.before and edit.after and _all_names(names):
        return _mechanical("accurate", "a stale name, replaced wherever it stood (taint egress)")
    return None


def _all_names(words: list[str]) -> bool:
    return all(word[:1].isupper() or word.lower() in STOP for word in words)


def _emphasis(edit: Edit) -> Ruling | None:
    old, new = _different(edit)
    if edit.sort == "words" and (old or new) and all(word in EMPHASIS for word in (*old, *new)):
        return _substantive("emphasis or certainty changed")
    return None


def _added(edit: Edit) -> Ruling | None:
    """Words that were put in, the ones that were there kept."""
    old, new = _different(edit)
    if old or len(new) < 2 or edit.role not in _NARRATIVE or edit.sort not in ("added", "words"):
        return None
    added = edit.after if edit.sort == "added" else _surplus(edit)
    if EXPLAINS.search(added):
        return _substantive("an explanation, judgement or advice was added")
    if len(new) >= 4 and not figures(added):
        return _substantive("a statement was added that no anchor can check")
    return None


def _removed(edit: Edit) -> Ruling | None:
    old, new = _different(edit)
    if new or len(old) < 3 or edit.role not in _NARRATIVE or edit.sort not in ("removed", "words"):
        return None
    gone = edit.before if edit.sort == "removed" else " ".join(old)
    if figures(gone) or any(word in PERIOD_WORDS for word in old):
        return None  # a stale sentence may have gone for its figures
    return _substantive("a statement was taken out")


def _reframed(edit: Edit) -> Ruling | None:
    """Words in the place of other words, the figures untouched: framing, interpretation or a domain fact."""
    old, new = _different(edit)
    if edit.sort != "words" or edit.role not in _NARRATIVE or not old or not new or len(old) + len(new) < 4:
        return None
    if sorted(map(_same, _worth(edit.before))) != sorted(map(_same, _worth(edit.after))):
        return None
    changed = [word for text in (edit.before, edit.after) for word in _WORDS.findall(text) if word.lower() not in STOP]
    if _all_names(changed) or any(word in PERIOD_WORDS for word in (*old, *new)):
        return None
    if fuzz.ratio(" ".join(old), " ".join(new)) > 70:
        return None  # so alike that it may be a correction of spelling
    return _substantive("the statement was put differently, its figures untouched")


def _content(text: str) -> list[str]:
    return [word for word in (found.lower() for found in _WORDS.findall(text)) if word not in STOP]


def _different(edit: Edit) -> tuple[list[str], list[str]]:
    """The content words that only the old, and only the new version has."""
    old, new = _content(edit.before), _content(edit.after)
    return [word for word in old if word not in new], [word for word in new if word not in old]


def _surplus(edit: Edit) -> str:
    """What the new words have behind or before the old ones; all of them where they were woven in."""
    old, new = edit.before.rstrip(".!?,; "), edit.after
    return (
        new[len(old) :] if new.startswith(old) else new.removesuffix(edit.before) if new.endswith(edit.before) else new
    )


_RULES: tuple[Callable[[Edit], Ruling | None], ...] = (
    _leftover, _picture, _markup, _figures, _period_words, _direction, _label, _name, _emphasis, _added, _removed,
    _reframed,
)  # fmt: skip
