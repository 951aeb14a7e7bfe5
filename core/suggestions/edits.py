"""The bytes that a decision takes out of one file and puts into another (suggestions contract, Files and Review). Pure.

What moves is an entry's own lines and the rule before them. Comments, sections and rules behind an entry are nobody's
and stay where they are; of the entries that were not decided no byte is touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from core.files.ops import Cut
from core.suggestions.entries import HEADINGS, Document, Entry, Kind
from core.suggestions.lines import Name, classify, is_rule, owners
from core.suggestions.markup import hidden, plain_lines

_LEAD = re.compile(
    r"(?:^[ \t]*\n)*(?:^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\n(?:^[ \t]*\n)*)?\Z", re.MULTILINE
)
_ANY_ENDING = re.compile(r"\r\n|\r|\n")
_MARKUP = ("```", "~~~", "-->")
_SPECIAL = ("<!--", "```", "~~~", "\n# ", "\n## ")
"""What makes the end of an entry more than its last line: comments, fences, sections."""


class Unit(NamedTuple):
    """What leaves a file with an entry: where it begins (bytes from the start), its text, and the entry's own lines."""

    offset: int
    text: str
    own: str

    @property
    def data(self) -> bytes:
        """The bytes of ``text``."""
        return self.text.encode()


def unit(document: Document, index: int) -> Unit:
    """The entry at ``index`` with the rule and blank lines before it."""
    before = document.entries[index - 1].text if index else document.opening
    found = _LEAD.search(plain_lines(before))
    lead = before[found.start() :] if found else ""
    own = own_text(document.entries[index])
    return Unit(document.offset(index) - len(lead.encode()), lead + own, own)


def own_text(entry: Entry) -> str:
    """The entry's own lines, byte for byte: its piece of the file without what only stands behind it.

    Behind it stand rules and blank lines, comments after a blank line or rule, code fences after a rule, and sections
    (`#`, `##`) that hold no bullet.
    """
    plain = plain_lines(entry.text)
    simple = not any(mark in plain for mark in _SPECIAL)
    return entry.text[: _end_of_lines(plain) if simple else _end_of_parts(plain)]


def _end_of_lines(plain: str) -> int:
    """Where the last line that is neither blank nor a rule ends: `_end_of_parts` of a piece that holds nothing else."""
    end = len(plain)
    while end:
        start = plain.rfind("\n", 0, end - 1) + 1
        if _sort(plain[start:end]) not in ("blank", "rule"):
            break
        end = start
    return end


def _end_of_parts(plain: str) -> int:
    end, behind, section = 0, "", False
    for stop, sort in _parts(plain):
        if sort == "section":
            section = True
        elif sort in ("blank", "rule"):
            behind = "rule" if "rule" in (sort, behind) else "blank"
        elif sort == "bullet" or not (section or _stays(sort, behind)):
            end, behind, section = stop, "", False
    return end


def _stays(sort: str, behind: str) -> bool:
    """Hidden text that no line of the entry touches belongs to the file, not to the entry."""
    return (sort == "comment" and behind != "") or (sort == "fence" and behind == "rule")


def _parts(plain: str) -> Iterator[tuple[int, str]]:
    """The lines and hidden blocks of a piece: where each ends and what it is."""
    at = 0
    for start, end in (*hidden(plain).spans, (len(plain), len(plain))):
        for line in _split(plain[at:start]):
            at += len(line)
            yield at, _sort(line)
        if start < end:
            yield end, "comment" if plain[start:end].lstrip().startswith("<!--") else "fence"
        at = end


def _split(text: str) -> list[str]:
    """Lines with their ``\\n``; nothing else ends a line."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _sort(line: str) -> str:
    text = line.rstrip("\n")
    if not text.strip():
        return "blank"
    if is_rule(text):
        return "rule"
    if text.startswith(("# ", "## ")):
        return "section"
    return "bullet" if classify(text) else "text"


def neighbours(document: Document, index: int) -> tuple[str | None, str | None]:
    """The ids of the entries before and behind, by which an undo finds the place again."""
    entries = document.entries
    return (
        entries[index - 1].id if index else None,
        entries[index + 1].id if index + 1 < len(entries) else None,
    )


def owned_lines(own: str, *, nested: bool = False) -> Iterator[tuple[str, Name | None]]:
    """An entry's own lines as they stand, each with the field it belongs to; hidden text comes in one unowned piece.

    ``nested``: as for `owners`.
    """
    plain = plain_lines(own)
    parts = list(_pieces(plain))
    names = owners([text.rstrip("\n") for text, shown in parts if shown], nested=nested)
    at = 0
    for text, shown in parts:
        yield own[at : at + len(text)], next(names)[0] if shown else None
        at += len(text)


def _pieces(plain: str) -> Iterator[tuple[str, bool]]:
    """Every line that is shown, and every hidden block as one piece."""
    at = 0
    for start, end in (*hidden(plain).spans, (len(plain), len(plain))):
        yield from ((line, True) for line in _split(plain[at:start]))
        if start < end:
            yield plain[start:end], False
        at = end


def without_fields(own: str, names: frozenset[Name], *, nested: bool = False, gap: str = "") -> str:
    """An entry's own lines without those that belong to the fields ``names`` (hidden text is kept).

    ``gap`` stands in the place of each line that goes.
    """
    return "".join(gap if name in names else line for line, name in owned_lines(own, nested=nested))


def one_line(text: str) -> str:
    """A comment as it is written: white space runs, line ends among them, become one blank."""
    return " ".join(text.split())


def review_lines(decision: str, comment: str, now: datetime) -> list[str]:
    """The lines that a decision adds (suggestions contract, Files). ``now`` is aware; its offset is written."""
    mark = {"accept": "✅ Accept", "reject": "❌ Reject"}[decision]
    lines = [f"- **Feedback**: {mark}"]
    if one_line(comment):
        lines.append(f"- **Comment**: {one_line(comment)}")
    return [*lines, f"- **Reviewed**: {now.isoformat(timespec='seconds')}"]


def block_for(own: str, added: list[str], newline: str, *, gap: bool = True) -> str:
    """What is appended: a blank line (``gap``), a rule, the entry, the added lines, all in one line ending."""
    body = _ANY_ENDING.sub("\n", own).rstrip("\n") + "\n" + "".join(f"{line}\n" for line in added)
    return ("\n" if gap else "").join(("", f"---\n\n{body}")).replace("\n", newline)


def newline_for(target: Document, source: Document) -> str:
    """The line ending of what is appended: the target's own; a new file takes the source's."""
    return target.newline if b"\n" in target.raw else source.newline


def needs_gap(target: Document) -> bool:
    """False where the target's last line is blank already."""
    tail = plain_lines(target.entries[-1].text if target.entries else target.opening)
    return not target.raw.strip() or not tail.endswith(("\n\n", "\n \n"))


def opening_for(kind: Kind, newline: str) -> bytes:
    """The first line of a file that is made or empty."""
    return (HEADINGS[kind] + newline).encode()


def could_close(text: str) -> bool:
    """True when a text holds what would close a comment or fence that stands open in the file it is appended to."""
    return any(mark in text for mark in _MARKUP)


def place_of(document: Document, index: int, lead: str) -> Cut | None:
    """Where ``lead`` and the entry's own lines stand in the file, to be taken out again; None when the lead is gone."""
    own = own_text(document.entries[index]).encode()
    start = document.offset(index) - len(lead.encode())
    data = lead.encode() + own
    return Cut(start, data) if start >= 0 and document.raw.startswith(data, start) else None
