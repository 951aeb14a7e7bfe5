"""The practice judge that skims: each time a question is asked again it leaves out another stretch of the text.

Asked once it is the practice judge; asked n times its answers spread, so that a newcomer sees what a lower bound, judge
noise and a noise floor are. Which stretch is left out follows from the text and from how often it was asked. Pure.
"""

from __future__ import annotations

import dataclasses
import re

from core.judge.practice.asked import Asked
from core.judge.prompt import digest

SKIMS = "skim"
"""The model name's ending that asks for it: ``practice-skim``."""

_STRETCH = re.compile(r"[^.!?。！？\n]+[.!?。！？]*\s*")


def skimmed(asked: Asked, turn: int) -> Asked:
    """The question as the skimming judge reads it for the ``turn``-th time (from 0): references are read whole."""
    parts = {
        name: text if "reference" in name.lower() else _without_one(text, turn) for name, text in asked.parts.items()
    }
    return dataclasses.replace(asked, parts=parts)


def _without_one(text: str, turn: int) -> str:
    """The text without one of its sentences; whole every fourth time, and always where there are fewer than three."""
    stretches = _STRETCH.findall(text)
    choice = int(digest(f"{turn}\n{text}").rpartition(":")[2][:8], 16)
    if len(stretches) < 3 or choice % 4 == 0:
        return text
    left_out = choice // 4 % len(stretches)
    return "".join(stretch for index, stretch in enumerate(stretches) if index != left_out)
