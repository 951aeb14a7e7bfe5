"""A verifier's scores, written: one function a decision, all of it through the decision log.

What is saved is the deliverable of the contract with ours beside it; what another writer put into the file and
Touchstone does not know stays in it, byte for byte. What could not be read, or was written meanwhile, is not replaced.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from core.decisions import Log, Plan, Record, undone
from core.errors import BadInput, Conflict
from core.files import read_bytes
from core.files.ops import ReplaceFile
from core.people import Person, require
from core.render_fidelity.batch import verdict_file
from core.render_fidelity.deliverable import REPEATED, Deliverable, parse_deliverable
from core.render_fidelity.draft import Draft, compose, computed, judge, same_render, with_delta
from core.render_fidelity.notes import PINNED
from core.render_fidelity.recorded import SUBMITTED
from core.render_fidelity.rewrite import fresh, rewritten
from core.render_fidelity.standing import OWN_BATCH, Standing, judged_on, read_standing
from core.render_fidelity.views import subject_of
from core.times import iso
from core.workspace import Workspace

SCORED = "render.scored"
HUMAN = "render.human_verdict"
_HUMAN_KEYS = ("verdict", "note", "reviewer", "at", "render_hashes", "axes", "second")
_MARKER = json.dumps(REPEATED).strip('"').encode()


def target(workspace: Workspace, standing: Standing) -> Path:
    """The verdict file of a pack: the one that counts now, else its batch's."""
    if standing.file is not None:
        return standing.file.path
    for folder in workspace.batches():
        if folder.name == standing.batch.name:
            return folder / "fidelity_qa" / f"{standing.pack.slug}.json"
    return workspace.path(f"_workspace/{OWN_BATCH}/fidelity_qa/{standing.pack.slug}.json")


def check_writable(workspace: Workspace, standing: Standing) -> Path:
    """`target`, where scores may be written there: asked before a judge is paid, and again before anything is written.

    Raises BadInput, with its place, for a file that is there and cannot be read or belongs to another pack: nothing
    unread is overwritten; UnsafePath for one that leads out of the workspace.
    """
    path = target(workspace, standing)
    workspace.path(workspace.label(path))
    if standing.file is None and os.path.lexists(path):
        found = verdict_file(workspace, path.parent.parent, path)
        if found.problem:
            raise BadInput(found.problem)
        inside = found.deliverable.slug if found.deliverable else None
        if inside == standing.pack.slug:
            raise Conflict(f"{found.label} was written a moment ago; nothing was written over it")
        reason = f"slug {str(inside)[:60]!r} is another pack's: nothing is written over it until a person decides"
        raise BadInput.of(found.label, reason, line=1)
    return path


def _still(path: Path, workspace: Workspace, standing: Standing) -> None:
    """Raises Conflict when another file counts by now than the one whose lock is held."""
    if check_writable(workspace, standing) != path:
        raise Conflict(f"another verdict file of {standing.pack.slug} counts since a moment ago; nothing was written")


def save(
    log: Log, person: Person, slug: str, draft: Draft, now: datetime, *, as_pass: bool = False, reviewer: str = ""
) -> Record:
    """Write the scores into the deliverable and the log.

    ``as_pass``: the person submits a pass; ``reviewer`` names a model that scored on the person's behalf. Raises
    Conflict while a deterministic check fails (scoring does not start), when a pass is submitted that the rules do not
    give, or when the file was changed meanwhile; what `check_writable` raises; NotAllowed.
    """
    workspace = log.workspace
    path = target(workspace, read_standing(workspace, slug, now))

    def plan() -> Plan:
        standing = read_standing(workspace, slug, now)
        _still(path, workspace, standing)
        if standing.failed:
            first = standing.failed[0]
            raise Conflict(f"scoring does not start: check {first.name} fails: {first.detail}")
        made, _ = compose(standing, draft, reviewer or person.name, now)
        if as_pass and made["verdict"] != "pass":
            raise Conflict(f"not a pass but {made['verdict']}: {made['reasons'][0]}")
        if as_pass:
            made[SUBMITTED] = "pass"
        op = _written(path, standing.deliverable, made)
        payload = {
            "file": workspace.label(path), "verdict": made["verdict"], "total": made["total"], "axes": made["axes"],
            "render_hashes": made["render_hashes"], "reviewed_as": made["reviewer"], "scored_at": made["scored_at"],
            **_traces(op),
        }  # fmt: skip
        return Plan([op], payload)

    return log.decide(person, SCORED, subject_of(slug), plan, lock_on=path, at=now)


def decide_human(
    log: Log, person: Person, slug: str, verdict: Literal["pass", "reject"], note: str, now: datetime
) -> Record:
    """A person's verdict where the rules ask for one: written beside the verifiers' scores, which stay untouched.

    Raises Conflict when the computed verdict is not ``needs_human`` or somebody has decided already, BadInput without a
    note, NotAllowed.
    """
    words = " ".join(note.split())
    if not words:
        raise BadInput.of(slug, "a person's verdict needs a note that says why")
    workspace = log.workspace
    path = target(workspace, read_standing(workspace, slug, now))

    def plan() -> Plan:
        standing = read_standing(workspace, slug, now)
        _still(path, workspace, standing)
        deliverable = standing.deliverable
        if deliverable is None or standing.judged is None or standing.computed != "needs_human":
            raise Conflict(f"{slug} does not wait for a person: its verdict is {standing.computed}")
        first = standing.human
        if first is not None:
            raise Conflict(f"{slug} does not wait for a person: {first.reviewer} decided {first.verdict}, {first.at}")
        human = {
            "verdict": verdict, "note": words[:4000], "reviewer": person.name, "at": iso(now),
            "render_hashes": standing.pack.render_hashes(), **judged_on(standing.judged),
        }  # fmt: skip
        op = _written(path, deliverable, dict(deliverable.raw) | {"human_verdict": human})
        reasons = list(standing.reasons)
        return Plan([op], {"file": workspace.label(path), "reasons": reasons, **_traces(op), **human})

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
        deliverable = parse_deliverable(read_bytes(path, workspace.label(path)), workspace.label(path))
        if deliverable.raw.get("human_verdict") != _stamp(record):
            raise Conflict(f"{workspace.label(path)} holds another verdict by now")
        return Plan([_put_back(record, path, deliverable)], {"file": workspace.label(path)})

    return log.undo(person, seq, plan, lock_on=path, at=now)


def add_second(log: Log, person: Person, slug: str, second: Mapping[str, Any], now: datetime) -> Record:
    """Write a second verifier's block into the deliverable. Raises Conflict when there is nothing to cross-check."""
    workspace = log.workspace
    path = target(workspace, read_standing(workspace, slug, now))

    def plan() -> Plan:
        standing = read_standing(workspace, slug, now)
        _still(path, workspace, standing)
        deliverable = standing.deliverable
        if deliverable is None or not same_render(standing):
            raise Conflict(f"{slug} has no scores of a first verifier for the render that lies there now")
        made = {key: value for key, value in deliverable.raw.items() if key != "human_verdict"}
        made["cross_check"] = dict(second)
        made.pop(SUBMITTED, None)
        if deliverable.submitted_in in deliverable.raw:  # the computed word takes its place, and it goes on counting
            made[SUBMITTED] = deliverable.raw[deliverable.submitted_in]
        judged = judge(standing, made, now)
        made |= computed(judged) | {"cross_check": with_delta(made["cross_check"], judged)}
        op = _written(path, deliverable, made)
        return Plan([op], {"file": workspace.label(path), "cross_check": made["cross_check"]})

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
        deliverable = parse_deliverable(read_bytes(path, path.name), path.name)
        if deliverable.raw.get("scored_at" if record.action == SCORED else "human_verdict") != _stamp(record):
            raise Conflict(f"{path.name} was written again since; nothing was undone")
        return Plan([_put_back(record, path, deliverable)], {})

    return log.undo(person, own[-1].seq, plan, lock_on=path)


def _stamp(record: Record) -> Any:
    """What the file holds exactly as long as this record is its last writer."""
    if record.action == SCORED:
        return record.payload.get("scored_at")
    return {key: record.payload[key] for key in _HUMAN_KEYS if key in record.payload}


def _traces(op: ReplaceFile) -> dict[str, str | None]:
    """What an undo goes by: the file as it was, and the hash of what was put in its place."""
    before = None if op.expected is None else op.expected.decode("utf-8", "surrogatepass")
    return {"before": before, "after": None if op.new is None else _digest(op.new)}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _written(path: Path, deliverable: Deliverable | None, made: Mapping[str, Any]) -> ReplaceFile:
    """``made`` in the place of the very bytes it was made from: what came in between is a Conflict, never lost."""
    if deliverable is None:
        return ReplaceFile(path, None, fresh(made))
    new = rewritten(deliverable.content, deliverable.raw, made)
    if _MARKER in new and _MARKER not in deliverable.content:
        raise BadInput.of(deliverable.file, "a key stands twice: its two values would be lost; nothing was written")
    return ReplaceFile(path, deliverable.content, new)


def _put_back(record: Record, path: Path, deliverable: Deliverable) -> ReplaceFile:
    """The file as it was before a decision. What somebody wrote since stays: there a person's verdict alone is taken
    out, and scores, which all the rest was written to, are not (Conflict).
    """
    after, before = record.payload.get("after"), record.payload.get("before")
    if after == _digest(deliverable.content) or (after is None and record.action == SCORED):
        old = None if before is None else before.encode("utf-8", "surrogatepass")
        return ReplaceFile(path, deliverable.content, old)
    if record.action == SCORED:
        raise Conflict(f"{path.name} was written again since; nothing was undone")
    kept = {key: value for key, value in deliverable.raw.items() if key != "human_verdict"}
    earlier = parse_deliverable(str(before), path.name).raw.get("human_verdict") if before else None
    return _written(path, deliverable, kept | ({"human_verdict": earlier} if earlier is not None else {}))
