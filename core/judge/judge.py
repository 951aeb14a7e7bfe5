"""The working judge: what is stored is used, what is missing is asked, what was answered is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from core.errors import TouchstoneError
from core.judge import prompt as prompts
from core.judge.api import address_of
from core.judge.budget import Budget
from core.judge.cache import Identity, SampleCache, cache_key, joined
from core.judge.protocol import (
    Cancel,
    Fingerprint,
    JudgeRequest,
    JudgeSpec,
    OnProgress,
    Progress,
    Reply,
    Sample,
    Scored,
    Unscored,
)
from core.judge.run import run
from core.judge.sampler import Job, Taken
from core.judge.transport import MAX_CONCURRENCY, Transport


@dataclass
class _Question:
    """One distinct question of a run and everybody who asks it."""

    request: JudgeRequest[Any]
    prompt: prompts.Prompt
    fingerprint: Fingerprint
    key: str
    askers: list[int]
    samples: list[Sample[Any] | None]


class WorkspaceJudge:
    """A `Judge` (see `protocol`) with a cache, a budget and a limit on calls at the same time."""

    def __init__(
        self, spec: JudgeSpec, *, transport: Callable[[], Transport], cache: SampleCache | None, budget: Budget,
        concurrency: int,
    ) -> None:  # fmt: skip
        """Raises ValueError for a concurrency outside 1…64."""
        if not 1 <= concurrency <= MAX_CONCURRENCY:
            raise ValueError(f"concurrency is 1 to {MAX_CONCURRENCY}, not {concurrency}")
        self._spec, self._transport, self._cache = spec, transport, cache
        self._budget, self._concurrency = budget, concurrency
        self._endpoint = address_of(spec).endpoint if spec.transport == "api" else None

    @property
    def spec(self) -> JudgeSpec:
        """What this judge is."""
        return self._spec

    @property
    def budget(self) -> Budget:
        """What may be spent, and what has been."""
        return self._budget

    def fingerprint(self, request: JudgeRequest[Reply]) -> Fingerprint:
        """The fingerprint a sample of this request would carry; asks nobody."""
        return prompts.fingerprint(self._spec, prompts.build(request), self._endpoint)

    def ask(self, request: JudgeRequest[Reply]) -> list[Sample[Reply]]:
        """`request.samples` samples, in order."""
        return self.ask_many([request])[0]

    def missing(self, requests: Sequence[JudgeRequest[Reply]]) -> int:
        """How many samples of these requests would have to be asked now; asks nobody."""
        return sum(sample is None for question in self._questions(requests) for sample in question.samples)

    def ask_many(
        self,
        requests: Sequence[JudgeRequest[Reply]],
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> list[list[Sample[Reply]]]:
        """One list a request, in order; see `protocol.Judge`."""
        questions = self._questions(requests)
        board = _Board(questions, requests, on_progress)
        jobs = [
            Job(question.request, question.prompt, question.fingerprint, question.key, index)
            for question in questions
            for index, sample in enumerate(question.samples)
            if sample is None
        ]
        if jobs:
            handfuls = run(
                jobs, spec=self._spec, transport=self._transport, budget=self._budget,
                concurrency=self._concurrency, cancel=cancel, store=self._stored,
            )  # fmt: skip
            with closing(handfuls):  # an exception from on_progress stops the run here and now
                for handful in handfuls:
                    board.take(handful)
        return board.results()

    def _questions(self, requests: Sequence[JudgeRequest[Any]]) -> list[_Question]:
        """The distinct questions, with what the cache knows of each; the same question twice is asked once."""
        questions: dict[str, _Question] = {}
        for asker, request in enumerate(requests):
            built = prompts.build(request)
            print_ = prompts.fingerprint(self._spec, built, self._endpoint)
            key = cache_key(print_, request.series)
            question = questions.setdefault(key, _Question(request, built, print_, key, [], []))
            question.askers.append(asker)
            question.samples += [None] * (request.samples - len(question.samples))
        for question in questions.values() if self._cache else ():
            assert self._cache is not None
            wanted, request = len(question.samples), question.request
            found = self._cache.found(question.fingerprint, request.series, request.reply, wanted)
            question.samples = [*found, *[None] * (wanted - len(found))]
        return list(questions.values())

    def _stored(self, handful: list[Taken]) -> list[Taken]:
        """Keep a handful; an answer that cannot be kept is still an answer, and says so."""
        if self._cache is None:
            return handful
        try:
            self._cache.keep(Identity.of(handful[0].job.fingerprint), [taken.row for taken in handful])
        except (OSError, TouchstoneError) as error:
            return [_unstored(taken, str(error)) for taken in handful]
        return handful


def _unstored(taken: Taken, why: str) -> Taken:
    if isinstance(taken.sample, Unscored):
        return taken
    note = joined(taken.sample.note, f"could not be stored, a later run asks again: {' '.join(why.split())}")
    return replace(taken, sample=replace(taken.sample, note=note))


class _Board:
    """Who gets which sample, and how far the run is."""

    def __init__(
        self, questions: list[_Question], requests: Sequence[JudgeRequest[Any]], on_progress: OnProgress | None
    ) -> None:
        self._questions = {question.key: question for question in questions}
        self._requests, self._on_progress = requests, on_progress
        self._scored = self._unscored = 0
        self._cost: float | None = 0.0
        self._cached = sum(self._share(q, i) for q in questions for i, sample in enumerate(q.samples) if sample)
        self._total = sum(request.samples for request in requests)
        if self._cached:
            self._tell(requests[0].key)

    def _share(self, question: _Question, index: int) -> int:
        """How many of its askers want the sample of this index."""
        return sum(index < self._requests[asker].samples for asker in question.askers)

    def take(self, handful: list[Taken]) -> None:
        for taken in handful:
            question = self._questions[taken.job.key]
            question.samples[taken.job.index] = taken.sample
            share = self._share(question, taken.job.index)
            if isinstance(taken.sample, Scored):
                self._scored += share
            else:
                self._unscored += share
            usage = taken.sample.usage
            if usage.calls:
                self._cost = None if self._cost is None or usage.cost_usd is None else self._cost + usage.cost_usd
            self._tell(taken.job.request.key)

    def _tell(self, key: str) -> None:
        if self._on_progress:
            done = self._cached + self._scored + self._unscored
            scored = self._cached + self._scored
            self._on_progress(Progress(done, self._total, scored, self._unscored, self._cached, self._cost, key))

    def results(self) -> list[list[Sample[Any]]]:
        lists: list[list[Sample[Any]]] = [[] for _ in self._requests]
        for question in self._questions.values():
            stopped = Unscored("stopped before it was answered", "cancelled", fingerprint=question.fingerprint)
            samples = [stopped if sample is None else sample for sample in question.samples]
            for asker in question.askers:
                lists[asker] = samples[: self._requests[asker].samples]
        return lists
