"""The session keys of text fidelity, and its keyboard."""

from __future__ import annotations

import hashlib
from typing import Literal

from pages.shared import state

View = Literal["ledger", "freeze", "runs"]
VIEWS: dict[View, str] = {"ledger": "Ledger", "freeze": "Freeze", "runs": "All runs"}
WINDOWS: dict[str, int | None] = {"last 60": 60, "last 200": 200, "all": None}
HELP = {"j": "next run", "k": "previous run", "n": "next case", "p": "previous case", "d": "what changed, or the text"}

EVAL: state.Key[str] = state.Key("text_fidelity", "eval", str)
VIEW: state.Key[View] = state.Key("text_fidelity", "view", lambda: "ledger")
WINDOW: state.Key[str] = state.Key("text_fidelity", "window", lambda: "last 60")
RUN: state.Key[str] = state.Key("text_fidelity", "run", str)
CASE: state.Key[str] = state.Key("text_fidelity", "case", str)
DIFF: state.Key[bool] = state.Key("text_fidelity", "diff", lambda: True)
HOLD: state.Key[bool] = state.Key("text_fidelity", "hold", lambda: False)
BUDGET: state.Key[float | None] = state.Key("text_fidelity", "budget", lambda: 1.0)
COMMANDS_SEEN: state.Key[str] = state.Key("text_fidelity", "commands_seen", str)


def part(name: str) -> str:
    """A name from a file as part of a widget's key: any text there would not do (``__`` has a meaning)."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def job(label: str) -> str:
    """The name under which this eval's scoring runs."""
    return f"score {label}"
