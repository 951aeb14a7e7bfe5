"""The session keys of this page and what the keyboard does on it."""

from __future__ import annotations

from pages.shared import state

SIZE = 12

HELP = {
    "h": "earlier iteration", "l": "later iteration", "a": "accept as it stands", "c": "write instructions",
    "s": "send back with them", "w": "waive the chosen residue",
}  # fmt: skip

RUN: state.Key[str] = state.Key("report_loop", "run", str)
ITERATION: state.Key[int | None] = state.Key("report_loop", "iteration", lambda: None)
NUMBER: state.Key[int] = state.Key("report_loop", "number", lambda: 1)
DRAWN: state.Key[str] = state.Key("report_loop", "drawn", str)
SEARCH: state.Key[str] = state.Key("report_loop", "search", str)
SETTLED: state.Key[bool] = state.Key("report_loop", "settled", lambda: False)
EDITS_FIRST: state.Key[str] = state.Key("report_loop", "edits_first", str)
LAST: state.Key[list[int]] = state.Key("report_loop", "last", list)


def note(run: str) -> state.Key[str]:
    """The instructions written for one run: its own, so that none lands on another."""
    return state.Key("report_loop", f"note_{run}", str)


def waive(run: str) -> state.Key[list[str]]:
    """The residue chosen to be waived in one run."""
    return state.Key("report_loop", f"waive_{run}", list)


def edit(run: str) -> state.Key[str]:
    """The edit of one run's report that is being classified."""
    return state.Key("report_loop", f"edit_{run}", str)


def step(run: str) -> state.Key[int | None]:
    """The control that chooses an iteration of one run."""
    return state.Key("report_loop", f"step_{run}", lambda: None)
