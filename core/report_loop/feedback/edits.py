"""The shipped and the reviewed version aligned: blocks, then sentences, then words (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from core.report_loop.feedback.markup import markup_edits
from core.report_loop.feedback.model import Edit
from core.report_loop.signals.blocks import Block, Kind, read_blocks
from core.report_loop.signals.sentences import sentences

_SAME_BLOCK = 45.0  # below this ratio (0..100) two blocks are one taken out and another put in
_SAME_SENTENCE = 40.0
_REWRITTEN = 0.5  # less than this share of a sentence's words kept: one edit, not many
_NEAR = 2  # changes at most this many unchanged words apart are one edit
_WORD = re.compile(r"\s+|[^\s]+")


def find_edits(shipped: str, reviewed: str, kind: Kind) -> list[Edit]:
    """Every edit in reading order; none when the two say and show the same."""
    before, after = (
        [block for block in read_blocks(text, kind) if block.role != "alt"] for text in (shipped, reviewed)
    )
    found = [*_blocks(before, after), *markup_edits(shipped, reviewed, kind)]
    return _repeats(sorted(found, key=lambda edit: edit.line))


def _repeats(edits: list[Edit]) -> list[Edit]:
    """Each edit with how often the very same words were replaced by the same words in this report."""
    pairs = [(edit.before, edit.after) for edit in edits]
    return [replace(edit, times=pairs.count((edit.before, edit.after))) for edit in edits]


def _blocks(before: Sequence[Block], after: Sequence[Block]) -> Iterator[Edit]:
    old, new = ([(block.role, block.text) for block in side] for side in (before, after))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "equal":
            yield from _changed_blocks(before[i1:i2], after[j1:j2])


def _changed_blocks(before: Sequence[Block], after: Sequence[Block]) -> Iterator[Edit]:
    pairs = _paired([block.text for block in before], [block.text for block in after], _SAME_BLOCK)
    partner = dict(pairs)
    taken = {new: old for old, new in pairs}
    for number, block in enumerate(before):
        if number not in partner:
            yield _whole("removed", block)
    for number, block in enumerate(after):
        if number not in taken:
            yield _whole("added", block)
            continue
        old = before[taken[number]]
        if old.role != block.role and old.text == block.text:
            yield Edit("structure", f"<{old.node}>", f"<{block.node}>", old.text, block.text, block.line, block.node,
                       block.role)  # fmt: skip
        else:
            yield from _sentences(old, block)


def _whole(sort: str, block: Block) -> Edit:
    text = block.text or f"<{block.node}>"
    role = block.role
    if sort == "removed":
        return Edit("removed", text, "", text, "", block.line, block.node, role)
    return Edit("added", "", text, "", text, block.line, block.node, role)


def _paired(before: Sequence[str], after: Sequence[str], least: float) -> list[tuple[int, int]]:
    """Which old text became which new one: alike enough and in order; alone against alone they belong together."""
    if len(before) == len(after) == 1 and before[0] and after[0]:
        return [(0, 0)]
    found: list[tuple[int, int]] = []
    start = 0
    for number, text in enumerate(before):
        rated = [(fuzz.ratio(text, other), -at) for at, other in enumerate(after) if at >= start and text and other]
        best = max(rated, default=(0.0, 0))
        if best[0] >= least:
            found.append((number, -best[1]))
            start = -best[1] + 1
    return found


def _sentences(before: Block, after: Block) -> Iterator[Edit]:
    old, new = sentences(before.text), sentences(after.text)
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        pairs = _paired(old[i1:i2], new[j1:j2], _SAME_SENTENCE)
        partner, taken = dict(pairs), {second: first for first, second in pairs}
        for number, text in enumerate(old[i1:i2]):
            if number not in partner:
                yield Edit("removed", text, "", text, "", after.line, after.node, after.role)
        for number, text in enumerate(new[j1:j2]):
            if number not in taken:
                yield Edit("added", "", text, "", text, after.line, after.node, after.role)
            else:
                yield from _words(old[i1:i2][taken[number]], text, after)


def _words(before: str, after: str, block: Block) -> Iterator[Edit]:
    old, new = _WORD.findall(before), _WORD.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    kept = sum(1 for i, _, n in matcher.get_matching_blocks() for word in old[i : i + n] if word.strip())
    most = max(1, *(sum(1 for word in side if word.strip()) for side in (old, new)))
    if kept / most < _REWRITTEN and most > 3:
        yield Edit("words", before, after, before, after, block.line, block.node, block.role)
        return
    for i1, i2, j1, j2 in _hunks(matcher, old):
        yield Edit("words", "".join(old[i1:i2]).strip() or _spaces(old[i1:i2]),
                   "".join(new[j1:j2]).strip() or _spaces(new[j1:j2]), before, after, block.line, block.node,
                   block.role)  # fmt: skip


def _spaces(tokens: Sequence[str]) -> str:
    return "".join(tokens)


def _hunks(matcher: SequenceMatcher[str], old: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """The changed stretches; those with hardly a word between them are one."""
    current: tuple[int, int, int, int] | None = None
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        if current is not None:
            between = sum(1 for word in old[current[1] : i1] if word.strip())
            if between < _NEAR:
                current = (current[0], i2, current[2], j2)
                continue
            yield current
        current = (i1, i2, j1, j2)
    if current is not None:
        yield current
