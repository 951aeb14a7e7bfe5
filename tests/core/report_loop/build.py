"""Receipts, scores and iteration records for tests: what is not said is as good as it can be."""

from __future__ import annotations

from typing import Any

from core.report_loop.rubric import score_all
from core.report_loop.words import LEGS

GREEN = {
    "sign_consistency_pass": True, "a11y_axe_pass": True, "a11y_verapdf_pass": True, "format_consistency_pass": True,
}  # fmt: skip


def leg(name: str, verdict: Any = "pass", **fields: Any) -> dict[str, Any]:
    return {
        "leg": name, "verdict": verdict, "label": "judged" if name == "V5" else "proven",
        "inference_independent": True, "blocking": name != "V5", **fields,
    }  # fmt: skip


def receipt(verdicts: dict[str, Any] | None = None, *, without: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    """A receipt whose seven legs pass but for ``verdicts``; legs in ``without`` are left out."""
    legs = [leg(name, (verdicts or {}).get(name, "pass")) for name in LEGS if name not in without]
    return {
        "receipt_version": "1.0.0", "run_id": "r", "format": "html", "generated_at": "2026-07-16T00:00:00Z",
        "ttl_seconds": 3600, "env_fingerprint": "e1", "overall_gate": "PASS",
        "manual_residue": ["reading order not judged by tools"], "legs": legs, **fields,
    }  # fmt: skip


def scores(
    dynamic: float | None = 0.95, inclusive: float | None = 0.95, polished: float | None = 0.95,
    verdicts: dict[str, Any] | None = None, **signals: Any,
) -> Any:  # fmt: skip
    return score_all(
        receipt(verdicts), **{**GREEN, **signals}, dynamic_judged=dynamic, inclusive_judged=inclusive,
        polished_judged=polished,
    )  # fmt: skip


def record(index: int, improved: Any = None, **fields: Any) -> dict[str, Any]:
    made = {
        "index": index, "scores": fields.pop("scores", None) or scores(dynamic=0.4), "content_diff_count": 3,
        "improved": improved, "target_dim": "dynamic",
    }  # fmt: skip
    return {**made, **fields}
