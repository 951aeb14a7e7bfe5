"""Keyboard: any key, none lost in a burst, none obeyed for an item that is no longer the one on the screen.

Streamlit's own ``shortcut=`` refuses R and C, fires behind an open dialog and drops presses.
"""

from __future__ import annotations

import threading
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


Handlers = Mapping[str, "Callable[[Press], None]"]
_PAGE: state.Key[str] = state.Key("hotkeys", "page", str)
_LISTENING: state.Key[dict[str, tuple[str, Handlers]]] = state.Key("hotkeys", "listening", dict)


@dataclass(frozen=True, slots=True)
class Press:
    """One key press; ``item`` is the id of the item that was on the screen when it was made ("" for none)."""

    key: str
    item: str


def listen(
    handlers: Handlers,
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
        _handle(name, handlers)

    data: dict[str, Any] = {
        "keys": list(handlers), "item": item, "focus": dict(focus or {}), "repeat": list(repeat),
    }  # fmt: skip
    _LISTENING.get()[name] = (_PAGE.get(), handlers)
    with st.container(key="ts_bare_" + name):
        _mount(key=name, data=data, default={"events": {}}, on_events_change=on_events, height="content")


@dataclass
class _Seen:
    """The last press that was handled; changed in place, since a run can be cut short at any look into the session."""

    nonce: str = ""
    seq: int = 0


def _handle(name: str, handlers: Handlers) -> None:
    """Handle the presses that have not been handled; the browser sends its last fifty each time, numbered.

    A run can be cut short by the next one inside a handler too, wherever it looks into the session. So a press counts
    as handled when its handler came back, or when its deed was done (`handled`); what a cut run left is caught up with
    at the beginning of the next.
    """
    seen = state.Key(name, "seen", _Seen).get()
    sent = (st.session_state.get(name) or {}).get("events") or {}
    nonce = str(sent.get("nonce", ""))
    if nonce != seen.nonce:
        seen.nonce, seen.seq = nonce, 0
    for event in sent.get("list", []):
        if event["seq"] <= seen.seq:
            continue
        if event["key"] in handlers:
            _now.press = (seen, event["seq"])
            try:
                handlers[event["key"]](Press(str(event["key"]), str(event["item"])))
            except Exception:  # a fault is seen once, not at every run from now on
                handled()
                raise
            finally:
                _now.press = None
        seen.seq = event["seq"]


def handled() -> None:
    """The deed of the press that is being handled, if any, is done: it is not done again if this run is cut short.

    Looks at nothing of the session, so that nothing can come between the deed and this.
    """
    if _now.press is not None:
        seen, seq = _now.press
        seen.seq = seq


class _Now(threading.local):
    """The press that is being handled in this thread."""

    press: tuple[_Seen, int] | None = None


_now = _Now()


def catch_up(page: str) -> None:
    """Handle what a run of this page that was cut short left behind; the frame does this before anything is drawn."""
    for name, (where, handlers) in _LISTENING.get().items():
        if where == page:
            _handle(name, handlers)
    _PAGE.set(page)


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
