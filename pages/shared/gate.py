"""The one gate: which workspace, and who is looking (triage contract, "Who is reviewing").

A server with sign-in lets in whom touchstone.toml names and shows nothing to anybody else, not even what there is to
see. Alone on a machine it asks for a name once and the browser remembers it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from core import people, times
from core.errors import NotAllowed, TouchstoneError
from core.people import Person, local_person
from core.workspace import Workspace
from pages.shared import address, sign_in, state, text, theme

COOKIE = "touchstone_reviewer"
ROOT: state.Key[str] = state.Key("gate", "workspace", str)
NAME: state.Key[str] = state.Key("gate", "name", str)
_FIELD: state.Key[str] = state.Key("gate", "field", str)
_ASKED: state.Key[str] = state.Key("gate", "asked", str)
_DECIDES: state.Key[bool] = state.Key("gate", "decides", lambda: False)
_A_PAGE = re.compile(r"[a-z_]{1,40}")
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


@dataclass(frozen=True)
class Closed:
    """Why somebody is not let in, and what a visitor may be told about it."""

    why: Literal["unnamed", "signed_out", "expired", "stranger", "broken"]
    words: str = ""


def offered() -> list[Path]:
    """The folders this server offers: TOUCHSTONE_WORKSPACE (several with the path separator), else the current one."""
    named = [part for part in os.environ.get("TOUCHSTONE_WORKSPACE", "").split(os.pathsep) if part]
    return [Path(os.path.abspath(part)) for part in named] or [Path.cwd()]


def choices() -> list[Path]:
    """The offered folders that this visitor may look into."""
    claims = sign_in.claims()
    if not sign_in.configured() or claims is None:
        return offered()
    return [root for root in offered() if _may_look(claims, root)]


def admits(cookies: Mapping[str, str], roots: list[Path]) -> bool:
    """True when the sender of a plain request may look into one of these workspaces (pictures, downloads)."""
    if not (sign_in.configured() or sign_in.required()):
        return True
    claims = sign_in.claims_of(cookies) if sign_in.configured() else None
    return claims is not None and any(_may_look(claims, root) for root in roots)


def _may_look(claims: Mapping[str, object], root: Path) -> bool:
    try:
        place = Workspace.open(root)
        return people.may(people.signed_in_person(claims, place), place, "look")
    except TouchstoneError:
        return False


def choose_workspace(root: str) -> None:
    """Move this visitor to another of the offered workspaces (a callback).

    What they had begun in this one, a search, ticks or scores not saved, is not carried over: the other may hold items
    of the same names.
    """
    state.forget(but=("gate", "address", "hotkeys", "notices"))
    ROOT.set(root)
    address.clear()


def _chosen(among: list[Path]) -> Workspace:
    named = st.query_params.get("workspace") or ""
    wanted = ROOT.get() or named
    found = next((path for path in among if wanted in (str(path), path.name)), among[0])
    if named and not ROOT.get():
        ROOT.set(str(found))  # it stays the workspace of this visitor when the address no longer names it
    return Workspace.open(found)


def enter() -> tuple[Workspace, Person] | Closed:
    """Who is looking at which workspace, or why nothing is shown. Asked at the beginning of every run."""
    found = _signed_in() if sign_in.configured() or sign_in.required() else _local()
    _DECIDES.set(not isinstance(found, Closed) and people.may(found[1], found[0], "decide"))
    return found


def _local() -> tuple[Workspace, Person] | Closed:
    try:
        place = _chosen(offered())
    except TouchstoneError as error:
        return Closed("broken", str(error))
    name = NAME.get() or _remembered() or os.environ.get("TOUCHSTONE_REVIEWER", "")
    return (place, local_person(name)) if name.strip() else Closed("unnamed", place.root.name)


def _signed_in() -> tuple[Workspace, Person] | Closed:
    if not sign_in.configured():
        return Closed("broken", "This server admits only who has signed in, and no sign-in is configured.")
    claims = sign_in.claims()
    if claims is None:
        return Closed("signed_out")
    try:
        place = _chosen(choices() or offered())
        person = people.signed_in_person(claims, place)
    except NotAllowed as error:
        return Closed("stranger", str(error))
    except TouchstoneError:
        return Closed("broken", "The workspace of this server cannot be opened.")  # its path is nobody's business
    if people.expired(person, times.now()):
        return Closed("expired")
    if not people.may(person, place, "look"):
        return Closed("stranger", f"{person.name} is not among the people whom this server knows.")
    return place, person


def decides() -> bool:
    """True when this visitor may decide, as of the beginning of this run: for greying out what would be refused."""
    return _DECIDES.get()


WHY_NOT = "You may look here, and not decide."


def require_decider() -> None:
    """Raises NotAllowed unless this visitor may decide at this moment (every deed of a page asks)."""
    found = enter()
    if isinstance(found, Closed):
        raise NotAllowed(found.words or "sign in again")
    people.require(found[1], found[0], "decide")


def require() -> tuple[Workspace, Person]:
    """Workspace and person, or the question in place of the page."""
    found = enter()
    if isinstance(found, Closed):
        ask(found)
        st.stop()
    return found


def _remembered() -> str:
    name = unquote(st.context.cookies.get(COOKIE, ""))
    return "" if _NOT_A_NAME.search(name) or len(name) > 80 else name


def remember() -> None:
    """Let the browser keep the name that was given, so that it is asked once. Draw it once a run."""
    name = NAME.get()
    if name and name != _remembered():
        with st.container(key="ts_bare_remember"):
            _remember(key="gate_remember", data={"name": COOKIE, "value": quote(name)})


# ---- what is shown to who is not let in


def asked_for(path: str) -> None:
    """Remember which page is on the screen, for when the sign-in ends while it is."""
    _ASKED.set(path)


def closed_pages(closed: Closed) -> list[StreamlitPage]:
    """The only pages there are for who is not let in: the question, also under the address that was asked for."""

    def question() -> None:
        theme.apply()
        ask(closed)

    path = _ASKED.get() or urlsplit(st.context.url or "").path.strip("/").rpartition("/")[2]
    pages = [st.Page(question, title="Touchstone", default=True, url_path="start")]
    if _A_PAGE.fullmatch(path):
        _ASKED.set(path)
        pages.append(st.Page(question, title="Touchstone", url_path=path))
    return pages


def ask(closed: Closed) -> None:
    """The question that opens the gate, or why there is none."""
    if closed.why == "broken":
        st.error(text.label(closed.words, 400), icon=":material/folder_off:")
        return
    _, middle, _ = st.columns([1, 2, 1])
    with middle, st.container(border=True, key="gate_ask"):
        if closed.why == "unnamed":
            _ask_name(closed.words)
        elif closed.why == "stranger":
            _say("Nothing here for this account", f"{closed.words} An administrator of the server can add it.")
            st.button("Sign out", key="gate_sign_out", on_click=st.logout)
        else:
            _ask_to_sign_in(closed)


def _say(title: str, words: str) -> None:
    text.show(text.tag("h1", text.esc(title), cls="ts-h1"), text.grey(words))


def _ask_name(workspace: str) -> None:
    _say("Who is reviewing?", f"Every decision in {workspace} is recorded with a name. It is asked once.")
    st.text_input("Your name", key=_FIELD.id, max_chars=80, autocomplete="name", on_change=_named)
    st.button("Start reviewing", type="primary", key="gate_start", on_click=_named)


def _ask_to_sign_in(closed: Closed) -> None:
    ended = closed.why == "expired"
    _say("Sign in again" if ended else "Sign in", "A sign-in lasts 12 hours. Then the page you asked for opens.")
    for name in sign_in.providers():
        words = "Sign in" if name == "default" else f"Sign in with {text.label(name, 40)}"
        st.button(words, type="primary", key=f"gate_sign_in_{name}", on_click=st.login, args=(name,))
    sign_in.keep_address()


def _named() -> None:
    name = " ".join(_NOT_A_NAME.sub(" ", _FIELD.get()).split())
    if name:
        NAME.set(name)


def rename(field: state.Key[str]) -> None:
    """Take another name from a field (a callback); an empty one changes nothing."""
    name = " ".join(_NOT_A_NAME.sub(" ", field.get()).split())
    if name:
        NAME.set(name)
