"""The providers' batch APIs for large runs: half the price, an answer within a day, and a ticket that outlives us.

    batches = open_batches(spec, workspace)
    ticket = batches.submit(requests)          # None: every sample is in the cache already
    …                                          # minutes or a restart later, in any process
    for ticket in batches.tickets():
        if batches.look(ticket).ended:
            batches.collect(ticket)            # the answers are in the cache now
    judge.ask_many(requests)                   # reads them there; what failed or was unusable is asked singly

A ticket is a file in `.touchstone/judge/batches/`. It is written before the batch is handed in, so that a kill between
the two leaves a ticket that says so and never a batch that is forgotten or paid for twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import orjson

from core import times
from core.errors import Conflict, Unavailable
from core.files import read_json
from core.files import replace as replace_file
from core.judge import prompt as prompts
from core.judge.api import address_of
from core.judge.batch_wire import Item, Look, Wire, wire_of
from core.judge.budget import Budget, Need, worst_case
from core.judge.cache import FOLDER, Identity, Kept, SampleCache, cache_key
from core.judge.prices import batch_factor, price_of, usage_of
from core.judge.protocol import Fingerprint, JudgeRequest, JudgeSpec, Usage
from core.judge.redact import redact
from core.judge.transport import Answer, CallFailed
from core.workspace import STATE, Workspace

State = Literal["submitting", "submitted", "collected", "abandoned"]


@dataclass(frozen=True)
class Call:
    """One call of a batch and where its answer belongs."""

    custom_id: str
    key: str
    request: str
    series: str
    fingerprint: str


@dataclass(frozen=True)
class Ticket:
    """A batch that was handed in, or was about to be (`submitting`: a kill came between; it may run there or not)."""

    id: str
    state: State
    spec: JudgeSpec
    submitted_at: str
    provider_id: str
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Collected:
    """What came out of a batch: answers in the cache, calls that failed with their reasons, and what it cost."""

    answered: int
    failed: tuple[str, ...]
    cost_usd: float | None


class Batches:
    """The batches of one judge in one workspace. Every method raises Unavailable where the provider cannot be used."""

    def __init__(
        self, spec: JudgeSpec, workspace: Workspace, wire: Wire, budget: Budget, clock: Callable[[], datetime]
    ) -> None:
        self._spec, self._workspace, self._wire, self._budget, self._clock = spec, workspace, wire, budget, clock
        self._cache = SampleCache.of(workspace)
        self._folder = workspace.root / STATE / FOLDER / "batches"
        self._endpoint = address_of(spec).endpoint
        self._judge = Identity(spec.provider, spec.transport, spec.model, prompts.public_address(self._endpoint))

    def submit(self, requests: Sequence[JudgeRequest[Any]]) -> Ticket | None:
        """Hand in every sample that the cache lacks; None where it lacks none.

        Raises Unavailable also where the worst case would exceed the budget or one batch cannot hold so many.
        """
        calls, items = self._missing(requests)
        if not items:
            return None
        if len(items) > self._wire.most_items:
            raise Unavailable(f"{len(items):,} calls are more than one batch takes ({self._wire.most_items:,})")
        self._must_afford(items)
        ticket = Ticket(secrets.token_hex(8), "submitting", self._spec, times.iso(self._clock()), "", tuple(calls))
        self._write(ticket, None)
        try:
            provider_id = self._wire.submit(items, ticket.id)
        except Unavailable as error:
            # After silence the batch may run all the same: the ticket stays, unconfirmed.
            if not isinstance(error.__cause__, CallFailed) or error.__cause__.unbilled:
                self._write(replace(ticket, state="abandoned"), ticket)
            raise
        submitted = replace(ticket, state="submitted", provider_id=provider_id)
        self._write(submitted, ticket)
        return submitted

    def tickets(self) -> list[Ticket]:
        """This judge's tickets still to be collected, oldest first. Raises BadInput for a damaged file."""
        found = [self._read(path) for path in sorted(self._folder.glob("*.json"))] if self._folder.is_dir() else []
        mine = [ticket for ticket in found if ticket.spec == self._spec and ticket.state in ("submitting", "submitted")]
        return sorted(mine, key=lambda ticket: times.parse_instant(ticket.submitted_at).utc)

    def look(self, ticket: Ticket) -> Look:
        """How a batch stands. One whose handing in was interrupted is `unconfirmed`, and never taken for running."""
        if not ticket.provider_id:
            return Look(False, 0, len(ticket.calls), "unconfirmed")
        return self._wire.look(ticket.provider_id)

    def collect(self, ticket: Ticket) -> Collected:
        """Put a batch's answers into the cache. Raises Conflict where another process has done so already."""
        if not ticket.provider_id:
            raise Unavailable("handing this batch in was interrupted: look at the provider's console, then abandon it")
        outcomes = dict(self._wire.results(ticket.provider_id))
        at = times.iso(self._clock())
        rows = [self._row(call, outcomes.get(call.custom_id), ticket, at) for call in ticket.calls]
        with self._workspace.lock(self._path(ticket)):
            if self._read(self._path(ticket)).state != "submitted":
                raise Conflict("this batch was collected or abandoned already")
            self._cache.keep(self._judge, rows)
            self._write(replace(ticket, state="collected"), ticket)
        costs = [row.usage.cost_usd for row in rows if row.usage.calls]
        known = [cost for cost in costs if cost is not None]
        return Collected(
            answered=sum(row.outcome == "answered" for row in rows),
            failed=tuple(row.reason for row in rows if row.outcome != "answered"),
            cost_usd=sum(known, 0.0) if len(known) == len(costs) else None,
        )

    def abandon(self, ticket: Ticket) -> None:
        """Forget a batch; nothing is cancelled at the provider. Raises Conflict where its state has changed."""
        self._write(replace(ticket, state="abandoned"), ticket)

    def _missing(self, requests: Sequence[JudgeRequest[Any]]) -> tuple[list[Call], list[Item]]:
        wanted: dict[str, tuple[JudgeRequest[Any], prompts.Prompt, Fingerprint, int]] = {}
        for request in requests:
            built = prompts.build(request)
            print_ = prompts.fingerprint(self._spec, built, self._endpoint)
            key = cache_key(print_, request.series)
            most = max(request.samples, wanted[key][3] if key in wanted else 0)
            wanted[key] = (request, built, print_, most)
        calls: list[Call] = []
        items: list[Item] = []
        for key, (request, built, print_, most) in wanted.items():
            have = len(self._cache.found(print_, request.series, request.reply, most))
            for index in range(have, most):
                name = f"{key}-{index}"
                calls.append(Call(name, key, request.key, request.series, print_.hash))
                items.append(Item(name, built))
        return calls, items

    def _must_afford(self, items: Sequence[Item]) -> None:
        """Raises Unavailable where the batch at its worst would exceed the budget."""
        held: list[Need] = []
        price = price_of(self._spec)
        try:
            for item in items:
                full = worst_case(price, item.prompt.most_tokens, len(item.prompt.images), self._spec.max_tokens)
                cost = None if full.cost_usd is None else full.cost_usd * batch_factor()
                need = Need(full.tokens, cost)
                if self._budget.hold(need) != "granted":
                    raise Unavailable(f"not handed in: {self._budget.refusal(need)}, {len(items):,} calls were wanted")
                held.append(need)
        finally:
            for need in held:
                self._budget.settle(need, Usage())

    def _row(self, call: Call, outcome: Answer | CallFailed | None, ticket: Ticket, at: str) -> Kept:
        row = Kept(
            call.key, call.request, call.series, call.fingerprint, at, "failed",
            origin=f"{ticket.provider_id}/{call.custom_id}",
        )  # fmt: skip
        if outcome is None:
            return replace(row, kind="timeout", reason="the batch ended without a result for this call")
        if isinstance(outcome, CallFailed):
            return replace(row, kind=outcome.kind, reason=redact(outcome.reason))
        usage = usage_of(self._spec, outcome.tokens, batch_factor())
        row = replace(row, text=redact(outcome.text), thinking=redact(outcome.thinking), usage=usage)
        if outcome.stop != "end":
            return replace(row, kind=outcome.stop, reason=f"the reply was {outcome.stop}")
        return replace(row, outcome="answered", model=outcome.model, note=outcome.note)

    def _path(self, ticket: Ticket) -> Path:
        return self._folder / f"{ticket.id}.json"

    def _write(self, ticket: Ticket, before: Ticket | None) -> None:
        self._workspace.state_dir()
        self._folder.mkdir(parents=True, exist_ok=True)
        expected = None if before is None else _bytes(before)
        replace_file(self._path(ticket), _bytes(ticket), expected=expected, lock=self._workspace.lock)

    def _read(self, path: Path) -> Ticket:
        row = read_json(path, self._workspace.label(path))
        calls = tuple(Call(**call) for call in row.pop("calls"))
        return Ticket(**{**row, "spec": JudgeSpec.model_validate(row["spec"]), "calls": calls})


def _bytes(ticket: Ticket) -> bytes:
    row = asdict(replace(ticket, calls=())) | {"calls": [asdict(call) for call in ticket.calls]}
    return orjson.dumps(row | {"spec": ticket.spec.model_dump()}, option=orjson.OPT_INDENT_2)


def open_batches(
    spec: JudgeSpec, workspace: Workspace, *, budget: Budget | None = None, clock: Callable[[], datetime] = times.now
) -> Batches:
    """The batches of a judge in a workspace. Raises Unavailable for a command-line judge, which has none."""
    return Batches(spec, workspace, wire_of(spec), budget or Budget(), clock)
