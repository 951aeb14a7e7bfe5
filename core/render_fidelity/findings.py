"""What of render fidelity needs a person (triage contract, Findings)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import Problem, TouchstoneError
from core.files import Stamp
from core.files.memo import Memo, Seen, seen
from core.findings import Finding, System
from core.render_fidelity.batch import verdict_file, verdict_paths
from core.render_fidelity.recorded import items
from core.render_fidelity.standing import Standing, Turn, first_of, read_standing, turn_of
from core.workspace import Workspace

_SYSTEM: System = "render_fidelity"


def findings(workspace: Workspace, now: datetime) -> list[Finding]:
    """Every pack that waits for a person or its author, and every file of this system that cannot be read."""
    found: list[Finding] = []
    batches = seen(*workspace.batches())
    firsts = _firsts(workspace)
    for folder in workspace.packs():
        because = (seen(folder), _about(batches, folder.name), _first_in(firsts, folder.name))
        found += _kept.get(folder, because, partial(_of_folder, workspace, folder, now), now)
    slugs = {folder.name for folder in workspace.packs()}
    for folder, path in verdict_paths(workspace):
        if path.stem not in slugs:
            found += _orphans.get(path, seen(path), partial(_of_orphan, workspace, folder, path))
    return found


_kept: Memo[tuple[Finding, ...]] = Memo()
_turns: Memo[Turn | None] = Memo()
_orphans: Memo[tuple[Finding, ...]] = Memo()
_CLOCK = timedelta(minutes=10)
"""How long findings hold when no file changes: some of what they say depends on what lies in the future."""


def _about(batches: Seen, slug: str) -> Seen:
    """What of the batches concerns a pack: of another pack's verdict that it is there, and what `_first_in` says."""
    return tuple(
        (path, Stamp(0, 0, 0) if "/fidelity_qa/" in path and slug not in path.rpartition("/")[2] else stamp)
        for path, stamp in batches
    )


def _firsts(workspace: Workspace) -> dict[str, frozenset[str] | None]:
    """The first packs of every batch by its name; only verdict files that changed are read."""
    turns: dict[str, list[Turn | None]] = {}
    for folder, path in verdict_paths(workspace):
        read = partial(_turn, workspace, folder, path)
        turns.setdefault(folder.name, []).append(_turns.get(path, seen(path), read))
    return {batch: first_of(found) for batch, found in turns.items()}


def _turn(workspace: Workspace, folder: Path, path: Path) -> tuple[Turn | None, None]:
    return turn_of(verdict_file(workspace, folder, path)), None


def _first_in(firsts: Mapping[str, frozenset[str] | None], slug: str) -> tuple[str, ...]:
    return tuple(sorted(batch for batch, first in firsts.items() if first is None or slug in first))


def _of_folder(workspace: Workspace, folder: Path, now: datetime) -> tuple[tuple[Finding, ...], datetime]:
    try:
        found = tuple(_of_pack(read_standing(workspace, folder.name, now)))
    except TouchstoneError as error:
        found = (_unreadable(Problem(workspace.label(folder), str(error))),)
    return found, now + _CLOCK


def _of_orphan(workspace: Workspace, folder: Path, path: Path) -> tuple[tuple[Finding, ...], None]:
    file = verdict_file(workspace, folder, path)
    return (_unreadable(file.problem or Problem(file.label, "a verdict file of no pack in this workspace")),), None


def _of_pack(standing: Standing) -> Iterator[Finding]:
    slug = standing.pack.slug
    link = f"/render_fidelity?slug={slug}"
    computed = standing.computed
    if computed == "needs_human" and standing.human is None:
        yield Finding.make(
            system=_SYSTEM, kind="needs_human", severity="blocking", subject=slug,
            summary=f"{slug}: {standing.reasons[0]}", evidence=_evidence(standing), link=link,
        )  # fmt: skip
    elif computed == "needs_review":
        yield Finding.make(
            system=_SYSTEM, kind="needs_review", severity="attention", subject=slug,
            summary=f"{slug}: {standing.reasons[0]}", evidence=_evidence(standing), link=link,
        )  # fmt: skip
    requests = _requests(standing)
    if requests:
        yield Finding.make(
            system=_SYSTEM, kind="repair_requested", severity="notice", subject=slug,
            summary=f"{slug}: {len(requests)} repair request{'s' * (len(requests) > 1)} for its author",
            evidence={"repair_requests": requests, "render_hashes": standing.pack.render_hashes()}, link=link,
        )  # fmt: skip
    for problem in standing.problems:
        if _damaged(standing, problem):
            yield _unreadable(problem, link)


def _requests(standing: Standing) -> list[Any]:
    """The repair requests that are about the render as it lies there now."""
    deliverable = standing.deliverable
    if deliverable is None or standing.judged is None or standing.judged.evidence.void:
        return []
    return items(deliverable.raw.get("repair_requests"))


def _damaged(standing: Standing, problem: Problem) -> bool:
    """A file that cannot be read, not a remark on one that can."""
    remarks = standing.judged.problems if standing.judged else ()
    return problem not in remarks and not problem.reason.startswith("text after ' #'")


def _evidence(standing: Standing) -> dict[str, Any]:
    outcome = standing.judged.outcome if standing.judged else None
    evidence = standing.judged.evidence if standing.judged else None
    return {
        "verdict": standing.computed,
        "reasons": list(standing.reasons),
        "reference_mode": standing.pack.mode,
        "total": outcome.total if outcome else None,
        "maximum": outcome.maximum if outcome else None,
        "axes": dict(evidence.axes) if evidence else {},
        "second_total": evidence.second.total if evidence else None,
        "delta": outcome.delta if outcome else None,
        "failed_checks": [f"{check.name}: {check.detail}" for check in standing.failed],
        "render_hashes": standing.pack.render_hashes(),
    }


def _unreadable(problem: Problem, link: str = "/render_fidelity") -> Finding:
    return Finding.make(
        system=_SYSTEM, kind="unreadable", severity="attention", subject=f"{problem.file}: {problem.reason[:80]}",
        summary=str(problem), evidence=dict(problem.as_dict()), link=link,
    )  # fmt: skip
