"""`goals.md` and `user_preferences.md` as the grader needs them: what a person wrote, not what the template says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.suggestions.markup import hidden, plain_lines
from core.suggestions.placeholders import is_placeholder

_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>.*\S)")
_COUNTS_OF_NOTHING = re.compile(r"(?:total reviewed|accept|reject)\s*[:：]\s*0\b.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Profile:
    """Bullets that say something, in order; ``text`` is the file without its comments, for a judge to read.

    No bullets means that nothing was set: the judge is then told so, and scores against no sentence of the template.
    """

    bullets: tuple[str, ...]
    text: str


def read_profile(text: str) -> Profile:
    """Read goals or preferences. Placeholders, statistics over 0 reviews, comments and fences are not content."""
    plain = plain_lines(text)
    marks = hidden(plain)
    shown, at = [], 0
    for start, end in marks.spans:
        shown.append(plain[at:start])
        at = end
    visible = "".join([*shown, plain[at:]])
    found = (_BULLET.fullmatch(line.rstrip()) for line in visible.split("\n"))
    bullets = tuple(match["text"] for match in found if match and _says_something(match["text"]))
    return Profile(bullets, visible.strip() if bullets else "")


def _says_something(bullet: str) -> bool:
    return not is_placeholder(bullet) and not _COUNTS_OF_NOTHING.fullmatch(bullet)
