"""A run: many samples at once under a limit, stored as they arrive, stopped when asked or when it is pointless.

The calls live in an event loop on a thread of their own; storing and progress happen in the caller's thread, so that a
page may draw in its callback and a stop there ends the run at once.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from core.judge.budget import Budget
from core.judge.protocol import Cancel, JudgeSpec, Usage
from core.judge.sampler import Job, Sampler, Taken, unscored
from core.judge.transport import CallFailed, Transport

_LOOK_SECONDS = 0.05
_FAILURES_IN_A_ROW = 20


@dataclass(frozen=True)
class _Crashed:
    error: BaseException


_Event = Taken | _Crashed | None


def run(
    jobs: Sequence[Job],
    *,
    spec: JudgeSpec,
    transport: Callable[[], Transport],
    budget: Budget,
    concurrency: int,
    cancel: Cancel | None,
    store: Callable[[list[Taken]], list[Taken]],
) -> Generator[list[Taken], None, None]:
    """What was taken and stored, in handfuls, as it arrives; every job comes back once unless the run is stopped.

    Closing the iterator stops the run: calls under way are dropped, child processes killed, and what had been answered
    by then is stored. A process that is killed loses at most twice ``concurrency`` calls: nobody asks on while so many
    are under way or not stored yet.
    """
    events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
    crew = _Crew(jobs, spec, transport, budget, concurrency, events)
    thread = threading.Thread(target=crew.work, name="judge", daemon=True)
    thread.start()
    try:
        while True:
            handful, ended = _collect(events)
            if handful:
                stored = store(handful)
                crew.stored(len(handful))
                yield stored
            if ended:
                return
            if cancel is not None and cancel():
                crew.stop()
    finally:
        crew.stop()
        thread.join()
        left = _left(events)
        if left:
            store(left)


def _left(events: queue.SimpleQueue[_Event]) -> list[Taken]:
    """What was answered and not yet collected when the run was broken off."""
    left: list[Taken] = []
    while not events.empty():
        event = events.get_nowait()
        if isinstance(event, Taken):
            left.append(event)
    return left


def _collect(events: queue.SimpleQueue[_Event]) -> tuple[list[Taken], bool]:
    """All that has arrived, after waiting a moment for the first; and whether the run is over."""
    handful: list[Taken] = []
    try:
        event = events.get(timeout=_LOOK_SECONDS)
        while True:
            if isinstance(event, _Crashed):
                raise event.error
            if event is None:
                return handful, True
            handful.append(event)
            event = events.get_nowait()
    except queue.Empty:
        return handful, False


class _Crew:
    """The workers of one run, on their own thread and event loop."""

    def __init__(
        self,
        jobs: Sequence[Job],
        spec: JudgeSpec,
        transport: Callable[[], Transport],
        budget: Budget,
        concurrency: int,
        events: queue.SimpleQueue[_Event],
    ) -> None:
        self._jobs = iter(jobs)
        self._workers = max(1, min(concurrency, len(jobs)))
        self._room = asyncio.Semaphore(2 * self._workers)
        self._spec, self._transport, self._budget, self._events = spec, transport, budget, events
        self._ending: CallFailed | None = None
        self._failures = 0
        self._lock = threading.Lock()
        self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None

    def work(self) -> None:
        """The thread: run all workers, then say that it is over."""
        try:
            asyncio.run(self._all())
        except asyncio.CancelledError:
            pass  # stopped on purpose
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which raises it
            first = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error
            self._events.put(_Crashed(first))
        finally:
            self._events.put(None)

    def stop(self) -> None:
        """Drop what is under way; from any thread, any number of times."""
        with self._lock:
            first, self._stopped = not self._stopped, True
            if first and self._loop is not None and self._main is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._main.cancel)

    def stored(self, count: int) -> None:
        """So many answers are on disk: as many more may be asked for. From any thread."""
        with self._lock:
            if self._loop is not None and not self._loop.is_closed():
                for _ in range(count):
                    self._loop.call_soon_threadsafe(self._room.release)

    async def _all(self) -> None:
        with self._lock:
            if self._stopped:
                return
            self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        transport = self._transport()
        sampler = Sampler(self._spec, transport, self._budget)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._workers):
                    group.create_task(self._worker(sampler))
        finally:
            await transport.close()
            with self._lock:
                self._loop = None

    async def _worker(self, sampler: Sampler) -> None:
        for job in self._jobs:
            await self._room.acquire()
            if self._ending is not None:
                told = CallFailed(self._ending.kind, f"not asked: {self._ending.reason}", until=self._ending.until)
                self._events.put(Taken(job, *unscored(job, told, (), Usage())))
                continue
            taken, failed = await sampler.take(job)
            self._events.put(taken)
            self._note(failed)

    def _note(self, failed: CallFailed | None) -> None:
        """End the run on a failure that holds for all of it, or on many in a row with no answer between them."""
        self._failures = self._failures + 1 if failed else 0
        if failed and self._ending is None and (failed.ends_run or self._failures >= _FAILURES_IN_A_ROW):
            self._ending = failed
