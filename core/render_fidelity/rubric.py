"""Modes, axes and the words of their scale, as values (render-fidelity contract, Modes and Axes)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Mode = Literal["exact_document", "official_system", "historical_canon", "style_synthesis"]
Axis = Literal["F1", "F2", "F3", "F4", "F5", "F6", "F7"]
Verdict = Literal["pass", "reject", "needs_review", "needs_human", "not_applicable"]

AXES: tuple[Axis, ...] = get_args(Axis)
MODES: tuple[Mode, ...] = get_args(Mode)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

HIGHEST = 4
FLOOR = 2
"""Every active axis has at least this."""
STRICT_FLOOR = 3
STRICT_AXES: frozenset[Axis] = frozenset({"F1", "F2", "F3", "F7"})
"""Every active one of these has at least `STRICT_FLOOR`."""
RIGHTS_SUSPECT = 2
"""F7 at or below this needs a person."""
MAPPING_PERCENT = 80
DELTA_LIMIT = 4
"""Two verifiers whose totals lie this far apart are never averaged."""
UNJUDGED: frozenset[str] = frozenset({"unreviewed", "unverifiable", "evidence_missing"})
"""Words that are never promoted to pass."""


@dataclass(frozen=True, slots=True)
class ModeRule:
    """What a mode asks: the active axes, the pass line, and the boundary (both ends inside)."""

    axes: tuple[Axis, ...]
    line: int
    boundary: tuple[int, int]

    @property
    def maximum(self) -> int:
        """The highest total: 4 an axis."""
        return HIGHEST * len(self.axes)

    def inside_boundary(self, total: int) -> bool:
        """True when the total is too near the pass line to be decided without a person."""
        return self.boundary[0] <= total <= self.boundary[1]


RULES: dict[Mode, ModeRule] = {
    "exact_document": ModeRule(AXES, 23, (22, 24)),
    "official_system": ModeRule(("F1", "F2", "F3", "F4", "F6", "F7"), 20, (19, 21)),
    "historical_canon": ModeRule(("F2", "F3", "F4", "F7"), 13, (12, 14)),
    "style_synthesis": ModeRule((), 0, (0, -1)),
}


@dataclass(frozen=True, slots=True)
class AxisText:
    """An axis in words: its short name, what it measures, and what 0, 2 and 4 mean."""

    name: str
    measures: str
    zero: str
    two: str
    four: str


AXIS_TEXTS: dict[Axis, AxisText] = {
    "F1": AxisText(
        "contract", "obligations of the transform contract met; mirror plan complete",
        "no mapping, or under 40%", "60–79%", "95% or more, every original page mapped or reasoned",
    ),
    "F2": AxisText(
        "signature", "must_preserve motifs reproduced",
        "most core motifs missing", "some reproduced", "95% or more, on all signature pages",
    ),
    "F3": AxisText(
        "evidence", "share of the render's main elements that the original shows (reverse check)",
        "invented elements dominate", "60–79% evidenced", "95% or more, no new major motif",
    ),
    "F4": AxisText(
        "grammar", "card anatomy, repetition, co-occurrence, placement",
        "a different system", "elements alike, rules unstable", "95% of the rules or more",
    ),
    "F5": AxisText(
        "hierarchy", "top-3 focal elements, reading order, relative area",
        "main focal absent or inverted", "only the dominant matches", "top-3 order, area within ±10%",
    ),
    "F6": AxisText(
        "semantics", "page role, chart type, values, units, order",
        "manipulated, invented, mistranslated", "several minor errors", "all correct",
    ),
    "F7": AxisText(
        "rights", "trademarks, logos, proprietary photos, icons and official copy substituted",
        "original assets copied", "brand similarity remains, a person must judge",
        "all substituted, only the role kept",
    ),
}  # fmt: skip

COMPONENT_COVERAGE = AxisText(
    "components", "component coverage of the official system (takes the place of the signature)",
    "most components missing", "some covered", "95% or more covered",
)  # fmt: skip

PERCENT_AXES: frozenset[Axis] = frozenset({"F1", "F2", "F3", "F4"})
"""Axes whose scale is a share, so that counts suggest a score."""


def axis_text(axis: Axis, mode: Mode) -> AxisText:
    """The words of an axis; F2 of ``official_system`` is component coverage."""
    return COMPONENT_COVERAGE if mode == "official_system" and axis == "F2" else AXIS_TEXTS[axis]


def suggest(met: int, of: int) -> int | None:
    """The score 0..4 that a share suggests: < 40% 0, 40–59% 1, 60–79% 2, 80–94% 3, >= 95% 4; None for 0 of 0.

    Computed in integers, so that 95 of 100 is 4. Raises ValueError for counts that cannot be.
    """
    if of < 0 or met < 0 or met > of:
        raise ValueError(f"{met} of {of} is no share")
    if of == 0:
        return None
    return sum(met * 100 >= bar * of for bar in (40, 60, 80, 95))


def mode_of(value: object) -> Mode | None:
    """The mode a text names, or None: a mode is spelt exactly or not at all."""
    return next((mode for mode in MODES if mode == value), None)
