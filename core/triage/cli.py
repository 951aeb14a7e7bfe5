"""``python -m core triage …`` (triage contract, Command line)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, get_args

import click

from core import numbers, times
from core.cli_support import emit, json_option, person_option, workspace_option
from core.decisions import Record
from core.errors import BadInput
from core.findings import Finding, Kind
from core.people import Person
from core.triage import inbox
from core.triage.gather import SYSTEMS
from core.triage.inbox import Inbox, open_inbox
from core.triage.life import Item, State
from core.triage.statistics import statistics
from core.workspace import Workspace

_id = click.argument("finding_id", metavar="ID")
_note = click.option("--note", default="", help="Why; it goes into the record.")


@click.group()
def group() -> None:
    """Everything that needs a human, and what became of it. ID may be the beginning of an id."""


@group.command("list")
@workspace_option
@json_option
@click.option(
    "--state",
    multiple=True,
    default=("open", "claimed"),
    show_default=True,
    help="Repeatable.",
    type=click.Choice([*get_args(State), "all"]),
)
@click.option("--system", default=None, type=click.Choice(SYSTEMS), help="Only this system's.")
@click.option("--kind", default=None, type=click.Choice(get_args(Kind)), metavar="KIND", help="Only this kind.")
def list_(workspace: Workspace, as_json: bool, state: tuple[str, ...], system: str | None, kind: str | None) -> None:
    """The findings in the order of the inbox: severity, then age."""
    now = times.now()
    found = open_inbox(workspace, now)
    chosen = [
        item
        for item in found.items
        if ("all" in state or item.state in state)
        and system in (None, item.finding.system)
        and kind in (None, item.finding.kind)
    ]
    figures = statistics(found.items, now, UTC)
    data = {
        "findings": [as_dict(item, now) for item in chosen],
        "waiting": figures.waiting,
        "by_kind": figures.by_kind,
        "problems": [problem.as_dict() for problem in found.problems],
    }
    emit(data, as_json, _lines(chosen, found, now))


def as_dict(item: Item, now: datetime) -> dict[str, Any]:
    """A finding's own fields with its life beside them, as looked at ``now``."""
    finding: Finding = item.finding
    life = item.model_dump(mode="json", exclude={"finding", "gone_at", "openings", "closings"})
    return {**finding.model_dump(mode="json"), **life, "seen_last": times.iso(item.gone_at or now)}


def _lines(items: list[Item], found: Inbox, now: datetime) -> Iterable[str]:
    if not items:
        yield "nothing needs a human" if not found.waiting else "nothing fits; other findings wait"
    for item in items:
        finding = item.finding
        held = f" · {item.claimed_by} holds it" if item.claimed_by else ""
        waits = numbers.span(now - item.open_since)
        yield f"{finding.id}  {finding.severity:<9} {finding.kind:<22} {item.state} {waits}{held}  {finding.summary}"
        yield from (f"{'':18}changed: {line}" for line in item.changed)
    yield from (f"problem: {problem}" for problem in found.problems)


@group.command()
@workspace_option
@person_option
@_id
def claim(workspace: Workspace, person: Person, finding_id: str) -> None:
    """Take an item for 30 minutes, or renew your claim."""
    now = times.now()
    _said(inbox.claim(workspace, person, open_inbox(workspace, now).find(finding_id), now))


@group.command()
@workspace_option
@person_option
@_id
def release(workspace: Workspace, person: Person, finding_id: str) -> None:
    """Give an item back."""
    now = times.now()
    _said(inbox.release(workspace, person, open_inbox(workspace, now).find(finding_id), now))


@group.command()
@workspace_option
@person_option
@_id
@click.argument("decision")
@_note
@click.option("--topic", default=None, help="For a blocklist proposal: the topic as edited.")
@click.option("--residue", multiple=True, metavar="ITEM", help="For a waiver: a line of the checklist, by id.")
def resolve(
    workspace: Workspace, person: Person, finding_id: str, decision: str, note: str, topic: str | None,
    residue: tuple[str, ...],
) -> None:  # fmt: skip
    """End an item by DECISION (what its kind offers); it is written where it belongs."""
    now = times.now()
    given: dict[str, Any] = {key: value for key, value in (("topic", topic), ("residue", list(residue))) if value}
    item = open_inbox(workspace, now).find(finding_id)
    _said(inbox.resolve(workspace, person, item, decision, note=note, now=now, given=given))


@group.command()
@workspace_option
@person_option
@_id
@click.argument("until")
@_note
def snooze(workspace: Workspace, person: Person, finding_id: str, until: str, note: str) -> None:
    """Put an item aside until UNTIL (ISO 8601), or until its evidence changes."""
    now = times.now()
    try:
        when = times.parse_instant(until).utc
    except ValueError as error:
        raise BadInput.of("--until", str(error)) from None
    _said(inbox.snooze(workspace, person, open_inbox(workspace, now).find(finding_id), when, now, note))


@group.command()
@workspace_option
@person_option
@click.argument("seq", type=int)
def undo(workspace: Workspace, person: Person, seq: int) -> None:
    """Take back the deed that is record SEQ of the log, and what it had changed elsewhere."""
    _said(inbox.undo(workspace, person, seq, times.now()))


def _said(record: Record) -> None:
    emit({}, False, [f"record {record.seq}: {record.reviewer} {record.action} {record.payload.get('summary', '')}"])
