"""Numbers for PostgreSQL's advisory locks."""

from __future__ import annotations

import hashlib


def advisory_key(*parts: str) -> int:
    """A signed 64-bit number for a named thing, the same on every server."""
    told = hashlib.sha256("\0".join(("touchstone", *parts)).encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(told[:8], "big", signed=True)
