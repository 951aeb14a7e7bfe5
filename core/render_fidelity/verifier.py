"""A model as verifier, behind the firewall (render-fidelity contract, Firewall and "A cross-check is due").

What the model may see is a type of its own: page pictures, transform contract, mirror plan, signature list and the
rubric. The author's prompt, reasoning and self-assessment are in no field of it, so no request can contain them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.errors import Conflict, Unavailable
from core.judge import Image, Judge, JudgeRequest, Sample, Scored
from core.render_fidelity.changes import pairs
from core.render_fidelity.check_claims import motifs
from core.render_fidelity.crosscheck import same_family
from core.render_fidelity.draft import Draft
from core.render_fidelity.imaging.pictures import Pictures
from core.render_fidelity.rubric import AXES, RULES, Axis, Mode, axis_text
from core.render_fidelity.standing import Standing

PAIRS_A_REQUEST = 10
"""Providers shrink pictures when a request holds more than about twenty: a page is judged at its own resolution."""

Score = Annotated[int, Field(ge=0, le=4)]
Media = Literal["image/png", "image/jpeg", "image/webp"]


class Found(BaseModel):
    """One thing that the model points out, with the pack page it is on."""

    model_config = ConfigDict(frozen=True)
    page: int
    text: str


class VerifierReply(BaseModel):
    """What a model verifier answers for a group of pages. An axis that is not active may be left out."""

    model_config = ConfigDict(frozen=True)
    F1: Score | None = None
    F2: Score | None = None
    F3: Score | None = None
    F4: Score | None = None
    F5: Score | None = None
    F6: Score | None = None
    F7: Score | None = None
    hallucinated_elements: tuple[Found, ...]
    missing_signatures: tuple[str, ...]
    value_errors: tuple[Found, ...]
    copied_assets: tuple[Found, ...]
    reasoning: str = ""


@dataclass(frozen=True)
class PageView:
    """One pair as the model sees it: the bytes of both pages at their own resolution."""

    page: int
    source: int
    original: Image
    render: Image


@dataclass(frozen=True)
class VerifierView:
    """Everything a verifier is given. There is no field for what it must not see."""

    mode: Mode
    pages: tuple[PageView, ...]
    contract: tuple[Mapping[str, Any], ...]
    mirror_plan: tuple[Mapping[str, Any], ...]
    signatures: tuple[Mapping[str, Any], ...]


_ELEMENT_KEYS = ("source_page", "element_id", "class", "action", "preserve", "prohibit")
_MOTIF_KEYS = ("rank", "name", "evidence_pages", "where", "must_preserve")


def view(standing: Standing, pictures: Pictures) -> VerifierView:
    """The firewall: picks, by name, what a verifier may see.

    Raises Conflict while a check fails or in a mode that is not scored (no judge is called), BadInput or Stale for a
    page that cannot be shown.
    """
    mode = standing.pack.mode
    if standing.failed:
        raise Conflict(f"no judge is called: check {standing.failed[0].name} fails: {standing.failed[0].detail}")
    if mode is None or not RULES[mode].axes:
        raise Conflict(f"no judge is called: {mode or 'a pack without a mode'} is not scored")
    shown = []
    for pair in pairs(standing.pack, standing.batch, standing.plan):
        if pair.original is None or pair.render is None:
            raise Conflict(f"no judge is called: page {pair.page} or its original page {pair.source} cannot be read")
        one, other = pictures.page(pair.original), pictures.page(pair.render)
        shown.append(
            PageView(
                pair.page, pair.source,
                Image(f"original page {pair.source}", one.content, _media(one.media)),
                Image(f"reproduction page {pair.page}", other.content, _media(other.media)),
            )
        )  # fmt: skip
    plan = standing.plan
    rows = plan.entries if plan else ()
    return VerifierView(
        mode, tuple(shown), tuple(_only(row, _ELEMENT_KEYS) for row in standing.batch.elements),
        tuple({"pack_page": row.pack_page, "source_pages": list(row.source_pages)} for row in rows),
        tuple(_only(row, _MOTIF_KEYS) for row in motifs(standing.pack, standing.batch)),
    )  # fmt: skip


def _only(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: row[key] for key in keys if key in row}


def _media(media: str) -> Media:
    known: tuple[Media, ...] = ("image/png", "image/jpeg", "image/webp")
    return next(one for one in known if one == media)


def instructions(mode: Mode) -> str:
    """The rubric as the model is told it; trusted, the same for every pack of a mode."""
    lines = [
        "Compare two versions of a document. Pictures come in pairs: first the original page, then its reproduction.",
        "Judge only what is visible. Do not score leniently. The lists must name every element that stands in the"
        " reproduction and not in the original (hallucinated_elements), every signature of the list that is missing,"
        " every wrong number, unit or chart direction, and every logo, emblem, photo or slogan that was copied.",
        "Score each active axis with a whole number from 0 to 4; 1 and 3 lie between the words given:",
    ]
    for axis in RULES[mode].axes:
        words = axis_text(axis, mode)
        lines.append(f"- {axis} {words.name}: {words.measures}. 0: {words.zero}. 2: {words.two}. 4: {words.four}.")
    inactive = [axis for axis in AXES if axis not in RULES[mode].axes]
    if inactive:
        lines.append(f"Leave out {', '.join(inactive)}: not active in this mode.")
    return "\n".join(lines)


def requests(seen: VerifierView) -> list[JudgeRequest[VerifierReply]]:
    """One request for every ten pairs, each with the whole rubric and the lists."""
    lists = {"transform contract": seen.contract, "mirror plan": seen.mirror_plan, "signatures": seen.signatures}
    untrusted = {name: json.dumps(list(rows), ensure_ascii=False) for name, rows in lists.items()}
    made = []
    for start in range(0, len(seen.pages), PAIRS_A_REQUEST):
        group = seen.pages[start : start + PAIRS_A_REQUEST]
        images = tuple(image for page in group for image in (page.original, page.render))
        key = f"pages {group[0].page}–{group[-1].page}"
        made.append(JudgeRequest(instructions(seen.mode), untrusted, VerifierReply, images, key=key))
    return made


@dataclass(frozen=True)
class ModelScores:
    """What a model said of the whole pack: of several groups of pages the lowest score of each axis."""

    axes: dict[Axis, int | None]
    replies: tuple[VerifierReply, ...]
    model: str
    note: str


def ask(judge: Judge, seen: VerifierView) -> ModelScores:
    """Ask for every group. Raises Unavailable, with the judge's reason, when one of them has no answer: a verdict over
    half the pages would be none.
    """
    replies: list[VerifierReply] = []
    notes: list[str] = []
    for samples in judge.ask_many(requests(seen)):
        sample: Sample[VerifierReply] = samples[0]
        if not isinstance(sample, Scored):
            raise Unavailable(f"the verifier could not be asked: {sample.reason}")
        replies.append(sample.value)
        notes += [sample.note] if sample.note else []
    axes: dict[Axis, int | None] = {}
    for axis in RULES[seen.mode].axes:
        scores = [getattr(reply, axis) for reply in replies]
        axes[axis] = None if None in scores or not scores else min(scores)
    return ModelScores(axes, tuple(replies), judge.spec.model, "; ".join(dict.fromkeys(notes)))


def draft_of(scores: ModelScores, seen: VerifierView) -> Draft:
    """The scores as a draft to be saved; what the model pointed out rejects by itself, as it does for a person."""

    def texts(name: str) -> tuple[str, ...]:
        return tuple(f"{item.text} (page {item.page})" for reply in scores.replies for item in getattr(reply, name))

    return Draft(
        scores.axes, frozenset(page.page for page in seen.pages),
        missing_signatures=tuple(name for reply in scores.replies for name in reply.missing_signatures),
        copied_assets=texts("copied_assets"), value_errors=texts("value_errors"),
        invented=texts("hallucinated_elements"),
    )  # fmt: skip


def second_of(scores: ModelScores, standing: Standing) -> dict[str, Any]:
    """The ``cross_check`` block. Raises Conflict when the model is of the author's or the first verifier's family."""
    deliverable = standing.deliverable
    refuse_family(scores.model, "author", standing.pack.author)
    refuse_family(scores.model, "first verifier", deliverable.reviewer if deliverable else "")
    known = {axis: score for axis, score in scores.axes.items() if score is not None}
    total = sum(known.values()) if len(known) == len(scores.axes) else None
    first = standing.judged.outcome.total if standing.judged else None
    block: dict[str, Any] = {
        "verifier": scores.model, "axes": known, "total": total,
        "delta": abs(first - total) if first is not None and total is not None else None,
        "hallucinated_elements": [
            item.model_dump() for reply in scores.replies for item in reply.hallucinated_elements
        ],
    }  # fmt: skip
    return block | ({"note": scores.note} if scores.note else {})


def refuse_family(model: str, who: str, other: str) -> None:
    """Raises Conflict when both names belong to one model family: they would agree falsely."""
    shared = same_family(model, other)
    if shared:
        raise Conflict(f"{model} is refused: same family ({shared}) as the {who} {other}, false consensus")
