"""The two pieces of this page that run in the browser: the viewer of page pairs and the seven axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared import state, theme

_HERE = Path(__file__).parent
_viewer = st.components.v2.component(
    "touchstone_pages",
    css=(_HERE / "viewer" / "viewer.css").read_text("utf-8"),
    js=(_HERE / "viewer" / "viewer.bundle.js").read_text("utf-8"),
)
_axes = st.components.v2.component(
    "touchstone_axes",
    css=theme.palette_css(":host") + (_HERE / "axes.css").read_text("utf-8"),
    js=(_HERE / "axes.js").read_text("utf-8"),
)


@dataclass(frozen=True, slots=True)
class Event:
    """Something the reviewer did in a component: ``kind`` with what it carries; ``id`` is the same when told twice."""

    kind: str
    values: Mapping[str, Any]
    id: str


@dataclass
class _Handled:
    """How far the events of a component have been handled: the browser's list and the last number of it."""

    nonce: str = ""
    seq: int = 0


OnEvent = Callable[[Event], None]


def viewer(data: Mapping[str, Any], on_event: OnEvent, *, key: str) -> None:
    """Draw the viewer; ``on_event`` is called for every page turned to, page seen, note pinned, oldest first."""
    _viewer(
        key=key, data=dict(data), default={"events": {}}, on_events_change=lambda: catch_up(key, on_event),
        height="content",
    )  # fmt: skip


def axes(data: Mapping[str, Any], on_event: OnEvent, *, key: str) -> None:
    """Draw the axes; ``on_event`` is called for every score set or taken back."""
    _axes(
        key=key, data=dict(data), default={"events": {}}, on_events_change=lambda: catch_up(key, on_event),
        height="content",
    )  # fmt: skip


def catch_up(key: str, on_event: OnEvent) -> None:
    """Handle the events that have not been handled; the browser sends its last ones each time, numbered.

    A run can be cut short by the next one at any look into the session, inside a handler too. So an event counts as
    handled only after its handler came back, in an object that is changed without looking; a page calls this once more
    at its beginning for what a cut run left. A handler may meet an event twice and must not mind.
    """
    handled = state.Key(key, "handled", _Handled).get()
    sent = (st.session_state.get(key) or {}).get("events") or {}
    nonce = str(sent.get("nonce", ""))
    if nonce != handled.nonce:
        handled.nonce, handled.seq = nonce, 0
    for event in sent.get("list", []):
        if event["seq"] > handled.seq:
            on_event(Event(str(event["kind"]), event, f"{nonce}:{event['seq']}"))
            handled.seq = event["seq"]
