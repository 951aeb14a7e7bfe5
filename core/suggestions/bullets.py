"""Changes of single bullets in `rubric_blocklist.md`; everything else in it stays byte for byte. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.files import TextFile
from core.files.read import BOM
from core.suggestions.blocklist import SECTIONS, Blocklist, Line, Section, fold, lines_of, section_of, without

_TEMPLATE = "# Rubric Blocklist\n\n{topic}\n\n{ambiguity}\n"


@dataclass(frozen=True, slots=True)
class Change:
    """At byte ``offset`` ``old`` gives way to ``new``. ``creates``: there was no file; ``deletes``: none is left."""

    offset: int
    old: str
    new: str
    creates: bool = False
    deletes: bool = False

    def apply(self, raw: bytes) -> bytes:
        """The content with the change made."""
        return raw[: self.offset] + self.new.encode() + raw[self.offset + len(self.old.encode()) :]

    def reversed(self) -> Change:
        """What takes the change back."""
        return Change(self.offset, self.new, self.old, creates=self.deletes, deletes=self.creates)

    def found_in(self, raw: bytes) -> Change | None:
        """The change at the place where its old text stands now; None when that cannot be told."""
        old = self.old.encode()
        if raw.startswith(old, self.offset) and self.offset <= len(raw):
            return self
        first = raw.find(old)
        if not old or first < 0 or raw.find(old, first + 1) >= 0:
            return None
        return Change(first, self.old, self.new)

    def as_dict(self) -> dict[str, Any]:
        """The form in a decision's payload."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Change:
        """A change from a decision's payload."""
        return cls(**{name: kept[name] for name in cls.__slots__})


def added(source: TextFile, section: Section, bullet: str) -> Change:
    """Put ``- bullet`` behind the last bullet of its section; a missing section, or file, is made."""
    line = f"- {bullet}\n"
    if not source.text.strip():
        made = _TEMPLATE.format(**SECTIONS).replace(SECTIONS[section] + "\n", f"{SECTIONS[section]}\n\n{line}")
        return Change(len(source.raw), "", made)
    at = _place(source.text, section)
    if at is None:
        at, line = len(source.text), f"\n{SECTIONS[section]}\n\n{line}"
    if at and source.text[at - 1] != "\n":
        line = "\n" + line
    return Change(_byte(source, at), "", line.replace("\n", source.newline))


def _place(text: str, section: Section) -> int | None:
    """Where a new bullet of the section goes, in characters; None when there is no such section."""
    place: int | None = None
    inside = False
    for line in lines_of(text):
        end = line.start + len(line.text)
        if line.text.startswith("#") and not line.hidden:
            inside = place is None and section_of(line.text) == section
            place = end if inside else place
        elif inside and (line.bullet or (line.start == place and line.text.startswith("  ") and line.text.strip())):
            place = end  # behind a bullet, or the indented lines that belong to it
    return place


def removed(source: TextFile, blocklist: Blocklist, topic: str) -> Change | None:
    """Take one pattern out of its bullet, or a whole bullet that is named by its text; None when there is none."""
    wanted = fold(topic)
    lines = list(lines_of(source.text))
    for number in dict.fromkeys(pattern.line for pattern in blocklist.patterns):
        line = lines[number - 1]
        here = [pattern.text for pattern in blocklist.patterns if pattern.line == number]
        new = _without(line, here, wanted)
        if new is not None:
            return Change(_byte(source, line.start), line.text, new)
    return None


def _without(line: Line, patterns: list[str], wanted: str) -> str | None:
    """The line without the pattern; empty when nothing of its bullet is left; None when it does not hold it."""
    bullet = line.bullet or ""
    gone = next((pattern for pattern in patterns if fold(pattern) == wanted), None)
    if fold(bullet) == wanted or (gone is not None and len(patterns) == 1):
        return ""
    return None if gone is None else line.text.replace(bullet, without(bullet, gone))


def _byte(source: TextFile, at: int) -> int:
    return (len(BOM) if source.bom else 0) + len(source.text[:at].encode())
