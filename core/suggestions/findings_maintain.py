"""What maintaining asks of a person: topics to block or not, a threshold to change (triage contract, Findings)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlencode

from core import numbers
from core.decisions import open_log
from core.errors import BadInput
from core.findings import Finding
from core.suggestions import threshold
from core.suggestions.calibration import Calibration
from core.suggestions.maintain import maintain
from core.suggestions.proposals import History, Proposal
from core.suggestions.refusals import subject_of
from core.workspace import Workspace


def findings(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    """A finding for each proposal that waits for a yes or no, and one where the calibration recommends a change.

    Files that cannot be read are other findings (`core.suggestions.findings`) and give none here.
    """
    log = open_log(workspace)
    try:
        found = maintain(workspace, log, now)
        limit = threshold.in_force(workspace, log)
    except BadInput:
        return
    for proposal in found.proposals:
        yield of_proposal(proposal, found.history)
    advice = of_calibration(found.calibration, limit.value)
    if advice is not None:
        yield advice


def of_proposal(proposal: Proposal, history: History) -> Finding:
    """A topic that waits for a yes or no; its evidence is what the answer rests on."""
    titles = {entry.id: entry.title for entry in [*history.rejected, *history.accepted]}
    cost = proposal.cost
    rejections = numbers.count(len(proposal.rejected), "rejection")
    lost = numbers.count(len(cost.accepts_lost), "accepted suggestion")
    return Finding.make(
        system="suggestions", kind="blocklist_proposal", severity="notice", subject=subject_of(proposal.topic),
        summary=f"Block “{proposal.topic}”? {rejections} so far; it would have lost {lost}.",
        evidence={
            "topic": proposal.topic, "examples": list(proposal.examples), "rejected": list(proposal.rejected),
            "rejects_caught": len(cost.rejects_caught),
            "accepts_lost": [titles.get(one, one) for one in cost.accepts_lost],
            "pending_hit": len(cost.pending_hit),
        },
        link=f"/suggestions?{urlencode({'tab': 'proposals', 'topic': proposal.topic})}",
    )  # fmt: skip


def of_calibration(found: Calibration, in_force: int) -> Finding | None:
    """The recommended threshold, where it is higher than the one in force; None where nothing is recommended."""
    advice = found.advice
    if advice is None or advice.threshold is None or advice.threshold <= in_force:
        return None
    return Finding.make(
        system="suggestions", kind="threshold_advice", severity="attention" if advice.supported else "notice",
        subject="suggestions:threshold", summary=f"Threshold {in_force}: {advice.text}",
        evidence={
            "in_force": in_force, "recommended": advice.threshold, "supported": advice.supported,
            "advice": advice.text, "more_reviews": advice.more_reviews, "n": found.n,
            "buckets": {str(total): {"accepted": one.k, "n": one.n} for total, one in found.buckets.items()},
        },
        link="/grader?view=calibration",
    )  # fmt: skip
