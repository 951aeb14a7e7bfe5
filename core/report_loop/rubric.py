"""The rules of the report loop under the contract's names: pure functions, no I/O, no model, no clock.

`dimensions` holds the scoring, `ratchet` what is accepted, `stop` when the loop ends (report-loop contract).
"""

from __future__ import annotations

from core.report_loop.dimensions import (
    dimension_score,
    judged_median,
    judged_sample_insufficient,
    passes_bar,
    score_accurate,
    score_all,
    score_dynamic,
    score_inclusive,
    score_polished,
)
from core.report_loop.ratchet import accept_revision, node_edit_budget_exceeded
from core.report_loop.stop import terminate
from core.report_loop.words import (
    DEFAULT_BAR,
    DIMENSIONS,
    ITERATION_CAP,
    JUDGED_SAMPLE_N,
    NODE_EDIT_BUDGET,
    PLATEAU_PATIENCE,
    STATUS_CAP,
    STATUS_PASS,
    STATUS_PLATEAU,
)

__all__ = [
    "DEFAULT_BAR",
    "DIMENSIONS",
    "ITERATION_CAP",
    "JUDGED_SAMPLE_N",
    "NODE_EDIT_BUDGET",
    "PLATEAU_PATIENCE",
    "STATUS_CAP",
    "STATUS_PASS",
    "STATUS_PLATEAU",
    "accept_revision",
    "dimension_score",
    "judged_median",
    "judged_sample_insufficient",
    "node_edit_budget_exceeded",
    "passes_bar",
    "score_accurate",
    "score_all",
    "score_dynamic",
    "score_inclusive",
    "score_polished",
    "terminate",
]
