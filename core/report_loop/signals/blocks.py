"""A draft as a list of text blocks with their places, out of HTML, Markdown or plain text.

A block is what a reader takes in at once: a paragraph, a heading, a table cell, a list item, an alt text. Scripts,
styles and comments are not text; nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import lxml.etree
import lxml.html
from markdown_it import MarkdownIt

Kind = Literal["html", "markdown", "text"]
Role = Literal["paragraph", "heading", "cell", "header", "item", "caption", "label", "alt", "empty"]

_SUFFIXES: dict[str, Kind] = {
    ".html": "html", ".htm": "html", ".xhtml": "html", ".md": "markdown", ".markdown": "markdown",
}  # fmt: skip
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its ``text`` with white space collapsed, what it is, its line (from 1) and its node.

    ``empty`` blocks are elements that should hold something and hold nothing.
    """

    text: str
    role: Role
    line: int
    node: str


def kind_of(name: str) -> Kind:
    """What a file is, by its name; anything else is read as plain text."""
    dot = name.rfind(".")
    return _SUFFIXES.get(name[dot:].lower() if dot >= 0 else "", "text")


def read_blocks(text: str, kind: Kind) -> list[Block]:
    """The blocks of a draft in reading order; never raises for what the draft holds."""
    if kind == "html":
        return list(_html(text))
    return list(_markdown(text)) if kind == "markdown" else list(_plain(text))


def squash(text: str) -> str:
    """White space collapsed as a browser does it (a no-break space stays one)."""
    return re.sub(r"[ \t\r\n\f]+", " ", text).strip(" ")


_HTML_ROLES: dict[str, Role] = {
    "p": "paragraph", "div": "paragraph", "section": "paragraph", "article": "paragraph", "blockquote": "paragraph",
    "body": "paragraph", "main": "paragraph", "header": "paragraph", "footer": "paragraph", "aside": "paragraph",
    "pre": "paragraph", "dd": "paragraph", "address": "paragraph", "form": "paragraph", "fieldset": "paragraph",
    "h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
    "title": "heading", "summary": "heading", "legend": "heading",
    "td": "cell", "th": "header", "li": "item", "caption": "caption", "figcaption": "caption",
    "dt": "label", "label": "label", "text": "label", "option": "label", "button": "label",
    "html": "paragraph", "nav": "paragraph", "figure": "paragraph", "tr": "paragraph", "table": "paragraph",
    "ul": "paragraph", "ol": "paragraph", "dl": "paragraph", "thead": "paragraph", "tbody": "paragraph",
    "tfoot": "paragraph", "svg": "paragraph", "details": "paragraph",
}  # fmt: skip
_SKIPPED = frozenset({"script", "style", "template", "noscript", "meta", "link", "base", "head"})
_MUST_HOLD = frozenset(
    {"p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "figcaption", "caption", "dt", "dd", "a", "button"}
)
_HOLDERS = frozenset(
    {"img", "svg", "canvas", "input", "select", "textarea", "video", "audio", "object", "iframe", "hr"}
)
_HIDDEN_ROLES = frozenset({"presentation", "none"})


def _html(text: str) -> Iterator[Block]:
    if not text.strip():
        return
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = lxml.html.document_fromstring(text.replace("\0", "�").encode("utf-8", "replace"), parser=parser)
    except (lxml.etree.ParserError, ValueError):  # nothing in it that is an element
        yield from _plain(text)
        return
    title = root.find(".//head/title")
    if title is not None and squash(title.text_content()):
        yield Block(squash(title.text_content()), "heading", title.sourceline or 1, "title")
    body = root.find(".//body")
    yield from _element(root if body is None else body)


def _element(element: Any) -> Iterator[Block]:
    """The blocks of one element: its own words, then those of the block elements inside it, in order."""
    words: list[str] = [element.text or ""]
    pending: list[Block] = []
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _SKIPPED:
            if child.tag in _HTML_ROLES:
                yield from _own(element, words, pending)
                words, pending = [], []
                yield from _element(child)
            else:
                _inline(child, words, pending)
        words.append(child.tail or "")
    yield from _own(element, words, pending)
    if _is_empty(element):
        yield Block("", "empty", element.sourceline or 1, name_of(element))


def _inline(element: Any, words: list[str], pending: list[Block]) -> None:
    """Words of an inline element go into the block around it; a block element inside it is taken with them."""
    if element.tag in _SKIPPED:
        return
    if element.tag == "br":
        words.append(" ")
    if element.tag == "img":
        pending.append(Block(squash(element.get("alt") or ""), "alt", element.sourceline or 1, name_of(element)))
    words.append(element.text or "")
    for child in element:
        if isinstance(child.tag, str):
            if child.tag in _HTML_ROLES:
                words.append(" ")
            _inline(child, words, pending)
        words.append(child.tail or "")
    if _is_empty(element):
        pending.append(Block("", "empty", element.sourceline or 1, name_of(element)))


def _own(element: Any, words: list[str], pending: list[Block]) -> Iterator[Block]:
    text = squash("".join(words))
    if text:
        yield Block(text, _HTML_ROLES.get(element.tag, "paragraph"), element.sourceline or 1, name_of(element))
    yield from (block for block in pending if block.role == "empty" or block.text)


def _is_empty(element: Any) -> bool:
    if element.tag not in _MUST_HOLD or squash(element.text_content()):
        return False
    if element.get("aria-hidden") == "true" or element.get("role") in _HIDDEN_ROLES or element.get("aria-label"):
        return False
    if element.tag == "a" and not element.get("href"):
        return False
    if any(isinstance(child.tag, str) and child.tag in _HOLDERS for child in element.iter()):
        return False
    return not _corner(element)


def _corner(element: Any) -> bool:
    """The first cell of a table's first row is empty in every table with headers on two sides."""
    row = element.getparent()
    if element.tag not in ("td", "th") or row is None or row.tag != "tr" or row.index(element) != 0:
        return False
    table = next((above for above in row.iterancestors("table")), None)
    return table is not None and next(table.iter("tr"), None) is row


def name_of(element: Any) -> str:
    """How an element is called: ``p#summary``, ``td``, ``span.delta``."""
    if element.get("id"):
        return f"{element.tag}#{element.get('id')}"
    classes = (element.get("class") or "").split()
    return f"{element.tag}.{classes[0]}" if classes else str(element.tag)


_ROLE_OF_TOKEN: dict[str, Role] = {"heading_open": "heading", "td_open": "cell", "th_open": "header"}


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _markdown(text: str) -> Iterator[Block]:
    role: Role = "paragraph"
    node, line, in_item = "p", 1, False
    for token in _parser().parse(text):
        if token.map:
            line = token.map[0] + 1
        if token.type.endswith("_open"):
            in_item = in_item or token.type == "list_item_open"
            role, node = _ROLE_OF_TOKEN.get(token.type, "item" if in_item else "paragraph"), token.tag
        elif token.type == "list_item_close":
            in_item = False
        elif token.type == "inline":
            yield from _inline_markdown(token, role, line, node)
        elif token.type in ("html_block", "fence", "code_block") and token.content.strip():
            kind: Kind = "html" if token.type == "html_block" else "text"
            for block in read_blocks(token.content, kind):
                yield Block(block.text, block.role, line + block.line - 1, block.node)


def _inline_markdown(token: Any, role: Role, line: int, node: str) -> Iterator[Block]:
    words: list[str] = []
    alts: list[str] = []
    for child in token.children or []:
        if child.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif child.type == "image":
            alts.append(child.content)
        elif child.type in ("text", "code_inline"):
            words.append(child.content)
    text = squash("".join(words))
    if text:
        yield Block(text, role, line, node)
    elif not alts and role in ("heading", "item"):
        yield Block("", "empty", line, node)
    yield from (Block(squash(alt), "alt", line, "img") for alt in alts if squash(alt))


def _plain(text: str) -> Iterator[Block]:
    start = 1
    lines: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip():
            if not lines:
                start = number
            lines.append(line)
        elif lines:
            yield Block(squash(" ".join(lines)), "paragraph", start, "paragraph")
            lines = []
