"""The template's own bullets, which are nobody's pattern, goal or preference (suggestions contract, Files). Pure."""

from __future__ import annotations

import re

_TEMPLATE = re.compile(
    r"(?:\(?\s*(?:add|put|list|write|enter)\s+your\b.*\bhere\b.*|example\b.*\bshould\s+be\b.*|tbd|n/?a|none(?:\s+yet)?"
    r"|\W*)",
    re.IGNORECASE | re.DOTALL,
)


def is_placeholder(bullet: str) -> bool:
    """True for ``Add your … here``, ``Example … that should be …`` and bullets without a letter or digit."""
    return _TEMPLATE.fullmatch(bullet.strip()) is not None
