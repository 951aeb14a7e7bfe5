"""How fast a judge is asked: against the same 48 calls made with the bare SDK, in the same run."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import anthropic
import openai
import pytest

from core import times
from core.judge import Scored, open_judge
from core.judge.cache import Identity, Kept, SampleCache
from core.judge.prompt import build, fingerprint
from core.workspace import Workspace
from tests.core.judge.asking import question
from tests.judge_fixture import JudgeServer

pytestmark = pytest.mark.bench

CALLS, AT_ONCE, ANSWER_SECONDS = 48, 16, 0.2
IDEAL = CALLS / AT_ONCE * ANSWER_SECONDS
LIMIT = 1.3 * IDEAL
RUNS = 5


def timed(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    begun = clock()
    work()
    return clock() - begun


async def bare_anthropic(server: JudgeServer) -> None:
    client = anthropic.AsyncAnthropic(api_key="none", base_url=server.base_url())
    gate = asyncio.Semaphore(AT_ONCE)

    async def one() -> None:
        async with gate:
            await client.messages.create(
                model="test-slow-200", max_tokens=100, messages=[{"role": "user", "content": "Score it."}]
            )

    await asyncio.gather(*(one() for _ in range(CALLS)))
    await client.close()


async def bare_openai(server: JudgeServer) -> None:
    client = openai.AsyncOpenAI(api_key="none", base_url=server.base_url("openai"))
    gate = asyncio.Semaphore(AT_ONCE)

    async def one() -> None:
        async with gate:
            await client.chat.completions.create(
                model="test-slow-200", messages=[{"role": "user", "content": "Score it."}]
            )

    await asyncio.gather(*(one() for _ in range(CALLS)))
    await client.close()


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_48_samples_of_a_200_ms_judge_at_16(judge_server: JudgeServer, tmp_path: Path, provider: str) -> None:
    """Issue: within 1.3 of 0.6 s, storing included. One after the other they would take 9.6 s."""
    workspace = Workspace.open(tmp_path)
    rival = bare_anthropic if provider == "anthropic" else bare_openai
    open_judge(judge_server.spec("test-ok", provider), None).ask(question())  # the SDK is imported once a process
    ours, theirs = [], []
    for run in range(RUNS):
        judge = open_judge(judge_server.spec("test-slow-200", provider), workspace, concurrency=AT_ONCE)
        requests = [question(number, samples=6, series=f"run {run}") for number in range(CALLS // 6)]
        ours.append(timed(lambda judge=judge, requests=requests: judge.ask_many(requests)))  # type: ignore[misc]
        theirs.append(timed(lambda: asyncio.run(rival(judge_server))))
        assert judge.missing(requests) == 0
    assert judge_server.most_at_once() == AT_ONCE
    middle, bare = statistics.median(ours), statistics.median(theirs)
    print(f"\n{provider}, {CALLS} samples at {AT_ONCE}, limit {LIMIT:.2f} s: {min(ours):.3f} best, {middle:.3f} median")
    print(f"the bare SDK: {min(theirs):.3f} s best, {bare:.3f} median")
    assert min(ours) <= LIMIT


def test_ten_thousand_stored_samples_are_read(judge_server: JudgeServer, tmp_path: Path) -> None:
    """A stored run needs no call, and no time worth a progress bar."""
    workspace = Workspace.open(tmp_path)
    spec = judge_server.spec("test-ok")
    requests = [question(number) for number in range(10_000)]
    judge = open_judge(spec, workspace)
    prints = [fingerprint(spec, build(request), spec.base_url) for request in requests]
    cache = SampleCache.of(workspace)
    from core.judge.cache import cache_key

    at = times.iso(times.now())
    text = '{"score": 0.8, "reasoning": "It keeps the steps and their order but leaves out the two minutes."}'
    rows = [Kept(cache_key(print_, ""), "", "", print_.hash, at, "answered", text) for print_ in prints]
    cache.keep(Identity.of(prints[0]), rows)
    first = timed(lambda: judge.ask_many(requests), time.process_time)
    again = timed(lambda: judge.ask_many(requests), time.process_time)
    samples = [sample for one in judge.ask_many(requests) for sample in one]
    assert all(isinstance(sample, Scored) and sample.cached for sample in samples)
    assert judge_server.calls() == []
    print(f"\n10,000 stored samples: {first:.2f} s of processor time at first, {again:.2f} s again, 0 calls")
    assert first < 5
