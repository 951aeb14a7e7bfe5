"""The session keys of the inbox and what the keyboard does on it."""

from __future__ import annotations

from core.findings import System
from pages.shared import state
from pages.shared.place import Place

SIZE = 12

TABS: dict[str, str] = {
    "all": "All",
    "blocking": "Blocking",
    "report_loop": "Report loop",
    "suggestions": "Suggestions",
    "text_fidelity": "Text",
    "render_fidelity": "Render",
}
STATES = ("waiting", "mine", "snoozed", "resolved", "closed")
SYSTEMS: dict[System, str] = {
    "report_loop": "Report loop",
    "suggestions": "Suggestions",
    "text_fidelity": "Text fidelity",
    "render_fidelity": "Render fidelity",
}
HELP = {
    "a": "the first decision",
    "r": "the second decision",
    "w": "the third decision",
    "c": "write why",
    "e": "claim, or give back",
    "s": "snooze for a day",
    "o": "open it on its page",
}
DECIDE = ("a", "r", "w")
"""The keys of a kind's decisions, in their order."""

TAB: state.Key[str] = state.Key("triage", "tab", lambda: "all")
STATE: state.Key[str] = state.Key("triage", "state", lambda: "waiting")
KIND: state.Key[str | None] = state.Key("triage", "kind", lambda: None)
SEARCH: state.Key[str] = state.Key("triage", "search", str)
PLACE: state.Key[Place] = state.Key("triage", "place", Place)
NUMBER: state.Key[int] = state.Key("triage", "number", lambda: 1)
DRAWN: state.Key[str] = state.Key("triage", "drawn", str)
WANTED: state.Key[str] = state.Key("triage", "wanted", str)
GO: state.Key[str | None] = state.Key("triage", "go", lambda: None)


def note(finding_id: str) -> state.Key[str]:
    """The reason for one item: its own field, so that no reason lands on another."""
    return state.Key("triage", f"note_{finding_id}", str)


def topic(finding_id: str) -> state.Key[str]:
    """A proposal's topic as the reviewer edits it."""
    return state.Key("triage", f"topic_{finding_id}", str)


def residue(finding_id: str) -> state.Key[list[str]]:
    """The lines of the checklist that a waiver names."""
    return state.Key("triage", f"residue_{finding_id}", list)
