"""What of a Markdown text is hidden: HTML comments and code fences (suggestions contract, Files).

A `### ` line inside one of them starts no entry, and its text is kept. The reading is CommonMark's, with one exception
on the side of showing: an opening that is never closed hides nothing, because a forgotten ``` must not make a queue
vanish. It is reported instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPENINGS = ("```", "~~~", "<!--")
_FENCE = re.compile(r"(?P<mark>`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})")
_BEFORE = re.compile(r"(?P<bullet>(?: {0,3}(?:[-*+]|\d{1,9}[.)]) {1,4})+)?(?P<indent> {0,3})")
_COMMENT = re.compile(_BEFORE.pattern + "<!--")
_INLINE = re.compile(r"<!--[^\n]*?(?:-->|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Half-open character ranges that are hidden, in order, and where openings stand that nothing closes."""

    spans: tuple[tuple[int, int], ...]
    unclosed: tuple[int, ...]


NOTHING = Hidden((), ())


def plain_lines(text: str) -> str:
    """The text with every line ending as one ``\\n``, at unchanged character positions.

    ``\\r\\n`` becomes a blank and ``\\n``, a lone ``\\r`` (old Macintosh files) becomes ``\\n``: positions found in the
    result hold in the original.
    """
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def hidden(text: str) -> Hidden:
    """Comments and fences of ``text`` (line endings as `plain_lines` leaves them), in one pass over their openings."""
    spans: list[tuple[int, int]] = []
    unclosed: list[int] = []
    at = 0
    never: set[str] = set()
    for found in _Openings(text):
        if found < at:
            continue
        line = text.rfind("\n", 0, found) + 1
        end = _end(text, line, found, never)
        if end is None:
            continue
        if end < 0:
            unclosed.append(line)
            continue
        spans.append((line, end))
        at = end
    return Hidden(tuple(spans), tuple(unclosed)) if spans or unclosed else NOTHING


class _Openings:
    """Every place where an opening may stand, in order. `str.find` is what keeps this fast on megabytes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __iter__(self) -> Iterator[int]:
        places = {mark: self._text.find(mark) for mark in _OPENINGS}
        places = {mark: place for mark, place in places.items() if place >= 0}
        while places:
            mark = min(places, key=places.__getitem__)
            place = places[mark]
            yield place
            line_end = self._text.find("\n", place)  # only the first of its kind on a line can open one
            following = self._text.find(mark, line_end) if line_end >= 0 else -1
            if following < 0:
                del places[mark]
            else:
                places[mark] = following


def _end(text: str, line: int, found: int, never: set[str]) -> int | None:
    """Where the block that opens at ``found`` ends; None: nothing opens here; -1: nothing closes it.

    ``never`` remembers what is known to stay open, so that a thousand forgotten fences are not a thousand searches.
    """
    before = _BEFORE.fullmatch(text, line, found)
    if before is None:
        return None
    bullet = len(before["bullet"] or "")
    if text.startswith("<!--", found):
        return _comment_end(text, found, bullet, never)
    fence = _FENCE.match(text, found)
    return None if fence is None else _fence_end(text, fence, bullet, never)


def _comment_end(text: str, found: int, bullet: int, never: set[str]) -> int:
    """The end of the line that closes a comment; one that begins a list item ends with the item at the latest."""
    close = -1 if "<!--" in never else text.find("-->", found)
    if bullet:
        outside = re.compile(rf"^ {{0,{bullet - 1}}}[^ \n]", re.MULTILINE).search(text, _line_end(text, found))
        item = outside.start() if outside else len(text)
        return item if close < 0 or close >= item else _line_end(text, close)
    if close < 0:
        never.add("<!--")
        return -1
    return _line_end(text, close)


def _fence_end(text: str, fence: re.Match[str], bullet: int, never: set[str]) -> int:
    """The end of a code fence; in a list item, whose text is indented by ``bullet``, also where the item ends."""
    mark = fence["mark"]
    if mark in never:
        return -1
    closing = rf" {{0,{bullet + 6}}}{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$"
    outside = rf"| {{0,{bullet - 1}}}[^ \n]" if bullet else ""
    close = re.compile(rf"^(?:(?P<close>{closing}){outside})", re.MULTILINE).search(text, _line_end(text, fence.end()))
    if close is None:
        if bullet:
            return len(text)  # ends with its list item; an entry's heading would have ended that
        never.add(mark)
        return -1
    return _line_end(text, close.end()) if close["close"] else close.start()


def without_comments(text: str) -> str:
    """The text without its HTML comments, which no reader sees; code fences, which every reader does, stay.

    What stands behind the end of a comment on its line is seen, and stays.
    """
    if "<!--" not in text:
        return text
    shown, at = [], 0
    for start, end in hidden(text).spans:
        opening = _COMMENT.match(text, start)
        if opening:
            close = text.find("-->", opening.end() - len("<!--"), end)
            behind = _INLINE.sub("", text[close + len("-->") : end]) if close >= 0 else ""
            shown += [text[at:start], behind if behind.strip() else ""]
            at = end
    return "".join(shown) + text[at:]


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def heading_places(text: str, marks: Hidden, heading: str = "### ") -> tuple[list[int], int]:
    """Where lines begin with ``heading`` and are not hidden, and how many hidden ones there are."""
    places: list[int] = []
    if text.startswith(heading):
        places.append(0)
    needle = "\n" + heading
    at = text.find(needle)
    while at >= 0:
        places.append(at + 1)
        at = text.find(needle, at + 1)
    shown = visible(places, marks.spans)
    return shown, len(places) - len(shown)


def visible(places: list[int], spans: tuple[tuple[int, int], ...]) -> list[int]:
    """The places that lie in none of the spans (both in order)."""
    if not spans:
        return places
    shown: list[int] = []
    waiting = iter(spans)
    span = next(waiting, None)
    for place in places:
        while span is not None and span[1] <= place:
            span = next(waiting, None)
        if span is None or place < span[0]:
            shown.append(place)
    return shown
