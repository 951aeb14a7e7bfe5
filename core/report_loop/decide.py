"""A person's decisions about a run, each through the decision log (report-loop and triage contracts).

What is decided about a whole run or a node also stands in ``decision.json`` in the run folder, so that the pipeline
that reads the folder learns of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from core import files, times
from core.decisions import Log, Plan, Record, open_log
from core.errors import BadInput, Conflict
from core.files.ops import ReplaceFile
from core.people import Person
from core.report_loop import inputs
from core.report_loop.decisions import (
    ACCEPT_NODE,
    CLASSIFY,
    RUN_DECISIONS,
    TICK,
    UNFREEZE,
    UNTICK,
    RunDecision,
    subject,
)
from core.report_loop.drive import find_run
from core.report_loop.feedback import document
from core.report_loop.feedback.model import EditClass, Feedback, Ruling, with_ruling
from core.report_loop.journal import RECORDS, RECORDS_AS_LIST
from core.report_loop.residue import Item
from core.report_loop.runs import evidence_hash
from core.report_loop.stop import terminate
from core.report_loop.words import Dimension
from core.workspace import Workspace

FILE = "decision.json"


def _records(folder: Path) -> tuple[bytes, bool]:
    """The iterations file and whether it holds lines. Raises BadInput when there is none."""
    lines = (folder / RECORDS).exists()
    return files.read_bytes(folder / (RECORDS if lines else RECORDS_AS_LIST), folder.name), lines


def decide_run(
    workspace: Workspace, person: Person, run: str, decision: RunDecision, *, note: str = "",
    residue: Sequence[Item] = (), seen: str = "", now: datetime,
) -> Record:  # fmt: skip
    """Decide on an escalated run: accept it as it stands, send it back with instructions, or waive named residue.

    ``seen`` is the evidence (`RunFiles.evidence`) that the person looked at. Raises Conflict when the run has gone on
    since, or is not waiting for anybody; BadInput for a send-back without instructions or a waiver that names nothing;
    NotAllowed.
    """
    if decision not in RUN_DECISIONS:
        raise BadInput.of(run, f"{decision!r} is none of {', '.join(RUN_DECISIONS)}")
    if decision == "send_back" and not note.strip():
        raise BadInput.of(run, "sending back needs instructions: say what is to be done")
    if decision == "waive_residue" and not residue:
        raise BadInput.of(run, "a waiver names the residue that is waived")
    folder = find_run(workspace, run)

    def payload() -> dict[str, Any]:
        raw, lines = _records(folder)
        if seen and seen != evidence_hash(raw):
            raise Conflict(f"{run} has gone on since you looked; look again")
        _, stop = terminate(inputs.parse_iterations(raw, folder.name, lines=lines).items)
        if not stop["escalate_to_human"]:
            raise Conflict(f"{run} is not waiting for a decision ({stop['status'] or 'it goes on'})")
        return {
            "note": note.strip(), "residue": [item.id for item in residue],
            "residue_text": [item.text for item in residue], "evidence": evidence_hash(raw),
        }  # fmt: skip

    return _decide(workspace, person, decision, subject(run), folder, payload, now)


def decide_node(
    workspace: Workspace, person: Person, run: str, node: str, *, unfreeze: bool, note: str = "", now: datetime
) -> Record:
    """A frozen node: grant it one more edit, or accept it as it is. Raises as `decide_run` does."""
    folder = find_run(workspace, run)
    action = UNFREEZE if unfreeze else ACCEPT_NODE
    return _decide(
        workspace, person, action, subject(run, "node", node), folder, lambda: {"note": note.strip(), "node": node}, now
    )


def _decide(
    workspace: Workspace, person: Person, action: str, about: str, folder: Path,
    payload: Callable[[], dict[str, Any]], now: datetime,
) -> Record:  # fmt: skip
    path = folder / FILE

    def plan() -> Plan:
        made = payload()
        before = files.read_bytes(path, FILE) if path.exists() else None
        entry = {"decision": action, "reviewer": person.name, "at": times.iso(now), **made}
        kept = [*_entries(before), entry]
        return Plan([ReplaceFile(path, before, _bytes(kept))], {**made, "entry": _key(entry)})

    return open_log(workspace).decide(person, action, about, plan, lock_on=path, at=now)


def _entries(before: bytes | None) -> list[Any]:
    if before is None:
        return []
    value = files.parse_json(before, FILE)
    entries = value.get("decisions") if isinstance(value, Mapping) else None
    if not isinstance(entries, list):
        raise BadInput.of(FILE, "must be an object with a list of decisions; it is not overwritten")
    return list(entries)


def _bytes(entries: Sequence[Any]) -> bytes:
    return json.dumps({"decisions": list(entries)}, ensure_ascii=False, indent=2).encode() + b"\n"


def _key(entry: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:12]


def tick(workspace: Workspace, person: Person, run: str, item: Item, ticked: bool, *, now: datetime) -> Record:
    """Tick a line of the checklist, or take the tick away; the log alone keeps it. Raises NotAllowed, Unavailable."""
    action = TICK if ticked else UNTICK
    return open_log(workspace).append(person, action, subject(run, "residue", item.id), {"text": item.text}, at=now)


def classify_edit(
    workspace: Workspace, person: Person, run: str, edit_id: str, cls: EditClass, dimension: Dimension | None = None, *,
    now: datetime,
) -> Record:  # fmt: skip
    """A person's word on one edit: final, and written to feedback.json.

    A mechanical edit names the dimension that missed it. Raises BadInput for one that does not or an edit that is not
    there, NotAllowed, Conflict.
    """
    if cls == "undecided" or (cls == "mechanical") != (dimension is not None):
        raise BadInput.of(run, "an edit is substantive, or mechanical with the dimension that missed it")
    folder = find_run(workspace, run)
    path = folder / document.FILE

    def plan() -> Plan:
        before = files.read_bytes(path, document.FILE) if path.exists() else None
        feedback = document.current(folder)
        ruling = Ruling(cls, "a person decided", dimension, "person", person.name, times.iso(now))
        if feedback is None or all(judged.id != edit_id for judged in feedback.edits):
            raise BadInput.of(run, f"there is no edit {edit_id!r} in its feedback")
        decided = Feedback(
            feedback.shipped, feedback.reviewed, feedback.shipped_sha256, feedback.reviewed_sha256,
            tuple(with_ruling(judged, ruling) if judged.id == edit_id else judged for judged in feedback.edits),
        )  # fmt: skip
        payload = {"class": cls, "dimension": dimension}
        return Plan([ReplaceFile(path, before, document.as_bytes(decided))], payload)

    return open_log(workspace).decide(person, CLASSIFY, subject(run, "edit", edit_id), plan, lock_on=path, at=now)


def undo(workspace: Workspace, person: Person, seq: int, *, now: datetime) -> Record:
    """Take back a decision made here, in the log and in its file. Raises Conflict when it was undone already."""
    log = open_log(workspace)
    target = log.record(seq)
    if target is None:
        raise BadInput.of("decision log", f"there is no record {seq}")
    if target.action in (TICK, UNTICK):
        return log.undo(person, seq, at=now)
    folder = find_run(workspace, target.subject.split("/", 2)[1])
    if target.action == CLASSIFY:
        return _undo_class(log, person, seq, folder, now)
    path = folder / FILE

    def plan(record: Record) -> Plan:
        before = files.read_bytes(path, FILE) if path.exists() else None
        kept = [entry for entry in _entries(before) if _key(entry) != record.payload.get("entry")]
        return Plan([ReplaceFile(path, before, _bytes(kept) if kept else None)], {})

    return log.undo(person, seq, plan, lock_on=path, at=now)


def _undo_class(log: Log, person: Person, seq: int, folder: Path, now: datetime) -> Record:
    """The edit gets the ruling back that it had before: an earlier person's, else the rules'."""
    path = folder / document.FILE

    def plan(record: Record) -> Plan:
        edit_id = record.subject.rsplit("/", 1)[1]
        before = files.read_bytes(path, document.FILE) if path.exists() else None
        feedback = document.without_ruling(folder, edit_id)
        return Plan([ReplaceFile(path, before, document.as_bytes(feedback))], {})

    return log.undo(person, seq, plan, lock_on=path, at=now)
