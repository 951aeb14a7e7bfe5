"""Changes of single bullets in `rubric_blocklist.md`; everything else in it stays byte for byte. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
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
    and gains; None where an older record did not keep them. ``creates``: there was no file; ``deletes``: none is left.
    """

    offset: int
    old: str
    new: str
    near: tuple[str, str] | None = None
    gone: tuple[Named, ...] | None = None
    come: tuple[Named, ...] | None = None
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
        old text as whole lines; failing that, a bullet that was taken out whole goes in beside the line that stood
        next to it, or behind the last of its section. In each case the file must lose and gain just the patterns that
        it should.
        """
        exact = next((one for one in self._at(raw, self._where_it_was(raw)) if one.reads_well(raw)), None)
        if exact is not None:
            return exact
        elsewhere = [one for one in self._at(raw, self._where_it_reads_so(raw)) if one.reads_well(raw)]
        if len(elsewhere) == 1:
            return elsewhere[0]
        return next((one for one in (*self._beside(raw), *self._again(raw)) if one.reads_well(raw)), None)

    def _at(self, raw: bytes, places: Iterator[int]) -> Iterator[Change]:
        return (replace(self, offset=place)._apart(raw) for place in places)

    def _apart(self, raw: bytes) -> Change:
        """The change, sparing the line end before a bullet that goes where other lines would run together without it.

        It came with the bullet when the file ended without one; what was added behind the bullet needs it now.
        """
        first = "\r\n" if self.old.startswith("\r\n") else self.old[:1]
        end = self.offset + len(self.old.encode())
        needed = _starts_line(raw, end) and not (_starts_line(raw, self.offset) or _ends_line(raw, end))
        if self.new or not needed or first.encode()[-1:] not in _ENDS:
            return self
        return replace(self, offset=self.offset + len(first), old=self.old[len(first) :])

    def _where_it_was(self, raw: bytes) -> Iterator[int]:
        """The old place, else the only one with the same bytes around it."""
        if self.near is None:
            if raw.startswith(self.old.encode(), self.offset) and self._is_whole(raw, self.offset):
                yield self.offset
            return
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
            if self._is_whole(raw, at):
                yield at
            at = raw.find(old, at + 1)

    def _is_whole(self, raw: bytes, at: int) -> bool:
        """Whether there what goes, or what comes where nothing goes, is whole lines."""
        old = self.old.encode()
        text = old or self.new.encode()
        begins = _starts_line(raw, at) or text[:1] in _ENDS
        return begins and (text[-1:] in _ENDS or _ends_line(raw, at + len(old)))

    def _beside(self, raw: bytes) -> Iterator[Change]:
        """A line that was taken out whole, behind the line before it, else before the one behind it, if just one is."""
        if self.old or self.near is None:
            return
        before, after = (bytes.fromhex(one) for one in self.near)
        above, below = before.splitlines(keepends=True), after.splitlines(keepends=True)
        lines = raw.splitlines(keepends=True)
        starts = list(accumulate(map(len, lines), initial=0))
        bare = [line.rstrip(b"\r\n") for line in lines]
        if above and (len(above) > 1 or len(before) < _CONTEXT):
            yield from (self._put(raw, starts[at + 1]) for at in _only(bare, above[-1]))
        if below and (len(below) > 1 or len(after) < _CONTEXT):
            yield from (self._put(raw, starts[at]) for at in _only(bare, below[0]))

    def _put(self, raw: bytes, at: int) -> Change:
        """The new text as lines of their own at a line's start or end."""
        newline = decode(raw, "").newline
        lead = "" if _starts_line(raw, at) else newline
        tail = "" if at == len(raw) or self.new.encode()[-1:] in _ENDS else newline
        return replace(self, offset=at, new=lead + self.new + tail)

    def _again(self, raw: bytes) -> Iterator[Change]:
        """A bullet that was taken out whole, added to its section once more as it was spelled."""
        bullet = next((line.bullet for line in lines_of(self.new) if line.bullet), None)
        if self.old or bullet is None or not self.come:
            return
        source = decode(raw, "")
        put = added(source, self.come[0][0], bullet)
        own = self.new if self.new.encode()[-1:] in _ENDS else self.new + source.newline
        yield replace(self, offset=put.offset, new=put.new.replace(f"- {bullet}{source.newline}", own, 1))

    def reads_well(self, raw: bytes) -> bool:
        """Whether the file would lose and gain just the patterns that it should, where that is known."""
        if self.gone is None or self.come is None:
            return True
        expected = _patterns(raw)
        expected.subtract(self.gone)
        expected.update(self.come)
        return _patterns(self.apply(raw)) == expected

    def as_dict(self) -> dict[str, Any]:
        """The form in a decision's payload."""
        return {
            "offset": self.offset, "old": self.old, "new": self.new, "near": self.near and list(self.near),
            "gone": _listed(self.gone), "come": _listed(self.come), "creates": self.creates, "deletes": self.deletes,
        }  # fmt: skip

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Change:
        """A change from a decision's payload."""
        near = kept.get("near")
        gone, come = (
            None if kept.get(name) is None else tuple((one[0], one[1]) for one in kept[name])
            for name in ("gone", "come")
        )  # fmt: skip
        return cls(
            kept["offset"], kept["old"], kept["new"], near and (near[0], near[1]), gone, come, kept["creates"],
            kept["deletes"],
        )  # fmt: skip


def _listed(named: tuple[Named, ...] | None) -> list[list[str]] | None:
    return None if named is None else [list(one) for one in named]


def _starts_line(raw: bytes, at: int) -> bool:
    return raw[:at] in (b"", BOM) or raw[at - 1 : at] in _ENDS


def _ends_line(raw: bytes, at: int) -> bool:
    return raw[at : at + 1] in (b"", *_ENDS)


def _only(lines: list[bytes], line: bytes) -> list[int]:
    """Where a line that says something stands, if it stands just once."""
    wanted = line.rstrip(b"\r\n")
    places = [at for at, one in enumerate(lines) if one == wanted] if wanted.strip() else []
    return places if len(places) == 1 else []


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

    The changes are to be made one after the other, the last line first; none when nothing holds the topic. One that
    does not read well would change what else its bullet blocks: what is left may read as a note or a placeholder.
    """
    wanted = fold(topic)
    patterns = parse(source.text, source.file).patterns
    lines = list(lines_of(source.text))
    changes: list[Change] = []
    for number, group in groupby(reversed(patterns), lambda pattern: pattern.line):
        line, here = lines[number - 1], list(group)[::-1]
        new = _without(line, [pattern.text for pattern in here], wanted)
        if new is not None:
            gone = tuple((one.section, one.text) for one in here if not new or fold(one.text) == wanted)
            changes.append(Change(_byte(source, line.start), line.text, new, gone=gone, come=()))
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
