"""``python -m core suggestions``: the queue at the prompt (suggestions contract, Command line)."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import click

from core import times
from core.cli_support import emit, json_option, person_option, workspace_option
from core.errors import BadInput, Conflict, Problem
from core.people import Person
from core.suggestions import blocklist, confirm, queue, review, store
from core.suggestions.content import topic_text
from core.suggestions.entries import Kind
from core.suggestions.queue import Suggestion
from core.suggestions.reading import read_document
from core.workspace import Workspace

_GRADER = ("grade", "backtest", "maintain")


class _Commands(click.Group):
    """The commands below, and the grader's, which are imported only when asked for: they bring scipy with them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *_GRADER]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _GRADER:
            command: click.Command = getattr(importlib.import_module("core.suggestions.cli_grade"), cmd_name)
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Commands)
def group() -> None:
    """Read, check and decide suggestions; grade them and learn from what reviewers reject."""


@group.command("list")
@click.argument("file")
@workspace_option
@json_option
def list_(workspace: Workspace, file: str, as_json: bool) -> None:
    """List the suggestions of FILE (or of standard input, ``-``), each once, with what is wrong with them."""
    now = _now()
    document = read_document(workspace, file)
    suggestions = queue.distinct(document, now)
    data = {
        "entries": [as_dict(one, now) for one in suggestions],
        "incomplete": not document.complete,
        "problems": [problem.as_dict() for problem in (*document.problems, *document.entry_problems())],
        "commented_out": document.commented,
    }
    emit(data, as_json, _listed(data))


def as_dict(suggestion: Suggestion, now: datetime) -> dict[str, Any]:
    """One of ``entries`` under the contract's keys; beside them legacy, reason, feedback and history."""
    entry = suggestion.entry
    return {
        "id": entry.id, "date": entry.date, "source": entry.source, "title": entry.title, "url": entry.url,
        "category": entry.category, "score": entry.score._asdict() if entry.score else None,
        "next_step": entry.next_step, "decision": entry.decision, "comment": entry.comment,
        "reviewed_at": entry.reviewed_at or None, "copies": suggestion.copies,
        "problems": list(suggestion.problems(now)), "legacy": entry.legacy or None,
        "reason": entry.filtered or None, "feedback": entry.feedback,
        "history": [
            {"decision": one.decision, "comment": one.comment, "reviewed_at": one.reviewed_at or None}
            for one in suggestion.history
        ],
    }  # fmt: skip


def _listed(data: dict[str, Any]) -> Iterator[str]:
    for entry in data["entries"]:
        score = f"{entry['score']['total']}/6" if entry["score"] else "legacy" if entry["legacy"] else "no score"
        copies = f" ×{entry['copies']}" if entry["copies"] > 1 else ""
        decided = f" [{entry['decision']}]" if entry["decision"] else ""
        yield f"{entry['id']}  {entry['date']} | {entry['source']} | {entry['title']}  {score}{decided}{copies}"
        yield from (f"    ! {problem}" for problem in entry["problems"])
    yield f"{len(data['entries'])} suggestions" if data["entries"] else "nothing here: no suggestion in this file"
    if data["incomplete"]:
        yield "incomplete: the file could not be read to its end"
    yield from (f"problem: {Problem(**problem)}" for problem in data["problems"])


@group.command()
@click.argument("file")
@workspace_option
@json_option
def check(workspace: Workspace, file: str, as_json: bool) -> None:
    """Hold the suggestions of FILE against the blocklist: the part of grading that asks no judge.

    Exit 2 when the blocklist can be read in part only: nothing is clear by half of it.
    """
    patterns = confirm.whole(workspace)
    document = read_document(workspace, file)
    results: list[dict[str, Any]] = []
    for one in queue.distinct(document, times.now()):
        verdict = patterns.check(topic_text(one.entry), one.entry.next_step)
        results.append({
            "id": one.entry.id, "outcome": verdict.outcome, "reason": verdict.reason, "title": one.entry.title,
        })  # fmt: skip
    problems = [problem.as_dict() for problem in (*patterns.problems, *document.problems)]
    data = {"results": results, "incomplete": not document.complete, "problems": problems}
    emit(data, as_json, _checked(data))


def _checked(data: dict[str, Any]) -> Iterator[str]:
    for result in data["results"]:
        yield f"{result['id']}  {result['reason'] or 'clear'}  {result['title']}"
    clear = sum(result["outcome"] == "clear" for result in data["results"])
    yield f"{clear} of {len(data['results'])} clear" if data["results"] else "nothing here: no suggestion in this file"
    yield from (f"problem: {Problem(**problem)}" for problem in data["problems"])


@group.command("review")
@click.argument("entry_id", metavar="ID")
@click.argument("decision", type=click.Choice(["accept", "reject"]))
@click.option("--comment", default="", help="Your words, kept with the decision.")
@workspace_option
@person_option
@json_option
def review_(
    workspace: Workspace, entry_id: str, decision: review.Choice, comment: str, person: Person, as_json: bool
) -> None:
    """Accept or reject the pending suggestion ID (its first digits are enough)."""
    whole = _whole_id(workspace, entry_id, "pending")
    record = review.decide(workspace, person, whole, decision, comment=comment, now=_now())
    _told(record.seq, whole, f"{decision}ed" if decision == "accept" else "rejected", record.payload["title"], as_json)


@group.command()
@click.argument("entry_id", metavar="ID")
@workspace_option
@person_option
@json_option
def undo(workspace: Workspace, entry_id: str, person: Person, as_json: bool) -> None:
    """Take back the latest decision about the suggestion ID: it returns to its place."""
    last = review.last_decision(workspace, entry_id)
    if last is None:
        raise BadInput.of("decision log", f"no decision about {entry_id} that could be undone")
    record = review.undo(workspace, person, last.seq, now=_now())
    _told(record.seq, entry_id, f"undone ({last.action})", last.payload["title"], as_json)


@group.command()
@click.argument("entry_id", metavar="ID")
@workspace_option
@person_option
@json_option
def restore(workspace: Workspace, entry_id: str, person: Person, as_json: bool) -> None:
    """Overrule the filter: the filtered suggestion ID goes to pending."""
    whole = _whole_id(workspace, entry_id, "filtered")
    record = review.restore(workspace, person, whole, now=_now())
    _told(record.seq, whole, "moved to pending", record.payload["title"], as_json)


@group.command()
@click.argument("topic")
@workspace_option
@person_option
@json_option
def block(workspace: Workspace, topic: str, person: Person, as_json: bool) -> None:
    """Add TOPIC to the hard-veto blocklist: your explicit yes."""
    record = confirm.block(workspace, person, topic, now=_now())
    _told(record.seq, None, "blocked", record.payload["topic"], as_json)


@group.command()
@click.argument("topic")
@workspace_option
@person_option
@json_option
def unblock(workspace: Workspace, topic: str, person: Person, as_json: bool) -> None:
    """Take TOPIC out of the blocklist again."""
    record = confirm.unblock(workspace, person, topic, now=_now())
    left = confirm.still_blocked(workspace, record.payload["topic"])
    _told(record.seq, None, "unblocked", record.payload["topic"], as_json, left)


def _told(
    seq: int, entry_id: str | None, done: str, title: str, as_json: bool, left: blocklist.Match | None = None
) -> None:
    data: dict[str, Any] = {"seq": seq, "done": done, "title": title, **({"id": entry_id} if entry_id else {})}
    lines = [f"{done}: {title} (record {seq})"]
    if left is not None:
        data["still"] = {"pattern": left.pattern.text, "line": left.pattern.line}
        lines.append(f"still blocked by {left.pattern.text!r}, line {left.pattern.line}")
    emit(data, as_json, lines)


def _now() -> datetime:
    """The clock with the zone of this machine: the offset is written beside the decision."""
    return times.now().astimezone()


def _whole_id(workspace: Workspace, start: str, kind: Kind) -> str:
    """The one id that begins so; a start that fits none is passed on, to be told who was first.

    Raises Conflict when it begins several.
    """
    document = store.of_workspace(workspace, kind)
    found = sorted({entry.id for entry in document.entries if entry.id.startswith(start)}) if start else []
    if len(found) > 1:
        raise Conflict(f"{start} begins {len(found)} ids in {document.file}: {', '.join(found[:3])} …")
    return found[0] if found else start
