"""Leftovers that a template or a failed binding leaves in a report: `NaN`, `{{`, `undefined`, `None`, empty nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.report_loop.signals.blocks import Block
from core.report_loop.signals.remark import Remark

_ANYWHERE = re.compile(
    r"\{\{.*?(?:\}\}|$)|\}\}|\{%.*?(?:%\}|$)|\$\{[^}]*\}|<%.*?(?:%>|$)|\[object Object\]|"
    r"#(?:REF|DIV/0|VALUE|NAME|NUM)[!?]|#N/A|(?<![\w-])NaN(?![\w-])|(?<![\w-])undefined(?![\w-])|(?<![\w-])-?Infinity(?![\w-])|\ufffd|"
    r"(?i:lorem ipsum)|(?<!\w)(?:TODO|FIXME|TBD|XXX)(?!\w)"
)
_ALONE = re.compile(r"(?i:none|null|nil|nan|<na>)")
# "None of the regions fell" is English; "$None", "None%", "grew None in Q3" is a binding that failed.
_NONE = re.compile(r"(?<![\w-])(?:None|null)(?![\w-])(?!\s+of\b)")
_UNIT_BEFORE = re.compile(r"[$€£¥:=(+\-−]\s*$")
_UNIT_AFTER = re.compile(r"^\s*[%)€]")


def orphans(block: Block) -> Iterator[Remark]:
    """Every leftover in one block, as it stands there."""
    if block.role == "empty":
        yield Remark(
            "empty node", f"<{block.node}>", "an element that should hold something is empty", block.line, block.node
        )
        return
    if _ALONE.fullmatch(block.text):
        yield _remark(block, block.text)
        return
    for match in _ANYWHERE.finditer(block.text):
        yield _remark(block, match[0])
    for match in _NONE.finditer(block.text):
        if _is_leftover(block.text, match):
            yield _remark(block, match[0])


def _is_leftover(text: str, match: re.Match[str]) -> bool:
    before, after = text[: match.start()], text[match.end() :]
    if _UNIT_BEFORE.search(before) or _UNIT_AFTER.search(after):
        return True
    if match[0] == "null":
        return False  # "null hypothesis", "null result": only beside a unit is it surely a value
    sentence_start = not before.strip() or before.rstrip()[-1:] in '.!?:;"“('
    return not sentence_start


def _remark(block: Block, text: str) -> Remark:
    return Remark("orphan", text[:80], "left over from a template or a failed binding", block.line, block.node)
