"""How many findings need a person, for every page's side bar; counted in a thread, so that no page waits for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core import times
from core.errors import TouchstoneError
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.triage.inbox import Inbox

#: A count older than this is made again, in seconds.
FRESH = 5.0
_logger = logging.getLogger("touchstone.inbox")


@dataclass
class _Counter:
    """The latest inbox of one workspace."""

    inbox: Inbox | None = None
    mark: Hashable = None
    reason: str = ""
    made: float = float("-inf")
    running: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> bool:
        """True for the one caller that is to count now."""
        with self.lock:
            due = not self.running and time.monotonic() - self.made > FRESH
            self.running = self.running or due
            return due

    def count(self, workspace: Workspace) -> None:
        """Gather the inbox and keep it; there is none when the database or a system cannot be read."""
        found: Inbox | None = None
        why = ""
        try:
            from core.triage.inbox import open_inbox  # brings in all four systems: no page waits for that

            found = open_inbox(workspace, times.now())
        except TouchstoneError as error:
            why = str(error)
            _logger.warning("the inbox of %s could not be read: %s", workspace.root, error)
        finally:
            with self.lock:
                self.inbox, self.reason, self.running, self.made = found, why, False, time.monotonic()
                self.mark = (why, _mark(found))


def _mark(found: Inbox | None) -> Hashable:
    if found is None:
        return None
    return tuple((item.finding.id, item.state, item.finding.evidence_hash) for item in found.items)


_counters: dict[Path, _Counter] = {}
_guard = threading.Lock()


def latest(workspace: Workspace, *, count: bool = True) -> Inbox | None:
    """The inbox as last gathered; None while it is not known or cannot be read. Never waits.

    With ``count`` it is gathered anew beside the page when the last one is older than `FRESH`.
    """
    counter = _of(workspace)
    if count and counter.begin():
        threading.Thread(target=counter.count, args=(workspace,), name="inbox", daemon=True).start()
    return counter.inbox


def version(workspace: Workspace) -> Hashable:
    """What the latest inbox says, for a page that shows it: differs when an item came, went or changed its state."""
    latest(workspace)
    return _of(workspace).mark


def reason(workspace: Workspace) -> str:
    """Why there is no inbox; nothing while it is being gathered or is there."""
    return _of(workspace).reason


def waiting(workspace: Workspace, *, count: bool) -> int | None:
    """How many need a person, as last gathered (see `latest`)."""
    found = latest(workspace, count=count)
    return len(found.waiting) if found is not None else None


def _of(workspace: Workspace) -> _Counter:
    with _guard:
        return _counters.setdefault(workspace.root, _Counter())
