"""Files that can be made again at any time (thumbnails, comparisons): atomic, without the cost of fsync."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from core.errors import BadInput
from core.files.read import read_bytes


def keep(path: Path, content: bytes) -> bool:
    """Put ``content`` at ``path`` by rename, so that no reader sees half of it.

    False where the folder cannot be written: a read-only workspace is slower, not broken.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        return False
    return True


def kept(path: Path) -> bytes | None:
    """What `keep` put there, or None."""
    try:
        return read_bytes(path)
    except BadInput:
        return None


def drop(path: Path) -> None:
    """Remove what `keep` put there; nothing happens when it is gone already."""
    path.unlink(missing_ok=True)
