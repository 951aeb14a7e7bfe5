"""The rubric's words for each value, and a reviewer's pace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from core.suggestions.anchors import read_anchors
from core.suggestions.pace import Pace, pace
from core.suggestions.scoring import DEFAULT_ANCHORS


def test_default_anchors_are_read_whole():
    anchors = read_anchors(DEFAULT_ANCHORS)
    assert {dimension: dict(values) for dimension, values in anchors.items()} == {
        "A": {0: "vague or passive", 1: "an action and an object", 2: "also a scope or a time"},
        "P": {
            0: "a low-interest topic or a passive recommendation", 1: "neutral",
            2: "a high-interest topic and a preferred kind of action",
        },
        "G": {0: "no goal", 1: "indirect", 2: "directly advances a named goal"},
    }  # fmt: skip


def test_lists_and_tables_are_read():
    rubric = (
        "# Rubric\n\n## 1. Actionability (A)\n\n"
        "- **0**: nothing to do\n- **1**: something to do\n- **2**: and by when\n\n"
        "### Preference Alignment\n\n| value | meaning |\n|---|---|\n"
        "| 0 | dislikes it |\n| 1 | neutral |\n| 2 | likes it |\n\n"
        "## Goal Relevance\n0 – none\n1 – indirect\n2 – direct\n"
    )
    anchors = read_anchors(rubric)
    assert dict(anchors["A"]) == {0: "nothing to do", 1: "something to do", 2: "and by when"}
    assert dict(anchors["P"]) == {0: "dislikes it", 1: "neutral", 2: "likes it"}
    assert dict(anchors["G"]) == {0: "none", 1: "indirect", 2: "direct"}


def test_what_a_rubric_does_not_say_is_left_out():
    assert dict(read_anchors("Score well. Actionability matters most.")) == {}
    assert dict(read_anchors("")) == {}


def at(seconds: float) -> datetime:
    return datetime(2026, 11, 30, 9, 0, tzinfo=UTC) + timedelta(seconds=seconds)


def test_pace_is_the_median_gap():
    # gaps 4, 8, 30 s; the 20 minutes between are a break
    decided = [at(0), at(4), at(12), at(42), at(42 + 1200)]
    assert pace(reversed(decided)) == Pace(5, timedelta(seconds=8))


def test_what_is_decided_together_is_one_step():
    assert pace([at(0), at(0), at(0), at(6)]) == Pace(4, timedelta(seconds=6))


def test_no_two_in_a_row_have_no_pace():
    assert pace([]) == Pace(0, None)
    assert pace([at(0)]) == Pace(1, None)
    assert pace([at(0), at(301)]) == Pace(2, None)
