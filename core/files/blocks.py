"""Blocks of whole lines in a file's bytes: where they stand, and where the next one may begin."""

from __future__ import annotations

from core.files.read import BOM


def at_line_start(content: bytes, at: int) -> bool:
    """True where a line begins (the start of the file, with or without a BOM, counts)."""
    return at == 0 or content[at - 1 : at] == b"\n" or (at == len(BOM) and content.startswith(BOM))


def line_end(before: bytes) -> bytes:
    """What has to be written first so that the next byte starts a line; in the file's own kind of ending."""
    if before.endswith(b"\n") or before in (b"", BOM):
        return b""
    return b"\r\n" if b"\r\n" in before else b"\n"


def places(content: bytes, block: bytes) -> list[int]:
    """Every offset at which the block stands as whole lines, from the start of the file on."""
    found: list[int] = []
    at = content.find(block)
    while at >= 0:
        end = at + len(block)
        if at_line_start(content, at) and (block.endswith(b"\n") or content[end : end + 1] in (b"", b"\r", b"\n")):
            found.append(at)
        at = content.find(block, at + 1)
    return found
