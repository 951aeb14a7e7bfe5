"""The pieces a page is made of: list and item, buttons with their key, empty states, problems, a page of many."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import numbers
from core.errors import BadInput, Problem, TouchstoneError
from pages.shared import gate, state, text

#: The keys that move or open and change nothing: they stay for who may only look.
LOOKING = frozenset({"j", "k", "o"})
T = TypeVar("T")


def split(left: int = 3, right: int = 7) -> tuple[DeltaGenerator, DeltaGenerator]:
    """List on the left, item on the right."""
    first, second = st.columns([left, right], gap="medium")
    return first, second


def action(
    label: str,
    *,
    key: str,
    hint: str = "",
    icon: str = "",
    on_click: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    kind: Literal["primary", "secondary", "tertiary"] = "secondary",
    disabled: bool = False,
    why: str = "",
    looks: bool = False,
) -> bool:
    """A button that shows its key. ``label`` is ours, never foreign text; a disabled one says ``why``.

    For who may only look it is disabled and says so, unless it only ``looks`` (or its key is one that only moves).
    """
    if not (looks or hint in LOOKING or gate.decides()):
        disabled, why = True, gate.WHY_NOT
    return st.button(
        f"{label} `{hint}`" if hint else label,
        key=key, icon=f":material/{icon}:" if icon else None, on_click=on_click, args=args, type=kind,
        disabled=disabled, help=text.label(why, 300) if why else None,
    )  # fmt: skip


def empty(title: str, how: str, icon: str = "inbox") -> None:
    """An empty state: what is not there, and what would fill it and how."""
    body = text.tag(
        "div", text.icon(icon), text.tag("p", text.esc(title), cls="ts-title"), text.grey(how), cls="ts-empty"
    )
    text.show(body)


def error(problem: TouchstoneError, what_to_do: str = "") -> None:
    """An error that may be shown: what, where, and what to do."""
    place = text.verdict("error", "could not be read" if isinstance(problem, BadInput) else "not possible")
    parts = [text.chips(place), text.verbatim(problem)]
    if what_to_do:
        parts.append(text.grey(what_to_do))
    text.show(text.Html(f'<div role="alert" class="ts-stack">{text.join(parts)}</div>'))


def problems(found: Sequence[Problem], *, expanded: bool = False, key: str = "problems") -> None:
    """What could not be read or is odd, as ``file:line: reason``; draws nothing when there is nothing."""
    if not found:
        return
    title = f"{numbers.count(len(found), 'problem')} in the files"
    with st.expander(title, expanded=expanded, icon=":material/error:", key=key):
        text.show(problem_list(found[:200]))
        if len(found) > 200:
            text.show(text.grey(f"and {len(found) - 200:,} more: `python -m core workspace show` lists all"))


def problem_list(found: Sequence[Problem]) -> text.Html:
    """The list itself: the place in monospace, then the reason."""
    lines = []
    for problem in found:
        place, _, reason = str(problem).partition(": ")
        lines.append(
            text.tag("li", text.tag("code", text.esc(place)), text.Html(" "), text.tag("bdi", text.esc(reason)))
        )
    return text.tag("ul", *lines, cls="ts-problems")


def page_of(items: Sequence[T], key: state.Key[int], *, size: int = 12) -> tuple[Sequence[T], int]:
    """The rows of the chosen page and the number of pages; draw the control afterwards with `pager`.

    A page number beyond the end is the last page (the list may have shrunk).
    """
    pages = max(1, math.ceil(len(items) / size))
    number = min(max(1, key.get()), pages)
    return items[(number - 1) * size : number * size], pages


def pager(key: state.Key[int], pages: int) -> None:
    """Numbered pages under a list; nothing when there is only one."""
    if pages < 2:
        return
    number = min(max(1, key.get()), pages)
    turn: state.Key[int] = state.Key(key.id, "turn", int)
    shown: state.Key[int] = state.Key(key.id, f"at_{turn.get()}", lambda: number)
    if shown.id in st.session_state and shown.get() != number:  # moved by something else: a new control, set to it
        turn.set(turn.get() + 1)
        shown = state.Key(key.id, f"at_{turn.get()}", lambda: number)
    st.pagination(
        pages, default=number, key=shown.id, max_visible_pages=5, on_change=lambda: key.set(shown.get())
    )  # fmt: skip


def go(label: str, view: str, *, icon: str = "", **query: str) -> None:
    """A link to an item of another view, in this tab; ``label`` is ours or went through `text.label`.

    Where this installation has no such view it is plain words.
    """
    if not (Path(__file__).parents[1] / view / "page.py").is_file():
        text.show(text.tag("p", text.esc(label), cls="ts-h"))
        return
    st.page_link(
        f"{view}/page.py", label=label, icon=f":material/{icon}:" if icon else None, query_params=dict(query)
    )  # fmt: skip
