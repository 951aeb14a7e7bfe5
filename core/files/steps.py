"""The prepared half of `core.files.ops`: a file change that can be kept, read back and rolled forward after a kill.

A step holds all that is needed to tell, from the file alone, whether it was done already, half done or not at all, and
to finish it exactly once (contract README, "Writes are safe"; the argument: docs/decisions/0001-decision-order.md).
Every function here expects the caller to hold the file's lock.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput, Conflict
from core.files.appending import Append, Outcome, not_begun, roll_append
from core.files.blocks import line_end, places
from core.files.read import stamp
from core.files.write import current, swap, sync_folder

MISSING = "missing"
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Edit:
    """At ``offset`` the bytes ``old`` give way to ``new``; ``prev`` and ``next`` stood on its two sides."""

    offset: int
    old: bytes
    new: bytes
    prev: bytes
    next: bytes


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Edits (by rising offset, apart from each other) that turn the content ``before`` into ``after`` (digests)."""

    file: str
    before: str
    after: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """The whole content ``before`` gives way to ``new`` (digest ``after``); None deletes the file."""

    file: str
    before: str
    after: str
    new: bytes | None


Step = Append | Rewrite | Swap


@dataclass(frozen=True, slots=True)
class Known:
    """The contents before and after, in the memory of the one who prepared the step: saves hashing them again."""

    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class _Turn:
    """What a file's content should become; ``same`` when it needs no writing."""

    content: bytes | None
    same: bool
    refused: str | None = None


def digest(content: bytes | None) -> str:
    """``size:sha256``, or ``missing`` where there is no file."""
    return MISSING if content is None else f"{len(content)}:{hashlib.sha256(content).hexdigest()}"


def digests(before: bytes, after: bytes, common: int) -> tuple[str, str]:
    """Both digests of contents whose first ``common`` bytes are the same: those are read once."""
    first = hashlib.sha256(memoryview(before)[:common])
    second = first.copy()
    first.update(memoryview(before)[common:])
    second.update(memoryview(after)[common:])
    return f"{len(before)}:{first.hexdigest()}", f"{len(after)}:{second.hexdigest()}"


def splice(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content with each edit made at its offset."""
    pieces: list[bytes] = []
    at = 0
    for edit in edits:
        pieces += [content[at : edit.offset], edit.new]
        at = edit.offset + len(edit.old)
    return b"".join([*pieces, content[at:]])


def roll(step: Step, path: Path, known: Known | None = None) -> Outcome:
    """Bring the file to where the step leads, from wherever it stands; doing it twice changes nothing.

    Bytes that somebody else wrote since the step was prepared are kept; where that leaves no safe way the change is
    left out and the reason returned. What was found done already is made to last (a killed writer may not have come to
    its fsync). Raises OSError, BadInput where the path is no regular file any more, and Conflict where somebody keeps
    rewriting it.
    """
    outcome = roll_append(step, path) if isinstance(step, Append) else _roll_content(step, path, known)
    if not outcome.changed:
        _make_last(path)
    return outcome


def _roll_content(step: Rewrite | Swap, path: Path, known: Known | None) -> Outcome:
    for _ in range(_TRIES):
        seen = stamp(path)
        content = current(path)
        turn = _turn(step, content, known)
        if turn.same:
            return Outcome(False, turn.refused)
        try:
            if turn.content is None:
                os.unlink(path)
                sync_folder(path.parent)
            else:
                swap(path, turn.content, seen)
        except Conflict:  # somebody wrote between our look and our rename: look again
            continue
        return Outcome(True, turn.refused)
    raise Conflict(f"{path.name} is being rewritten by somebody else all the time; try again")


def _turn(step: Rewrite | Swap, content: bytes | None, known: Known | None) -> _Turn:
    if known is not None and content == known.before:
        return _Turn(known.after, known.after == known.before)
    found = digest(content)
    if isinstance(step, Rewrite):
        return _turn_rewrite(step, content or b"", found)
    if found == step.after:
        return _Turn(content, True)
    if found != step.before:
        return _Turn(content, True, "was changed by somebody else meanwhile, so it was not written")
    return _Turn(step.new, False)


def _turn_rewrite(step: Rewrite, content: bytes, found: str) -> _Turn:
    # The longer state is asked first: where bytes went from (or to) the very end, one is the beginning of the other.
    states = sorted((step.before, step.after), key=_size, reverse=True)
    begun = (state for state in states if _size(state) and digest(content[: _size(state)]) == state)
    state = found if found in states else next(begun, None)
    if state == step.after:
        return _Turn(content, True)
    if state == step.before:
        edits, refused = _before_others(step.edits, content, _size(state)), None
    else:
        edits, refused = _placed(content, step.edits)
    return _Turn(splice(content, edits), not edits, refused)


def _before_others(edits: Sequence[Edit], content: bytes, size: int) -> list[Edit]:
    """The edits where others may have appended to the ``size`` bytes: whole lines, and none of theirs split."""
    made = [edit for edit in edits if edit.old or edit.offset < size]
    at_end = [edit.new for edit in edits[len(made) :]]
    if at_end and len(content) > size:
        if content[size - 1 : size] == b"\n":
            at_end[-1] += b"" if at_end[-1].endswith(b"\n") else b"\n"
        else:  # they may have gone on with the unended last line: ours goes behind theirs
            at_end[0] = at_end[0].removeprefix(b"\r").removeprefix(b"\n")
            if places(content[size:], b"".join(at_end)):
                return made  # an earlier healing put it there
            at_end[0], size = line_end(content) + at_end[0], len(content)
    return made + [Edit(size, b"", new, b"", b"") for new in at_end]


def _size(state: str) -> int:
    return int(state.partition(":")[0])


# ---- a content that is neither the one before nor the one after: somebody edited it between a kill and the healing


def _placed(content: bytes, edits: Sequence[Edit]) -> tuple[list[Edit], str | None]:
    """The edits still to do, at the places where they now belong, and how many found no safe place."""
    done: list[Edit] = []
    left = 0
    for edit in edits:
        place = _remove_at(content, edit, done) if edit.old else _insert_at(content, edit)
        if place == _LEFT:
            left += 1
        elif place != _DONE:
            lead = b"" if edit.old else line_end(content[:place])
            done.append(Edit(place, edit.old, lead + edit.new, b"", b""))
    done.sort(key=lambda edit: edit.offset)
    reason = f"{left} of {len(edits)} places were changed by somebody else meanwhile and left as is"
    return done, reason if left else None


_DONE, _LEFT = -1, -2


def _remove_at(content: bytes, edit: Edit, taken: Sequence[Edit]) -> int:
    """Where the block stands now; _DONE when it is gone; _LEFT when other lines stand behind it than did before."""
    found = [place for place in places(content, edit.old) if all(place != other.offset for other in taken)]
    for place in sorted(found, key=lambda place: place != edit.offset):
        end = place + len(edit.old)
        if content.startswith(edit.next, end) if edit.next else end == len(content):
            return place
    return _LEFT if found else _DONE


def _insert_at(content: bytes, edit: Edit) -> int:
    """Where the block goes now: its old place, else where its old neighbours stand, else the end."""
    if places(content, edit.new.lstrip(b"\r\n")):
        return _DONE
    around = edit.prev + edit.next
    if content.startswith(around, edit.offset - len(edit.prev)):
        return edit.offset
    first = content.find(around)
    alone = first >= 0 and content.find(around, first + 1) < 0
    return first + len(edit.prev) if alone else len(content)


# ---- keeping


def untouched(step: Step, path: Path) -> bool:
    """True when the file certainly stands as it was when the step was prepared."""
    try:
        return not_begun(step, path) if isinstance(step, Append) else digest(current(path)) == step.before
    except (OSError, BadInput):
        return False


def _make_last(path: Path) -> None:
    if path.exists():
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    if path.parent.is_dir():
        sync_folder(path.parent)


def sweep(path: Path) -> None:
    """Remove temporary files that a killed `swap` of this file left beside it."""
    target = Path(os.path.realpath(path))
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}\.tmp")
    if target.parent.is_dir():
        for entry in list(os.scandir(target.parent)):
            if ours.fullmatch(entry.name):
                os.unlink(entry.path)


def to_dict(step: Step) -> dict[str, Any]:
    """The step as JSON values; bytes as base64."""
    made: dict[str, Any] = {"step": type(step).__name__}
    for name in type(step).__slots__:
        value = getattr(step, name)
        if isinstance(value, tuple):
            made[name] = [{key: _coded(getattr(edit, key)) for key in Edit.__slots__} for edit in value]
        else:
            made[name] = _coded(value)
    return made


def from_dict(kept: dict[str, Any]) -> Step:
    """A step that `to_dict` made. Raises ValueError for a kind that this version does not know."""
    kinds: dict[str, type[Append] | type[Rewrite] | type[Swap]] = {"Append": Append, "Rewrite": Rewrite, "Swap": Swap}
    kind = kinds.get(kept["step"])
    if kind is None:
        raise ValueError(f"a file change of the unknown kind {kept['step']!r}")
    return kind(**{name: _decoded(kept[name]) for name in kind.__slots__})


def _coded(value: Any) -> Any:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(Edit(**{key: _decoded(part) for key, part in edit.items()}) for edit in value)
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value
