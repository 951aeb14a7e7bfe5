"""A large backtest through the provider's batch API: half the price, done within a day, and it outlives this process.

The same command is given again until the answers are in the workspace's store; the run then reads them there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.errors import Unavailable
from core.judge.batch import Collected, Ticket
from core.judge.batch_wire import Look
from core.judge.protocol import JudgeRequest
from core.suggestions.scoring import RubricReply


class Batching(Protocol):
    """What `core.judge.batch.Batches` can do."""

    def submit(self, requests: Sequence[JudgeRequest[RubricReply]]) -> Ticket | None:
        """Hand in what the store lacks."""
        ...

    def tickets(self) -> list[Ticket]:
        """What was handed in and not collected yet."""
        ...

    def look(self, ticket: Ticket) -> Look:
        """How it stands."""
        ...

    def collect(self, ticket: Ticket) -> Collected:
        """Put its answers into the store."""
        ...


def advance(batches: Batching, questions: Sequence[JudgeRequest[RubricReply]]) -> list[str]:
    """Collect what has ended, or hand in what is missing; returns one line for each batch that was collected.

    An empty list, or a list of what was collected: everything that a batch can answer is in the store now, and what
    failed in it is asked singly. Raises Unavailable, saying what to do, while a batch runs or has just been handed in.
    """
    told: list[str] = []
    for ticket in batches.tickets():
        look = batches.look(ticket)
        if look.word == "unconfirmed":
            raise Unavailable(
                f"batch {ticket.id} of {ticket.submitted_at}: handing it in was interrupted; look at the provider's "
                f"console, then remove .touchstone/judge/batches/{ticket.id}.json"
            )
        if not look.ended:
            raise Unavailable(
                f"batch {ticket.provider_id} runs ({look.done} of {look.total} done): give this command again later"
            )
        collected = batches.collect(ticket)
        told.append(f"batch {ticket.provider_id}: {collected.answered} answered, {len(collected.failed)} failed")
    if told:
        return told
    submitted = batches.submit(questions)
    if submitted is not None:
        calls = len(submitted.calls)
        raise Unavailable(f"{calls} calls handed in as batch {submitted.provider_id}: give this command again later")
    return []
