"""Which decisions a kind of finding offers (triage contract, "Decisions by kind")."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import BadInput
from core.findings import Kind


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to end a finding: its word in the log, its button, and whether it wants a reason."""

    decision: str
    label: str
    needs_note: bool = False


_VERDICT = (Choice("pass", "Pass", needs_note=True), Choice("reject", "Reject", needs_note=True))
_LOOP = (
    Choice("accept", "Accept as it stands"),
    Choice("send_back", "Send back", needs_note=True),
    Choice("waive", "Waive the named residue", needs_note=True),
)
_NODE = (Choice("accept", "Accept"), Choice("unfreeze", "Unfreeze, one more edit"))
_YES_NO = (Choice("yes", "Yes"), Choice("no", "No"))
_ERROR = (Choice("acknowledged", "Acknowledged"), Choice("fixed", "Fixed"))

_BY_KIND: dict[Kind, tuple[Choice, ...]] = {
    "needs_human": _VERDICT,
    "loop_escalated": _LOOP,
    "node_frozen": _NODE,
    "blocklist_proposal": _YES_NO,
    "threshold_advice": _YES_NO,
}


def of_kind(kind: Kind) -> tuple[Choice, ...]:
    """The decisions of a kind, the likeliest first; errors and advice are acknowledged or fixed."""
    return _BY_KIND.get(kind, _ERROR)


def choice(kind: Kind, decision: str) -> Choice:
    """The named decision. Raises BadInput, with what is offered, when the kind does not have it."""
    for offered in of_kind(kind):
        if offered.decision == decision:
            return offered
    words = ", ".join(offered.decision for offered in of_kind(kind))
    raise BadInput.of("inbox", f"{decision!r} is no decision about {kind}; there are: {words}")
