"""The session keys of the grader."""

from __future__ import annotations

from typing import Literal

from core.suggestions.backtest_run import DEFAULT_PER_SIDE
from pages.shared import state

View = Literal["backtest", "calibration", "compare"]
VIEWS: dict[View, str] = {"backtest": "Backtest", "calibration": "Calibration", "compare": "Compare runs"}
KIND = "backtest"

VIEW: state.Key[View] = state.Key("grader", "view", lambda: "backtest")
RUN: state.Key[str] = state.Key("grader", "run", str)
THRESHOLD: state.Key[int] = state.Key("grader", "threshold", lambda: 4)
ONLY: state.Key[str | None] = state.Key("grader", "only", lambda: None)
PICKED: state.Key[str] = state.Key("grader", "picked", str)
FIRST: state.Key[str] = state.Key("grader", "first", str)
SECOND: state.Key[str] = state.Key("grader", "second", str)
FIRST_LIMIT: state.Key[int] = state.Key("grader", "first_limit", lambda: 4)
SECOND_LIMIT: state.Key[int] = state.Key("grader", "second_limit", lambda: 4)
PER_SIDE: state.Key[int] = state.Key("grader", "per_side", lambda: DEFAULT_PER_SIDE)
SEED: state.Key[int] = state.Key("grader", "seed", lambda: 0)
MODEL: state.Key[str] = state.Key("grader", "model", str)
BUDGET: state.Key[float] = state.Key("grader", "budget", lambda: 1.0)
AFRESH: state.Key[bool] = state.Key("grader", "afresh", lambda: False)
