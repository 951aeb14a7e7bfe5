"""``python -m core log``: verify and export (triage contract, Command line)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import click

from core.cli_support import answer, emit, json_option, workspace_option
from core.decisions import Filter, Log, Verdict, open_log
from core.decisions.export import csv_text, jsonl
from core.times import parse_instant
from core.workspace import Workspace


@click.group()
def group() -> None:
    """The decision log: verify, export."""


@group.command("verify")
@workspace_option
@json_option
def verify_log(workspace: Workspace, as_json: bool) -> None:
    """Check the hash chain; exit 1 and name the first bad record if one was changed, is missing or was moved."""
    log = open_log(workspace)
    verdict, half_done = log.verify(), len(log.half_done())
    data = {
        "ok": verdict.ok,
        "records": verdict.records,
        "first_bad": verdict.broken[0].seq if verdict.broken else None,
        "broken": [asdict(broken) for broken in verdict.broken],
        "half_done": half_done,
    }
    emit(data, as_json, _verdict_lines(log, verdict, half_done))
    answer(verdict.ok)


def _verdict_lines(log: Log, verdict: Verdict, half_done: int) -> Iterator[str]:
    if verdict.broken:
        yield f"{log.place}: NOT as it was written; first bad: {verdict.broken[0]}"
        yield from (f"  {broken}" for broken in verdict.broken[1:])
    elif verdict.records:
        yield f"{log.place}: {verdict.records} records, each as it was written"
    else:
        yield f"{log.place}: 0 records, nothing to verify"
    if half_done:
        yield f"{half_done} half-done: being written now, or left by a killed process and finished at the next decision"


def _moment(end_of_day: bool) -> Callable[[click.Context, click.Parameter, str | None], datetime | None]:
    def read(_context: click.Context, _parameter: click.Parameter, value: str | None) -> datetime | None:
        if value is None:
            return None
        try:
            moment = parse_instant(value).utc
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        whole_day = end_of_day and "T" not in value.upper() and " " not in value.strip()
        return moment + timedelta(days=1) if whole_day else moment

    return read


@group.command("export")
@workspace_option
@json_option
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True,
              help="JSON Lines is exact; CSV is for a spreadsheet.")  # fmt: skip
@click.option("--reviewer", default=None, metavar="NAME", help="Only decisions by this person.")
@click.option("--subject", default=None, metavar="ID", help="Only decisions about this.")
@click.option("--action", default=None, metavar="WORD", help="Only this kind of decision.")
@click.option("--since", default=None, metavar="TIME", callback=_moment(False), help="From then on (ISO 8601).")
@click.option("--until", default=None, metavar="TIME", callback=_moment(True),
              help="Before then; a bare date is included.")  # fmt: skip
def export_log(workspace: Workspace, as_json: bool, form: str, **which: Any) -> None:
    """Print the records, oldest first, all or those that fit."""
    records = open_log(workspace).find(Filter(**which))
    if as_json:
        emit({"records": [record.as_dict() for record in records]}, True, [])
    elif form == "csv":
        click.echo(csv_text(records).encode("utf-8", "backslashreplace"), nl=False)
    else:
        for line in jsonl(records):
            click.echo(line.encode("utf-8", "backslashreplace"))
