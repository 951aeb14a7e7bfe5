"""The one writer (contract README, "Writes are safe"): lock, compare, temp file, fsync, rename."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from core.errors import Conflict, Unavailable
from core.files.read import Stamp, read_bytes, stamp

Lock = Callable[[Path], AbstractContextManager[None]]
"""Gives the lock of one file between threads and processes; re-entrant within a thread."""

_WAIT_SECONDS = 30.0


def folder_lock(folder: Path) -> Lock:
    """Locks kept as small files in ``folder``, one for each locked path. Raises Unavailable after 30 s of waiting."""

    @contextmanager
    def lock(path: Path) -> Iterator[None]:
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
        held = FileLock(
            folder / f"{name}.lock", timeout=_WAIT_SECONDS, poll_interval=0.01, is_singleton=True, thread_local=True
        )
        try:
            held.acquire()
        except Timeout:
            raise Unavailable(f"{path.name} is locked by another process since {_WAIT_SECONDS:.0f} s") from None
        try:
            yield
        finally:
            held.release()

    return lock


def current(path: Path) -> bytes | None:
    """The bytes of a file, or None where there is none."""
    return read_bytes(path) if os.path.lexists(path) else None


def replace(path: Path, new: bytes, *, expected: bytes | None, lock: Lock) -> None:
    """Put ``new`` in the place of the content that was read (``expected``; None: there must be no such file).

    A reader sees the old bytes or the new, whenever this is killed. Raises Conflict when the file holds anything else
    by now: read it again and apply the change again, or tell the person.
    """
    with lock(path):
        seen = stamp(path)
        if current(path) != expected:
            raise _changed(path)
        swap(path, new, seen)


def write_new(path: Path, content: bytes, lock: Lock) -> None:
    """Create a file. Raises Conflict when it is there already."""
    replace(path, content, expected=None, lock=lock)


def _changed(path: Path) -> Conflict:
    return Conflict(f"{path.name} was changed by somebody else meanwhile; nothing was written")


def swap(path: Path, new: bytes, seen: Stamp | Literal["any"] | None = "any") -> None:
    """Temp file in the same folder, fsync, rename, fsync of the folder. The caller holds the lock.

    ``seen`` is the stamp taken before the old content was read. Raises Conflict when the file has another one at the
    moment of the rename: agents write without asking for our lock, and what they wrote while the temp file was being
    made must not be lost.
    """
    target = Path(os.path.realpath(path))  # a link inside the workspace stays a link
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        with os.fdopen(handle, "wb") as opened:
            if mode is not None:
                os.fchmod(opened.fileno(), mode)
            opened.write(new)
            opened.flush()
            os.fsync(opened.fileno())
        if seen != "any" and stamp(path) != seen:
            raise _changed(path)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename or a new file in ``folder`` last through a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def append_bytes(path: Path, block: bytes, lock: Lock) -> None:
    """Append ``block``, fsynced, without touching a byte before it; a last line without its ending is ended first."""
    with lock(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        created = not path.exists()
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            written = memoryview(b"\n" + block if torn else block)
            while written:
                written = written[os.write(handle, written) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        if created:
            sync_folder(path.parent)
