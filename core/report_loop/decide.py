"""A person's decisions about a run, each through the decision log (report-loop and triage contracts).

What is decided about a whole run or a node also stands in ``decision.json`` in the run folder, so that the pipeline
that reads the folder learns of it.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from core import files, times
from core.decisions import Log, Plan, Record, open_log
from core.errors import BadInput, Conflict
from core.files import jsontext
from core.files.ops import ReplaceFile
from core.people import Person
from core.report_loop import inputs, rulings
from core.report_loop.decisions import (
    ACCEPT_NODE,
    CLASSIFY,
    NONE,
    RUN_DECISIONS,
    TICK,
    UNFREEZE,
    UNTICK,
    RunDecision,
    all_decisions,
    subject,
)
from core.report_loop.draft import Draft, draft_in_force, draft_of
from core.report_loop.drive import find_run
from core.report_loop.feedback import document
from core.report_loop.feedback.model import EditClass, Ruling
from core.report_loop.journal import RECORDS, RECORDS_AS_LIST
from core.report_loop.residue import Item
from core.report_loop.runs import evidence_hash, read_run
from core.report_loop.stop import terminate
from core.report_loop.view import view_run
from core.report_loop.words import Dimension
from core.workspace import Workspace

FILE = "decision.json"


def _records(workspace: Workspace, folder: Path) -> tuple[bytes, bool]:
    """The iterations file and whether it holds lines. Raises BadInput when there is none."""
    lines = inputs.locate(workspace.root, folder, RECORDS) is not None
    path = inputs.locate(workspace.root, folder, RECORDS if lines else RECORDS_AS_LIST)
    if path is None:
        raise BadInput.of(folder.name, "has no iterations")
    return files.read_bytes(path, folder.name), lines


def decide_run(
    workspace: Workspace, person: Person, run: str, decision: RunDecision, *, note: str = "",
    residue: Sequence[Item] = (), seen: str = "", now: datetime,
) -> Record:  # fmt: skip
    """Decide on an escalated run: accept it as it stands, send it back with instructions, or waive named residue.

    ``seen`` is the evidence (`RunFiles.evidence`) that the person looked at. Raises Conflict when the run has gone on
    since, is not waiting for anybody, or was decided on the same evidence already; BadInput for a send-back without
    instructions or a waiver that names nothing; NotAllowed.
    """
    if decision not in RUN_DECISIONS:
        raise BadInput.of(run, f"{decision!r} is none of {', '.join(RUN_DECISIONS)}")
    if decision == "send_back" and not note.strip():
        raise BadInput.of(run, "sending back needs instructions: say what is to be done")
    if decision == "waive_residue" and not residue:
        raise BadInput.of(run, "a waiver names the residue that is waived")
    folder = find_run(workspace, run)

    def payload() -> dict[str, Any]:
        raw, lines = _records(workspace, folder)
        evidence = evidence_hash(raw)
        if seen and seen != evidence:
            raise Conflict(f"{run} has gone on since you looked; look again")
        records = inputs.parse_iterations(raw, folder.name, lines=lines).items
        _, stop = terminate(records)
        if not stop["escalate_to_human"]:
            raise Conflict(f"{run} is not waiting for a decision ({stop['status'] or 'it goes on'})")
        _refuse_second(workspace, folder.name, evidence)
        draft = draft_in_force(records)
        return {
            "note": note.strip(), "residue": [item.id for item in residue],
            "residue_text": [item.text for item in residue], "evidence": evidence, "draft": draft.key,
            "iteration": draft.iteration,
        }  # fmt: skip

    return _decide(workspace, person, decision, subject(folder.name), folder, payload, now)


def _refuse_second(workspace: Workspace, run: str, evidence: str) -> None:
    """One decision counts on one evidence: who comes second is told who was first, and may ask them to take it back."""
    made = all_decisions(open_log(workspace)).get(run, NONE)
    first = next((one for one in reversed(made.decided) if one.evidence == evidence), None)
    if first is not None:
        deed = first.action.replace("_", " ")
        at = times.iso(times.parse_instant(first.at).utc)
        raise Conflict(f"{first.reviewer} decided on {run} already ({deed}, {at}); undo that to decide anew")


def decide_node(
    workspace: Workspace, person: Person, run: str, node: str, *, unfreeze: bool, note: str = "", now: datetime
) -> Record:
    """A frozen node: grant it one more edit, or accept it as it is.

    Raises Conflict when the node is not waiting for anybody: somebody was first, or it is not frozen; as `decide_run`.
    """
    folder = find_run(workspace, run)
    action, about = UNFREEZE if unfreeze else ACCEPT_NODE, subject(folder.name, "node", node)

    def payload() -> dict[str, Any]:
        log = open_log(workspace)
        nodes = view_run(read_run(workspace, folder), all_decisions(log).get(folder.name, NONE), now).nodes
        if not any(one.waiting for one in nodes if one.node == node):
            last = log.last(about)
            first = f"; last decided by {last.reviewer}, {times.iso(last.instant)}" if last is not None else ""
            raise Conflict(f"node {node} of {run} is not waiting for a decision{first}")
        return {"note": note.strip(), "node": node}

    return _decide(workspace, person, action, about, folder, payload, now)


def _decide(
    workspace: Workspace, person: Person, action: str, about: str, folder: Path,
    payload: Callable[[], dict[str, Any]], now: datetime,
) -> Record:  # fmt: skip
    path = folder / FILE

    def plan() -> Plan:
        made = payload()
        before = _before(workspace, folder, FILE)
        entry = {"id": secrets.token_hex(6), "decision": action, "reviewer": person.name, "at": times.iso(now), **made}
        kept = {**made, "entry": entry["id"], "created": before is None}
        return Plan([ReplaceFile(path, before, _with_entry(before, entry))], kept)

    return open_log(workspace).decide(person, action, about, plan, lock_on=path, at=now)


def _before(workspace: Workspace, folder: Path, name: str) -> bytes | None:
    """What the file holds, None where there is none. Raises BadInput, also where it is a link out of the workspace."""
    path = inputs.locate(workspace.root, folder, name)
    return None if path is None else files.read_bytes(path, name)


def _entries(before: bytes) -> list[Any]:
    value = files.parse_json(before, FILE)
    entries = value.get("decisions") if isinstance(value, Mapping) else None
    if not isinstance(entries, list):
        raise BadInput.of(FILE, "must be an object with a list of decisions; it is not overwritten")
    return entries


def _start(text: str) -> int:
    return next(member.value_start for member in jsontext.members(text) if member.name == "decisions")


def _with_entry(before: bytes | None, entry: Mapping[str, Any]) -> bytes:
    """The file with one entry more; what stands in it stays byte for byte."""
    if before is None:
        return jsontext.encoded(json.dumps({"decisions": [entry]}, ensure_ascii=False, indent=2) + "\n")
    _entries(before)
    text = before.decode("utf-8")
    return jsontext.encoded(jsontext.append_element(text, _start(text), entry))


def _without_entry(before: bytes | None, payload: Mapping[str, Any]) -> bytes | None:
    """The file without that decision's entry, unchanged where the entry is gone.

    None where the decision created the file (older records do not say) and nothing but an empty list would be left.
    """
    wanted, created = payload.get("entry"), payload.get("created", True)
    entries = [] if before is None else _entries(before)
    number = next((number for number, entry in enumerate(entries) if _key(entry) == wanted), None)
    if before is None or number is None:
        return before
    text = before.decode("utf-8")
    after = jsontext.encoded(jsontext.remove_element(text, _start(text), number))
    return None if created and files.parse_json(after, FILE) == {"decisions": []} else after


def _key(entry: Any) -> str:
    """The entry's id; entries were once known by their content."""
    if isinstance(entry, Mapping) and isinstance(entry.get("id"), str):
        return str(entry["id"])
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:12]


def tick(
    workspace: Workspace, person: Person, run: str, item: Item, ticked: bool, *, draft: Draft | None = None,
    now: datetime,
) -> Record:  # fmt: skip
    """Tick a line of the checklist, or take the tick away; the log alone keeps it.

    ``draft`` is the one that the person looked at (default: the one in force): a tick holds for no other. Raises
    BadInput for a run that is not there, NotAllowed, Unavailable.
    """
    folder = find_run(workspace, run)
    held = draft or draft_of(read_run(workspace, folder))
    payload = {"text": item.text, "draft": held.key, "iteration": held.iteration}
    about = subject(folder.name, "residue", item.id)
    return open_log(workspace).append(person, TICK if ticked else UNTICK, about, payload, at=now)


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
        before = _before(workspace, folder, document.FILE)
        feedback = document.current(folder, workspace.root)
        ruling = Ruling(cls, rulings.PERSON, dimension, "person", person.name, times.iso(now))
        edit = next((one for one in feedback.edits if one.id == edit_id), None) if feedback is not None else None
        if feedback is None or edit is None:
            raise BadInput.of(run, f"there is no edit {edit_id!r} in its feedback")
        after = document.as_bytes(document.ruled(feedback, edit_id, ruling), before)
        return Plan([ReplaceFile(path, before, after)], rulings.payload_of(edit, ruling))

    about = subject(folder.name, "edit", edit_id)
    return open_log(workspace).decide(person, CLASSIFY, about, plan, lock_on=path, at=now)


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
    if target.action not in (*RUN_DECISIONS, UNFREEZE, ACCEPT_NODE):
        raise BadInput.of("decision log", f"record {seq} ({target.action}) is no decision about a run")
    path = folder / FILE

    def plan(record: Record) -> Plan:
        before = _before(workspace, folder, FILE)
        return Plan([ReplaceFile(path, before, _without_entry(before, record.payload))], {})

    return log.undo(person, seq, plan, lock_on=path, at=now)


def _undo_class(log: Log, person: Person, seq: int, folder: Path, now: datetime) -> Record:
    """The edit gets the ruling that is in force without this one (`rulings.in_force`)."""
    path = folder / document.FILE

    def plan(record: Record) -> Plan:
        before = _before(log.workspace, folder, document.FILE)
        feedback = document.current(folder, log.workspace.root)
        if feedback is None:
            raise BadInput.of(folder.name, "has no feedback")
        wanted, told = rulings.edit_of(record), log.records(subject=record.subject)
        edit = next((one for one in feedback.edits if one.id == wanted), None)
        if edit is not None:
            feedback = document.ruled(feedback, wanted, rulings.in_force(told, record, edit.ruling))
        return Plan([ReplaceFile(path, before, document.as_bytes(feedback, before))], {})

    return log.undo(person, seq, plan, lock_on=path, at=now)
