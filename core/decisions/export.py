"""The log as JSON Lines (exact) and as CSV (for a spreadsheet): triage contract, The decision log."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from core.decisions.records import FIELDS, Record

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def jsonl(records: Iterable[Record]) -> Iterator[str]:
    """One JSON object a record, with the eight fields; without line endings."""
    for record in records:
        yield json.dumps(record.as_dict(), ensure_ascii=False)


def csv_text(records: Iterable[Record]) -> str:
    """A header and one row a record, the payload as JSON text.

    A cell that a spreadsheet would run as a formula gets an apostrophe in front: subjects and names come from outside.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIELDS)
    for record in records:
        row = record.as_dict()
        row["payload"] = json.dumps(row["payload"], ensure_ascii=False)
        writer.writerow([_cell(row[name]) for name in FIELDS])
    return out.getvalue()


def _cell(value: object) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
