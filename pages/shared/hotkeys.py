"""Keyboard: any key, none lost in a burst, none obeyed for an item that is no longer the one on the screen.

Streamlit's own ``shortcut=`` refuses R and C, fires behind an open dialog and drops presses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared import state

#: Keys and their meaning that hold on every page; a page adds its own.
COMMON = {
    "j": "next",
    "k": "previous",
    "u": "undo the last decision",
    "/": "search",
    "?": "show the keys",
    "Esc": "leave a field",
}

_mount = st.components.v2.component("touchstone_hotkeys", js=Path(__file__).with_name("hotkeys.js").read_text("utf-8"))
_HELP: state.Key[bool] = state.Key("hotkeys", "help", lambda: False)


@dataclass(frozen=True, slots=True)
class Press:
    """One key press; ``item`` is the id of the item that was on the screen when it was made ("" for none)."""

    key: str
    item: str


def listen(
    handlers: Mapping[str, Callable[[Press], None]],
    *,
    item: str = "",
    focus: Mapping[str, str] | None = None,
    repeat: tuple[str, ...] = ("j", "k"),
    name: str = "hotkeys",
) -> None:
    """Call ``handlers[key](press)`` once for every press, oldest first, in a callback (before the page runs again).

    ``focus`` maps a key to the ``key=`` of the field it jumps to (no rerun). Keys in ``repeat`` repeat while held.
    """

    def on_events() -> None:
        for press in _new_presses(name):
            if press.key in handlers:
                handlers[press.key](press)

    data: dict[str, Any] = {
        "keys": list(handlers), "item": item, "focus": dict(focus or {}), "repeat": list(repeat),
    }  # fmt: skip
    with st.container(key="ts_bare_" + name):
        _mount(key=name, data=data, default={"events": {}}, on_events_change=on_events, height="content")


def _new_presses(name: str) -> list[Press]:
    """The presses that have not been handled; the browser sends its last fifty each time, numbered."""
    seen: state.Key[tuple[str, int]] = state.Key(name, "seen", lambda: ("", 0))
    sent = (st.session_state.get(name) or {}).get("events") or {}
    nonce, last = seen.get()
    if sent.get("nonce") != nonce:
        nonce, last = str(sent.get("nonce")), 0
    fresh = [event for event in sent.get("list", []) if event["seq"] > last]
    seen.set((nonce, max([last, *(event["seq"] for event in fresh)])))
    return [Press(str(event["key"]), str(event["item"])) for event in fresh]


def help_key() -> None:
    """The `?` of every page (the frame draws it)."""
    listen({"?": lambda _: _HELP.set(True)}, name="help_key", repeat=())


def help_wanted() -> bool:
    """True once after `?` was pressed."""
    wanted = _HELP.get()
    if wanted:
        _HELP.set(False)
    return wanted


def ask_for_help() -> None:
    """What the visible "Keys ?" button does (a callback)."""
    _HELP.set(True)
