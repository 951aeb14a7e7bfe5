"""A finding: one thing that needs a human (triage contract, Findings).

Each system reports its own through ``findings(workspace, now)``; the inbox gathers, orders and remembers them.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

System = Literal["report_loop", "suggestions", "text_fidelity", "render_fidelity"]
Severity = Literal["blocking", "attention", "notice"]
Kind = Literal[
    "loop_escalated", "node_frozen", "accurate_unverified", "overclaim", "receipt_stale", "judge_undersampled",
    "feedback_undecided", "blocklist_proposal", "threshold_advice", "suggestion_unreadable", "eval_stale",
    "eval_error", "eval_drop", "generator_drift", "needs_human", "needs_review", "repair_requested", "unreadable",
]  # fmt: skip


def content_hash(value: Any) -> str:
    """The sha256 (hex) of a JSON-able value in canonical form: the same for the same content in any key order."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_writable(key): _writable(one) for key, one in value.items()}
    return [_writable(one) for one in value] if isinstance(value, (list, tuple)) else value


class Finding(BaseModel):
    """One item of the inbox. ``id`` is stable across runs; ``evidence_hash`` changes when what it rests on changes."""

    model_config = ConfigDict(frozen=True)

    id: str
    system: System
    kind: Kind
    severity: Severity
    subject: str
    summary: str
    evidence: dict[str, Any]
    evidence_hash: str
    link: str

    @classmethod
    def make(
        cls, *, system: System, kind: Kind, severity: Severity, subject: str, summary: str,
        evidence: dict[str, Any], link: str,
    ) -> Finding:  # fmt: skip
        """A finding with both hashes computed: id over (system, kind, subject), evidence_hash over the evidence.

        Every text in it can be written: what comes of a name that is no UTF-8 is spelled out (``\\udcff``).
        """
        subject, summary, evidence, link = _writable([subject, summary, evidence, link])
        return cls(
            id=content_hash([system, kind, subject])[:16], system=system, kind=kind, severity=severity,
            subject=subject, summary=summary, evidence=evidence, evidence_hash=content_hash(evidence), link=link,
        )  # fmt: skip
