"""Appending a block for good: a real append, told from the file alone whether it was done, torn or not begun."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.errors import BadInput
from core.files.blocks import line_end, places
from core.files.read import BOM, read_bytes
from core.files.write import current, sync_folder

CONTEXT = 64
"""Bytes on each side of a place that must still stand there before a changed file is edited at that place."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What rolling a step did: ``changed``: this call wrote; ``refused``: why something was left out."""

    changed: bool
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Append:
    """``lead + block`` goes behind the first ``offset`` bytes, which end in ``tail``; nothing before it is touched."""

    file: str
    offset: int
    tail: bytes
    lead: bytes
    block: bytes


def prepare_append(path: Path, block: bytes, opening: bytes, file: str) -> Append:
    """The step that puts a block at the end of the file as it stands now; an empty file gets ``opening`` first.

    Raises BadInput where the path is no regular file.
    """
    size, tail = _tail(path)
    empty = size == len(tail) and not tail.removeprefix(BOM).strip()
    return Append(file, size, tail[-CONTEXT:], line_end(tail) + (opening if empty else b""), block)


def _tail(path: Path) -> tuple[int, bytes]:
    """The size of a file and its last bytes, without reading the rest; a missing file has size 0."""
    if not os.path.lexists(path):
        return 0, b""
    with _opened(path) as opened:
        size = opened.seek(0, os.SEEK_END)
        opened.seek(max(0, size - 4096))
        return size, opened.read(4096)


def _opened(path: Path) -> BinaryIO:
    if not path.is_file():
        read_bytes(path)  # raises BadInput, saying what it is instead
    try:
        return open(path, "rb")
    except OSError as error:
        raise BadInput.of(str(path), f"cannot be opened: {error.strerror}") from None


def roll_append(step: Append, path: Path) -> Outcome:
    """Put the block there unless it is there; finish it where a kill tore it. The caller holds the file's lock.

    Raises OSError when it cannot be written, with nothing of it left behind.
    """
    whole = step.lead + step.block
    size, behind = _behind(step, path)
    if behind is None:  # the bytes we stood behind are others now: somebody rewrote the file, with our block or without
        content = current(path) or b""
        if places(content, step.block):
            return Outcome(False)
        append_at(path, len(content), line_end(content) + step.block)
        return Outcome(True)
    if behind.startswith(whole) or places(behind, step.block):
        return Outcome(False)
    not_begun_or_torn = whole.startswith(behind)
    rest = whole[len(behind) :] if not_begun_or_torn else line_end(step.tail + behind) + step.block
    append_at(path, size, rest)
    return Outcome(True)


def _behind(step: Append, path: Path) -> tuple[int, bytes | None]:
    """The size of the file and what stands behind the step's place; None when the bytes before that are others now."""
    if not os.path.lexists(path):
        return 0, b"" if step.offset == 0 else None
    with _opened(path) as opened:
        opened.seek(step.offset - len(step.tail))
        found = opened.read()
    size = step.offset - len(step.tail) + len(found)
    return size, found.removeprefix(step.tail) if found.startswith(step.tail) and size >= step.offset else None


def not_begun(step: Append, path: Path) -> bool:
    """True when the file ends where it ended when the step was prepared. Raises OSError and BadInput."""
    return _behind(step, path)[1] == b""


def append_at(path: Path, size: int, data: bytes) -> None:
    """Write ``data`` at the end of a file of ``size`` bytes, fsynced, touching no earlier byte.

    A write that fails half way (a full disk) is taken back before its OSError is raised.
    """
    created = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]
            os.fsync(handle)
        except OSError:
            _take_back(handle, size, data)
            raise
    finally:
        os.close(handle)
    if created:
        sync_folder(path.parent)


def _take_back(handle: int, size: int, data: bytes) -> None:
    """Cut off our own unfinished bytes, and only if nothing else stands behind ``size``."""
    written = os.pread(handle, len(data) + 1, size)
    if data.startswith(written):
        os.ftruncate(handle, size)
