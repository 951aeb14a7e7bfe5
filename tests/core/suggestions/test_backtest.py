"""What a backtest says, from its rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.stats import Confusion, agreement
from core.suggestions.backtest import (
    Row,
    at_every_threshold,
    at_threshold,
    compare,
    dimensions,
    disagreements_first,
    recommendations,
    tally,
)

_NUMBER = iter(range(10**6))


def _row(actual: str, parts: tuple[int, int, int] | None = None, *, outcome: str = "", reason: str = "", one: str = "",
         date: str = "2026-05-07") -> Row:  # fmt: skip
    a, p, g = parts or (None, None, None)
    return Row(
        id=one or f"e{next(_NUMBER)}", date=date, source="s", title="t", next_step="n", actual=actual,
        outcome=outcome or ("scored" if parts else "ungraded"), reason=reason, a=a, p=p, g=g,
    )  # type: ignore[arg-type]  # fmt: skip


_PASS, _FAIL = (2, 1, 1), (1, 1, 1)


def _worked() -> list[Row]:
    """10 accepted of which 8 pass, 10 rejected of which 3 pass."""
    return [
        *(_row("accept", _PASS) for _ in range(8)), *(_row("accept", _FAIL) for _ in range(2)),
        *(_row("reject", _PASS) for _ in range(3)), *(_row("reject", _FAIL) for _ in range(7)),
    ]  # fmt: skip


def test_the_worked_value() -> None:
    """TP 8, FP 3, TN 7, FN 2: 0.75, 8/11, 0.8 (suggestions contract, Worked values)."""
    at = at_threshold(tally(_worked()), 4)
    assert at.table == Confusion(tp=8, fp=3, tn=7, fn=2)
    assert at.figures.accuracy.value == 0.75
    assert at.figures.precision.value == pytest.approx(0.7273, abs=5e-5)
    assert at.figures.recall.value == 0.8
    assert at.figures.recall.interval is not None
    assert round(at.figures.recall.interval.low, 4) == 0.4902
    assert round(at.figures.recall.interval.high, 4) == 0.9433


def test_no_entry_passes() -> None:
    at = at_threshold(tally(_worked()), 5)
    assert (at.figures.precision.value, at.figures.recall.value) == (None, 0.0)


def test_a_veto_fails_at_every_threshold_even_0() -> None:
    rows = [_row("accept", outcome="hard_veto", reason="Hard-veto: x"), _row("reject", outcome="ambiguity")]
    for at in at_every_threshold(tally(rows)):
        assert at.table == Confusion(tp=0, fp=0, tn=1, fn=1)


def test_what_the_judge_failed_on_is_excluded_and_counted() -> None:
    counted = tally([*_worked(), _row("accept", reason="refused"), _row("reject")])
    assert (counted.n, counted.excluded) == (20, 2)
    assert at_threshold(counted, 0).table.n == 20


def test_an_empty_run() -> None:
    counted = tally([])
    assert all(at.figures.accuracy.value is None for at in at_every_threshold(counted))
    assert [one.separation.value for one in dimensions(counted)] == [None, None, None]
    assert recommendations([], counted, 4) == []


@pytest.mark.parametrize("threshold", [-1, 7])
def test_a_threshold_that_is_none(threshold: int) -> None:
    with pytest.raises(ValueError, match="between 0 and 6"):
        at_threshold(tally([]), threshold)


_PARTS = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
_ROWS = st.lists(
    st.one_of(
        st.builds(_row, st.sampled_from(["accept", "reject"]), _PARTS),
        st.builds(_row, st.sampled_from(["accept", "reject"]), st.none(),
                  outcome=st.sampled_from(["hard_veto", "ambiguity", "ungraded"])),
    ),
    max_size=40,
)  # fmt: skip


@given(_ROWS, st.integers(0, 6))
def test_the_figures_are_those_of_the_rows_counted_one_by_one(rows: list[Row], threshold: int) -> None:
    kinds = [row.quadrant(threshold) for row in rows]
    table = Confusion(*(kinds.count(kind) for kind in ("tp", "fp", "tn", "fn")))  # type: ignore[arg-type]
    at = at_threshold(tally(rows), threshold)
    assert at.table == table
    assert at.figures == agreement(table)
    assert at_every_threshold(tally(rows))[threshold] == at


@given(_ROWS)
def test_a_higher_threshold_never_passes_more(rows: list[Row]) -> None:
    tables = [at.table for at in at_every_threshold(tally(rows))]
    for lower, higher in pairwise(tables):
        assert higher.tp <= lower.tp
        assert higher.fp <= lower.fp


def test_the_dimension_that_separates_comes_first() -> None:
    """A tells all apart, P tells nothing, G is turned round."""
    rows = [*(_row("accept", (2, 1, 0)) for _ in range(10)), *(_row("reject", (0, 1, 2)) for _ in range(10))]
    found = dimensions(tally(rows))
    assert [(one.name, one.separation.value, one.separates) for one in found] == [
        ("Actionability", 1.0, True),
        ("Preference Alignment", 0.5, False),
        ("Goal Relevance", 0.0, False),
    ]
    advice = recommendations(rows, tally(rows), 4)
    assert any("Goal Relevance points the wrong way" in one.advice for one in advice)


def test_disagreements_come_first_and_newest_first() -> None:
    rows = [
        _row("accept", _PASS, one="agree"), _row("accept", _FAIL, one="miss"), _row("reject", one="none"),
        _row("reject", _PASS, one="old leak", date="2026-01-01"), _row("reject", _PASS, one="new leak"),
    ]  # fmt: skip
    assert [row.id for _, row in disagreements_first(rows, 4)] == ["new leak", "old leak", "miss", "none", "agree"]


def _right(row: Sequence[Row]) -> set[str]:
    return {one.id for one in row if one.quadrant(4) in ("tp", "tn")}


def test_two_runs_side_by_side() -> None:
    """Six entries only the second gets right, none only the first: exact McNemar 2·0.5⁶ = 0.03125."""
    first = [_row("reject", _PASS, one=f"x{number}") for number in range(6)] + [_row("accept", _PASS, one="same")]
    second = [_row("reject", _FAIL, one=f"x{number}") for number in range(6)] + [_row("accept", _PASS, one="same")]
    change = compare(first, second, (4, 4))
    assert (change.common, change.only_first_right, change.only_second_right) == (7, 0, 6)
    assert change.p_value == pytest.approx(0.03125)
    assert change.settled
    assert len(_right(second)) - len(_right(first)) == 6


def test_runs_are_compared_on_what_both_could_judge() -> None:
    first = [_row("accept", _PASS, one="a"), _row("accept", one="b"), _row("reject", _FAIL, one="c")]
    second = [_row("accept", _PASS, one="a"), _row("accept", _PASS, one="b"), _row("reject", _FAIL, one="d")]
    change = compare(first, second, (4, 4))
    assert (change.common, change.p_value, change.settled) == (1, None, False)


def test_a_threshold_is_recommended_only_where_the_interval_bears_it_out() -> None:
    """Of entries with total 4, 12 of 12 are rejected: raising to 5 moves them rightly. Of 2 entries nothing follows."""
    many = [*(_row("reject", _PASS) for _ in range(12)), *(_row("accept", (2, 2, 2)) for _ in range(12))]
    found = recommendations(many, tally(many), 4)
    assert [one.advice for one in found] == ["Pass at 5 instead of 4."]
    assert found[0].figure.startswith("12 of the 12 entries between the two thresholds would move to the right side (")
    few = [*(_row("reject", _PASS) for _ in range(2)), *(_row("accept", (2, 2, 2)) for _ in range(12))]
    assert recommendations(few, tally(few), 4) == []


def test_a_lower_threshold_is_recommended_where_it_wins_accepts() -> None:
    rows = [*(_row("accept", _FAIL) for _ in range(12)), *(_row("reject", (0, 0, 1)) for _ in range(12))]
    assert [one.advice for one in recommendations(rows, tally(rows), 4)] == ["Pass at 3 instead of 4."]


def test_a_pattern_that_vetoes_what_reviewers_accept_is_named_with_its_count() -> None:
    rows = [
        _row("accept", outcome="hard_veto", reason="Hard-veto: Web3"),
        _row("reject", outcome="hard_veto", reason="Hard-veto: Web3"),
        _row("reject", outcome="hard_veto", reason="Hard-veto: NFT"),
        _row("accept", reason="timed out"),
    ]
    found = recommendations(rows, tally(rows), 4)
    assert [(one.advice[:40], one.figure) for one in found] == [
        ("Look at the pattern behind “Hard-veto: W", "1 accepted of 2 it vetoes in this sample"),
        ("Run again for the entries without a scor", "1 excluded, 3 counted"),
    ]


def test_a_row_without_all_three_parts_has_no_total() -> None:
    assert _row("accept").total is None
    assert _row("accept", (0, 0, 0)).total == 0
