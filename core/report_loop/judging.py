"""N = 3 medians through a judge: for the three judged dimensions, and for edits no rule decides.

A judge is asked only where the anchor is green (it cannot rescue a red one). One that fails leaves the dimension
unscored with its reason, and an edit undecided; neither ever becomes a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.judge import Judge, JudgeRequest, Sample, Scored, ScoreReply, Unscored
from core.report_loop.feedback.model import Feedback, Judged, Ruling, with_ruling
from core.report_loop.scoring import Evidence, score_evidence
from core.report_loop.words import JUDGED, JUDGED_SAMPLE_N, Dimension

_ASKED: Mapping[Dimension, str] = {
    "dynamic": (
        "Narrative fluency of a regenerated report: does the text around the figures read as if somebody had written "
        "it for this period, without seams, repetition or sentences that fit any quarter?"
    ),
    "inclusive": (
        "Accessibility that no scanner can judge: do the alt texts say what each picture shows and why it is there, is "
        "the language plain, are abbreviations and jargon explained where they first stand?"
    ),
    "polished": (
        "Typographic care and visual hierarchy as far as the source shows it: headings that guide, tables that can be "
        "read, consistent wording of labels, nothing left over."
    ),
}
_SCALE = (
    "\n\nGive one score from 0 to 1 for this question alone: 1 nothing to improve, 0.85 ready for a reviewer, 0.5 "
    "needs another revision, 0 unusable. Judge only what stands in the report; whether its figures are right is "
    "checked elsewhere and is not yours to judge. Give one sentence that names what cost the most."
)


@dataclass(frozen=True, slots=True)
class LoopJudge:
    """Adds judge samples to evidence. ``series`` keeps one iteration's samples apart from the next one's."""

    judge: Judge
    series: str

    def __call__(self, evidence: Evidence, draft: str, bar: float) -> Evidence:
        """The evidence with three samples for each dimension that has a green anchor and none yet."""
        anchors = score_evidence(evidence, bar)
        asked = [name for name in JUDGED if anchors[name]["anchor_pass"] and not evidence.samples.get(name)]
        if not asked:
            return evidence
        replies = self.judge.ask_many([self._request(name, draft) for name in asked])
        samples, notes = dict(evidence.samples), dict(evidence.judge_notes)
        for name, found in zip(asked, replies, strict=True):
            failed = [sample for sample in found if isinstance(sample, Unscored)]
            if failed:  # never a median over the survivors
                notes[name] = f"judge: {failed[0].reason} ({len(failed)} of {len(found)} samples)"
            else:
                samples[name] = [sample.value.score for sample in found if isinstance(sample, Scored)]
        fingerprint = evidence.judge_fingerprint or self.judge.fingerprint(self._request(asked[0], draft)).hash
        return replace(evidence, samples=samples, judge_notes=notes, judge_fingerprint=fingerprint)

    def _request(self, name: Dimension, draft: str) -> JudgeRequest[ScoreReply]:
        return JudgeRequest(
            instructions=_ASKED[name] + _SCALE, untrusted={"report": draft}, reply=ScoreReply,
            samples=JUDGED_SAMPLE_N, key=name, series=self.series,
        )  # fmt: skip


class EditReply(BaseModel):
    """What a judge says about one edit; a mechanical one names the dimension whose check should have caught it."""

    model_config = ConfigDict(frozen=True)
    edit_class: Annotated[Literal["mechanical", "substantive"], Field(description="mechanical or substantive")]
    dimension: Literal["accurate", "dynamic", "inclusive", "polished", "none"] = "none"
    reasoning: str = ""


_EDIT = (
    "A reviewer changed a report before it went out. Classify the one change between the two passages.\n"
    "mechanical: something a check should have caught: a wrong value (accurate), a stale period or name (accurate), a "
    "direction or label that does not fit the data (dynamic), missing alt text or accessibility markup (inclusive), "
    "broken layout, a leftover or an inconsistent number or date format (polished). Name that dimension.\n"
    "substantive: framing, emphasis, interpretation, or a fact of the domain that no check could know; dimension none."
)


def judge_edits(judge: Judge, feedback: Feedback) -> Feedback:
    """The feedback with its undecided edits put to a judge, three samples each; only a majority decides."""
    open_edits = [one for one in feedback.edits if one.ruling.cls == "undecided"]
    if not open_edits:
        return feedback
    replies = judge.ask_many([_edit_request(one) for one in open_edits])
    rulings = {one.id: _ruling(found) for one, found in zip(open_edits, replies, strict=True)}
    return replace(
        feedback,
        edits=tuple(with_ruling(one, rulings[one.id]) if one.id in rulings else one for one in feedback.edits),
    )


def _edit_request(one: Judged) -> JudgeRequest[EditReply]:
    before, after = one.edit.context or one.edit.before, one.edit.now or one.edit.after
    passages = {"before": before or "(nothing)", "after": after or "(nothing)"}
    return JudgeRequest(instructions=_EDIT, untrusted=passages, reply=EditReply, samples=JUDGED_SAMPLE_N, key=one.id)


def _ruling(samples: Sequence[Sample[EditReply]]) -> Ruling:
    scored = [sample for sample in samples if isinstance(sample, Scored)]
    failed = [sample for sample in samples if isinstance(sample, Unscored)]
    if failed or len(scored) < JUDGED_SAMPLE_N:
        return Ruling("undecided", f"judge: {failed[0].reason if failed else 'too few samples'}", decided_by="nobody")
    votes = [(sample.value.edit_class, sample.value.dimension) for sample in scored]
    chosen = max(set(votes), key=votes.count)
    if votes.count(chosen) * 2 <= len(votes) or (chosen[0] == "mechanical") != (chosen[1] != "none"):
        return Ruling("undecided", "judge: no majority for one class", decided_by="nobody")
    reason = next(one.value.reasoning for one in scored if (one.value.edit_class, one.value.dimension) == chosen)
    cls, dimension = chosen
    return Ruling(cls, reason or "judged so", None if dimension == "none" else dimension, "judge")
