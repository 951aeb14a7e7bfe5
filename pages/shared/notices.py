"""What a decision came to: a passing word when it went well, a bar that stays when it did not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from core.errors import Conflict, TouchstoneError
from pages.shared import gate, hotkeys, state, text

Kind = Literal["done", "conflict", "error"]
_WAITING: state.Key[list[tuple[Kind, str]]] = state.Key("notices", "waiting", list)
_STAYING: state.Key[tuple[Kind, str] | None] = state.Key("notices", "staying", lambda: None)


def add(kind: Kind, message: str) -> None:
    """Say something at the next drawing; a conflict or error stays until the next decision or until it is closed."""
    if kind == "done":
        _WAITING.get().append((kind, message))
    else:
        _STAYING.set((kind, message))


def attempt(deed: Callable[[], object], done: str = "") -> bool:
    """Do a decision in a callback. True when it was made; otherwise its one-line reason stays on the page.

    Whoever may not decide at this moment is told so and nothing is done.
    Only errors that are made to be shown are caught; anything else is a fault and is seen as one.
    """
    _STAYING.set(None)
    try:
        gate.require_decider()
        deed()
        hotkeys.handled()
    except Conflict as error:
        hotkeys.handled()
        add("conflict", str(error))
        return False
    except TouchstoneError as error:
        hotkeys.handled()
        add("error", str(error))
        return False
    if done:
        add("done", done)
    return True


def show() -> None:
    """Draw what is waiting (the frame does this)."""
    for _, message in _WAITING.get():
        st.toast(text.label(message, 200), icon=":material/check:")
    _WAITING.set([])
    staying = _STAYING.get()
    if staying is None:
        return
    kind, message = staying
    words, close = st.columns([11, 1], vertical_alignment="center")
    with words:
        word = "Somebody was first" if kind == "conflict" else "Not done"
        colour: Literal["orange", "red"] = "orange" if kind == "conflict" else "red"
        mark = "group" if kind == "conflict" else "error"
        line = text.chips(text.chip(word, colour, mark), text.tag("span", text.esc(message)))
        text.show(text.Html(f'<div role="alert" class="ts-notice ts-notice-{colour}">{line}</div>'), key="notice")
    close.button("Close", key="notice_close", type="tertiary", on_click=lambda: _STAYING.set(None))
