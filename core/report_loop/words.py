"""The closed sets of words of the report-loop contract, letter for letter."""

from __future__ import annotations

from typing import Final, Literal, TypedDict

Dimension = Literal["accurate", "dynamic", "inclusive", "polished"]
DIMENSIONS: Final[tuple[Dimension, ...]] = ("accurate", "dynamic", "inclusive", "polished")
JUDGED: Final[tuple[Dimension, ...]] = ("dynamic", "inclusive", "polished")

LEGS: Final = ("V1", "V2", "V3", "V4", "V5", "V6", "period-coherence")
LEG_CHECKS: Final[dict[str, str]] = {
    "V1": "value accuracy",
    "V2": "frozen-complement diff",
    "V3": "re-inference isomorphism",
    "V4": "taint egress",
    "V5": "render referee",
    "V6": "manifest coverage",
    "period-coherence": "one period everywhere",
}

Verdict = Literal["pass", "fail", "not_captured", "PARTIAL", "PROBE_ERROR", "disabled"]
#: Best to worst. Where one leg stands twice the later word of the two counts (contract, The receipt).
VERDICTS: Final[tuple[Verdict, ...]] = ("pass", "PARTIAL", "not_captured", "disabled", "PROBE_ERROR", "fail")
#: What makes the gate FAIL on a blocking leg, and Accurate `fail` on any leg.
BROKEN: Final[frozenset[str]] = frozenset({"fail", "PROBE_ERROR", "disabled"})

Gate = Literal["PASS", "PARTIAL", "FAIL"]
GATES: Final[tuple[Gate, ...]] = ("FAIL", "PARTIAL", "PASS")

Status = Literal["pass", "fail", "unverified"]

DEFAULT_BAR: Final = 0.85
JUDGED_SAMPLE_N: Final = 3
ITERATION_CAP: Final = 6
PLATEAU_PATIENCE: Final = 2
NODE_EDIT_BUDGET: Final = 2

STATUS_PASS: Final = "PASS"
STATUS_CAP: Final = "cap"
STATUS_PLATEAU: Final = "plateau"
ROUTE: Final = "architect"


class DimensionResult(TypedDict):
    """What `score_all` says about one dimension; exactly the contract's keys.

    ``status`` is None while the anchor is green and nobody has judged yet; ``judged_score`` lies in [0, 1]; ``bar`` is
    None for accurate, which has no number.
    """

    dimension: str
    status: Status | None
    anchor_pass: bool
    judged_score: float | None
    judged_stub: bool
    bar: float | None
    reason: str


Scores = dict[str, DimensionResult]
