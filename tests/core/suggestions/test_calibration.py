"""Calibration: who counts, what the buckets support, drift by month."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.stats import proportion, wilson
from core.suggestions.calibration import advise, by_month, calibrate
from tests.core.suggestions.making import NOW, entry, suggestions

_SCORES = {3: (1, 1, 1), 4: (2, 1, 1), 5: (2, 1, 2), 6: (2, 2, 2)}


def _reviews(counts: dict[tuple[int, str], int]) -> list[str]:
    return [
        entry(f"{total}-{decision}-{number}", decision=decision, score=_SCORES[total])
        for (total, decision), how_many in counts.items()
        for number in range(how_many)
    ]


def test_the_worked_bucket() -> None:
    """11 of 20 in bucket 4: below 60%, and 20 reviews cannot exclude 60% (suggestions contract, Worked values)."""
    found = calibrate(suggestions("reviewed", *_reviews({(4, "accept"): 11, (4, "reject"): 9, (6, "accept"): 10})))
    bucket = found.buckets[4]
    assert bucket.interval is not None
    assert (round(bucket.interval.low, 3), round(bucket.interval.high, 3)) == (0.342, 0.742)
    assert found.advice is not None
    assert found.advice.text == (
        "raise to 5: 55% is below 60%, though 20 reviews cannot exclude 60%; "
        "349 more reviews at this rate would settle it"
    )
    assert (found.advice.threshold, found.advice.supported, found.advice.more_reviews) == (5, False, 349)


def test_an_interval_that_excludes_60_supports_the_advice() -> None:
    """5 of 30: interval 7.3–33.6%, so the advice stands on its own."""
    advice = advise(proportion(5, 30))
    assert (advice.threshold, advice.supported, advice.more_reviews) == (5, True, 0)
    assert advice.text == "raise to 5: 16.7% is below 60%, and 30 reviews exclude 60% (interval 7.3–33.6%)"


@pytest.mark.parametrize(
    ("k", "n", "said"),
    [
        (6, 10, "keep the threshold at 4: 60% of 10 reviews in bucket 4 is not below 60%; at exactly this rate no"),
        (28, 30, "keep the threshold at 4: 93.3% of 30 reviews in bucket 4 is not below 60%"),
        (7, 10, "keep the threshold at 4: 70% of 10 reviews in bucket 4 is not below 60%; 83 more reviews"),
        (0, 1, "raise to 5: 0% is below 60%, though 1 review cannot exclude 60%; 2 more reviews"),
        (0, 0, "no recommendation: no reviewed entry scored 4"),
    ],
)
def test_what_a_bucket_supports(k: int, n: int, said: str) -> None:
    assert advise(proportion(k, n)).text.startswith(said)


@pytest.mark.parametrize(
    ("in_force", "k", "threshold", "said"),
    [
        (3, 5, 5, "raise to 5: 16.7% is below 60%, and 30 reviews exclude 60%"),
        (5, 5, None, "the threshold is 5 already: 16.7% is below 60%, and 30 reviews exclude 60%"),
        (6, 17, None, "the threshold is 6 already: 56.7% is below 60%, though 30 reviews cannot exclude 60%"),
        (6, 28, None, "no reason to raise it again: 93.3% of 30 reviews in bucket 4 is not below 60%"),
        (3, 28, None, "keep the threshold at 3: 93.3% of 30 reviews in bucket 4 is not below 60%"),
    ],
)
def test_what_is_in_force_is_not_recommended(in_force: int, k: int, threshold: int | None, said: str) -> None:
    """5/30 = 16.7%, 17/30 = 56.7%, 28/30 = 93.3%."""
    advice = advise(proportion(k, 30), in_force)
    assert (advice.threshold, advice.text.startswith(said)) == (threshold, True), advice.text


def test_what_is_printed_is_what_is_compared() -> None:
    """2,999 of 5,000 is 59.98%, printed as 60.0%, so it is not below 60%."""
    assert advise(proportion(2999, 5000)).threshold is None
    assert advise(proportion(2997, 5000)).threshold == 5


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_supported_means_the_interval_lies_on_one_side(pair: tuple[int, int]) -> None:
    advice, interval = advise(proportion(*pair)), wilson(*pair)
    assert interval is not None
    inside = round(interval.low * 100, 1) <= 60 <= round(interval.high * 100, 1)
    assert advice.supported is not inside
    assert (advice.more_reviews == 0) is advice.supported


def test_who_counts() -> None:
    """Legacy, unscored, out-of-range and undecided entries are in no rate; a copy counts once, the last word wins."""
    scored = [entry(f"s{number}", decision="accept", score=(2, 2, 2)) for number in range(29)]
    others = [
        entry("legacy", decision="accept", legacy=True),
        entry("bare", decision="reject"),
        entry("both marks", decision="✅ Accept ❌ Reject", score=(2, 2, 2)),
        entry("s0", decision="accept", score=(2, 2, 2)),
        entry("range", decision="accept").replace("- 🏷️ 技術\n", "- 🏷️ 技術 | 📊 9/10 (A:3 P:3 G:3)\n"),
    ]
    found = calibrate(suggestions("reviewed", *scored, *others))
    assert found.n == 29
    assert found.undecided == 1
    assert found.message == "📊 Rubric calibration: 29/30 — collecting more data."
    again = [*scored, entry("x", decision="accept", score=(2, 1, 1)), entry("x", decision="reject", score=(2, 1, 1),
             at="2026-06-01T00:00:00Z")]  # fmt: skip
    found = calibrate(suggestions("reviewed", *again))
    assert (found.n, found.buckets[4].k, found.buckets[4].n) == (30, 0, 1)


def test_nothing_reviewed() -> None:
    found = calibrate([])
    assert (found.n, found.enough, found.message) == (0, False, "📊 Rubric calibration: 0/30 — collecting more data.")
    assert by_month([], NOW) == []


def test_a_lower_bucket_is_shown_too() -> None:
    """An entry that a person brought back from the filter, or from a time with another threshold."""
    found = calibrate(suggestions("reviewed", *_reviews({(3, "accept"): 2, (6, "accept"): 28})))
    assert found.buckets[3].n == 2
    assert found.buckets[5].value is None
    assert "bucket 5: n/a of 0" in found.message


def test_drift_by_month() -> None:
    reviews = [
        entry("a", decision="accept", score=(2, 2, 2), at="2026-04-30T23:00:00-02:00"),
        entry("b", decision="reject", score=(2, 1, 1), at="2026-05-02T10:00:00+08:00"),
        entry("c", decision="accept", at="2026-06-02T10:00:00+08:00"),
        entry("d", decision="accept").replace("2026-05-10T10:00:00+08:00", "soon"),
        entry("e", decision="accept", at="2099-05-02T10:00:00+08:00"),
    ]
    months = by_month(suggestions("reviewed", *reviews), NOW)
    assert [(one.month, one.accepted.k, one.accepted.n, one.scored, one.mean_total) for one in months] == [
        ("2026-05", 1, 2, 2, 5.0),
        ("2026-06", 1, 1, 0, None),
    ]
