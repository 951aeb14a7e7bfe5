"""A suggestions file as a document of entries: read without loss, every byte still there (suggestions contract, Files).

A document is its opening text and its entries; each entry keeps its own piece of the file, from its `### ` line to the
next. Positions are not part of an entry, so that entries survive unchanged when something before them is removed.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate, islice
from typing import Literal

from core.errors import Problem
from core.files import TextFile, decode
from core.suggestions.exact import read_exact
from core.suggestions.fields import Decision, Fields, Score, decision_of, read_fields
from core.suggestions.links import may_open, read_link
from core.suggestions.markup import NOTHING, Hidden, heading_places, hidden, plain_lines
from core.times import Instant, parse_instant

Kind = Literal["pending", "reviewed", "filtered"]

HEADINGS: dict[Kind, str] = {
    "pending": "# 📋 Pending Suggestions",
    "reviewed": "# ✅ Reviewed Suggestions",
    "filtered": "# 🚫 Filtered Suggestions",
}
_MARK = "### "


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it stands in a file.

    ``id`` hashes NFC date, source, title, URL and next step. ``date``, ``reviewed_at`` and ``feedback`` are as written,
    ``day`` and ``reviewed`` what they mean (None where they mean nothing). ``decision`` is None for an entry that was
    never reviewed. ``legacy`` is the text of the old 💎 ⚡ 🎯 fields. ``problems`` says in words what is wrong with it.
    ``readable`` is false when the heading could not be split; ``title`` is then the heading as it stands. ``text`` is
    the entry's piece of the file, unchanged.
    """

    id: str
    date: str
    source: str
    title: str
    url: str
    category: str
    score: Score | None
    next_step: str
    decision: Decision | None
    comment: str
    reviewed_at: str
    day: dt.date | None
    reviewed: Instant | None
    feedback: str | None
    legacy: str
    filtered: str
    report: str
    readable: bool
    problems: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A file of entries. ``exists`` is false for a missing file, which is an empty one.

    ``opening`` is the text before the first entry, ``sizes`` the bytes of each entry's piece, ``kind`` what its heading
    says it is. ``complete`` is false when the bytes stop being UTF-8 half way; such a file is never written to.
    ``commented`` counts headings inside comments and code fences, which are no entries; ``open_ended`` is true when a
    comment or fence is never closed.
    """

    file: str
    raw: bytes
    opening: str
    entries: tuple[Entry, ...]
    sizes: tuple[int, ...]
    kind: Kind | None
    bom: bool
    newline: str
    complete: bool
    exists: bool
    commented: int
    open_ended: bool
    problems: tuple[Problem, ...]

    @property
    def text(self) -> str:
        """The whole text as read, without the BOM: exactly what the pieces add up to."""
        return self.opening + "".join(entry.text for entry in self.entries)

    @property
    def first_byte(self) -> int:
        """Where the first entry's piece begins in ``raw``."""
        return (3 if self.bom else 0) + len(self.opening.encode())

    def offset(self, index: int) -> int:
        """Where the piece of entry ``index`` begins in ``raw``, in bytes."""
        return self.first_byte + sum(islice(self.sizes, index))

    def lines(self) -> list[int]:
        """The line (from 1) of every entry's heading."""
        first = line_count(self.opening) + 1
        return list(accumulate((line_count(entry.text) for entry in self.entries), initial=first))[:-1]

    def entry_problems(self) -> Iterator[Problem]:
        """What is wrong with single entries, each with its line."""
        if any(entry.problems for entry in self.entries):
            for entry, line in zip(self.entries, self.lines(), strict=True):
                for reason in entry.problems:
                    yield Problem(self.file, reason, line=line)


def line_count(text: str) -> int:
    """Line endings in a piece of text; ``\\r\\n`` and a lone ``\\r`` are one each."""
    return plain_lines(text).count("\n")


def missing(file: str, kind: Kind | None = None) -> Document:
    """The document of a file that is not there."""
    return Document(file, b"", "", (), (), kind, False, "\n", True, False, 0, False, ())


def parse(raw: bytes, file: str, kind: Kind | None = None) -> Document:
    """Read a suggestions file; never raises for what it holds. ``kind`` is used where its heading does not say."""
    return document(decode(raw, file), kind)


def document(source: TextFile, kind: Kind | None = None) -> Document:
    """Read a decoded file (suggestions contract, Files)."""
    plain = plain_lines(source.text)
    marks = hidden(plain)
    places, commented = heading_places(plain, marks, _MARK)
    opening = source.text[: places[0]] if places else source.text
    kind = kind_of(opening) or kind
    entries = tuple(read_pieces(source.text, plain, places, kind, marks is not NOTHING))
    problems = (*source.problems, *(_never_closed(source.file, plain, at) for at in marks.unclosed))
    return Document(
        file=source.file, raw=source.raw, opening=opening, entries=entries,
        sizes=tuple([len(entry.text.encode()) for entry in entries]), kind=kind, bom=source.bom,
        newline=source.newline, complete=source.complete, exists=True, commented=commented,
        open_ended=bool(marks.unclosed), problems=problems,
    )  # fmt: skip


def _never_closed(file: str, plain: str, at: int) -> Problem:
    line = plain[at : plain.find("\n", at) if "\n" in plain[at:] else len(plain)].strip()
    what = "HTML comment" if line.startswith("<!--") else "code fence"
    return Problem(file, f"this {what} is never closed, so it hides nothing", line=plain.count("\n", 0, at) + 1)


def kind_of(opening: str) -> Kind | None:
    """Which of the three files an opening text belongs to, by its heading."""
    for kind, heading in HEADINGS.items():
        word = heading.split()[-2].lower()
        for line in opening.splitlines():
            if line.startswith("# ") and word in line.lower().split():
                return kind
    return None


def read_pieces(text: str, plain: str, places: list[int], kind: Kind | None, marked: bool) -> Iterator[Entry]:
    """The entries that begin at ``places``; ``marked`` says that the text holds comments or fences."""
    ends = [*places[1:], len(text)] if places else []
    for start, end in zip(places, ends, strict=True):
        exact = read_exact(plain, start, end)
        if exact is None:
            yield read_entry(plain[start:end], text[start:end], kind, marked)
        else:
            yield _entry(*exact, None, [], kind, text[start:end])


def read_entry(plain: str, text: str, kind: Kind | None, marked: bool = True) -> Entry:
    """One entry from its piece (``text``, and the same with plain line endings), in whatever spelling."""
    lines = visible_lines(plain) if marked else plain.split("\n")
    heading = _heading(lines[0][len(_MARK) :].strip())
    found = read_fields(lines[1:], nested=kind == "reviewed")
    problems = [*([heading[-1]] if heading[-1] else ()), *found.problems]
    if "\n###" in plain:
        problems += [f"the line {line.strip()!r} starts no entry" for line in lines[1:] if _stray(line)]
    return _entry(*heading[:4], found, heading[-1], problems, kind, text)


def _entry(
    day: str, source: str, title: str, url: str, found: Fields, unreadable: str | None, problems: list[str],
    kind: Kind | None, text: str,
) -> Entry:  # fmt: skip
    """The entry that these parts make, with what can only be said of them together."""
    real = real_day(day)
    if (real is None and not unreadable) or (url and not may_open(url)):
        problems += _heading_problems(day, url, not unreadable)
    decision = _decision(found, kind, problems)
    reviewed = _instant(found, decision, problems)
    return Entry(
        identity(day, source, title, url, found.next_step), day, source, title, url, found.category, found.score,
        found.next_step, decision, found.comment, found.reviewed_at, real, reviewed, found.feedback, found.legacy,
        found.filtered, found.report, unreadable is None, tuple(problems), text,
    )  # fmt: skip


def visible_lines(plain: str) -> list[str]:
    """The lines of a piece that no comment or fence hides. The heading is one of them."""
    marks: Hidden = hidden(plain)
    shown, at = [], 0
    for start, end in marks.spans:
        shown += plain[at:start].split("\n")[:-1]
        at = end
    return shown + plain[at:].split("\n")


def _stray(line: str) -> bool:
    return line.startswith("###") and not line.startswith("####")


def _heading(text: str) -> tuple[str, str, str, str, str | None]:
    """Date, source, title, URL and, when the heading does not fit, what was wrong with it."""
    parts = text.split(" | ", 2)
    if len(parts) < 3:
        return "", "", text, "", "the heading is not `date | source | [title](url)`"
    day, source, rest = parts[0].strip(), parts[1].strip(), parts[2].strip()
    link = read_link(rest)
    if link is not None:
        return day, source, link.title, link.url, None
    wrong = "the title is not one link, so it is kept as text" if "](" in rest else None
    return day, source, rest, "", wrong


def _heading_problems(day: str, url: str, readable: bool) -> Iterator[str]:
    if readable and real_day(day) is None:
        dated = len(day) == 10 and day[4] == day[7] == "-" and day.replace("-", "").isdigit()
        yield f"the date {day!r} does not exist" if dated else f"the date {day!r} is not YYYY-MM-DD"
    if url and not may_open(url):
        yield f"the link {url!r} is not http or https and is shown as text"


@lru_cache(maxsize=8192)
def real_day(text: str) -> dt.date | None:
    """The day that ``YYYY-MM-DD`` names; None when the text is something else or there is no such day."""
    if len(text) != 10 or not text.isascii() or text[4] != "-" or text[7] != "-":
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def _decision(found: Fields, kind: Kind | None, problems: list[str]) -> Decision | None:
    """A reviewed entry is decided or undecided; one that nobody reviewed is neither."""
    if found.feedback is not None:
        decision, wrong = decision_of(found.feedback)
        if wrong:
            problems.append(wrong)
        return decision
    if kind == "reviewed" or found.reviewed_at:
        problems.append("there is no Feedback line, so it is undecided")
        return "undecided"
    return None


def _instant(found: Fields, decision: Decision | None, problems: list[str]) -> Instant | None:
    text = found.reviewed_at
    if not text:
        if decision is not None:
            problems.append("there is no Reviewed time")
        return None
    try:
        instant = instant_of(text)
    except ValueError as error:
        problems.append(f"Reviewed: {error}")
        return None
    if not instant.zone_known:
        problems.append(f"Reviewed {text!r} has no offset: zone unknown, read as UTC for ordering")
    return instant


def instant_of(text: str) -> Instant:
    """`parse_instant`, with the one form that Touchstone writes read directly (a property test holds them equal)."""
    if len(text) == 25 and text[10] == "T" and text[19] in "+-" and text[22] == ":" and text.isascii():
        try:
            return Instant(datetime.fromisoformat(text).astimezone(UTC), True, text)
        except ValueError:
            return parse_instant(text)
    return parse_instant(text)


def identity(day: str, source: str, title: str, url: str, next_step: str) -> str:
    """The id of a suggestion: 16 hex digits over NFC date, source, title, URL and next step.

    Only a title can hold a line ending (from an entity), so the joined text has one reading.
    """
    joined = "\n".join((day, source, title, url, next_step))
    return hashlib.sha256(unicodedata.normalize("NFC", joined).encode("utf-8", "surrogatepass")).hexdigest()[:16]
