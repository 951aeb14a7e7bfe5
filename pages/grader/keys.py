"""The session keys of the grader."""

from __future__ import annotations

from typing import Literal

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
#: Counts the backtests that were started: each gets a form of its own, closed and with its defaults.
FORM: state.Key[int] = state.Key("grader", "form", lambda: 0)


def form(field: str) -> str:
    """The key of a field of the form for a new backtest."""
    return f"backtest_{field}_{FORM.get()}"


def judge() -> state.Key[str]:
    """The judge that is chosen in the form."""
    return state.Key("grader", f"judge_{FORM.get()}", str)
