"""A run: in order, under a limit, told as it goes, stopped at once, ended where going on is pointless."""

import threading
from typing import Any

import pytest

from core.judge import Budget, Progress, Scored, Unscored, open_judge
from core.workspace import Workspace
from tests.core.judge.asking import echo, question
from tests.judge_fixture import JudgeServer


def scores(samples: list[Any]) -> list[float]:
    return [sample.value.score for sample in samples if isinstance(sample, Scored)]


def test_samples_come_in_the_order_of_their_requests(judge_server: JudgeServer) -> None:
    wanted = [0.1, 0.2, 0.3, 0.4, 0.5]
    requests = [echo(f'{{"score": {score}}}', samples=2) for score in wanted]
    many = open_judge(judge_server.spec("test-echo"), None).ask_many(requests)
    assert [scores(samples) for samples in many] == [[score, score] for score in wanted]


def test_no_more_calls_at_once_than_the_limit(judge_server: JudgeServer) -> None:
    judge = open_judge(judge_server.spec("test-slow-30"), None, concurrency=4)
    judge.ask_many([question(number) for number in range(16)])
    assert judge_server.most_at_once() == 4
    assert len(judge_server.calls()) == 16


def test_nobody_asks_on_while_answers_are_not_stored(judge_server: JudgeServer) -> None:
    """What a kill can lose is bounded: with a limit of 2, two calls under way and two answers not on disk."""
    made: list[int] = []

    def busy(progress: Progress) -> None:
        if not made:
            threading.Event().wait(0.6)  # the caller draws; sixteen answers would have come in this time
            made.append(len(judge_server.calls()) - progress.done)

    open_judge(judge_server.spec("test-ok"), None, concurrency=2).ask_many([question(n) for n in range(16)], busy)
    assert made[0] <= 5  # its own handful may hold two, of which one has been told
    assert len(judge_server.calls()) == 16


def test_the_same_question_twice_is_asked_once(judge_server: JudgeServer) -> None:
    many = open_judge(judge_server.spec(), None).ask_many([question(1), question(1, samples=3), question(2)])
    assert [len(samples) for samples in many] == [1, 3, 1]
    assert len(judge_server.calls()) == 4


def test_progress_is_told_in_the_callers_thread_after_every_sample(judge_server: JudgeServer) -> None:
    told: list[Progress] = []
    threads = set()

    def on_progress(progress: Progress) -> None:
        told.append(progress)
        threads.add(threading.current_thread())

    requests = [question(number, samples=2) for number in range(3)]
    open_judge(judge_server.spec("claude-sonnet-4-6"), None).ask_many(requests, on_progress)
    assert [progress.done for progress in told] == [1, 2, 3, 4, 5, 6]
    assert {progress.total for progress in told} == {6}
    assert threads == {threading.current_thread()}
    last = told[-1]
    assert (last.scored, last.unscored, last.cached) == (6, 0, 0)
    assert last.cost_usd is not None
    assert last.cost_usd > 0
    assert {progress.key for progress in told} == {"case-0", "case-1", "case-2"}


def test_an_unknown_price_is_an_unknown_cost_and_not_nothing(judge_server: JudgeServer) -> None:
    told: list[Progress] = []
    [sample] = open_judge(judge_server.spec("test-ok"), None).ask_many([question()], told.append)[0]
    assert sample.usage.cost_usd is None
    assert sample.usage.input_tokens is not None
    assert told[-1].cost_usd is None


def test_a_stop_drops_what_is_under_way_and_keeps_what_was_answered(judge_server: JudgeServer, tmp_path: Any) -> None:
    workspace = Workspace.open(tmp_path)
    judge = open_judge(judge_server.spec("test-slow-100"), workspace, concurrency=2)
    told: list[Progress] = []
    many = judge.ask_many([question(number) for number in range(40)], told.append, cancel=lambda: len(told) >= 4)
    samples = [sample for one in many for sample in one]
    stopped = [sample for sample in samples if isinstance(sample, Unscored)]
    answered = [sample for sample in samples if isinstance(sample, Scored)]
    assert len(samples) == 40
    assert 4 <= len(answered) < 40
    assert {(sample.kind, sample.state) for sample in stopped} == {("cancelled", "not_asked")}
    assert judge.missing([question(number) for number in range(40)]) == 40 - len(answered)


def test_a_hanging_call_does_not_hold_up_a_stop(judge_server: JudgeServer) -> None:
    judge = open_judge(judge_server.spec("test-hang", timeout_s=600), None)
    looks = iter([False, True, True, True])
    [[sample]] = judge.ask_many([question()], cancel=lambda: next(looks, True))
    assert isinstance(sample, Unscored)
    assert sample.kind == "cancelled"


def test_an_exception_in_the_callback_ends_the_run_and_loses_no_answer(
    judge_server: JudgeServer, tmp_path: Any
) -> None:
    class PageClosed(Exception):
        pass

    def closed(progress: Progress) -> None:
        raise PageClosed

    workspace = Workspace.open(tmp_path)
    judge = open_judge(judge_server.spec("test-slow-20"), workspace, concurrency=2)
    requests = [question(number) for number in range(30)]
    with pytest.raises(PageClosed):
        judge.ask_many(requests, closed)
    asked = len(judge_server.calls())
    missing = judge.missing(requests)
    assert missing < 30
    assert asked < 30
    assert not [thread for thread in threading.enumerate() if thread.name == "judge"]
    judge.ask_many(requests)
    assert judge.missing(requests) == 0
    # What was under way when the page closed was dropped and asked again; nothing that had been answered was.
    assert len(judge_server.calls()) <= 30 + (asked - (30 - missing))


@pytest.mark.parametrize("model", ["test-401", "test-404"])
def test_a_failure_that_holds_for_all_is_met_once(judge_server: JudgeServer, model: str) -> None:
    judge = open_judge(judge_server.spec(model), None, concurrency=1)
    samples = [sample for one in judge.ask_many([question(number) for number in range(50)]) for sample in one]
    assert len(judge_server.calls()) == 1
    assert all(isinstance(sample, Unscored) for sample in samples)
    assert len({sample.kind for sample in samples if isinstance(sample, Unscored)}) == 1
    assert [sample.reason.startswith("not asked: ") for sample in samples if isinstance(sample, Unscored)].count(
        True
    ) == 49


def test_a_long_row_of_failures_ends_the_run(judge_server: JudgeServer) -> None:
    judge = open_judge(judge_server.spec("test-html"), None, concurrency=1)
    samples = [sample for one in judge.ask_many([question(number) for number in range(50)]) for sample in one]
    assert len(judge_server.calls()) == 20
    assert {sample.kind for sample in samples if isinstance(sample, Unscored)} == {"not_json"}


def test_single_failures_do_not_end_a_run(judge_server: JudgeServer) -> None:
    replies = ["no answer" if number % 2 else '{"score": 0.5}' for number in range(44)]
    requests = [echo(reply, reply, reply, f"{number}") for number, reply in enumerate(replies)]
    many = open_judge(judge_server.spec("test-echo"), None, concurrency=1).ask_many(requests)
    assert sum(isinstance(samples[0], Scored) for samples in many) == 22


def test_a_budget_stops_before_it_is_exceeded(judge_server: JudgeServer) -> None:
    budget = Budget(max_cost_usd=0.10)
    judge = open_judge(judge_server.spec("claude-sonnet-4-6", max_tokens=1000), None, budget=budget)
    samples = [sample for one in judge.ask_many([question(number) for number in range(400)]) for sample in one]
    stopped = [sample for sample in samples if isinstance(sample, Unscored)]
    assert {(sample.kind, sample.state) for sample in stopped} == {("budget", "not_asked")}
    spent = budget.spent.cost_usd
    assert spent is not None
    assert 0.05 < spent <= 0.10, "it is used, and not exceeded"
    assert spent == pytest.approx(sum(s.usage.cost_usd or 0 for s in samples if isinstance(s, Scored)))
    assert len(judge_server.calls()) == len(samples) - len(stopped)
    assert "could exceed the budget" in stopped[0].reason


def test_a_budget_of_calls_counts_every_call_also_those_asked_again(judge_server: JudgeServer) -> None:
    budget = Budget(max_calls=4)
    judge = open_judge(judge_server.spec("test-echo"), None, budget=budget, concurrency=1)
    many = judge.ask_many([echo("no answer"), echo('{"score": 0.5}'), echo('{"score": 0.6}')])
    assert len(judge_server.calls()) == 4
    kinds = [samples[0].kind if isinstance(samples[0], Unscored) else "scored" for samples in many]
    assert kinds == ["bad_reply", "scored", "budget"]


def test_a_dollar_budget_needs_a_price(judge_server: JudgeServer) -> None:
    [sample] = open_judge(judge_server.spec("test-ok"), None, budget=Budget(max_cost_usd=100)).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "budget"
    assert "price of this model is not known" in sample.reason
    assert judge_server.calls() == []


def test_a_repeat_after_silence_needs_room_of_its_own(judge_server: JudgeServer) -> None:
    """A call that was not answered may have been billed, so it counts at its worst, and so does each repeat."""
    one = Budget(max_calls=1)
    spec = judge_server.spec("test-hang", timeout_s=0.2, max_retries=2)
    [sample] = open_judge(spec, None, budget=one).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "budget"
    assert len(judge_server.calls()) == 1
    judge_server.reset()
    three = Budget(max_calls=3)
    open_judge(spec, None, budget=three).ask(question())
    assert len(judge_server.calls()) == 3
    assert three.spent.calls == 3


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_an_answer_that_breaks_off_may_have_been_billed(judge_server: JudgeServer, provider: str) -> None:
    budget = Budget(max_calls=1)
    [sample] = open_judge(judge_server.spec("test-drop", provider), None, budget=budget).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "budget"
    assert budget.spent.calls == 1
    assert len(judge_server.calls()) == 1


def test_an_answered_refusal_costs_nothing(judge_server: JudgeServer) -> None:
    budget = Budget(max_calls=1)
    open_judge(judge_server.spec("test-429"), None, budget=budget).ask(question())
    assert budget.spent.calls == 0
