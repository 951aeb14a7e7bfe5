"""Traditional and Simplified forms of a Chinese text, by OpenCC (suggestions contract, Matching)."""

from __future__ import annotations

import re
from functools import lru_cache

from opencc import OpenCC

_CHINESE = re.compile("[\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@lru_cache(maxsize=1)
def _converter() -> OpenCC:
    return OpenCC("t2s")


@lru_cache(maxsize=16384)
def _alone(character: str) -> str:
    return str(_converter().convert(character))


def has_chinese(text: str) -> bool:
    """True when the text holds a Chinese character."""
    return _CHINESE.search(text) is not None


def simplified(text: str) -> str:
    """The text in Simplified form; OpenCC reads words, so that 乾坤 keeps its 乾 and 乾燥 does not."""
    return str(_converter().convert(text)) if has_chinese(text) else text


def simplified_alone(text: str) -> str:
    """The text with every character converted by itself.

    A word's neighbours can change how OpenCC divides a sentence; character by character, a phrase is converted alike
    wherever it stands.
    """
    return _CHINESE.sub(lambda found: _alone(found[0]), text)
