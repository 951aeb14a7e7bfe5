"""Checks on what a pack claims: signatures, protected elements, mirrors, synthesis (contract, Deterministic checks)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.render_fidelity.batch import Batch, plan_of
from core.render_fidelity.outcome import Found, failed, held, unknown
from core.render_fidelity.pack import Pack
from core.render_fidelity.recorded import describe, reproduction_claims

_PROTECTED = re.compile(
    r"trademark|logo|emblem|wordmark|proprietary|licen[cs]ed?[_ -]?font|paid[_ -]?font|slogan|tagline", re.IGNORECASE
)
_ONE_TO_ONE = re.compile(r"\b1\s*:\s*1\b|one[- ]to[- ]one|1\s*대\s*1", re.IGNORECASE)
_NOT_CLAIMS = frozenset({"aspect_ratio", "ratio", "canvas", "page_box", "declared"})


def motifs(pack: Pack, batch: Batch) -> list[Mapping[str, Any]]:
    """The signature list: the pack's, else the visual spec's."""
    for value in (pack.meta.get("signature_motifs"), (batch.spec or {}).get("signature_motifs")):
        if isinstance(value, list) and value:
            return [row if isinstance(row, dict) else {"name": str(row)} for row in value]
    return []


def signatures(pack: Pack, batch: Batch) -> Found:
    """No signature motif without ``evidence_pages``."""
    listed = motifs(pack, batch)
    bare = [describe(row) for row in listed if not _evidence(row)]
    if bare:
        return failed(f"without evidence_pages: {'; '.join(bare)}")
    return held(f"{len(listed)} motifs, each with its pages" if listed else "no signature motif is listed")


def _evidence(row: Mapping[str, Any]) -> bool:
    pages = row.get("evidence_pages")
    return bool(pages) and (isinstance(pages, list | str | int))


def protected(batch: Batch) -> Found | None:
    """Trademark, proprietary image, licensed font and slogan elements are never ``preserve``; None without a batch."""
    if not batch.name:
        return None
    if batch.contract is None:
        return unknown("no transform contract: what is protected is not known")
    wrong = [
        f"{describe(row)} ({row.get('class')})"
        for row in batch.elements
        if _PROTECTED.search(str(row.get("class") or "")) and str(row.get("action") or "").strip().lower() == "preserve"
    ]
    if wrong:
        return failed(f"protected and yet preserve: {'; '.join(wrong)}")
    return held(f"{len(batch.elements)} contract elements, no protected one is preserve")


def mirror(pack: Pack, batch: Batch) -> Found:
    """A merged or selected plan is never called a 1:1 mirror; ``identity`` is one page for one page."""
    plan = plan_of(pack, batch)
    if plan is None:
        return held("no mirror plan claims anything")
    merged = [entry.pack_page for entry in plan.entries if len(entry.source_pages) > 1]
    dropped = plan.original_pages is not None and len(plan.mapped) < plan.original_pages
    if plan.compression == "identity" and (merged or dropped):
        what = f"pages {merged} merge several originals" if merged else "original pages are left out"
        return failed(f"called identity, and yet {what}")
    if plan.compression != "identity":
        said = [*_texts(pack.meta, "")]
        if pack.plan is None:
            said += _texts((batch.spec or {}).get("page_mirror_plan"), "visual_spec.page_mirror_plan")
        claims = [place for place, text in said if _ONE_TO_ONE.search(text)]
        if claims:
            return failed(f"{plan.compression or 'the plan'} is called a 1:1 mirror in {', '.join(claims)}")
    return held(f"compression {plan.compression or 'not named'}")


def _texts(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in _NOT_CLAIMS:
                yield from _texts(inner, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for position, inner in enumerate(value, 1):
            yield from _texts(inner, f"{place}[{position}]")


def synthesis(pack: Pack) -> Found | None:
    """``style_synthesis`` never has ``source_depth: full`` nor claims reproduction; None in every other mode."""
    if pack.mode != "style_synthesis":
        return None
    claims = reproduction_claims(pack.meta)
    return failed("; ".join(claims)) if claims else held("claims neither full depth nor reproduction")
