"""Changes of single bullets in `rubric_blocklist.md`; everything else in it stays byte for byte. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.files import TextFile, decode
from core.files.read import BOM
from core.suggestions.blocklist import SECTIONS, Line, Section, fold, lines_of, parse, without

_TEMPLATE = "# Rubric Blocklist\n\n{topic}\n\n{ambiguity}\n"
_CONTEXT = 96
_ENDS = (b"\n", b"\r")

Named = tuple[Section, str]
"""A pattern by its section and text."""


@dataclass(frozen=True, slots=True)
class Change:
    """At byte ``offset`` ``old`` gives way to ``new``.

    ``near`` are the bytes before and behind that place (hex), ``gone`` and ``come`` the patterns that the file loses
    and gains. ``creates``: there was no file; ``deletes``: none is left.
    """

    offset: int
    old: str
    new: str
    near: tuple[str, str] = ("", "")
    gone: tuple[Named, ...] = ()
    come: tuple[Named, ...] = ()
    creates: bool = False
    deletes: bool = False

    def apply(self, raw: bytes) -> bytes:
        """The content with the change made."""
        return raw[: self.offset] + self.new.encode() + raw[self.offset + len(self.old.encode()) :]

    def reversed(self) -> Change:
        """What takes the change back."""
        return Change(
            self.offset, self.new, self.old, self.near, self.come, self.gone, creates=self.deletes,
            deletes=self.creates,
        )  # fmt: skip

    def found_in(self, raw: bytes) -> Change | None:
        """The change where it can be made now; None when that cannot be told.

        A place counts when the bytes around it are those of then; failing that, when it is the only one that holds the
        old text as whole lines; failing that, a bullet that was taken out whole goes in behind the last of its section.
        In each case the file must lose and gain just the patterns that it should.
        """
        exact = next((one for one in self._at(raw, self._where_it_was(raw)) if one._reads_well(raw)), None)
        if exact is not None:
            return exact
        elsewhere = [one for one in self._at(raw, self._where_it_reads_so(raw)) if one._reads_well(raw)]
        if len(elsewhere) == 1:
            return elsewhere[0]
        again = self._again(raw)
        return again if again is not None and again._reads_well(raw) else None

    def _at(self, raw: bytes, places: Iterator[int]) -> Iterator[Change]:
        return (replace(self, offset=place) for place in places)

    def _where_it_was(self, raw: bytes) -> Iterator[int]:
        """The old place, else the only one with the same bytes around it."""
        before, after = map(bytes.fromhex, self.near)
        around = before + self.old.encode() + after
        ends = len(after) < _CONTEXT  # the file ended behind it
        start = self.offset - len(before)
        if start >= 0 and raw.startswith(around, start) and not (ends and start + len(around) < len(raw)):
            yield self.offset
        first = raw.find(around) if around else -1
        if first >= 0 and raw.find(around, first + 1) < 0 and not (ends and first + len(around) < len(raw)):
            yield first + len(before)

    def _where_it_reads_so(self, raw: bytes) -> Iterator[int]:
        """Every place that holds the old text as whole lines."""
        old = self.old.encode()
        at = raw.find(old) if old else -1
        while at >= 0:
            begins = raw[:at] in (b"", BOM) or raw[at - 1 : at] in _ENDS or old[:1] in _ENDS
            if begins and (old[-1:] in _ENDS or raw[at + len(old) :][:1] in (b"", *_ENDS)):
                yield at
            at = raw.find(old, at + 1)

    def _again(self, raw: bytes) -> Change | None:
        """A bullet that was taken out whole, added to its section once more."""
        bullet = next((line.bullet for line in lines_of(self.new) if line.bullet), None)
        if self.old or bullet is None or not self.come:
            return None
        put = added(decode(raw, ""), self.come[0][0], bullet)
        return replace(self, offset=put.offset, new=put.new)

    def _reads_well(self, raw: bytes) -> bool:
        """Whether the file would lose and gain just the patterns that it should."""
        expected = _patterns(raw)
        expected.subtract(self.gone)
        expected.update(self.come)
        return _patterns(self.apply(raw)) == expected

    def as_dict(self) -> dict[str, Any]:
        """The form in a decision's payload."""
        return {
            "offset": self.offset, "old": self.old, "new": self.new, "near": list(self.near),
            "gone": [list(one) for one in self.gone], "come": [list(one) for one in self.come],
            "creates": self.creates, "deletes": self.deletes,
        }  # fmt: skip

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Change:
        """A change from a decision's payload."""
        near = kept.get("near", ("", ""))
        gone, come = (tuple((one[0], one[1]) for one in kept.get(name, ())) for name in ("gone", "come"))
        return cls(
            kept["offset"], kept["old"], kept["new"], (near[0], near[1]), gone, come, kept["creates"], kept["deletes"]
        )


def _patterns(raw: bytes) -> Counter[Named]:
    return Counter((one.section, one.text) for one in parse(decode(raw, "").text, "").patterns)


def seen_in(raw: bytes, change: Change) -> Change:
    """The change with all by which it is known again: the bytes around it, the patterns it takes and brings."""
    end = change.offset + len(change.old.encode())
    before, after = _patterns(raw), _patterns(change.apply(raw))
    return replace(
        change,
        near=(raw[max(0, change.offset - _CONTEXT) : change.offset].hex(), raw[end : end + _CONTEXT].hex()),
        gone=tuple((before - after).elements()),
        come=tuple((after - before).elements()),
    )


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
        if line.heading:
            inside = place is None and line.section == section
            place = end if inside else place
        elif inside and (line.bullet or (line.start == place and line.text.startswith("  ") and line.text.strip())):
            place = end  # behind a bullet, or the indented lines that belong to it
    return place


def removed(source: TextFile, topic: str) -> list[Change]:
    """Take a pattern out of every bullet that holds it, or whole bullets that are named by their text.

    The changes are to be made one after the other, the last line first; none when nothing holds the topic.
    """
    wanted = fold(topic)
    patterns = parse(source.text, source.file).patterns
    lines = list(lines_of(source.text))
    changes: list[Change] = []
    for number in sorted({pattern.line for pattern in patterns}, reverse=True):
        line = lines[number - 1]
        new = _without(line, [pattern.text for pattern in patterns if pattern.line == number], wanted)
        if new is not None:
            changes.append(Change(_byte(source, line.start), line.text, new))
    return changes


def _without(line: Line, patterns: list[str], wanted: str) -> str | None:
    """The line without the pattern; empty when nothing of its bullet is left; None when it does not hold it."""
    bullet = line.bullet or ""
    left = [pattern for pattern in patterns if fold(pattern) != wanted]
    if fold(bullet) == wanted or not left:
        return ""
    return None if len(left) == len(patterns) else line.text.replace(bullet, without(bullet, wanted))


def _byte(source: TextFile, at: int) -> int:
    return (len(BOM) if source.bom else 0) + len(source.text[:at].encode())
