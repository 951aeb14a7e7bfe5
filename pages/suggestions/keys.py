"""The session keys of this page and what the keyboard does on it."""

from __future__ import annotations

import hashlib
from typing import Literal

from core.suggestions.entries import Kind
from pages.shared import state
from pages.shared.place import Place

KINDS: tuple[Kind, ...] = ("pending", "reviewed", "filtered")
SIZE = 12

HELP = {"a": "accept", "r": "reject", "c": "comment", "x": "select several"}

Tab = Literal["pending", "reviewed", "filtered", "proposals"]
TABS: tuple[Tab, ...] = (*KINDS, "proposals")

TAB: state.Key[Tab] = state.Key("suggestions", "tab", lambda: "pending")
SELECTING: state.Key[bool] = state.Key("suggestions", "selecting", lambda: False)
TICKED: state.Key[list[str]] = state.Key("suggestions", "ticked", list)
BULK_COMMENT: state.Key[str] = state.Key("suggestions", "bulk_comment", str)
ONLY: state.Key[str | None] = state.Key("suggestions", "only", lambda: None)

TOPIC: state.Key[str] = state.Key("suggestions", "topic", str)
TOPIC_PAGE: state.Key[int] = state.Key("suggestions", "topic_page", lambda: 1)
TAKE_OUT: state.Key[str | None] = state.Key("suggestions", "take_out", lambda: None)

GRADING = "grading"
#: Counts the gradings that were started: each gets a form of its own, closed and empty.
FORM: state.Key[int] = state.Key("suggestions", "form", lambda: 0)


def form(field: str) -> str:
    """The key of a field of the grading form."""
    return f"grade_{field}_{FORM.get()}"


def judge() -> state.Key[str]:
    """The judge that is chosen in the grading form."""
    return state.Key("suggestions", f"judge_{FORM.get()}", str)


def place(kind: Kind) -> state.Key[Place]:
    """The item in work on one tab."""
    return state.Key("suggestions", f"place_{kind}", Place)


def drawn(kind: Kind) -> state.Key[str]:
    """The id that was in work when the tab was last drawn."""
    return state.Key("suggestions", f"drawn_{kind}", str)


def number(kind: Kind) -> state.Key[int]:
    """The page of the list, from 1."""
    return state.Key("suggestions", f"number_{kind}", lambda: 1)


def search(kind: Kind) -> state.Key[str]:
    """The words in the search field."""
    return state.Key("suggestions", f"search_{kind}", str)


def comment(entry_id: str) -> state.Key[str]:
    """The comment field of one suggestion: its own, so that no comment lands on another."""
    return state.Key("suggestions", f"comment_{entry_id}", str)


def bullet(topic: str) -> state.Key[str]:
    """The bullet as the reviewer edits it: one field for each topic."""
    return state.Key("suggestions", f"bullet_{hashlib.sha256(topic.encode()).hexdigest()[:10]}", str)
