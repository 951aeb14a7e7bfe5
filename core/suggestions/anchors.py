"""What each value of A, P and G means, in the rubric's own words (suggestions contract, Grade). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Dimension = Literal["A", "P", "G"]
Anchors = Mapping[Dimension, Mapping[int, str]]

_NAMES: dict[Dimension, re.Pattern[str]] = {
    "A": re.compile(r"\bActionability\b", re.IGNORECASE),
    "P": re.compile(r"\bPreference(?:\s+Alignment)?\b", re.IGNORECASE),
    "G": re.compile(r"\bGoal(?:\s+Relevance)?\b", re.IGNORECASE),
}
_HEADS = re.compile(
    r"^\s*(?:#{1,6}\s|(?:[-*+]\s+|\d+[.)]\s+)?\*{0,2}(?:Actionability|Preference|Goal)\b)", re.MULTILINE | re.IGNORECASE
)
# "0: words", "- **1** – words", "| 2 | words |"
_VALUE = re.compile(
    r"(?:^|(?<=[\s|*(`]))(?P<value>[012])\s*(?:\*\*|`|\))?\s*(?:[:：=|]|[-–—](?=\s))\s*(?:\*\*)?\s*(?P<words>[^\n|]*)"
)
_NEXT = re.compile(r"\s*[.;。；,，]?\s*(?:\*\*|`|\()?\b[012]\s*(?:\*\*|`|\))?\s*[:：=].*")


def read_anchors(rubric: str) -> Anchors:
    """The words beside 0, 1 and 2 under each dimension's heading; what a rubric does not say is left out.

    A rubric is prose for a judge; this finds the usual forms (``0: …``, list items, table rows) and guesses nothing.
    """
    found: dict[Dimension, Mapping[int, str]] = {}
    blocks = _blocks(rubric)
    for dimension, name in _NAMES.items():
        for block in blocks:
            if name.search(block.split("\n", 1)[0]):
                values = _values(block)
                if values:
                    found[dimension] = MappingProxyType(values)
                    break
    return MappingProxyType(found)


def _blocks(text: str) -> list[str]:
    """The text cut before every line that looks like a heading or names a dimension in bold."""
    starts = sorted({0, *(match.start() for match in _HEADS.finditer(text))})
    return [text[start:end].strip("\n") for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _values(block: str) -> dict[int, str]:
    joined = re.sub(r"(?<=[^\n|])\n(?=[^\s\-*+|#0-9])", " ", block)  # a sentence that runs over the end of its line
    values: dict[int, str] = {}
    for line in joined.split("\n"):
        at = 0
        while match := _VALUE.search(line, at):
            words = _NEXT.sub("", match["words"]).strip(" *`.;。；")
            at = match.start("words") + max(1, len(words))
            if words:
                values.setdefault(int(match["value"]), words)
    return values
