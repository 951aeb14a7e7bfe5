"""What a reviewer can take away: CSV that a spreadsheet opens without running anything in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def cell(value: Any) -> Any:
    """A cell as it may stand in a spreadsheet: text that would be read as a formula gets an apostrophe in front."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return "" if value is None else value


def to_csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> bytes:
    """UTF-8 with a BOM (so that Excel reads Chinese); the header is ``columns``, else the keys as they come."""
    names = list(columns) if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([cell(name) for name in names])
    writer.writerows([[cell(row.get(name)) for name in names] for row in rows])
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")


def csv_button(
    rows: Sequence[Mapping[str, Any]] | Callable[[], bytes],
    name: str,
    *,
    key: str,
    label: str = "CSV",
    columns: Sequence[str] | None = None,
) -> None:
    """A button that downloads the rows as ``name`` + ".csv". The file is made when it is asked for."""
    make: Callable[[], bytes] = rows if callable(rows) else lambda: to_csv(rows, columns)
    st.download_button(
        label, make, f"{name}.csv", "text/csv", key=key, type="tertiary", icon=":material/download:", on_click="ignore"
    )
