"""Statistics against hand-worked values, scipy and scikit-learn."""

from __future__ import annotations

import math
import random
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics as reference

from core.stats import (
    Confusion,
    Interval,
    agreement,
    f1,
    kappa,
    proportion,
    reviews_to_settle,
    separation,
    sweep,
    wilson,
    z_value,
)


def test_wilson_of_the_worked_values() -> None:
    """Recall 8/10 is 0.4902–0.9433 and 11 of 20 is 34.2–74.2% (suggestions contract, Worked values)."""
    recall, bucket = wilson(8, 10), wilson(11, 20)
    assert recall is not None
    assert bucket is not None
    assert (round(recall.low, 4), round(recall.high, 4)) == (0.4902, 0.9433)
    assert (round(bucket.low, 3), round(bucket.high, 3)) == (0.342, 0.742)


def test_wilson_by_hand_for_one_of_one() -> None:
    """p = 1, n = 1: the low end is 1/(1+z²) = 1/4.8415 = 0.2065, the high end is 1."""
    interval = wilson(1, 1)
    assert interval is not None
    assert interval.high == 1.0
    assert interval.low == pytest.approx(1 / (1 + 1.959964**2), abs=1e-6)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.8, 0.95]))
def test_wilson_is_scipys(pair: tuple[int, int], level: float) -> None:
    """The closed form and `binomtest(...).proportion_ci(method="wilson")` are one interval."""
    k, n = pair
    ours = wilson(k, n, level)
    theirs = binomtest(k, n).proportion_ci(level, method="wilson")
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert 0.0 <= ours.low <= k / n <= ours.high <= 1.0


def test_nothing_of_nothing_is_undefined() -> None:
    """0 of 0 has no value and no interval: neither 0 nor 1."""
    assert wilson(0, 0) is None
    assert proportion(0, 0).value is None


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_what_is_no_proportion_is_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        wilson(k, n)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95.0])
def test_a_level_outside_0_to_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="confidence level"):
        z_value(level)


def test_the_worked_table() -> None:
    """TP 8, FP 3, TN 7, FN 2: accuracy 15/20, precision 8/11, recall 8/10, specificity 7/10, F1 16/21, κ 0.5.

    Chance agreement is (10·11 + 10·9)/400 = 0.5, so κ = (0.75 − 0.5)/0.5 = 0.5.
    """
    figures = agreement(Confusion(tp=8, fp=3, tn=7, fn=2))
    assert figures.accuracy.value == 0.75
    assert figures.precision.value == pytest.approx(0.7273, abs=5e-5)
    assert figures.recall.value == 0.8
    assert figures.specificity.value == 0.7
    assert figures.f1.value == pytest.approx(16 / 21)
    assert figures.kappa.value == pytest.approx(0.5)
    assert (figures.precision.k, figures.precision.n) == (8, 11)


def test_no_entry_passes() -> None:
    """Precision is undefined, recall is a true 0, F1 is 0 (suggestions contract, Worked values)."""
    figures = agreement(Confusion(tp=0, fp=0, tn=10, fn=10))
    assert figures.precision.value is None
    assert figures.precision.interval is None
    assert figures.recall.value == 0.0
    assert figures.f1.value == 0.0


def test_an_empty_table_has_no_figures() -> None:
    figures = agreement(Confusion(0, 0, 0, 0))
    for name in ("accuracy", "precision", "recall", "specificity", "f1", "kappa"):
        assert getattr(figures, name).value is None, name
        assert getattr(figures, name).interval is None, name


def test_kappa_where_chance_agreement_is_1() -> None:
    """Everything accepted and everything passed: agreement says nothing, κ is undefined."""
    assert kappa(Confusion(tp=5, fp=0, tn=0, fn=0)).value is None
    assert kappa(Confusion(tp=0, fp=0, tn=0, fn=5)).value == 0.0


_COUNTS = st.integers(0, 60)


@given(_COUNTS, _COUNTS, _COUNTS, _COUNTS)
def test_every_interval_holds_its_value(tp: int, fp: int, tn: int, fn: int) -> None:
    figures = agreement(Confusion(tp, fp, tn, fn))
    for name in ("accuracy", "precision", "recall", "specificity", "f1", "kappa"):
        estimate = getattr(figures, name)
        assert (estimate.value is None) == (estimate.interval is None)
        if estimate.value is not None:
            assert estimate.interval.low - 1e-12 <= estimate.value <= estimate.interval.high + 1e-12


def test_figures_equal_scikit_learns_on_1000_random_tables() -> None:
    """Accuracy, precision, recall, specificity, F1 and κ, undefined ones included."""
    draw = random.Random(0)
    undefined = 0
    for _ in range(1000):
        top = draw.choice([1, 2, 30])
        table = Confusion(*(draw.randint(0, top) for _ in range(4)))
        undefined += _compare(table)
    assert undefined > 50  # the small tables do reach the undefined cases


def _compare(table: Confusion) -> int:
    truth = [1] * table.tp + [0] * table.fp + [0] * table.tn + [1] * table.fn
    guess = [1] * table.tp + [1] * table.fp + [0] * table.tn + [0] * table.fn
    if not truth:
        return 1
    nan = float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns where we say undefined
        expected = {
            "accuracy": reference.accuracy_score(truth, guess),
            "precision": reference.precision_score(truth, guess, zero_division=nan),
            "recall": reference.recall_score(truth, guess, zero_division=nan),
            "specificity": reference.recall_score(truth, guess, pos_label=0, zero_division=nan),
            "f1": reference.f1_score(truth, guess, zero_division=nan),
            "kappa": reference.cohen_kappa_score(truth, guess, labels=[0, 1]),
        }
    figures = agreement(table)
    missing = 0
    for name, value in expected.items():
        ours = getattr(figures, name).value
        if math.isnan(value):
            assert ours is None, (name, table)
            missing += 1
        else:
            assert ours == pytest.approx(value, abs=1e-12), (name, table)
    return missing


def test_sweep_counts_each_threshold() -> None:
    """Positives with totals 4, 6, 6 and a vetoed one; negatives with totals 1, 4."""
    tables = sweep(passed=[0, 0, 0, 0, 1, 0, 2], failed=[0, 1, 0, 0, 1, 0, 0], never=(1, 0))
    assert tables[0] == Confusion(tp=3, fp=2, tn=0, fn=1)
    assert tables[4] == Confusion(tp=3, fp=1, tn=1, fn=1)
    assert tables[5] == Confusion(tp=2, fp=0, tn=2, fn=2)
    with pytest.raises(ValueError, match="same totals"):
        sweep([1], [1, 2])


@given(st.lists(_COUNTS, min_size=7, max_size=7), st.lists(_COUNTS, min_size=7, max_size=7), _COUNTS, _COUNTS)
def test_sweep_is_a_count_at_every_threshold(good: list[int], bad: list[int], veto_good: int, veto_bad: int) -> None:
    tables = sweep(good, bad, (veto_good, veto_bad))
    for threshold, table in enumerate(tables):
        assert table.tp == sum(good[threshold:])
        assert table.fp == sum(bad[threshold:])
        assert table.fn == sum(good[:threshold]) + veto_good
        assert table.tn == sum(bad[:threshold]) + veto_bad


def test_separation_by_hand() -> None:
    """Accepts at 2, 2, 1 and rejects at 0, 1: wins 5 of 6, one tie: (5 + 0.5)/6."""
    assert separation([0, 1, 2], [1, 1, 0]).value == pytest.approx(5.5 / 6)
    assert separation([3, 3, 3], [3, 3, 3]).value == 0.5
    assert separation([0, 0, 0], [1, 1, 1]).value is None
    with pytest.raises(ValueError, match="same values"):
        separation([1], [1, 2])


def test_perfect_separation_of_few_is_not_certain() -> None:
    """Five against five, all apart: 1.0, but the interval reaches well below it; mirrored, well above 0."""
    perfect, inverted = separation([0, 0, 5], [5, 0, 0]), separation([5, 0, 0], [0, 0, 5])
    assert perfect.value == 1.0
    assert perfect.interval is not None
    assert 0.4 < perfect.interval.low < 0.8
    assert perfect.interval.high == 1.0
    assert inverted.interval is not None
    assert 0.2 < inverted.interval.high < 0.6
    assert inverted.interval.low == 0.0


@given(st.lists(_COUNTS, min_size=3, max_size=3), st.lists(_COUNTS, min_size=3, max_size=3))
def test_separation_is_scikit_learns_auc(good: list[int], bad: list[int]) -> None:
    ours = separation(good, bad)
    if not sum(good) or not sum(bad):
        assert ours.value is None
        return
    values = [value for counts in (good, bad) for value, count in enumerate(counts) for _ in range(count)]
    truth = [1] * sum(good) + [0] * sum(bad)
    assert ours.value == pytest.approx(reference.roc_auc_score(truth, values), abs=1e-12)
    assert ours.interval is not None
    assert ours.value is not None
    assert ours.interval.low <= ours.value <= ours.interval.high


def test_how_many_reviews_settle_it() -> None:
    """11 of 20 against 60%: 3.8415·0.24/0.05² = 368.8, so 369 in all and 349 more."""
    assert reviews_to_settle(11, 20, 0.6) == 349
    assert reviews_to_settle(5, 30, 0.6) == 0  # settled: the interval ends below
    assert reviews_to_settle(6, 10, 0.6) is None  # the rate is the limit: more of the same never settles it
    assert reviews_to_settle(0, 0, 0.6) is None


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_number_that_settles_is_the_smallest(pair: tuple[int, int]) -> None:
    """Scaled to the rate k/n, the interval at the answer excludes 0.6 and one review fewer does not."""
    k, n = pair
    more = reviews_to_settle(k, n, 0.6)
    if not more:
        return
    z, rate = z_value(0.95), k / n

    def excluded(total: int) -> bool:
        return abs(rate - 0.6) > z * math.sqrt(0.6 * 0.4 / total)

    assert excluded(n + more)
    assert not excluded(n + more - 1) or more == 1


def test_an_interval_holds_its_ends() -> None:
    assert Interval(0.2, 0.6).contains(0.2)
    assert Interval(0.2, 0.6).contains(0.6)
    assert not Interval(0.2, 0.6).contains(0.61)


def test_f1_rests_on_what_it_uses() -> None:
    """TN do not enter: n is TP + FP + FN."""
    assert f1(Confusion(8, 3, 1000, 2)).n == 13
