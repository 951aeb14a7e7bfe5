"""Sentences and clauses of running text, so that a direction word is read with the metric it belongs to."""

from __future__ import annotations

import re

_SHORT = """vs approx ca no fig incl excl e.g i.e resp mr ms dr st jan feb mar apr jun jul aug sep sept oct nov dec inc
ltd corp co"""
_ABBREVIATIONS = frozenset(_SHORT.split())
_END = re.compile(r"([.!?…]+[\"'”’)\]]*)(?=\s+|$)|(?<=[。！？])")
_ASIDE = re.compile(r"\s*\(([^()]*)\)")
_CLAUSE = re.compile(
    r"\s*(?:;|—|–(?=\s)|,?\s+\b(?:while|whereas|whilst|but|although|though|however|yet|as|because|since|after|before|so|"
    r"when|with|on\s+the\s+back\s+of|driven\s+by|thanks\s+to|due\s+to|owing\s+to|despite)\b|,\s+(?=and\b))\s*",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """The sentences of one block, in order; an abbreviation or a decimal point ends none."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        before = text[start : end.start()].rsplit(None, 1)
        last = before[-1].lower().lstrip("(\"'“") if before else ""
        if end[0] == "." and (last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha())):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence: what stands between conjunctions, dashes, semicolons; each aside is one by itself."""
    asides = [match[1] for match in _ASIDE.finditer(sentence)]
    pieces = [*_CLAUSE.split(_ASIDE.sub("", sentence)), *asides]
    return [part for part in (piece.strip(" ,") for piece in pieces) if part]
