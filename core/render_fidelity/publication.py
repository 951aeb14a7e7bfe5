"""Publication: ``diversity_pass AND fidelity_pass``, two lamps and never one sum (render-fidelity contract, Verdict).

Pure. A stored status is never trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.render_fidelity.rubric import Verdict, mode_of
from core.render_fidelity.verdict import Stated, read_word

Status = Literal["pass", "reject", "needs_review"]


def gate(qa: object, name: str) -> Stated:
    """The verdict word that ``qa`` holds for a gate; needs_review where there is none."""
    block = qa.get(name) if isinstance(qa, Mapping) else None
    return read_word(block.get("verdict") if isinstance(block, Mapping) else block)


@dataclass(frozen=True, slots=True)
class Lamps:
    """Two lamps. ``fidelity`` is the computed verdict; ``stated_fidelity`` what ``qa`` says of it."""

    diversity: Verdict
    fidelity: Verdict
    stated_fidelity: Verdict

    @property
    def published(self) -> bool:
        """True when diversity passed and fidelity passed, or is not scored in this mode. Neither offsets the other."""
        return self.diversity == "pass" and self.fidelity in ("pass", "not_applicable")


def lamps(meta: Mapping[str, Any], fidelity: Verdict) -> Lamps:
    """The two lamps of a pack, from its ``qa`` and the computed fidelity verdict."""
    qa = meta.get("qa")
    return Lamps(gate(qa, "diversity").word or "needs_review", fidelity, gate(qa, "fidelity").word or "needs_review")


def derived_status(meta: Mapping[str, Any]) -> Status:
    """The status that a pack's gates add up to, whatever ``status`` says.

    Scored modes need fidelity, craft and diversity; ``style_synthesis`` needs craft and diversity only. Any required
    gate that rejects makes reject; anything short of pass makes needs_review.
    """
    mode = mode_of(meta.get("reference_mode"))
    if mode is None:
        return "needs_review"
    names = ("craft", "diversity") if mode == "style_synthesis" else ("fidelity", "craft", "diversity")
    words = [gate(meta.get("qa"), name).word for name in names]
    if "reject" in words:
        return "reject"
    return "pass" if all(word == "pass" for word in words) else "needs_review"


def fidelity_word(meta: Mapping[str, Any]) -> Verdict:
    """What ``qa`` says of fidelity, corrected by the mode: a synthesis is ``not_applicable`` whatever is written."""
    if mode_of(meta.get("reference_mode")) == "style_synthesis":
        return "not_applicable"
    return gate(meta.get("qa"), "fidelity").word or "needs_review"
