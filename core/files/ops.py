"""The file changes that a decision can make, each safe to repeat after a kill.

A planner names what it wants in these terms, from contents it read under the decision's lock; `prepare` looks at the
file once more and turns it into a step (`core.files.steps`) that can be kept in the database and rolled forward from
any state. Only `core.decisions` runs them (contract README, "Writes are safe").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from core.errors import BadInput, Conflict
from core.files.appending import CONTEXT, Append, prepare_append
from core.files.blocks import at_line_start, line_end, places
from core.files.read import BOM
from core.files.steps import MISSING, Edit, Known, Rewrite, Step, Swap, digest, digests, splice
from core.files.write import current


class Cut(NamedTuple):
    """Exact bytes at an exact place (bytes from the start of the file, BOM included) of the content that was read."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class AppendBlock:
    """Put ``block`` at the end, on a new line. A missing or empty file (a BOM counts as empty) gets ``opening`` first.

    A real append: no byte that is there is written again.
    """

    path: Path
    block: bytes
    opening: bytes = b""


@dataclass(frozen=True, slots=True)
class RemoveBlocks:
    """Take whole blocks of lines out of a file in one rewrite; every other byte stays.

    A block is a `Cut`, or bytes, which then are looked for (the first copy not taken yet, as whole lines).
    """

    path: Path
    blocks: Sequence[bytes | Cut]


@dataclass(frozen=True, slots=True)
class InsertBlock:
    """Put ``block`` (whole lines) in at ``offset``: the start of a line, or the end of the file or beyond.

    A missing or empty file gets ``opening`` first, whatever the offset.
    """

    path: Path
    block: bytes
    offset: int
    opening: bytes = b""


@dataclass(frozen=True, slots=True)
class InsertBlocks:
    """`InsertBlock` for several blocks in one rewrite; each offset is of the content that was read.

    Blocks with the same offset go in one behind the other, in the order given.
    """

    path: Path
    blocks: Sequence[Cut]
    opening: bytes = b""


@dataclass(frozen=True, slots=True)
class ReplaceFile:
    """``new`` in the place of the content that was read; ``expected`` None: no file yet; ``new`` None: delete it."""

    path: Path
    expected: bytes | None
    new: bytes | None


Op = AppendBlock | RemoveBlocks | InsertBlock | InsertBlocks | ReplaceFile


@dataclass(frozen=True, slots=True)
class Prepared:
    """A step, where it happens, and what saves time while this process lives."""

    path: Path
    step: Step
    known: Known | None


def prepare(op: Op, file: str) -> Prepared:
    """Turn what is wanted into a step against the file as it stands now; ``file`` is its path inside the workspace.

    Raises Conflict when the file no longer holds what the planner read, BadInput when it is no regular file, ValueError
    for an op that makes no sense (an empty block, an offset inside a line).
    """
    if isinstance(op, AppendBlock):
        return Prepared(op.path, _append(op.path, op.block, op.opening, file), None)
    if isinstance(op, ReplaceFile):
        return _swap(op, file)
    content = current(op.path) or b""
    if isinstance(op, RemoveBlocks):
        return _rewrite(op.path, content, _cuts(op, content, file), file)
    if isinstance(op, InsertBlock):
        op = InsertBlocks(op.path, [Cut(op.offset, op.block)], op.opening)
    return _insert(op, content, file)


def _append(path: Path, block: bytes, opening: bytes, file: str) -> Append:
    if not block:
        raise ValueError("a block of nothing cannot be appended")
    return prepare_append(path, block, opening, file)


def _swap(op: ReplaceFile, file: str) -> Prepared:
    if current(op.path) != op.expected:
        raise Conflict(f"{file} was changed by somebody else meanwhile; nothing was written")
    step = Swap(file, digest(op.expected), MISSING if op.new is None else digest(op.new), op.new)
    return Prepared(op.path, step, Known(op.expected, op.new))


def _insert(op: InsertBlocks, content: bytes, file: str) -> Prepared:
    blocks = sorted(op.blocks, key=lambda block: block.offset)  # stable: equal offsets keep their order
    if not blocks or not all(block.data for block in blocks):
        raise ValueError(f"{file}: a block of nothing cannot be inserted")
    if not content.removeprefix(BOM).strip():
        return Prepared(op.path, _append(op.path, b"".join(block.data for block in blocks), op.opening, file), None)
    edits: list[Edit] = []
    for offset, data in blocks:
        if offset < len(content) and not (at_line_start(content, offset) and data.endswith(b"\n")):
            raise ValueError(f"{file}: blocks go in as whole lines, at the start of a line")
        behind_all = offset >= len(content) and not (edits and edits[-1].offset == len(content))
        edits.append(_edit(content, min(offset, len(content)), b"", (line_end(content) if behind_all else b"") + data))
    return _rewrite(op.path, content, edits, file)


def _rewrite(path: Path, content: bytes, edits: list[Edit], file: str) -> Prepared:
    after = splice(content, edits)
    return Prepared(path, Rewrite(file, *digests(content, after, edits[0].offset), tuple(edits)), Known(content, after))


def _edit(content: bytes, offset: int, old: bytes, new: bytes) -> Edit:
    end = offset + len(old)
    return Edit(offset, old, new, content[max(0, offset - CONTEXT) : offset], content[end : end + CONTEXT])


def _cuts(op: RemoveBlocks, content: bytes, file: str) -> list[Edit]:
    taken: dict[int, bytes] = {}
    for block in op.blocks:
        data = block.data if isinstance(block, Cut) else block
        if not data:
            raise ValueError("a block of nothing cannot be removed")
        place = block.offset if isinstance(block, Cut) else _first_free(content, data, taken)
        if place is None or place < 0 or not content.startswith(data, place) or place in taken:
            raise Conflict(f"{file} was changed by somebody else meanwhile; nothing was written")
        taken[place] = data
    edits = [_edit(content, place, taken[place], b"") for place in sorted(taken)]
    if any(first.offset + len(first.old) > then.offset for first, then in pairwise(edits)):
        raise ValueError(f"{file}: two of the blocks to be removed overlap")
    if not edits:
        raise BadInput.of(file, "no block to remove was named")
    return edits


def _first_free(content: bytes, data: bytes, taken: dict[int, bytes]) -> int | None:
    return next((place for place in places(content, data) if place not in taken), None)
