"""Long work beside the pages: a thread with progress that everybody who looks at the workspace sees, and can stop.

One job of a kind runs in a workspace at a time. The work itself must not touch Streamlit; it gets a `Job`, tells it how
far it is and asks it whether to go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import streamlit as st

from core import numbers, times
from core.errors import Conflict, TouchstoneError
from core.workspace import Workspace
from pages.shared import gate, notices, text

POLL_SECONDS = 0.5
State = Literal["running", "done", "failed"]


@dataclass
class Job:
    """One piece of work. ``done`` of ``total`` steps; ``doing`` says what is being done now."""

    title: str
    who: str
    begun: datetime
    total: int = 0
    done: int = 0
    doing: str = ""
    state: State = "running"
    result: Any = None
    error: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)

    def tell(self, done: int, total: int, doing: str = "") -> None:
        """How far the work is (called by the work)."""
        self.done, self.total, self.doing = done, total, doing or self.doing

    def stop(self) -> None:
        """Ask the work to end after what is under way."""
        self._stop.set()

    def stopped(self) -> bool:
        """Whether somebody asked it to end."""
        return self._stop.is_set()

    @property
    def running(self) -> bool:
        """Whether it still works."""
        return self.state == "running"


_jobs: dict[Hashable, Job] = {}
_lock = threading.Lock()


def start(workspace: Workspace, kind: str, title: str, who: str, work: Callable[[Job], Any]) -> Job:
    """Begin a job. Raises Conflict, naming who began it, while another of its kind runs in this workspace."""
    key = (str(workspace.root), kind)
    with _lock:
        before = _jobs.get(key)
        if before is not None and before.running:
            raise Conflict(
                f"{before.who} has started this already: {before.title}, {before.done} of {before.total} done"
            )
        job = _jobs[key] = Job(title, who, times.now())
    threading.Thread(target=_run, args=(job, work), name=f"touchstone {kind}", daemon=True).start()
    return job


def _run(job: Job, work: Callable[[Job], Any]) -> None:
    try:
        job.result = work(job)
        job.state = "done"
    except TouchstoneError as error:
        job.error, job.state = str(error), "failed"
    except BaseException:
        job.error, job.state = "the work ended by a fault of the program; the server's log says more", "failed"
        raise


def current(workspace: Workspace, kind: str) -> Job | None:
    """The job of this kind that runs, or the last one that did."""
    return _jobs.get((str(workspace.root), kind))


def clear(workspace: Workspace, kind: str) -> None:
    """Forget a job that has ended."""
    with _lock:
        job = _jobs.get((str(workspace.root), kind))
        if job is not None and not job.running:
            del _jobs[str(workspace.root), kind]


def _ask_to_stop(job: Job) -> None:
    notices.attempt(job.stop)


def panel(job: Job, *, key: str) -> None:
    """Progress and a stop button while a job runs; when it ends, the page runs again."""

    @st.fragment(run_every=POLL_SECONDS)
    def draw() -> None:
        if not job.running:
            st.rerun()
        share = job.done / job.total if job.total else 0.0
        steps = f"{job.done:,} of {job.total:,}" if job.total else "starting"
        st.progress(min(1.0, share), text=text.label(f"{job.title}: {steps}{' · ' + job.doing if job.doing else ''}"))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                "Stopping" if job.stopped() else "Stop", key=f"{key}_stop", icon=":material/stop_circle:",
                on_click=_ask_to_stop, args=(job,), disabled=job.stopped() or not gate.decides(),
            )  # fmt: skip
            text.show(text.grey(f"begun by {job.who} {numbers.span(times.now() - job.begun)} ago"))

    draw()
