"""The one table of verdict words: what colour and icon each has (never colour alone; contrast >= 4.5:1, see look.css).

A word that is not in the table is shown in grey with a question mark: an unknown never looks like a pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Colour = Literal["green", "red", "orange", "violet", "gray", "blue", "outline"]

#: The palette in light and dark: (text, tint, mark). The same values stand in .streamlit/config.toml and look.css.
PALETTE: dict[str, dict[Colour, tuple[str, str, str]]] = {
    "light": {
        "green": ("#0f6b3e", "#e6f4ec", "#1d8a52"),
        "red": ("#a3231b", "#fbeae8", "#c0392b"),
        "orange": ("#7a4f00", "#fbf1dc", "#b7791f"),
        "violet": ("#5b34a3", "#f0eafa", "#7a52c7"),
        "gray": ("#4d5864", "#edf0f3", "#7b8794"),
        "blue": ("#1d5c8f", "#e8f1f7", "#2a6f97"),
        "outline": ("#8a1c15", "#ffffff", "#8a1c15"),
    },
    "dark": {
        "green": ("#6fd3a0", "#12301f", "#3fae78"),
        "red": ("#f19a92", "#3a1917", "#e0665b"),
        "orange": ("#e9bf6a", "#33270c", "#d9a441"),
        "violet": ("#c0a6f2", "#2a1d44", "#9a7be0"),
        "gray": ("#a8b3bf", "#232a31", "#8a95a1"),
        "blue": ("#8cc4f0", "#15293a", "#5aa7e0"),
        "outline": ("#f19a92", "#11161b", "#e0665b"),
    },
}


@dataclass(frozen=True, slots=True)
class Look:
    """How a word is shown: ``icon`` is a Material Symbols name."""

    colour: Colour
    icon: str


_GROUPS: list[tuple[Colour, str, str]] = [
    ("green", "check_circle", "pass PASS accept accepted proven clear fresh resolved served published ok"),
    ("red", "cancel", "fail FAIL reject rejected hard_veto overclaim reverted blocking invalid"),
    (
        "orange",
        "warning",
        "unverified needs_review PARTIAL partial stale ambiguity below_threshold plateau cap undecided attention "
        "inconsistent drift node_frozen judge_undersampled threshold_advice generator_drift eval_stale receipt_stale",
    ),
    (
        "violet",
        "front_hand",
        "needs_human escalated loop_escalated blocklist_proposal claimed repair_requested",
    ),
    (
        "gray",
        "remove_circle",
        "not_applicable not_captured awaiting_judge unscored ungraded legacy snoozed closed notice n/a baseline",
    ),
    ("outline", "error", "env_error PROBE_ERROR eval_error unreadable suggestion_unreadable ERROR error"),
    ("blue", "info", "pending open judged info running frozen"),
]
_TABLE: dict[str, Look] = {word: Look(colour, icon) for colour, icon, words in _GROUPS for word in words.split()}
_UNKNOWN = Look("gray", "help")


def look(word: str) -> Look:
    """Colour and icon of a verdict word (spaces count as underscores); grey with a question mark when unknown."""
    return _TABLE.get(word) or _TABLE.get(word.strip().replace(" ", "_")) or _UNKNOWN


def words() -> dict[str, Look]:
    """The whole table, for the help dialog and the tests."""
    return dict(_TABLE)


def score_colour(total: int | None, threshold: int = 4) -> Colour:
    """Colour of a rubric total out of 6: green for 6, blue from the threshold, orange below, grey for none."""
    if total is None:
        return "gray"
    if total >= 6:
        return "green"
    return "blue" if total >= threshold else "orange"
