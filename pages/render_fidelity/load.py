"""What the page shows of a pack, as plain values: everything here is read, nothing decided."""

from __future__ import annotations

from typing import Any

from core import numbers
from core.render_fidelity import serving
from core.render_fidelity.check_claims import motifs
from core.render_fidelity.deliverable import slug_ok
from core.render_fidelity.notes import Note
from core.render_fidelity.recorded import describe
from core.render_fidelity.rubric import FLOOR, RULES, STRICT_AXES, STRICT_FLOOR, Axis, axis_text, suggest
from core.render_fidelity.standing import Standing
from core.render_fidelity.views import PageKey
from core.workspace import Workspace
from pages.render_fidelity import images
from pages.shared import gate


def slugs(workspace: Workspace, look: serving.Look) -> list[str]:
    """Every pack: the ones that need a person first, then by name."""
    order = {"needs_human": 0, "needs_review": 1, "reject": 2, "pass": 3, "not_applicable": 4}
    found = [folder.name for folder in workspace.packs() if slug_ok(folder.name)]
    return sorted(found, key=lambda slug: (order[images.standing_of(workspace, slug, look).verdict], slug))


def page_keys(standing: Standing, shown: serving.Shown) -> dict[int, PageKey]:
    """Each page as it looks now; a page without a picture cannot be seen and has none."""
    keys = {}
    for page in standing.pack.declared:
        if page.number in shown.renders:
            sources = tuple(
                shown.sources[n].sha256 if n in shown.sources else "" for n in sources_of(standing, page.number)
            )
            keys[page.number] = PageKey(page.number, shown.renders[page.number].sha256, sources)
    return keys


def sources_of(standing: Standing, page: int) -> tuple[int, ...]:
    """The original pages beside a pack page, by the mirror plan; page n beside page n where there is no plan."""
    return standing.plan.sources_of(page) if standing.plan else (page,)


def viewer_data(
    workspace: Workspace, standing: Standing, shown: serving.Shown, seen: frozenset[int], found: list[Note], page: int,
    asked: int,
) -> dict[str, Any]:  # fmt: skip
    """What the viewer gets. ``asked`` grows when the server, not the reviewer, turns the page."""
    kinds = {entry.pack_page: entry.kind for entry in standing.plan.entries} if standing.plan else {}
    return {
        "slug": standing.pack.slug, "base": images.base_url(workspace, standing.pack.slug), "key": shown.key,
        "page": page, "asked": asked, "decides": gate.decides(),
        "originals": (standing.plan.original_pages if standing.plan else None) or len(standing.batch.sources),
        "pages": [
            {
                "n": entry.number, "id": entry.id, "kind": kinds.get(entry.number, ""), "seen": entry.number in seen,
                "sha": shown.renders[entry.number].sha256 if entry.number in shown.renders else "",
                "w": entry.header.width if entry.header else 0, "h": entry.header.height if entry.header else 0,
                "error": entry.reason,
                "sources": [_source(shown, number) for number in sources_of(standing, entry.number)],
            }
            for entry in standing.pack.declared
        ],
        "unmapped": _unmapped(standing, shown),
        "notes": [
            {"page": note.page, "region": list(note.region), "kind": note.kind, "text": note.text} for note in found
        ],
        "axes": [{"id": axis, "name": axis_text(axis, standing.pack.mode).name} for axis in active(standing)]
        if standing.pack.mode else [],
    }  # fmt: skip


def _source(shown: serving.Shown, number: int) -> dict[str, Any]:
    ref = shown.sources.get(number)
    return {"n": number, "sha": ref.sha256 if ref else "", "error": shown.faults.get(number, "")}


def _unmapped(standing: Standing, shown: serving.Shown) -> list[dict[str, Any]]:
    """Original pages that no pack page mirrors, with the plan's reason."""
    plan = standing.plan
    if plan is None or plan.original_pages is None:
        return []
    rest = [number for number in range(1, plan.original_pages + 1) if number not in plan.mapped]
    return [_source(shown, number) | {"reason": plan.not_selected.get(number, "")} for number in rest[:60]]


def active(standing: Standing) -> tuple[Axis, ...]:
    """The axes that are scored in the pack's mode."""
    return RULES[standing.pack.mode].axes if standing.pack.mode else ()


def axes_data(standing: Standing, scores: dict[Axis, int | None], missing: int) -> dict[str, Any]:
    """What the axes get: words, scores, the second verifier's, and what counts at hand suggest."""
    mode = standing.pack.mode
    second = second_scores(standing)
    rows = []
    for axis in active(standing):
        words = axis_text(axis, mode) if mode else None
        if words is None:
            continue
        rows.append({
            "id": axis, "name": words.name, "measures": words.measures, "zero": words.zero, "two": words.two,
            "four": words.four, "low": STRICT_FLOOR if axis in STRICT_AXES else FLOOR, "second": second.get(axis),
            "counts": _counts(standing, axis, missing),
        })  # fmt: skip
    return {
        "slug": standing.pack.slug, "axes": rows, "scores": {axis: scores.get(axis) for axis in active(standing)},
        "locked": _locked(standing),
    }  # fmt: skip


def _locked(standing: Standing) -> str:
    """Why nothing can be scored here and now; empty where it can."""
    if standing.failed:
        return f"Scoring does not start: {standing.failed[0].name} fails"
    return "" if gate.decides() else "You may look here; scores are set by reviewers"


def second_scores(standing: Standing) -> dict[str, int]:
    """The second verifier's score of each axis, as its block in the deliverable says."""
    deliverable = standing.deliverable
    block = deliverable.raw.get("cross_check") if deliverable else None
    axes = block.get("axes") if isinstance(block, dict) else None
    return {key: value for key, value in axes.items() if isinstance(value, int)} if isinstance(axes, dict) else {}


def _counts(standing: Standing, axis: Axis, missing: int) -> str:
    """Where counts are at hand: the share they make and the score it suggests. The person sets the score."""
    if axis == "F1" and standing.mapping.total:
        met, of, what = standing.mapping.accounted, standing.mapping.total, "original pages accounted for"
    elif axis == "F2" and signature_names(standing):
        of, what = len(signature_names(standing)), "signatures not marked missing"
        met = max(0, of - missing)
    else:
        return ""
    return f"{met} of {of} {what}, {numbers.percent(met, of)}: suggests {suggest(met, of)}"


def signature_names(standing: Standing) -> list[str]:
    """The signature list by name."""
    return [describe(row) for row in motifs(standing.pack, standing.batch)]
