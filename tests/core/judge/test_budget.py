"""What a call costs and what may be spent; an unknown price is not 0."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.judge import Budget, JudgeSpec, Usage
from core.judge.budget import Need, worst_case
from core.judge.prices import Tokens, added, batch_factor, checked_on, known_models, price_of, usage_of
from core.judge.prompt import build
from tests.core.judge.asking import question


def cost(model: str, tokens: Tokens, provider: str = "anthropic") -> float | None:
    price = price_of(JudgeSpec.model_validate({"model": model, "provider": provider}))
    return None if price is None else round(price.cost(tokens), 9)


@pytest.mark.parametrize(
    ("provider", "model", "tokens", "dollars"),
    [
        # 1,000 in and 100 out at 3 and 15 dollars a million: 0.003 + 0.0015
        ("anthropic", "claude-sonnet-4-6", Tokens(1000, 100), 0.0045),
        ("anthropic", "claude-haiku-4-5-20251001", Tokens(1000, 100), 0.0015),
        # of 1,000 in, 400 were read from the provider's cache at a tenth: 600 * 3 + 400 * .3 = 1920 millionths
        ("anthropic", "claude-sonnet-4-6", Tokens(1000, 0, cached=400), 0.00192),
        # of 1,000 in, 400 were written to it at 1.25 times the price: 600 * 3 + 400 * 3.75 = 3300 millionths
        ("anthropic", "claude-sonnet-4-6", Tokens(1000, 0, written=400), 0.0033),
        ("openai", "gpt-5.4-mini-2026-03-17", Tokens(1_000_000, 1_000_000), 5.25),
        # up to 100,000 tokens in, 0.1 and 0.5; beyond, the whole request at 0.5 and 2.5
        ("anthropic", "claude-haiku-5-5", Tokens(100_000, 1000), 0.0105),
        ("anthropic", "claude-haiku-5-5", Tokens(100_001, 1000), 0.0525005),
        ("anthropic", "a-model-nobody-knows", Tokens(1000, 100), None),
        ("openai", "claude-sonnet-4-6", Tokens(1000, 100), None),
        ("anthropic", "practice-judge", Tokens(1000, 100), 0.0),
    ],
)
def test_the_list_price_of_a_call(provider: str, model: str, tokens: Tokens, dollars: float | None) -> None:
    assert cost(model, tokens, provider) == dollars


def test_the_price_file_says_when_it_was_checked_and_every_price_makes_sense() -> None:
    assert date.fromisoformat(checked_on()) >= date(2026, 11, 30)
    assert batch_factor() == 0.5
    for provider in ("anthropic", "openai"):
        models = known_models(provider)
        assert len(models) > 10
        for model in models:
            price = price_of(JudgeSpec.model_validate({"model": model, "provider": provider}))
            assert price is not None
            assert 0 < price.base.cached <= price.base.input < price.base.output
            if price.above:
                assert price.threshold > 0
                assert price.above.input > price.base.input


def test_usage_without_counted_tokens_is_unknown() -> None:
    assert usage_of(JudgeSpec(model="claude-sonnet-4-6"), None) == Usage(1, None, None, None)


def test_what_is_unknown_in_a_part_is_unknown_in_the_sum() -> None:
    known, unknown, nothing = Usage(1, 10, 2, 0.5), Usage(1, None, None, None), Usage()
    assert added(known, known) == Usage(2, 20, 4, 1.0)
    assert added(known, unknown) == Usage(2, None, None, None)
    assert added(nothing, known) == added(known, nothing) == known


def test_the_worst_case_is_never_below_what_was_counted() -> None:
    """A token is at least one byte; a Chinese character is up to three."""
    prompt = build(question(untrusted={"text": "品質" * 100}))
    assert prompt.most_tokens > len(prompt.as_one_text)
    need = worst_case(price_of(JudgeSpec(model="claude-sonnet-4-6")), 1000, 2, 500)
    assert need.tokens == 1000 + 2 * 8000 + 200 + 500
    # 17,200 in at 3 dollars a million, 500 out at 15
    assert need.cost_usd == pytest.approx(0.0516 + 0.0075)


def test_a_budget_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError):
        Budget(max_cost_usd=-0.01)


def test_room_is_held_while_a_call_is_under_way_and_given_back() -> None:
    budget = Budget(max_tokens=100)
    need = Need(60, None)
    assert budget.hold(need) == "granted"
    assert budget.hold(need) == "wait"
    budget.settle(need, Usage(1, 10, 5, None))
    assert budget.hold(need) == "granted"
    budget.settle(need, None)
    assert budget.hold(need) == "refused"
    assert "75 of 100 tokens" in budget.refusal(need)


calls = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.sampled_from(["answered", "silent", "refused", "waiting"])),
    max_size=60,
)


@given(calls, st.integers(0, 300))
def test_whatever_happens_a_budget_is_not_exceeded(made: list[tuple[int, int, str]], limit: int) -> None:
    """Each call needs at most `most` and uses `used` of it; some are never answered, some stay under way."""
    budget = Budget(max_tokens=limit, max_cost_usd=limit / 100)
    spent = under_way = 0
    for most, share, end in made:
        need, used = Need(most, most / 100), min(most, share)
        if budget.hold(need) != "granted":
            continue
        if end == "waiting":
            under_way += most
        elif end == "silent":
            budget.settle(need, None)
            spent += most
        elif end == "refused":
            budget.settle(need, Usage())
        else:
            budget.settle(need, Usage(1, used, 0, used / 100))
            spent += used
        assert spent + under_way <= limit
    assert budget.spent.input_tokens == spent
