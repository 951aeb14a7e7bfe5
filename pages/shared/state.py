"""The only place where session keys are made: every key is declared with its view, name and default.

A widget that is to be read elsewhere takes ``KEY.id`` as its ``key=``; a page never writes ``st.session_state["…"]``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

import streamlit as st

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Key(Generic[T]):
    """One value of this browser session: ``Key("suggestions", "chosen", lambda: None)``."""

    view: str
    name: str
    default: Callable[[], T]

    @property
    def id(self) -> str:
        """The key in ``st.session_state``; also the ``key=`` of a widget that holds this value."""
        return f"{self.view}_{self.name}"

    def get(self) -> T:
        """The value, or the default (which is then kept, so that a list can be appended to)."""
        if self.id not in st.session_state:
            st.session_state[self.id] = self.default()
        return cast(T, st.session_state[self.id])

    def among(self, options: Container[T]) -> T:
        """The value if it is one of the options, else the default: call it before the widget that offers them is drawn.

        A browser names a choice by its words; where these hold a figure that has changed meanwhile, Streamlit can make
        nothing of it and gives None.
        """
        if self.get() not in options:
            self.set(self.default())
        return self.get()

    def set(self, value: T) -> None:
        """Set it. Raises StreamlitAPIException for a widget's key once the widget is drawn: do it in a callback."""
        st.session_state[self.id] = value

    def clear(self) -> None:
        """Forget it."""
        st.session_state.pop(self.id, None)


def forget(*, but: Collection[str]) -> None:
    """Forget what this session holds, except the values of some views."""
    kept = tuple(f"{view}_" for view in but)
    for name in [str(name) for name in st.session_state if not str(name).startswith(kept)]:
        del st.session_state[name]
