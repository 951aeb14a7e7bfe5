"""A verifier's scores before they are written: the deliverable that saving would write, and its verdict. Pure.

Contract, render-fidelity: Deliverable, Verdict.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from core.render_fidelity.batch import Batch, bare_hash
from core.render_fidelity.checks import run_checks
from core.render_fidelity.crosscheck import NOT_RUN
from core.render_fidelity.deliverable import parse_deliverable
from core.render_fidelity.evidence import Context, Judged, changed_pages, judge_file
from core.render_fidelity.notes import Note
from core.render_fidelity.recorded import COMPUTED, SUBMITTED, describe, items
from core.render_fidelity.rubric import AXES, Axis
from core.render_fidelity.standing import OWN_BATCH, Standing
from core.times import iso


@dataclass(frozen=True)
class Draft:
    """What a verifier says of a pack. ``seen``: pages reviewed; ``unverifiable``: what could not be judged.

    What stands in the other lists rejects by itself.
    """

    axes: Mapping[Axis, int | None]
    seen: frozenset[int]
    missing_signatures: tuple[str, ...] = ()
    must_preserve_broken: tuple[str, ...] = ()
    copied_assets: tuple[str, ...] = ()
    value_errors: tuple[str, ...] = ()
    unverifiable: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    second: Mapping[str, Any] | None = field(default=None)


def compose(standing: Standing, draft: Draft, reviewer: str, now: datetime) -> tuple[dict[str, Any], Judged]:
    """The deliverable that saving would write, and how the rules judge it."""
    deliverable = standing.deliverable
    previous = dict(deliverable.raw) if deliverable else {}
    pages = [page.number for page in standing.pack.declared]
    scores = {axis: score for axis, score in draft.axes.items() if score is not None}
    kept = previous if same_render(standing) else {}
    invented = _entries(draft.notes, "invented") + [{"text": text} for text in draft.invented]
    made: dict[str, Any] = previous | {
        "slug": standing.pack.slug,
        "reference_mode": standing.pack.mode,
        "source_sha256": bare_hash(standing.pack.reference.get("sha256")),
        "pages_reviewed": [page for page in pages if page in draft.seen],
        "pages_not_reviewed": [page for page in pages if page not in draft.seen],
        "axes": _foreign_axes(previous.get("axes")) | scores,
        "hallucinated_elements": _merged(kept.get("hallucinated_elements"), invented),
        "missing_signatures": _told(
            kept, "missing_signatures", draft.missing_signatures, lambda name: {"name": name, "must_preserve": True}
        ),
        "cross_check": draft.second or kept.get("cross_check") or dict(NOT_RUN),
        "repair_requests": _merged(kept.get("repair_requests"), _entries(draft.notes, "repair")),
        "must_preserve_broken": _told(kept, "must_preserve_broken", draft.must_preserve_broken),
        "copied_assets": _told(kept, "copied_assets", draft.copied_assets),
        "value_errors": _told(kept, "value_errors", draft.value_errors),
        "unverifiable": _told(
            kept, "unverifiable", draft.unverifiable, lambda name: {"name": name, "status": "unverifiable"}
        ),
        "reviewer": reviewer,
        "scored_at": iso(now),
        "render_hashes": standing.pack.render_hashes(),
    }
    for gone in ("total", "verdict", COMPUTED, SUBMITTED, "adopted_total", "reasons", "human_verdict", "verifier"):
        made.pop(gone, None)
    if standing.batch_first:
        made["batch_first"] = True
    judged = judge(standing, made, now)
    outcome = judged.outcome
    made |= {
        "total": outcome.total, **computed(judged), "cross_check": with_delta(made["cross_check"], judged),
    }  # fmt: skip
    return made, judged


def computed(judged: Judged) -> dict[str, Any]:
    """What the rules say, as it is written: the word twice, so that nobody takes it for a submitted one."""
    outcome = judged.outcome
    return {
        "verdict": outcome.verdict, COMPUTED: outcome.verdict, "adopted_total": outcome.adopted_total,
        "reasons": list(outcome.reasons),
    }  # fmt: skip


def _foreign_axes(axes: Any) -> dict[str, Any]:
    return {key: value for key, value in axes.items() if key not in AXES} if isinstance(axes, Mapping) else {}


def with_delta(block: Any, judged: Judged) -> Any:
    """The second verifier's block with the Δ to the scores that it now stands beside."""
    if not isinstance(block, Mapping) or judged.evidence.second.total is None:
        return block
    return {**block, "delta": judged.outcome.delta}


def same_render(standing: Standing) -> bool:
    """Whether the scores that lie there are about the pages that lie there."""
    deliverable = standing.deliverable
    return deliverable is not None and not changed_pages(deliverable, standing.pack)


def _entries(notes: Sequence[Note], kind: Literal["repair", "invented"]) -> list[dict[str, Any]]:
    return [note.as_entry() for note in notes if note.kind == kind]


def _told(
    kept: Mapping[str, Any], key: str, texts: Sequence[str], made: Callable[[str], Any] = lambda text: text
) -> list[Any]:
    """What the draft says in words: the entry of the file that these words describe as it is, else a new one."""
    known: dict[str, list[Any]] = {}
    for entry in items(kept.get(key)):
        known.setdefault(describe(entry), []).append(entry)
    return [known[text].pop(0) if known.get(text) else made(text) for text in texts]


def _merged(before: Any, ours: list[dict[str, Any]]) -> list[Any]:
    kept = items(before)
    return [*kept, *(entry for entry in ours if entry not in kept)]


def judge(standing: Standing, made: Mapping[str, Any], now: datetime) -> Judged:
    """The verdict of a deliverable that is not written yet, as it will be when it lies there."""
    pack, material, found = standing.pack, standing.batch, standing.checks
    if not material.name:  # saving makes it a batch, in which there is no contract: what is protected is not known
        material = Batch(OWN_BATCH, pack.slug, (), None, None)
        found = tuple(run_checks(pack, material, now))
    checks = tuple(check for check in found if check.about == "pack")
    batch = standing.file.batch if standing.file else material.name
    context = Context(pack, material, checks, None, batch, standing.batch_first)
    return judge_file(parse_deliverable(json.dumps(made), f"{standing.pack.slug}.json"), context)


def preview(standing: Standing, draft: Draft, reviewer: str, now: datetime) -> Judged:
    """The verdict that these scores would have, with every reason; nothing is written."""
    return compose(standing, draft, reviewer, now)[1]
