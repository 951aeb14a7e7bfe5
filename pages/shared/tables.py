"""A table of records: searched, sorted (click a heading) and downloaded as CSV. Cells are text, never Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from core import numbers
from pages.shared import downloads, state, text

Row = Mapping[str, Any]


def table(
    rows: Sequence[Row],
    *,
    key: str,
    name: str,
    columns: Sequence[str] | None = None,
    config: Mapping[str, Any] | None = None,
    search: bool = True,
    height: int | None = None,
    csv: bool = True,
    on_pick: Callable[[Row], None] | None = None,
) -> None:
    """Show records; ``name`` is both its accessible name and the name of the CSV file.

    The search keeps rows in which every word occurs in some cell, ignoring case. ``on_pick(row)`` is called in a
    callback when a row is chosen; the choice is then cleared, so that Back does not bounce forward. ``csv`` is false
    only where the page offers a better download.
    """
    names = list(columns) if columns is not None else list(dict.fromkeys(one for row in rows for one in row))
    found = rows
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if search:
            words = st.text_input(
                f"Search {name}", key=f"{key}_search", placeholder=f"Search {numbers.count(len(rows), 'row')}",
                width=320, label_visibility="collapsed", type="search",
            )  # fmt: skip
            found = matching(rows, names, words or "")
        if csv:
            downloads.csv_button(found, name.replace(" ", "_"), key=f"{key}_csv", columns=names)
        if len(found) != len(rows):
            text.show(text.grey(f"{len(found):,} of {len(rows):,}"))
    _grid(found, names, key, name, config, height, on_pick)


def matching(rows: Sequence[Row], columns: Sequence[str], words: str) -> list[Row]:
    """The rows in which every word stands in some column (case ignored)."""
    wanted = words.casefold().split()
    if not wanted:
        return list(rows)
    return [
        row for row in rows
        if (hay := "\n".join(str(row.get(name, "")) for name in columns).casefold()) is not None
        and all(word in hay for word in wanted)
    ]  # fmt: skip


def _grid(
    rows: Sequence[Row], names: list[str], key: str, name: str, config: Mapping[str, Any] | None, height: int | None,
    on_pick: Callable[[Row], None] | None,
) -> None:  # fmt: skip
    turn: state.Key[int] = state.Key(key, "turn", int)
    columns = {one: [row.get(one) for row in rows] for one in names}
    shape: dict[str, Any] = {"height": height} if height else {}
    if on_pick is None:
        st.dataframe(columns, key=key, hide_index=True, column_config=dict(config or {}), alt=name, **shape)
        return
    grid = f"{key}_{turn.get()}"

    def chosen() -> None:
        picked = (st.session_state.get(grid) or {}).get("selection", {}).get("rows", [])
        if picked and picked[0] < len(rows):
            turn.set(turn.get() + 1)  # a new key clears the choice
            on_pick(rows[picked[0]])

    st.dataframe(
        columns, key=grid, hide_index=True, column_config=dict(config or {}), alt=name, on_select=chosen,
        selection_mode="single-row", **shape,
    )  # fmt: skip
