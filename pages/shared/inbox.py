"""The inbox for every page: looked at in a thread beside the pages, so that no page waits for four systems' files.

What a page gets is the last look with the log as it is at this moment. Before the first look of this process it is what
was seen the last time by any process.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core import times
from core.errors import TouchstoneError, Unavailable
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.triage.standing import Inbox, Survey

#: A look older than this is taken again, in seconds; one that took long is left longer, so that looking never takes
#: more than a tenth of the processor.
FRESH = 5.0
_SHARE = 10.0
#: How long the first page waits for the first look ever, in seconds.
PATIENCE = 1.0
#: How long the first look of a process leaves the processor to the page that shows what is remembered, in seconds.
DRAWING = 1.5
_logger = logging.getLogger("touchstone.inbox")


@dataclass
class _Looker:
    """The latest look at one workspace."""

    survey: Survey | None = None
    reason: str = ""
    due: float = float("-inf")
    running: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    looked: threading.Event = field(default_factory=threading.Event)

    def begin(self) -> bool:
        """True for the one caller that is to look now."""
        with self.lock:
            begins = not self.running and time.monotonic() >= self.due
            self.running = self.running or begins
            return begins

    def look(self, workspace: Workspace) -> None:
        """Read the files and keep what was found; nothing when the database or a system cannot be read."""
        found: Survey | None = None
        why = ""
        begun = time.monotonic()
        try:
            from core.triage.standing import survey  # brings in all four systems: no page waits for that

            found = survey(workspace, times.now())
        except TouchstoneError as error:
            why = str(error)
            _logger.warning("the inbox of %s could not be read: %s", workspace.root, error)
        except Exception as error:
            why = f"the inbox could not be read ({type(error).__name__}); the server's log says more"
            _logger.exception("the inbox of %s could not be read", workspace.root)
        finally:
            with self.lock:
                took = time.monotonic() - begun
                self.due = time.monotonic() + max(FRESH, took * _SHARE)
                self.survey, self.reason, self.running = found, why, False
            self.looked.set()


_lookers: dict[Path, _Looker] = {}
_guard = threading.Lock()


def ahead(workspace: Workspace) -> None:
    """Read what was seen the last time before the first visitor asks for it (see `warm`). Raises Unavailable."""
    from core.triage.standing import remembered, stand

    stand(workspace, remembered(workspace), times.now())


def latest(workspace: Workspace, *, count: bool = True, now: datetime | None = None) -> Inbox | None:
    """The inbox as last looked at, with the log as it is now; None while nothing is known or it cannot be read.

    With ``count`` the files are looked at again beside the page when the last look is too old. Never waits for that.
    """
    looker = _of(workspace)
    if count and looker.begin():
        threading.Thread(target=looker.look, args=(workspace,), name="inbox", daemon=True).start()
    return None if looker.survey is None else _stand(looker, workspace, now or times.now())


def known(workspace: Workspace, now: datetime) -> Inbox:
    """The same, and never nothing: what was seen the last time until this process has looked.

    Where nobody ever has, the first look gets `PATIENCE`; then ``at`` says that there has been none. Raises
    Unavailable without a database.
    """
    from core.triage.standing import Inbox, remembered

    looker = _of(workspace)
    if looker.survey is None:
        before = remembered(workspace)
        if before.sightings:
            looker.due = max(looker.due, time.monotonic() + DRAWING)
        else:
            latest(workspace, now=now)  # begins to look
            looker.looked.wait(PATIENCE)
            if looker.survey is None and not looker.reason:
                return Inbox([], before.problems, None, 0)  # kept nowhere: others would take it for an empty inbox
        looker.survey = looker.survey or before
    found = latest(workspace, now=now)
    if found is None:
        raise Unavailable(looker.reason or "the inbox cannot be read")
    return found


def _stand(looker: _Looker, workspace: Workspace, now: datetime) -> Inbox | None:
    from core.triage.standing import stand

    try:
        return None if looker.survey is None else stand(workspace, looker.survey, now)
    except TouchstoneError as error:
        looker.reason = str(error)
        return None


def version(workspace: Workspace) -> Hashable:
    """What the latest inbox says, for a page that shows it: differs when an item came, went or changed its state."""
    looker = _of(workspace)
    found = latest(workspace, count=looker.survey is not None)  # the first look is the page's to begin
    return (0, looker.reason) if found is None else (found.serial, "")


def reason(workspace: Workspace) -> str:
    """Why there is no inbox; nothing while it is being looked at or is there."""
    return _of(workspace).reason


def waiting(workspace: Workspace, *, count: bool) -> int | None:
    """How many need a person (see `latest`); None also where none are known and nobody has looked yet."""
    found = latest(workspace, count=count)
    return None if found is None or (found.at is None and not found.waiting) else len(found.waiting)


def _of(workspace: Workspace) -> _Looker:
    with _guard:
        return _lookers.setdefault(workspace.root, _Looker())
