"""How many findings need a person, for every page's side bar; counted in a thread, so that no page waits for it."""

from __future__ import annotations

import logging
import threading
import time
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
        try:
            from core.triage.inbox import open_inbox  # brings in all four systems: no page waits for that

            found = open_inbox(workspace, times.now())
        except TouchstoneError as error:
            _logger.warning("the inbox of %s could not be read: %s", workspace.root, error)
        finally:
            with self.lock:
                self.inbox, self.running, self.made = found, False, time.monotonic()


_counters: dict[Path, _Counter] = {}
_guard = threading.Lock()


def waiting(workspace: Workspace, *, count: bool) -> int | None:
    """How many need a person, as last counted; None while that is not known. Never waits.

    With ``count`` a new count is begun beside the page when the last one is older than `FRESH`.
    """
    with _guard:
        counter = _counters.setdefault(workspace.root, _Counter())
    if count and counter.begin():
        threading.Thread(target=counter.count, args=(workspace,), name="inbox", daemon=True).start()
    return len(counter.inbox.waiting) if counter.inbox is not None else None
