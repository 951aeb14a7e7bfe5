"""The two pieces of this page that run in the browser: the viewer of page pairs and the seven axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    """Something the reviewer did in a component: ``kind`` with what it carries."""

    kind: str
    values: Mapping[str, Any]


def viewer(data: Mapping[str, Any], on_event: Callable[[Event], None], *, key: str) -> None:
    """Draw the viewer; ``on_event`` is called once for every page turned to, page seen, note pinned, oldest first."""

    def changed() -> None:
        for event in _fresh(key):
            on_event(event)

    _viewer(key=key, data=dict(data), default={"events": {}}, on_events_change=changed, height="content")


def axes(data: Mapping[str, Any], on_event: Callable[[Event], None], *, key: str) -> None:
    """Draw the axes; ``on_event`` is called once for every score set or taken back."""

    def changed() -> None:
        for event in _fresh(key):
            on_event(event)

    _axes(key=key, data=dict(data), default={"events": {}}, on_events_change=changed, height="content")


def _fresh(key: str) -> Sequence[Event]:
    """The events not handled yet: the browser sends its last ones each time, numbered."""
    seen: state.Key[tuple[str, int]] = state.Key(key, "seen_events", lambda: ("", 0))
    sent = (st.session_state.get(key) or {}).get("events") or {}
    nonce, last = seen.get()
    if sent.get("nonce") != nonce:
        nonce, last = str(sent.get("nonce")), 0
    fresh = [event for event in sent.get("list", []) if event["seq"] > last]
    seen.set((nonce, max([last, *(event["seq"] for event in fresh)])))
    return [Event(str(event["kind"]), event) for event in fresh]
