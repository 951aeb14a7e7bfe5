"""The list on the left: groups of rows, one of them chosen. One component, so that it costs one element, not forty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared import theme
from pages.shared.verdicts import Colour

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "touchstone_items",
    css=theme.palette_css(":host") + (_HERE / "items.css").read_text("utf-8"),
    js=(_HERE / "items.js").read_text("utf-8"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list; ``chip`` stands at its right end with that colour and Material icon."""

    id: str
    title: str
    sub: str = ""
    chip: str = ""
    colour: Colour = "gray"
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under a small grey heading ("Today · 6"); an empty heading shows none."""

    label: str
    rows: Sequence[Row]


def show(
    groups: Sequence[Group],
    chosen: str,
    on_pick: Callable[[str], None],
    *,
    key: str,
    label: str,
    checked: Sequence[str] | None = None,
    on_check: Callable[[list[str]], None] | None = None,
) -> None:
    """Draw the list; a click calls ``on_pick(id)`` in a callback. Give 10 to 20 rows a page.

    With ``on_check`` every row has a box and a change calls ``on_check(ids)`` with all that are ticked.
    """
    data: dict[str, Any] = {
        "label": label,
        "chosen": chosen,
        "checks": on_check is not None,
        "checked": list(checked or []),
        "groups": [{"label": group.label, "items": [_row(row) for row in group.rows]} for group in groups],
    }

    def picked() -> None:
        choice = (st.session_state.get(key) or {}).get("pick")
        if choice:
            on_pick(str(choice))

    def ticked() -> None:
        if on_check is not None:
            on_check([str(name) for name in (st.session_state.get(key) or {}).get("checked") or []])

    _mount(
        key=key, data=data, default={"checked": data["checked"]},
        on_pick_change=picked, on_checked_change=ticked, height="content",
    )  # fmt: skip


def _row(row: Row) -> dict[str, Any]:
    chip = {"words": row.chip, "colour": row.colour, "icon": row.icon} if row.chip else None
    return {"id": row.id, "title": row.title or "(no title)", "sub": row.sub, "chip": chip}
