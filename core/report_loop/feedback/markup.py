"""Pictures, attributes and structure that changed while the words stayed (pure)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import lxml.etree
import lxml.html
from markdown_it import MarkdownIt

from core.report_loop.feedback.model import Edit
from core.report_loop.signals.blocks import Kind, name_of, squash

_FOR_ACCESS = ("scope", "lang", "role", "tabindex", "title", "for", "headers", "abbr", "longdesc")
_NOT_LAYOUT = frozenset({"alt", "src", "id", "href", "content"})


@dataclass(frozen=True, slots=True)
class Picture:
    """An image: how it is known (id, else source), and its alt text (None: it has none)."""

    key: str
    alt: str | None
    line: int
    node: str


def markup_edits(shipped: str, reviewed: str, kind: Kind) -> Iterator[Edit]:
    """Edits of alt texts, attributes and styles; added and removed words are found elsewhere."""
    if kind == "text":
        return
    yield from _pictures(_images(shipped, kind), _images(reviewed, kind))
    if kind == "html":
        yield from _attributes(_elements(shipped), _elements(reviewed))


def _pictures(before: list[Picture], after: list[Picture]) -> Iterator[Edit]:
    old = {picture.key: picture for picture in before}
    for picture in after:
        known = old.pop(picture.key, None)
        if known is None:
            yield Edit("picture", "", picture.key, "", picture.alt or "", picture.line, picture.node, "picture")
        elif (known.alt or "") != (picture.alt or ""):
            yield Edit("picture", known.alt or "", picture.alt or "", known.alt or "", picture.alt or "", picture.line,
                       picture.node, "alt")  # fmt: skip
    for picture in old.values():
        yield Edit("picture", picture.key, "", picture.alt or "", "", picture.line, picture.node, "picture")


def _images(text: str, kind: Kind) -> list[Picture]:
    if kind == "html":
        found = [
            (
                element.get("id") or element.get("src") or "",
                element.get("alt"),
                element.sourceline or 1,
                name_of(element),
            )
            for element in _tree(text).iter("img")
        ]
    else:
        found = [
            (str(child.attrGet("src") or ""), child.content, (token.map or [0])[0] + 1, "img")
            for token in MarkdownIt("commonmark").parse(text)
            for child in token.children or []
            if child.type == "image"
        ]
    seen: dict[str, int] = {}
    pictures: list[Picture] = []
    for key, alt, line, node in found:
        seen[key] = seen.get(key, 0) + 1
        pictures.append(Picture(key if seen[key] == 1 else f"{key} ({seen[key]})", alt, line, node))
    return pictures


def _tree(text: str) -> Any:
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, no_network=True)
    try:
        return lxml.html.document_fromstring(text.replace("\0", "").encode("utf-8", "replace"), parser=parser)
    except (lxml.etree.ParserError, ValueError):
        return lxml.html.Element("html")


@dataclass(frozen=True, slots=True)
class _Element:
    key: tuple[str, str]
    attributes: tuple[tuple[str, str], ...]
    line: int
    node: str


def _elements(text: str) -> list[_Element]:
    """Every element by its tag and own words (a style by its tag alone), with what its attributes say."""
    made: list[_Element] = []
    for element in _tree(text).iter():
        if not isinstance(element.tag, str) or element.tag in ("img", "script", "meta", "link"):
            continue
        attributes = {name: squash(value) for name, value in element.items() if name not in _NOT_LAYOUT}
        own = squash(element.text or "")
        if element.tag == "style":
            attributes["css"], own = own, ""
        key = (element.get("id") or element.tag, own)
        made.append(_Element(key, tuple(sorted(attributes.items())), element.sourceline or 1, name_of(element)))
    return made


def _attributes(before: list[_Element], after: list[_Element]) -> Iterator[Edit]:
    old_keys, new_keys = ([element.key for element in side] for side in (before, after))
    for first, second, length in SequenceMatcher(None, old_keys, new_keys, autojunk=False).get_matching_blocks():
        for old, new in zip(before[first : first + length], after[second : second + length], strict=True):
            if old.attributes != new.attributes:
                yield _attribute_edit(old, new)


def _attribute_edit(old: _Element, new: _Element) -> Edit:
    was, now = dict(old.attributes), dict(new.attributes)
    changed = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
    accessible = all(name in _FOR_ACCESS or name.startswith("aria-") for name in changed)
    before, after = (
        " ".join(f'{name}="{side[name]}"' for name in changed if name in side)[:400] for side in (was, now)
    )
    role = "accessibility" if accessible else "layout"
    return Edit("attribute", before, after, old.key[1], new.key[1], new.line, new.node, role)
