"""What an entry says, apart from what people and machines said about it (suggestions contract, Matching, Backtest)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.suggestions.entries import Entry
from core.suggestions.lines import REVIEW, Name, is_rule, owners
from core.suggestions.markup import plain_lines, without_comments

_VERDICTS: frozenset[Name] = REVIEW | {"filtered", "score", "legacy"}

_TARGET = r"\((?:<[^>\n]*>|(?:[^()\s]|\([^()\s]*\))*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\)"
_FILE_LINK = re.compile(rf"!?\[[^\]\n]*\]\(\s*<?file:{_TARGET[2:]}", re.IGNORECASE)
_LINK_TARGET = re.compile(rf"\]{_TARGET}")
# Not a word boundary: 參見https://… has none, since Chinese characters are letters too.
_URL = re.compile(
    r"(?<![A-Za-z0-9])(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)[^\s<>\"'()（）「」『』【】，。；、！？：》〉”’…]*",
    re.IGNORECASE,
)


def _lines_without(entry: Entry, names: frozenset[Name]) -> Iterator[str]:
    """The entry's lines below the heading that belong to none of the fields ``names``; a 🏷️ line loses its score.

    All up to the next entry is part of it (sections too) but what is commented out and the rules that end it.
    """
    lines = without_comments(plain_lines(entry.text)).split("\n")[1:]
    while lines and (not lines[-1].strip() or is_rule(lines[-1])):
        lines.pop()
    for line, (name, _, _) in zip(lines, owners(lines, nested=entry.feedback is not None), strict=True):
        if name == "category" and "score" in names:
            yield f"- 🏷️ {entry.category}"
        elif name not in names:
            yield line


def original_text(entry: Entry) -> str:
    """The suggestion as it was proposed: without feedback, comment, time, filter reason, scores and legacy fields.

    This is all of an entry that a judge may see.
    """
    heading = plain_lines(entry.text).partition("\n")[0]
    return "\n".join([heading, *_lines_without(entry, _VERDICTS)]).strip()


def topic_text(entry: Entry) -> str:
    """Title and content, for topic patterns: the original text without URLs and file links."""
    heading = (entry.date, entry.source, entry.title)
    return without_links("\n".join([*heading, *_lines_without(entry, _VERDICTS)]))


def without_links(text: str) -> str:
    """The text without link targets and bare URLs; a link to a file goes with its words."""
    return _URL.sub(" ", _LINK_TARGET.sub("]", _FILE_LINK.sub(" ", text)))
