"""The one gate: which workspace, and who is looking (triage contract, "Who is reviewing").

Alone on a machine it asks for a name once and the browser remembers it. `require` stops the page for everybody else.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

import streamlit as st

from core.errors import TouchstoneError
from core.people import Person, local_person
from core.workspace import Workspace
from pages.shared import state, text

COOKIE = "touchstone_reviewer"
ROOT: state.Key[str] = state.Key("gate", "workspace", str)
NAME: state.Key[str] = state.Key("gate", "name", str)
_FIELD: state.Key[str] = state.Key("gate", "field", str)
_NOT_A_NAME = re.compile(r"[\x00-\x1f\x7f]")

_remember = st.components.v2.component(
    "touchstone_remember",
    js="""
export default function ({ data }) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${data.name}=${data.value}; Path=/; Max-Age=31536000; SameSite=Strict${secure}`;
}
""",
)


def offered() -> list[Path]:
    """The folders this server offers: TOUCHSTONE_WORKSPACE (several with the path separator), else the current one."""
    named = [part for part in os.environ.get("TOUCHSTONE_WORKSPACE", "").split(os.pathsep) if part]
    return [Path(os.path.abspath(part)) for part in named] or [Path.cwd()]


def workspace() -> Workspace:
    """The workspace of this visitor. Raises BadInput when the folder is gone."""
    choices = offered()
    wanted = ROOT.get() or state.query("workspace") or ""
    chosen = next((path for path in choices if wanted in (str(path), path.name)), choices[0])
    return Workspace.open(chosen)


def choose_workspace(root: str) -> None:
    """Move this visitor to another of the offered workspaces (a callback)."""
    ROOT.set(root)
    st.query_params.clear()


def person() -> Person | None:
    """Who is looking, or None when nobody has said so yet."""
    name = NAME.get() or _remembered() or os.environ.get("TOUCHSTONE_REVIEWER", "")
    return local_person(name) if name.strip() else None


def _remembered() -> str:
    name = unquote(st.context.cookies.get(COOKIE, ""))
    return "" if _NOT_A_NAME.search(name) or len(name) > 80 else name


def require() -> tuple[Workspace, Person]:
    """Workspace and person, or the question for a name in place of the page."""
    try:
        place = workspace()
    except TouchstoneError as error:
        st.error(text.label(error, 400), icon=":material/folder_off:")
        st.stop()
    who = person()
    if who is None:
        _ask(place)
        st.stop()
    return place, who


def remember() -> None:
    """Let the browser keep the name that was given, so that it is asked once. Draw it once a run."""
    name = NAME.get()
    if name and name != _remembered():
        with st.container(key="ts_bare_remember"):
            _remember(key="gate_remember", data={"name": COOKIE, "value": quote(name)})


def _ask(place: Workspace) -> None:
    _, middle, _ = st.columns([1, 2, 1])
    with middle, st.container(border=True, key="gate_ask"):
        text.show(
            text.tag("h1", text.esc("Who is reviewing?"), cls="ts-h1"),
            text.grey(f"Every decision in {place.root.name} is recorded with a name. It is asked once."),
        )
        st.text_input("Your name", key=_FIELD.id, max_chars=80, autocomplete="name", on_change=_named)
        st.button("Start reviewing", type="primary", key="gate_start", on_click=_named)


def _named() -> None:
    name = " ".join(_NOT_A_NAME.sub(" ", _FIELD.get()).split())
    if name:
        NAME.set(name)


def rename(field: state.Key[str]) -> None:
    """Take another name from a field (a callback); an empty one changes nothing."""
    name = " ".join(_NOT_A_NAME.sub(" ", field.get()).split())
    if name:
        NAME.set(name)
