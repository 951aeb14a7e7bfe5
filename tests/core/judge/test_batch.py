"""Batches: a ticket before the batch, resumed in another process, collected once, read from the cache."""

from pathlib import Path

import pytest

from core.errors import Conflict, Unavailable
from core.judge import Budget, JudgeSpec, Scored, open_judge
from core.judge.batch import Batches, open_batches
from core.judge.batch_wire import wire_of
from core.workspace import Workspace
from tests.core.judge.asking import question
from tests.judge_fixture import JudgeServer

PROVIDERS = ["anthropic", "openai"]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_from_submit_over_a_restart_to_the_cache(
    judge_server: JudgeServer, workspace: Workspace, provider: str
) -> None:
    spec = judge_server.spec("practice-judge", provider, temperature=0.6)
    requests = [question(number, samples=2) for number in range(3)]
    ticket = open_batches(spec, workspace).submit(requests)
    assert ticket is not None
    assert (ticket.state, len(ticket.calls)) == ("submitted", 6)

    restarted = open_batches(spec, workspace)
    assert restarted.tickets() == [ticket]
    first = restarted.look(ticket)
    assert (first.ended, first.done, first.total) == (False, 0, 6)
    second = restarted.look(ticket)
    assert (second.ended, second.done, second.total) == (True, 6, 6)
    collected = restarted.collect(ticket)
    assert (collected.answered, collected.failed, collected.cost_usd) == (6, (), 0.0)
    assert restarted.tickets() == []

    judge_server.reset()
    judge = open_judge(spec, workspace)
    samples = [sample for one in judge.ask_many(requests) for sample in one]
    assert judge_server.calls() == []
    assert all(isinstance(sample, Scored) and sample.cached for sample in samples)
    single = open_judge(spec, None).ask(requests[0])[0]
    assert isinstance(single, Scored)
    assert isinstance(samples[0], Scored)
    assert single.value == samples[0].value, "a batch answers what a single call answers"
    assert restarted.submit(requests) is None


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("model", ["test-cut", "test-refusal", "test-429", "test-500", "test-expired", "test-404"])
def test_a_call_that_failed_in_a_batch_is_no_score_and_is_asked_again(
    judge_server: JudgeServer, workspace: Workspace, provider: str, model: str
) -> None:
    spec = judge_server.spec(model, provider)
    batches = open_batches(spec, workspace)
    ticket = batches.submit([question(1), question(2)])
    assert ticket is not None
    batches.look(ticket)
    batches.look(ticket)
    collected = batches.collect(ticket)
    assert collected.answered == 0
    assert len(collected.failed) == 2
    assert all(collected.failed)
    assert open_judge(spec, workspace).missing([question(1), question(2)]) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_only_what_the_cache_lacks_is_handed_in(judge_server: JudgeServer, workspace: Workspace, provider: str) -> None:
    spec = judge_server.spec("test-ok", provider)
    open_judge(spec, workspace).ask(question(1, samples=2))
    ticket = open_batches(spec, workspace).submit([question(1, samples=3), question(2), question(2)])
    assert ticket is not None
    assert len(ticket.calls) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_costs_half(judge_server: JudgeServer, workspace: Workspace, provider: str) -> None:
    model = "claude-sonnet-4-6" if provider == "anthropic" else "gpt-4.1"
    spec = judge_server.spec(model, provider)
    [single] = open_judge(spec, None).ask(question())
    batches = open_batches(spec, workspace)
    ticket = batches.submit([question()])
    assert ticket is not None
    batches.look(ticket)
    batches.look(ticket)
    assert isinstance(single, Scored)
    assert single.usage.cost_usd is not None
    assert batches.collect(ticket).cost_usd == pytest.approx(single.usage.cost_usd / 2)


def test_a_batch_is_collected_once(judge_server: JudgeServer, workspace: Workspace) -> None:
    spec = judge_server.spec("test-ok")
    one, two = open_batches(spec, workspace), open_batches(spec, workspace)
    ticket = one.submit([question()])
    assert ticket is not None
    one.look(ticket)
    one.look(ticket)
    one.collect(ticket)
    with pytest.raises(Conflict):
        two.collect(ticket)


def test_a_kill_between_storing_and_closing_the_ticket_makes_no_second_sample(
    judge_server: JudgeServer, workspace: Workspace
) -> None:
    spec = judge_server.spec("test-ok")
    batches = open_batches(spec, workspace)
    ticket = batches.submit([question()])
    assert ticket is not None
    [file] = (workspace.root / ".touchstone" / "judge" / "batches").glob("*.json")
    before = file.read_bytes()
    batches.look(ticket)
    batches.look(ticket)
    batches.collect(ticket)
    file.write_bytes(before)  # as a kill just before the ticket was closed would leave it
    assert batches.collect(ticket).answered == 1
    assert open_judge(spec, workspace).missing([question(samples=2)]) == 1


class _Killed(BaseException):
    pass


class _DiesWhileSubmitting:
    most_items = 10

    def submit(self, items: object, ticket: str) -> str:
        raise _Killed


def test_a_kill_while_handing_in_leaves_a_ticket_that_says_so(judge_server: JudgeServer, workspace: Workspace) -> None:
    spec = judge_server.spec("test-ok")
    working = open_batches(spec, workspace)
    dying = Batches(spec, workspace, _DiesWhileSubmitting(), Budget(), working._clock)  # type: ignore[arg-type]
    with pytest.raises(_Killed):
        dying.submit([question()])
    [ticket] = working.tickets()
    assert ticket.state == "submitting"
    assert working.look(ticket).word == "unconfirmed"
    with pytest.raises(Unavailable, match="interrupted"):
        working.collect(ticket)
    working.abandon(ticket)
    assert working.tickets() == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_provider_that_cannot_be_reached_leaves_no_open_ticket(workspace: Workspace, provider: str) -> None:
    url = "http://127.0.0.1:9"
    spec = JudgeSpec.model_validate({"provider": provider, "model": "m", "base_url": url, "max_retries": 0})
    batches = open_batches(spec, workspace)
    with pytest.raises(Unavailable, match="cannot be reached"):
        batches.submit([question()])
    assert batches.tickets() == []


def test_without_a_key_nothing_is_handed_in(workspace: Workspace) -> None:
    with pytest.raises(Unavailable, match="ANTHROPIC_API_KEY"):
        open_batches(JudgeSpec(model="m"), workspace).submit([question()])


def test_a_batch_that_could_exceed_the_budget_is_not_handed_in(judge_server: JudgeServer, workspace: Workspace) -> None:
    spec = judge_server.spec("claude-sonnet-4-6")
    batches = open_batches(spec, workspace, budget=Budget(max_cost_usd=0.01))
    with pytest.raises(Unavailable, match="budget"):
        batches.submit([question(number) for number in range(10)])
    assert batches.tickets() == []


def test_a_command_line_judge_has_no_batches() -> None:
    with pytest.raises(Unavailable, match="no batches"):
        wire_of(JudgeSpec(model="m", transport="cli"))


def test_a_ticket_holds_no_key(
    judge_server: JudgeServer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "very-secret-4711")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", judge_server.url)
    open_batches(judge_server.spec("test-ok", base_url=None), workspace).submit([question()])
    files = [path for path in workspace.root.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"very-secret-4711" in path.read_bytes()]
