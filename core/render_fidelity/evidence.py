"""From a verdict file, and its pack where there is one, to the evidence that the verdict rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.errors import Problem
from core.render_fidelity import crosscheck
from core.render_fidelity.batch import Batch, bare_hash, plan_of
from core.render_fidelity.checks import Check
from core.render_fidelity.deliverable import Deliverable, slug_ok
from core.render_fidelity.mapping import Coverage, coverage
from core.render_fidelity.pack import Pack
from core.render_fidelity.page_refs import PageIndex, viewed
from core.render_fidelity.rubric import RULES
from core.render_fidelity.verdict import Evidence, Outcome, decide


@dataclass(frozen=True)
class Context:
    """What is known beside the file. ``pages`` is the number of pack pages where no pack is at hand."""

    pack: Pack | None = None
    material: Batch | None = None
    checks: tuple[Check, ...] = ()
    pages: int | None = None
    batch: str | None = None
    batch_first: bool = False


@dataclass(frozen=True)
class Judged:
    """A verdict file with its verdict, what it rests on, and what was odd on the way."""

    deliverable: Deliverable
    evidence: Evidence
    outcome: Outcome
    problems: tuple[Problem, ...]


def page_index(pack: Pack) -> PageIndex:
    """The pack's declared pages, by number and id."""
    return PageIndex(len(pack.declared), tuple(page.id for page in pack.declared))


def judge_file(deliverable: Deliverable, context: Context) -> Judged:
    """The computed verdict of one file. The stored one is never trusted; it only shows what was submitted."""
    pack = context.pack
    index = page_index(pack) if pack else PageIndex(context.pages)
    seen, oddities = viewed(index, deliverable.reviewed, deliverable.not_reviewed)
    problems = [*deliverable.problems, *(Problem(deliverable.file, text) for text in oddities)]
    second = deliverable.second(pack.author if pack else "claude")
    if second.why and second.verifier:
        problems.append(Problem(deliverable.file, f"cross_check {second.why}"))
    mode = pack.mode if pack else deliverable.mode
    evidence = Evidence(
        mode=mode, axes=deliverable.axes, viewed=seen, stated=deliverable.submitted,
        stated_total=deliverable.stated_total, total_words=deliverable.total_words,
        failed_checks=_failed(deliverable, context), unknown_checks=_unknown(context),
        reproduction_claims=_claims(deliverable, context), recorded=deliverable.recorded,
        unjudged=deliverable.unjudged, void=void_reasons(deliverable, context), mapping=_mapping(context),
        second=second,
    )  # fmt: skip
    if evidence.rule:
        slug = pack.slug if pack else deliverable.slug or ""
        rights = deliverable.axes.get("F7") if "F7" in evidence.rule.axes else None
        due = crosscheck.due(
            evidence.rule, evidence.total, rights, slug=slug, batch=context.batch, batch_first=context.batch_first
        )
        evidence = replace(evidence, due=due)
    outcome = decide(evidence)
    problems += [Problem(deliverable.file, text) for text in _disagreements(deliverable, evidence, outcome)]
    return Judged(deliverable, evidence, outcome, tuple(problems))


def _failed(deliverable: Deliverable, context: Context) -> tuple[str, ...]:
    found = [f"{check.name}: {check.detail}" for check in _about_pack(context.checks) if check.outcome == "fail"]
    if deliverable.slug is not None and not slug_ok(deliverable.slug):
        found.append(f"slug {deliverable.slug[:60]!r} is not ppt-… or web-…")
    scored = deliverable.mode is not None and RULES[deliverable.mode].axes
    if scored and deliverable.source_sha256 is None:
        found.append("the original's sha256 is missing (source_sha256)")
    if context.pack and deliverable.mode is None:
        found.append("reference_mode is missing from the verdict file, or unknown")
    elif context.pack and context.pack.mode and deliverable.mode != context.pack.mode:
        found.append(f"scored as {deliverable.mode}, the pack is {context.pack.mode}")
    return tuple(found)


def _about_pack(checks: Sequence[Check]) -> list[Check]:
    return [check for check in checks if check.about == "pack"]


def _unknown(context: Context) -> tuple[str, ...]:
    return tuple(f"{check.name}: {check.detail}" for check in context.checks if check.outcome == "unknown")


def _claims(deliverable: Deliverable, context: Context) -> tuple[str, ...]:
    depth = [check.detail for check in context.checks if check.name == "synthesis_depth" and check.outcome == "fail"]
    return (*deliverable.claims, *depth)


def _mapping(context: Context) -> Coverage | None:
    return coverage(plan_of(context.pack, context.material)) if context.pack else None


def void_reasons(deliverable: Deliverable, context: Context) -> tuple[str, ...]:
    """Why the scores are about something else than what lies there now; empty when nothing says so.

    A changed original voids everything, a changed render the scores; a verdict older than its render is void.
    """
    pack = context.pack
    if pack is None:
        return ()
    found = []
    original, scored = bare_hash(pack.reference.get("sha256")), bare_hash(deliverable.source_sha256)
    if original is not None and deliverable.source_sha256 is not None and scored != original:
        found.append("the original changed since: these scores are about another source")
    changed = changed_pages(deliverable, pack)
    if changed:
        found.append(f"the scores belong to an older render: page {', '.join(changed)} changed since")
    found += [check.detail for check in context.checks if check.about == "verdict" and check.outcome == "fail"]
    return tuple(found)


def changed_pages(deliverable: Deliverable, pack: Pack) -> list[str]:
    """The pages whose hash is another than when they were scored; empty when the file holds no hashes."""
    if deliverable.render_hashes is None:
        return []
    index = page_index(pack)
    then = {index.key(ref): bare_hash(digest) for ref, digest in deliverable.render_hashes.items()}
    now = pack.render_hashes()
    pages = [str(page.number) for page in pack.declared]
    return [page for page in pages if then.get(page) is None or then.get(page) != now.get(page)]


def _disagreements(deliverable: Deliverable, evidence: Evidence, outcome: Outcome) -> list[str]:
    found = []
    if deliverable.stated.word is not None and deliverable.stated.word != outcome.verdict:
        found.append(f"the file says {deliverable.stated.word}, computed {outcome.verdict}")
    stated, total = deliverable.stated_total, outcome.total
    if stated is not None and total is not None and stated != total:
        found.append(f"inconsistent: total {deliverable.total_words}, the active axes add up to {total}")
    block = deliverable.raw.get("cross_check")
    if isinstance(block, dict) and evidence.second.total is not None:
        if block.get("total") not in (None, evidence.second.total):
            found.append(f"cross_check.total {block['total']!r}, recomputed {evidence.second.total}")
        if evidence.delta is not None and block.get("delta") not in (None, evidence.delta):
            found.append(f"cross_check.delta {block['delta']!r}, recomputed {evidence.delta}")
    return found
