"""A person's answers to what maintaining asks: yes or no to a topic, another threshold (contract, Maintain)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from core.decisions import Record, open_log
from core.errors import Conflict
from core.people import Person
from core.suggestions import confirm, refusals, threshold
from core.suggestions.maintain import maintain
from core.suggestions.proposals import Cost, Proposal
from core.workspace import Workspace


def yes(workspace: Workspace, person: Person, topic: str, *, now: datetime, bullet: str = "") -> Record:
    """Block a proposed topic, as it was proposed or as the person edited it (`bullet`); the log keeps what it rests on.

    Raises Conflict when the topic is no longer proposed, and what `confirm.block` raises.
    """
    found = maintain(workspace, open_log(workspace), now)
    proposal = _offered(found.proposal(topic), topic)
    written = bullet.strip() or topic
    cost = proposal.cost if written == topic else found.history.cost(written)
    return confirm.block(workspace, person, written, now=now, because=_because(proposal, cost))


def no(workspace: Workspace, person: Person, topic: str, *, now: datetime) -> Record:
    """Refuse a proposed topic until it has gathered three new rejections. Raises Conflict when it is not proposed."""
    log = open_log(workspace)
    proposal = _offered(maintain(workspace, log, now).proposal(topic), topic)
    return refusals.refuse(log, person, proposal, now=now)


def change_threshold(workspace: Workspace, person: Person, value: int, *, now: datetime) -> Record:
    """Grade with another threshold (0–6) from now on; the log keeps the calibration's words. Raises as its parts do."""
    log = open_log(workspace)
    calibration = maintain(workspace, log, now).calibration
    because = calibration.advice.text if calibration.advice else calibration.message
    return threshold.decide(workspace, log, person, value, because=because, now=now)


def _offered(proposal: Proposal | None, topic: str) -> Proposal:
    if proposal is None:
        raise Conflict(f"“{topic}” is not proposed any more: it was answered, blocked or reviewed meanwhile")
    return proposal


def _because(proposal: Proposal, cost: Cost) -> dict[str, Any]:
    return {
        "proposed": proposal.topic, "rejected": list(proposal.rejected), "rejects_caught": list(cost.rejects_caught),
        "accepts_lost": list(cost.accepts_lost), "pending_hit": list(cost.pending_hit),
    }  # fmt: skip
