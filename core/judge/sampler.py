"""One sample: asked, read strictly, asked again at most twice, and otherwise unscored with its reason."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from typing import Any

from core import times
from core.judge.budget import Budget, Need, worst_case
from core.judge.cache import Kept, joined, practice_note, reasoning_of, row_of_failure, unusable
from core.judge.prices import added, price_of, usage_of
from core.judge.prompt import Prompt
from core.judge.protocol import FailureKind, Fingerprint, JudgeRequest, JudgeSpec, Sample, Scored, Unscored, Usage
from core.judge.redact import redact, secrets_of
from core.judge.reply import ReplyError, parse_as
from core.judge.transport import Answer, Attempt, CallFailed, Transport, current_attempt

ASKED_AT_MOST = 3
"""Once, and again at most twice (text fidelity contract, "Judge")."""


@dataclass(frozen=True)
class Job:
    """One sample to take: the request, as it is put, and where its result belongs."""

    request: JudgeRequest[Any]
    prompt: Prompt
    fingerprint: Fingerprint
    key: str
    index: int


@dataclass(frozen=True)
class Taken:
    """A sample and the row that keeps it."""

    job: Job
    sample: Sample[Any]
    row: Kept


class Sampler:
    """Takes samples over one transport under one budget, inside one event loop."""

    def __init__(self, spec: JudgeSpec, transport: Transport, budget: Budget) -> None:
        self._spec, self._transport, self._budget = spec, transport, budget
        self._room = asyncio.Event()
        self._secrets = secrets_of(os.environ)

    async def take(self, job: Job) -> tuple[Taken, CallFailed | None]:
        """One sample; with the failure where there is none, for whoever decides whether the run goes on."""
        usage = Usage()
        raws: list[str] = []
        last: CallFailed | None = None
        for _ in range(ASKED_AT_MOST):
            try:
                answer, used = await self._once(job.prompt)
            except CallFailed as failed:
                return self._unscored(job, failed, raws, usage), failed
            usage = added(usage, used)
            answer = replace(answer, text=self._clean(answer.text), thinking=self._clean(answer.thinking))
            parsed = _read(answer, job)
            if not isinstance(parsed, CallFailed):
                sample = replace(parsed, usage=usage, discarded=tuple(raws), note=_note(parsed.note, raws, job))
                return Taken(job, sample, _row(job, sample, answer)), None
            last = parsed
            raws.append(answer.raw)
        assert last is not None
        told = CallFailed(last.kind, f"asked {ASKED_AT_MOST} times, no usable answer: {last.reason}", unbilled=False)
        return self._unscored(job, told, raws, usage), told

    async def _once(self, prompt: Prompt) -> tuple[Answer, Usage]:
        need = self._need(prompt)
        await self._hold(need)
        repeats: list[Need] = []
        attempt = Attempt(may_repeat=lambda: self._repeat(need, repeats))
        token = current_attempt.set(attempt)
        used: Usage | None = None
        try:
            answer = await self._transport.call(prompt)
            used = usage_of(self._spec, answer.tokens)
            if answer.cost_usd is not None:
                used = replace(used, cost_usd=answer.cost_usd, cost_reported=True)
            return answer, used
        except CallFailed as failed:
            unpaid = failed.unbilled and attempt.silent <= len(repeats)  # else a call before its repeat went unanswered
            used = Usage() if unpaid else None
            raise
        finally:
            current_attempt.reset(token)
            self._budget.settle(need, used)
            for silent in repeats:
                self._budget.settle(silent, None)
            self._room.set()

    def _clean(self, text: str) -> str:
        return redact(text, self._secrets) if text else ""

    def _need(self, prompt: Prompt) -> Need:
        pictures, overhead = len(prompt.images), self._transport.overhead_tokens
        return worst_case(price_of(self._spec), prompt.most_tokens, pictures, self._spec.max_tokens, overhead)

    async def _hold(self, need: Need) -> None:
        while (state := self._budget.hold(need)) == "wait":
            self._room.clear()
            try:  # another run may share the budget, so its room is looked for now and then as well
                await asyncio.wait_for(self._room.wait(), 0.5)
            except TimeoutError:
                continue
        if state == "refused":
            raise CallFailed("budget", self._budget.refusal(need))

    def _repeat(self, need: Need, repeats: list[Need]) -> bool:
        if self._budget.hold(need) != "granted":
            return False
        repeats.append(need)
        return True

    def _unscored(self, job: Job, failed: CallFailed, raws: list[str], usage: Usage) -> Taken:
        return Taken(job, *unscored(job, failed, tuple(raws), usage))


def unscored(job: Job, failed: CallFailed, raws: tuple[str, ...], usage: Usage) -> tuple[Unscored, Kept]:
    """A failure as a sample and as its row."""
    sample = Unscored(redact(failed.reason), failed.kind, raws, usage, job.fingerprint, failed.until)
    row = row_of_failure(
        sample, key=job.key, request=job.request.key, series=job.request.series,
        fingerprint=job.fingerprint.hash, at=times.iso(times.now()),
    )  # fmt: skip
    return sample, row


def _read(answer: Answer, job: Job) -> Scored[Any] | CallFailed:
    if answer.stop == "refused":
        return _bad("refused", f"the model declined: {answer.text[:200] or 'it gave no reason'}")
    if answer.stop == "cut":
        limit = job.fingerprint.parameters["max_tokens"]
        return _bad("cut", f"the reply ended at max_tokens ({limit}), thinking included; raise max_tokens")
    parsed = parse_as(answer.text, job.request.reply)
    if isinstance(parsed, ReplyError):
        return _bad("bad_reply", parsed.reason)
    return Scored(
        value=parsed.value,
        raw=answer.raw,
        reasoning=reasoning_of(parsed.value),
        usage=Usage(),
        fingerprint=job.fingerprint,
        note=joined(answer.note, parsed.note),
        model=answer.model,
    )


def _bad(kind: FailureKind, reason: str) -> CallFailed:
    return CallFailed(kind, " ".join(reason.split()), unbilled=False)


def _note(note: str, raws: list[str], job: Job) -> str:
    return joined(note, unusable(len(raws)), practice_note(job.fingerprint))


def _row(job: Job, sample: Scored[Any], answer: Answer) -> Kept:
    return Kept(
        key=job.key,
        request=job.request.key,
        series=job.request.series,
        fingerprint=job.fingerprint.hash,
        at=times.iso(times.now()),
        outcome="answered",
        text=answer.text,
        thinking=answer.thinking,
        model=answer.model,
        note=answer.note,
        discarded=sample.discarded,
        usage=sample.usage,
    )
