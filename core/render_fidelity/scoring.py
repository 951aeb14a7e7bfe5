"""A verifier's scores, previewed and written: one function a decision, all of it through the decision log.

What is saved is the deliverable of the contract with ours beside it; what another writer put into the file and
Touchstone does not know stays in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from core.decisions import Log, Plan, Record, undone
from core.errors import BadInput, Conflict
from core.files import read_bytes
from core.files.ops import ReplaceFile
from core.people import Person, require
from core.render_fidelity.batch import bare_hash
from core.render_fidelity.crosscheck import NOT_RUN
from core.render_fidelity.deliverable import items, parse_deliverable
from core.render_fidelity.evidence import Context, Judged, changed_pages, judge_file
from core.render_fidelity.notes import PINNED, Note
from core.render_fidelity.rubric import Axis
from core.render_fidelity.standing import Standing, read_standing
from core.render_fidelity.views import subject_of
from core.times import iso
from core.workspace import Workspace

SCORED = "render.scored"
HUMAN = "render.human_verdict"
OWN_BATCH = "review"
"""The batch that is made for a pack which none holds."""


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
    previous = dict(standing.file.deliverable.raw) if standing.file and standing.file.deliverable else {}
    same_render = _same_render(standing)
    pages = [page.number for page in standing.pack.declared]
    axes = {axis: score for axis, score in draft.axes.items() if score is not None}
    kept = previous if same_render else {}
    invented = _entries(draft.notes, "invented") + [{"text": text} for text in draft.invented]
    made: dict[str, Any] = previous | {
        "slug": standing.pack.slug,
        "reference_mode": standing.pack.mode,
        "source_sha256": bare_hash(standing.pack.reference.get("sha256")),
        "pages_reviewed": [page for page in pages if page in draft.seen],
        "pages_not_reviewed": [page for page in pages if page not in draft.seen],
        "axes": axes,
        "hallucinated_elements": _merged(kept.get("hallucinated_elements"), invented),
        "missing_signatures": [{"name": name, "must_preserve": True} for name in draft.missing_signatures],
        "cross_check": draft.second or kept.get("cross_check") or dict(NOT_RUN),
        "repair_requests": _merged(kept.get("repair_requests"), _entries(draft.notes, "repair")),
        "must_preserve_broken": list(draft.must_preserve_broken),
        "copied_assets": list(draft.copied_assets),
        "value_errors": list(draft.value_errors),
        "unverifiable": [{"name": name, "status": "unverifiable"} for name in draft.unverifiable],
        "reviewer": reviewer,
        "scored_at": iso(now),
        "render_hashes": standing.pack.render_hashes(),
    }
    for gone in ("total", "verdict", "adopted_total", "reasons", "human_verdict", "verifier"):
        made.pop(gone, None)
    if standing.batch_first:
        made["batch_first"] = True
    judged = _judge(standing, made)
    outcome = judged.outcome
    made |= {
        "total": outcome.total, "verdict": outcome.verdict, "adopted_total": outcome.adopted_total,
        "reasons": list(outcome.reasons),
    }  # fmt: skip
    return made, judged


def _same_render(standing: Standing) -> bool:
    deliverable = standing.file.deliverable if standing.file else None
    return deliverable is not None and not changed_pages(deliverable, standing.pack)


def _entries(notes: Sequence[Note], kind: Literal["repair", "invented"]) -> list[dict[str, Any]]:
    return [note.as_entry() for note in notes if note.kind == kind]


def _merged(before: Any, ours: list[dict[str, Any]]) -> list[Any]:
    return [*(entry for entry in items(before) if entry not in ours), *ours]


def _judge(standing: Standing, made: Mapping[str, Any]) -> Judged:
    checks = tuple(check for check in standing.checks if check.about == "pack")
    batch = standing.file.batch if standing.file else standing.batch.name or OWN_BATCH
    context = Context(standing.pack, standing.batch, checks, None, batch, standing.batch_first)
    return judge_file(parse_deliverable(json.dumps(made), f"{standing.pack.slug}.json"), context)


def preview(standing: Standing, draft: Draft, reviewer: str, now: datetime) -> Judged:
    """The verdict that these scores would have, with every reason; nothing is written."""
    return compose(standing, draft, reviewer, now)[1]


def target(workspace: Workspace, standing: Standing) -> Path:
    """The verdict file of a pack: the one that counts now, else its batch's."""
    if standing.file is not None:
        return standing.file.path
    for folder in workspace.batches():
        if folder.name == standing.batch.name:
            return folder / "fidelity_qa" / f"{standing.pack.slug}.json"
    return workspace.path(f"_workspace/{OWN_BATCH}/fidelity_qa/{standing.pack.slug}.json")


def save(
    log: Log, person: Person, slug: str, draft: Draft, now: datetime, *, as_pass: bool = False, reviewer: str = ""
) -> Record:
    """Write the scores into the deliverable and the log.

    ``as_pass``: the person submits a pass; ``reviewer`` names a model that scored on the person's behalf. Raises
    Conflict while a deterministic check fails (scoring does not start), when a pass is submitted that the rules do not
    give, or when the file was changed meanwhile; NotAllowed.
    """
    workspace = log.workspace
    path = target(workspace, read_standing(workspace, slug, now))

    def plan() -> Plan:
        standing = read_standing(workspace, slug, now)
        if standing.failed:
            first = standing.failed[0]
            raise Conflict(f"scoring does not start: check {first.name} fails: {first.detail}")
        made, _ = compose(standing, draft, reviewer or person.name, now)
        if as_pass and made["verdict"] != "pass":
            raise Conflict(f"not a pass but {made['verdict']}: {made['reasons'][0]}")
        op = _written(path, made)
        payload = {
            "file": workspace.label(path), "verdict": made["verdict"], "total": made["total"], "axes": made["axes"],
            "render_hashes": made["render_hashes"], "reviewed_as": made["reviewer"], "scored_at": made["scored_at"],
            "before": _text(op.expected),
        }  # fmt: skip
        return Plan([op], payload)

    return log.decide(person, SCORED, subject_of(slug), plan, lock_on=path, at=now)


def decide_human(
    log: Log, person: Person, slug: str, verdict: Literal["pass", "reject"], note: str, now: datetime
) -> Record:
    """A person's verdict where the rules ask for one: written beside the verifiers' scores, which stay untouched.

    Raises Conflict when the computed verdict is not ``needs_human``, BadInput without a note, NotAllowed.
    """
    words = " ".join(note.split())
    if not words:
        raise BadInput.of(slug, "a person's verdict needs a note that says why")
    workspace = log.workspace
    path = target(workspace, read_standing(workspace, slug, now))

    def plan() -> Plan:
        standing = read_standing(workspace, slug, now)
        deliverable = standing.file.deliverable if standing.file else None
        if deliverable is None or standing.computed != "needs_human":
            raise Conflict(f"{slug} does not wait for a person: its verdict is {standing.computed}")
        human = {
            "verdict": verdict, "note": words[:4000], "reviewer": person.name, "at": iso(now),
            "render_hashes": standing.pack.render_hashes(),
        }  # fmt: skip
        op = _written(path, dict(deliverable.raw) | {"human_verdict": human})
        reasons = list(standing.reasons)
        return Plan([op], {"file": workspace.label(path), "reasons": reasons, "before": _text(op.expected), **human})

    return log.decide(person, HUMAN, subject_of(slug), plan, lock_on=path, at=now)


def undo_human(log: Log, person: Person, seq: int, now: datetime) -> Record:
    """Take a person's verdict back, out of the log and out of the deliverable.

    Raises Conflict when it was undone already or the deliverable holds another one by now, BadInput for another record.
    """
    workspace = log.workspace
    target_record = log.record(seq)
    if target_record is None or target_record.action != HUMAN:
        raise BadInput.of("decision log", f"record {seq} is no verdict of a person")
    path = workspace.path(str(target_record.payload["file"]))

    def plan(record: Record) -> Plan:
        raw = dict(parse_deliverable(read_bytes(path, workspace.label(path)), workspace.label(path)).raw)
        human = raw.pop("human_verdict", None)
        if not isinstance(human, Mapping) or human.get("at") != record.payload.get("at"):
            raise Conflict(f"{workspace.label(path)} holds another verdict by now")
        return Plan([_written(path, raw)], {"file": workspace.label(path)})

    return log.undo(person, seq, plan, lock_on=path, at=now)


def add_second(log: Log, person: Person, slug: str, second: Mapping[str, Any], now: datetime) -> Record:
    """Write a second verifier's block into the deliverable. Raises Conflict when there is nothing to cross-check."""
    workspace = log.workspace
    path = target(workspace, read_standing(workspace, slug, now))

    def plan() -> Plan:
        standing = read_standing(workspace, slug, now)
        deliverable = standing.file.deliverable if standing.file else None
        if deliverable is None or not _same_render(standing):
            raise Conflict(f"{slug} has no scores of a first verifier for the render that lies there now")
        made = {key: value for key, value in deliverable.raw.items() if key not in ("verdict", "human_verdict")}
        made["cross_check"] = dict(second)
        outcome = _judge(standing, made).outcome
        made |= {"verdict": outcome.verdict, "adopted_total": outcome.adopted_total, "reasons": list(outcome.reasons)}
        return Plan([_written(path, made)], {"file": workspace.label(path), "cross_check": dict(second)})

    return log.decide(person, "render.cross_checked", subject_of(slug), plan, lock_on=path, at=now)


def undo_last(log: Log, person: Person, slug: str) -> Record:
    """Take back this person's last note, score or verdict on a pack; the file gets back the content it had before.

    Raises Conflict when there is nothing to take back, or the file was changed since; NotAllowed.
    """
    require(person, log.workspace, "decide")
    records = log.records(subject=subject_of(slug))
    gone = undone(records)
    own = [
        record for record in records
        if record.reviewer == person.name and record.action in (PINNED, SCORED, HUMAN) and record.seq not in gone
    ]  # fmt: skip
    if not own:
        raise Conflict(f"{person.name} has decided nothing on {slug} that could be undone")
    if own[-1].action == PINNED:
        return log.undo(person, own[-1].seq)
    path = log.workspace.path(str(own[-1].payload.get("file")))

    def plan(record: Record) -> Plan:
        now = read_bytes(path) if path.exists() else None
        stated = parse_deliverable(now, path.name).raw if now is not None else {}
        if stated.get("scored_at" if record.action == SCORED else "human_verdict") != _stamp(record):
            raise Conflict(f"{path.name} was written again since; nothing was undone")
        before = record.payload.get("before")
        return Plan([ReplaceFile(path, now, before.encode("utf-8", "surrogatepass") if before else None)], {})

    return log.undo(person, own[-1].seq, plan, lock_on=path)


def _stamp(record: Record) -> Any:
    """What the file holds exactly as long as this record is its last writer."""
    if record.action == SCORED:
        return record.payload.get("scored_at")
    return {key: record.payload.get(key) for key in ("verdict", "note", "reviewer", "at", "render_hashes")}


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "surrogatepass")


def _written(path: Path, made: Mapping[str, Any]) -> ReplaceFile:
    content = (json.dumps(made, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass")
    return ReplaceFile(path, read_bytes(path) if path.exists() else None, content)
