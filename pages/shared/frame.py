"""What stands round every page: the gate, the title, the side bar, the keys, and the watch over the files.

A page begins with ``ctx = frame.begin("Title", watch=[paths])`` and may then only read what ``ctx`` gives it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from core import decisions, times
from core.decisions import Log
from core.errors import TouchstoneError
from core.people import Person
from core.workspace import Workspace
from pages.shared import data, gate, hotkeys, inbox, notices, text, theme

#: How often an open page looks whether its files changed, in seconds.
WATCH_SECONDS = 2.0
Watch = Iterable[Path] | Callable[[Workspace], Hashable]


@dataclass(frozen=True)
class Context:
    """What a page knows: the workspace, who is looking, the time (aware, UTC) and the reviewer's zone."""

    workspace: Workspace
    person: Person
    now: datetime
    zone: ZoneInfo

    @cached_property
    def log(self) -> Log:
        """The decision log of this workspace, opened when first asked for."""
        return open_log(self.workspace)

    def clock(self) -> datetime:
        """The time at this very moment, with the reviewer's offset: for decisions made in a callback."""
        return times.now().astimezone(self.zone)

    @property
    def today(self) -> str:
        """The reviewer's date, ISO."""
        return self.now.astimezone(self.zone).date().isoformat()


def open_log(workspace: Workspace) -> Log:
    """One open log a workspace, shared by all visitors."""
    return data.cached(decisions.open_log, workspace)


def _heal(workspace: Workspace) -> str:
    """Finish what a killed process left half done; why that was not possible, or nothing."""
    try:
        decisions.open_log(workspace, writable=True)
    except TouchstoneError as error:
        return str(error)
    return ""


def begin(
    title: str,
    *,
    watch: Watch = (),
    keys: Mapping[str, str] | None = None,
    aside: text.Html | None = None,
    first: Callable[[Context], None] | None = None,
) -> Context:
    """Pass the gate, draw the title and what is waiting to be said, and watch the files.

    ``watch``: paths, or a function of the workspace that returns something comparable; a change redraws the page within
    two seconds and keeps the reviewer's place. ``keys``: this page's own keys for the help dialog. ``aside``: what
    stands beside the title. ``first`` is called before anything is drawn and may add notices.
    Nobody without a name gets past this; the script stops here for them.
    """
    workspace, person = gate.require()
    ctx = Context(workspace, person, times.now(), zone())
    unhealed = data.cached(_heal, workspace)
    hotkeys.catch_up(title)
    if first is not None:
        first(ctx)
    theme.apply()
    heading = text.tag("h1", text.esc(title), cls="ts-h1")
    text.show(text.tag("div", heading, aside, cls="ts-chips") if aside else heading)
    if unhealed:
        text.show(text.chips(text.verdict("env_error", "half-done decisions were not finished"), note=unhealed))
    notices.show()
    if hotkeys.help_wanted():
        _help({**hotkeys.COMMON, **(keys or {})})
    look = watch if callable(watch) else _of_paths(tuple(watch))
    with st.sidebar:
        _watch(workspace, look, look(workspace), time.monotonic())
    return ctx


def _of_paths(paths: tuple[Path, ...]) -> Callable[[Workspace], Hashable]:
    return lambda _: data.version(paths)


@st.fragment(run_every=WATCH_SECONDS)
def _watch(workspace: Workspace, look: Callable[[Workspace], Hashable], seen: Hashable, drawn: float) -> None:
    """Draws only the inbox count; when the files are no longer what the page shows, the whole page runs again."""
    if isinstance(gate.enter(), gate.Closed) or look(workspace) != seen:
        st.rerun()  # also when the sign-in has ended: the whole page asks again
    # The first drawing leaves the processor to the page; the count is begun at the first look after it.
    waiting = inbox.waiting(workspace, count=time.monotonic() - drawn > WATCH_SECONDS / 2)
    if waiting is not None:
        words = f"{waiting:,} {'needs' if waiting == 1 else 'need'} a person" if waiting else "nothing needs a person"
        text.show(text.chip(words, "violet" if waiting else "gray", "inbox"))


def zone() -> ZoneInfo:
    """The reviewer's time zone as the browser says; UTC when it says none that exists."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


@st.dialog("Keys")
def _help(keys: Mapping[str, str]) -> None:
    rows = [
        text.Html(f"<div>{text.tag('kbd', text.esc(key))}</div><div>{text.esc(words)}</div>")
        for key, words in keys.items()
    ]
    text.show(text.tag("div", *rows, cls="ts-keys"))
    text.show(text.grey("Keys act on the item that is on the screen. Every one of them is also a button."))
