"""Where a pack stands: its checks, the verdict file that counts, the computed verdict, what a person decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import Problem
from core.render_fidelity.batch import (
    Batch,
    VerdictFile,
    find_batch,
    plan_of,
    verdict_file,
    verdict_files,
    verdict_paths,
)
from core.render_fidelity.checks import Check, run_checks
from core.render_fidelity.deliverable import Deliverable
from core.render_fidelity.evidence import Context, Judged, changed_pages, judge_file
from core.render_fidelity.mapping import Coverage, MirrorPlan, coverage
from core.render_fidelity.pack import Pack, find_pack, read_pack
from core.render_fidelity.rubric import AXES, Verdict
from core.render_fidelity.verdict import read_word
from core.times import Instant, parse_instant
from core.workspace import Workspace

OWN_BATCH = "review"
"""The batch that is made for a pack which none holds."""


@dataclass(frozen=True, slots=True)
class HumanVerdict:
    """What a person decided where the rules ask for one; the verifiers' scores stay as they are."""

    verdict: Verdict
    note: str
    reviewer: str
    at: str


@dataclass(frozen=True)
class Standing:
    """A pack with everything that is known of it.

    ``judged`` None: nobody has scored it, or a check stops the scoring. ``human`` counts only for the render it was
    given for, and only where the computed verdict asks for a person.
    """

    pack: Pack
    batch: Batch
    checks: tuple[Check, ...]
    plan: MirrorPlan | None
    mapping: Coverage
    file: VerdictFile | None
    judged: Judged | None
    human: HumanVerdict | None
    batch_first: bool
    problems: tuple[Problem, ...]

    @property
    def deliverable(self) -> Deliverable | None:
        """The verdict file that counts, as read; None where there is none."""
        return self.file.deliverable if self.file else None

    @property
    def failed(self) -> list[Check]:
        """The checks about the pack that fail: while there is one, nothing is scored."""
        return [check for check in self.checks if check.outcome == "fail" and check.about == "pack"]

    @property
    def verdict(self) -> Verdict:
        """The word that counts now: the person's where one was asked for and given, else the computed one."""
        if self.human is not None:
            return self.human.verdict
        return self.computed

    @property
    def computed(self) -> Verdict:
        """The rules' word; for a pack that nobody scored: reject for a failed check, else needs_review."""
        if self.judged is not None:
            return self.judged.outcome.verdict
        if self.pack.mode == "style_synthesis" and not any(check.name == "synthesis_depth" for check in self.failed):
            return "not_applicable"
        return "reject" if self.failed else "needs_review"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every reason for the computed verdict."""
        if self.judged is not None:
            return self.judged.outcome.reasons
        if self.computed == "not_applicable":
            return ("style_synthesis is not scored for fidelity",)
        failed = tuple(f"check failed: {check.name}: {check.detail}" for check in self.failed)
        return failed or ("not scored yet: no page reviewed, no axis scored",)


def read_standing(workspace: Workspace, slug: str, now: datetime) -> Standing:
    """Where the pack ``slug`` stands. Raises UnsafePath or BadInput when there is no such pack; a damaged file of it is
    a problem in the result.
    """
    pack = read_pack(workspace, find_pack(workspace, slug))
    batch = find_batch(workspace, pack)
    found = verdict_files(workspace, slug)
    problems = [*pack.problems, *batch.problems, *(file.problem for file in found if file.problem)]
    counting = current_file([file for file in found if _belongs(file, problems)], pack, now)
    deliverable = counting.deliverable if counting else None
    checks = tuple(run_checks(pack, batch, now, deliverable.scored_at if deliverable else None))
    name = counting.batch if counting else batch.name or OWN_BATCH
    first = is_first(workspace, name, slug)
    judged = None
    if deliverable is not None:
        judged = judge_file(deliverable, Context(pack, batch, checks, None, name, first))
        problems += judged.problems
    plan = plan_of(pack, batch)
    where = f"{pack.label}/meta.yaml" if pack.plan else f"{batch.name}/visual_spec/{batch.code}.json"
    problems += [Problem(where, text) for text in (plan.oddities if plan else ())]
    return Standing(
        pack, batch, checks, plan, coverage(plan), counting, judged, _human(deliverable, pack, judged), first,
        tuple(dict.fromkeys(problems)),
    )  # fmt: skip


def context_for(workspace: Workspace, path: Path, deliverable: Deliverable, now: datetime) -> Context | None:
    """The pack's context of a verdict file that lies in a batch of this workspace under its own slug; else None.

    A file elsewhere, or one whose slug is not its name, belongs to no pack until a person decides.
    """
    slug, folder = deliverable.slug, path.resolve().parent.parent
    if slug is None or slug != path.stem or folder not in [place.resolve() for place in workspace.batches()]:
        return None
    if slug not in [place.name for place in workspace.packs()]:
        return None
    pack = read_pack(workspace, find_pack(workspace, slug))
    batch = find_batch(workspace, pack)
    checks = tuple(run_checks(pack, batch, now, deliverable.scored_at))
    return Context(pack, batch, checks, None, folder.name, is_first(workspace, folder.name, slug))


def _belongs(file: VerdictFile, problems: list[Problem]) -> bool:
    if file.deliverable is None:
        return False
    inside = file.deliverable.slug
    if inside == file.path.stem:
        return True
    reason = f"slug {str(inside)[:60]!r} differs from the file's name: it belongs to no pack until a person decides"
    problems.append(Problem(file.label, reason))
    return False


def _scored(file: VerdictFile) -> Instant | None:
    text = file.deliverable.scored_at if file.deliverable else None
    try:
        return parse_instant(text) if text else None
    except ValueError:
        return None


_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


def current_file(found: list[VerdictFile], pack: Pack, now: datetime) -> VerdictFile | None:
    """Of several files for one slug: one for the current render before others, then the latest by instant.

    A time in the future is never the latest; without a time a file comes before none that has one.
    """

    def rank(file: VerdictFile) -> tuple[bool, bool, datetime, str]:
        if file.deliverable is None:  # callers pass readable files; an unreadable one would rank last
            return (False, False, _LONG_AGO, file.label)
        scored = _scored(file)
        usable = scored is not None and not scored.in_future(now)
        fits = not changed_pages(file.deliverable, pack)
        tied = file.deliverable.render_hashes is not None
        return (fits, tied, scored.utc if scored is not None and usable else _LONG_AGO, file.label)

    return max(found, key=rank, default=None)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a verdict file says of its pack's place in the batch: marked as the first, and when it was scored."""

    slug: str
    marked: bool
    at: datetime


def turn_of(file: VerdictFile) -> Turn | None:
    """The turn of a verdict file, None for one that cannot be read."""
    if file.deliverable is None:
        return None
    scored = _scored(file)
    at = scored.utc if scored else datetime.max.replace(tzinfo=UTC)
    return Turn(file.path.stem, file.deliverable.raw.get("batch_first") is True, at)


def first_of(turns: Iterable[Turn | None]) -> frozenset[str] | None:
    """Which packs are a batch's first, the anchor of its scoring: those marked so, else the first one scored.

    None in a batch without any verdict file: the pack at hand would be the first.
    """
    known = [turn for turn in turns if turn is not None]
    marked = frozenset(turn.slug for turn in known if turn.marked)
    if marked or not known:
        return marked or None
    return frozenset({min(known, key=lambda turn: (turn.at, turn.slug)).slug})


def is_first(workspace: Workspace, batch: str | None, slug: str) -> bool:
    """Is this the first pack of the batch of that name? See `first_of`."""
    if batch is None:
        return False
    paths = [(folder, path) for folder, path in verdict_paths(workspace) if folder.name == batch]
    first = first_of(turn_of(verdict_file(workspace, folder, path)) for folder, path in paths)
    return first is None or slug in first


def judged_on(judged: Judged) -> dict[str, Any]:
    """The scores that a person's verdict is given on: another total asks for another verdict."""
    evidence = judged.evidence
    second = {"total": evidence.second.total, "F7": evidence.second.rights}
    return {"axes": {axis: evidence.axes.get(axis) for axis in AXES}, "second": second}


def _human(deliverable: Deliverable | None, pack: Pack, judged: Judged | None) -> HumanVerdict | None:
    value = deliverable.raw.get("human_verdict") if deliverable else None
    if not isinstance(value, dict) or judged is None or judged.outcome.verdict != "needs_human":
        return None
    word = read_word(value.get("verdict")).word
    given_on = {"render_hashes": pack.render_hashes(), **judged_on(judged)}
    # A verdict from before scores were kept beside it holds for its render.
    if word not in ("pass", "reject") or any(value.get(key, seen) != seen for key, seen in given_on.items()):
        return None
    if "render_hashes" not in value:
        return None
    texts = {key: value[key] if isinstance(value.get(key), str) else "" for key in ("note", "reviewer", "at")}
    return HumanVerdict(word, texts["note"], texts["reviewer"], texts["at"])
