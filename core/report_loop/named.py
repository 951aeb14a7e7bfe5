"""Which receipt an iteration names (report-loop contract, an iteration record: ``receipt``, a file name)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.report_loop.receipt import plain
from core.report_loop.stop import standing


def named_receipt(records: Sequence[Mapping[str, Any]]) -> str | None:
    """The receipt that the record of the draft which stands names (`stop.in_order`); None where it names none.

    A reverted candidate's receipt says nothing about the draft that stands.
    """
    stands = standing(records)
    return None if stands is None else receipt_of(stands)


def receipt_of(record: Mapping[str, Any]) -> str | None:
    """The receipt that a record names, as it is written; None where it names none."""
    name = record.get("receipt")
    return (name if isinstance(name, str) else plain(name)) or None
