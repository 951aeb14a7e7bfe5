"""Case A-19 for the grader: a workspace as it is shipped is graded without a word of its template."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.decisions import open_log
from core.suggestions import store
from core.suggestions.entries import parse
from core.suggestions.grade import grade
from core.suggestions.maintain import maintain
from core.workspace import Workspace
from tests.core.suggestions.judging import ByTitle

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
_NEW = """### 2026-11-30 | Mail | Example vague phrases
- 📋 建議：Collect example vague phrases that should be auto-rejected from suggestions
"""


@pytest.fixture
def place(cases: Path, tmp_path: Path) -> Workspace:
    shutil.copytree(cases / "A-19-empty-and-placeholder-files", tmp_path / "data")
    store.forget()
    return Workspace.open(tmp_path)


def test_placeholders_are_neither_patterns_nor_goals(place: Workspace) -> None:
    judge = ByTitle(lambda _: (2, 2, 0))
    done = grade(place, open_log(place), parse(_NEW.encode(), "new.md"), lambda: judge, now=NOW)
    assert done.results[0].outcome == "passed"
    request = judge.asked[0]
    assert request.untrusted["goals"] == request.untrusted["preferences"] == "(none set)"
    assert "No goals are set: goal_relevance is 0" in request.instructions
    assert "Add your goals here" not in request.instructions


def test_the_filtered_file_is_made_with_its_heading_on_the_first_write(place: Workspace) -> None:
    assert not place.suggestions.filtered.exists()
    maintain(place, open_log(place), NOW)
    assert not place.suggestions.filtered.exists()
    grade(place, open_log(place), parse(_NEW.encode(), "new.md"), lambda: ByTitle(lambda _: (0, 0, 0)), now=NOW)
    assert place.suggestions.filtered.read_text("utf-8").startswith("# 🚫 Filtered Suggestions\n\n---\n\n### ")


def test_nothing_reviewed_is_nothing_to_calibrate_or_propose(place: Workspace) -> None:
    found = maintain(place, open_log(place), NOW)
    assert found.calibration.message == "📊 Rubric calibration: 0/30 — collecting more data."
    assert (found.proposals, found.months) == ((), ())
