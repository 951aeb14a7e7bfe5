"""Case A-13: the gate at exactly 30 scored reviews, and a bucket at exactly 60%."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.suggestions.calibration import Calibration, calibrate
from core.suggestions.entries import parse
from core.suggestions.queue import counts, distinct

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def folder(cases: Path) -> Path:
    return cases / "A-13-calibration-30-and-60-percent"


def _calibrate(path: Path) -> Calibration:
    return calibrate(distinct(parse(path.read_bytes(), path.name, "reviewed"), NOW))


def test_thirty_scores_open_the_gate_and_sixty_percent_is_not_under_sixty(folder: Path) -> None:
    found = _calibrate(folder / "suggestions_reviewed.md")
    assert found.n == 30
    assert {total: (one.k, one.n) for total, one in found.buckets.items()} == {4: (6, 10), 5: (9, 12), 6: (8, 8)}
    assert found.advice is not None
    assert found.advice.threshold is None
    assert "raise" not in found.advice.text
    assert found.advice.text.startswith("keep the threshold at 4: 60% of 10 reviews")
    assert found.advice.more_reviews is None


def test_all_34_are_counted_and_a_score_in_a_comment_is_none(folder: Path) -> None:
    raw = (folder / "suggestions_reviewed.md").read_bytes()
    decided = distinct(parse(raw, "reviewed", "reviewed"), NOW)
    assert counts(decided) == {"accept": 24, "reject": 10}
    assert "📊 5/6".encode() in raw
    assert sum(one.entry.score is not None for one in decided) == 30


def test_twenty_nine_are_one_line_and_no_advice(folder: Path) -> None:
    found = _calibrate(folder / "suggestions_reviewed_29.md")
    assert found.message == "📊 Rubric calibration: 29/30 — collecting more data."
    assert found.advice is None
    assert found.buckets == {}
