"""Lower bounds and the composite: the contract's worked values, each derived by hand where it is not obvious."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from core.cli import main
from core.text_fidelity.aggregate import composite, lower_bound, meets, printed

UNIT = st.floats(0, 1)


@pytest.mark.parametrize(
    ("samples", "k", "expected"),
    [
        # mean .75; squares .0225 + .0025 + .0025 + .0225 = .05; s = √(.05/3) = .1291; stderr .0645; .75 − .0645
        ([0.9, 0.7, 0.8, 0.6], 1, 0.6855),
        ([0.83], 1, 0.83),
        ([0.9, 0.9, 0.9, 0.9], 1, 0.9),
        # mean .0167, stderr .0167; .0167 − 5 · .0167 < 0
        ([0.05, 0, 0], 5, 0.0),
        ([0.593, 0.726, 0.501, 0.487], 1, 0.5217),
    ],
)
def test_worked_values(samples: list[float], k: float, expected: float) -> None:
    assert printed(lower_bound(samples, k).lower) == expected
    told = json.loads(CliRunner().invoke(main, ["text", "bound", *map(str, samples), "--k", str(k), "--json"]).stdout)
    assert printed(told["lower_bound"]) == expected


def test_the_first_record_of_the_interop_ledger() -> None:
    assert printed(composite([(1, 0.6362), (2, 0.6721), (1, 0.5217)])) == 0.6255


def test_mean_and_stderr_of_the_first_worked_value() -> None:
    found = lower_bound([0.9, 0.7, 0.8, 0.6], 1)
    assert (round(found.mean, 4), round(found.stderr, 4), found.n) == (0.75, 0.0645, 4)


@given(st.lists(UNIT, min_size=1, max_size=9), st.floats(0, 5))
def test_a_bound_lies_between_0_and_the_mean(samples: list[float], k: float) -> None:
    found = lower_bound(samples, k)
    assert 0 <= found.lower <= found.mean + 1e-12
    assert found.spread_known == (len(samples) > 1)


@pytest.mark.parametrize("sample", [1.2, -0.1, float("nan"), float("inf"), True, 10**399, -(10**399)])
def test_what_is_no_sample_is_refused_and_not_clamped(sample: float) -> None:
    with pytest.raises(ValueError, match="a sample must be a number in"):
        lower_bound([0.5, sample], 1)


def test_an_average_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no samples"):
        lower_bound([], 1)
    for parts in ([], [(0.0, 0.5)]):
        with pytest.raises(ValueError, match="total weight is 0"):
            composite(parts)


@pytest.mark.parametrize("k", [-1, float("nan"), float("inf"), 10**399])
def test_what_is_no_k_is_refused(k: float) -> None:
    with pytest.raises(ValueError, match="k must be a number"):
        lower_bound([0.5, 0.6], k)


def test_weights_that_add_up_to_no_number_are_refused() -> None:
    with pytest.raises(ValueError, match="larger than a number"):
        composite([(1e308, 0.5), (1e308, 0.5)])
    assert composite([(1e308, 0.25), (5e307, 1.0)]) == 0.5


def test_the_printed_number_is_compared_and_equality_reaches() -> None:
    assert meets(0.79996, 0.8)
    assert not meets(0.79994, 0.8)
    assert meets(0.8, 0.8)


@pytest.mark.parametrize("arguments", [["1.5"], ["nan"], ["0.5", "--k", "-1"], []])
def test_bound_at_the_prompt_refuses_with_exit_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(main, ["text", "bound", *arguments]).exit_code == 2


def test_bound_of_one_sample_says_that_the_spread_is_unknown() -> None:
    assert "unknown (n=1)" in CliRunner().invoke(main, ["text", "bound", "0.83"]).stdout
