"""The address in the browser: a visitor comes by it, and from then on it follows what they look at.

A browser tells its address with every key that it sends, and for a moment that is the one from before the page last
changed it. So within a view the address is what the page last made of it, not what the browser says; the browser is
asked when somebody arrives, or goes back or forward.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared import state

_VIEW: state.Key[str | None] = state.Key("address", "view", lambda: None)
_LAST: state.Key[dict[str, str]] = state.Key("address", "last", dict)
_ARRIVED: state.Key[bool] = state.Key("address", "arrived", lambda: True)


def settle(view: str) -> None:
    """Decide whose word counts in this run; once a run, before the view draws anything."""
    ctx = get_script_run_ctx()
    if view != _VIEW.get() or (ctx is not None and ctx.is_history_navigation):
        _VIEW.set(view)
        _ARRIVED.set(True)
        _LAST.set(st.query_params.to_dict())
    else:
        _tell()


def leave() -> None:
    """Somebody is being sent to an address, perhaps of this very view: the next run is an arrival."""
    _VIEW.set(None)


def arrived() -> bool:
    """True once for each time the visitor came by an address: the view then goes where it points."""
    came = _ARRIVED.get()
    _ARRIVED.set(False)
    return came


def query(name: str) -> str | None:
    """A query parameter of the address, or None."""
    return _LAST.get().get(name) or None


def put(**values: str | None) -> None:
    """Change query parameters of the address; None removes one. Nothing is sent when nothing changes."""
    changed = {**_LAST.get(), **values}
    _LAST.set({name: value for name, value in changed.items() if value is not None})
    _tell()


def clear() -> None:
    """Take every query parameter away."""
    _LAST.set({})
    _tell()


def _tell() -> None:
    if st.query_params.to_dict() != _LAST.get():
        st.query_params.from_dict(_LAST.get())
