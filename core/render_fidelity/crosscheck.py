"""When a second verifier is due, from which family, and what its totals say (render-fidelity contract, Verdict).

Pure: no clock, no file, no network.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from core.render_fidelity.rubric import RIGHTS_SUSPECT, ModeRule

NOT_RUN = {"status": "not_run", "reason": "policy"}
SAMPLE_OF = 5
"""One pack in this many is cross-checked for no other reason."""

_FAMILIES: tuple[tuple[str, str], ...] = (
    ("anthropic", r"claude|anthropic|opus|sonnet|haiku"),
    ("openai", r"gpt|openai|codex|chatgpt|\bo[1-9](-|$|\b)"),
    ("google", r"gemini|gemma|google|palm"),
    ("meta", r"llama|meta-"),
    ("mistral", r"mi[sx]tral|pixtral"),
    ("qwen", r"qwen|qwq"),
    ("deepseek", r"deepseek"),
    ("xai", r"grok"),
)


def family(name: str) -> str | None:
    """The model family of a verifier's name (``"gpt-5.6-sol"`` -> ``"openai"``); None for a name that is none."""
    lowered = name.casefold()
    return next((known for known, pattern in _FAMILIES if re.search(pattern, lowered)), None)


def same_family(one: str | None, other: str | None) -> str | None:
    """The family both names belong to, or None. Two verifiers of one family agree falsely."""
    shared = family(one or "")
    return shared if shared is not None and shared == family(other or "") else None


def in_sample(batch: str, slug: str) -> bool:
    """True for the fixed 20%: sha256 of ``batch/slug`` modulo 5 is 0, so it repeats on every machine."""
    digest = hashlib.sha256(f"{batch}/{slug}".encode("utf-8", "surrogatepass")).hexdigest()
    return int(digest, 16) % SAMPLE_OF == 0


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a cross-check is due, with every reason that makes it so."""

    reasons: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.reasons)


def due(
    rule: ModeRule, total: int | None, rights: int | None, *, slug: str, batch: str | None, batch_first: bool
) -> Due:
    """Is a cross-check due? For a batch's first pack, a total inside the boundary, F7 <= 2, and the 20% sample.

    ``total`` and ``rights`` are the primary verifier's (None: not scored, which makes nothing due by itself). Without a
    batch the sample is not drawn.
    """
    if not rule.axes:
        return Due(())
    reasons = []
    if batch_first:
        reasons.append("the first pack of its batch")
    if total is not None and rule.inside_boundary(total):
        reasons.append(f"total {total} inside the boundary {rule.boundary[0]}–{rule.boundary[1]}")
    if rights is not None and rights <= RIGHTS_SUSPECT:
        reasons.append(f"F7 is {rights}")
    if batch is not None and in_sample(batch, slug):
        reasons.append("in the 20% sample")
    return Due(tuple(reasons))
