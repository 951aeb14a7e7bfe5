"""Bytes and text as they stand on disk (contract README, "Text is UTF-8")."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.errors import BadInput, Problem

BOM = b"\xef\xbb\xbf"


class Stamp(NamedTuple):
    """What a cache is keyed by: a file with the same stamp has not been rewritten (nanoseconds, bytes, inode)."""

    mtime_ns: int
    size: int
    inode: int


def stamp(path: Path) -> Stamp | None:
    """One stat; None when there is no such file."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


def read_bytes(path: Path, file: str | None = None) -> bytes:
    """The whole of a regular file.

    Raises BadInput when it is missing, a folder, a pipe or a device, or may not be read.
    """
    label = file or str(path)
    try:
        # Non-blocking, so that a pipe without a writer cannot hang the reader before its kind is known.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise BadInput.of(label, "no such file") from None
    except (OSError, ValueError) as error:
        raise BadInput.of(label, f"cannot be opened: {_why(error)}") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise BadInput.of(label, "is not a regular file")
        with open(handle, "rb", closefd=False) as opened:
            return opened.read()
    except OSError as error:
        raise BadInput.of(label, f"cannot be read: {_why(error)}") from None
    finally:
        os.close(handle)


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file as read.

    ``raw`` is every byte, ``text`` the decoded characters without the BOM and with line endings untouched, ``newline``
    the ending that most lines have. ``complete`` is false when the bytes stop being UTF-8 half way: ``text`` then ends
    before the line that does not decode, and the file must not be written to until a person chooses.
    """

    file: str
    raw: bytes
    text: str
    bom: bool
    newline: str
    complete: bool
    problems: tuple[Problem, ...]


def decode(raw: bytes, file: str) -> TextFile:
    """Decode bytes as UTF-8 as far as they are: never a replacement character, never an exception."""
    bom = raw.startswith(BOM)
    body = raw[len(BOM) :] if bom else raw
    problems: tuple[Problem, ...] = ()
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        good = body[: body.rfind(b"\n", 0, error.start) + 1]
        text = good.decode("utf-8")
        reason = f"is not UTF-8 from byte {error.start + (len(BOM) if bom else 0)} on; read up to the line before"
        problems = (Problem(file, reason, line=good.count(b"\n") + 1),)
    crlf = body.count(b"\r\n")
    newline = "\r\n" if crlf * 2 > body.count(b"\n") else "\n"
    return TextFile(file, raw, text, bom, newline, not problems, problems)


def read_text(path: Path, file: str | None = None) -> TextFile:
    """Read a text file. Raises BadInput as `read_bytes` does; bad encoding is a problem in the result."""
    label = file or str(path)
    return decode(read_bytes(path, label), label)
