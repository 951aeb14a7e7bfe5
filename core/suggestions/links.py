"""The last part of an entry's heading: one CommonMark link, or plain text (suggestions contract, Files)."""

from __future__ import annotations

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token


class Link(NamedTuple):
    """The text of a link without its markup, and its target as written (entities and escapes read, nothing encoded)."""

    title: str
    url: str


# Neither side holds a character that means anything in CommonMark, so what stands there is what is meant. That this
# gives what markdown-it gives is a property test; 20,000 headings through markdown-it alone would take half a second.
_SIMPLE = re.compile(r"\[([^\x00\\&<`*_\[\]\n]+)\]\(([^ \x00-\x1f\x7f<>()\\&]+)\)")
_WEB = re.compile(r"https?://[^\s/\x00-\x1f\x7f][^\x00-\x1f\x7f]*", re.IGNORECASE)
_CLOSING = re.compile(r"[ \t]#+$")


class _AsWritten(MarkdownIt):
    """CommonMark that reads every target: whether one may be opened is decided where it is shown."""

    def validateLink(self, url: str) -> bool:
        return True

    def normalizeLink(self, url: str) -> str:
        return url


_COMMONMARK = _AsWritten("commonmark")


def read_link(text: str) -> Link | None:
    """The one link that ``text`` consists of; None when it is anything else."""
    simple = _SIMPLE.fullmatch(text)
    if simple:
        return Link(simple[1].strip(), simple[2])
    if not text.startswith("["):
        return None
    return commonmark_link(text) or commonmark_link(_CLOSING.sub("", text).rstrip())


def commonmark_link(text: str) -> Link | None:
    """What markdown-it makes of ``text``, if that is one link from its first character to its last."""
    tokens = _COMMONMARK.parseInline(text)[0].children or []
    if len(tokens) < 2 or tokens[0].type != "link_open" or tokens[-1].type != "link_close":
        return None
    if any(token.type == "link_open" for token in tokens[1:]) or tokens[0].markup == "autolink":
        return None
    return Link("".join(map(_literal, tokens[1:-1])).strip(), str(tokens[0].attrs.get("href", "")))


def _literal(token: Token) -> str:
    """The characters a token shows; HTML is not interpreted, so it shows itself."""
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.type == "image":
        return "".join(map(_literal, token.children or []))
    return token.content


def may_open(url: str) -> bool:
    """True for the targets that a page may make clickable: http and https, without control characters or blanks before.

    Contract README, "Content is untrusted".
    """
    return _WEB.fullmatch(url) is not None
