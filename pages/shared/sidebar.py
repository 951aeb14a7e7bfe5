"""The side bar under the navigation: which workspace, who is reviewing, how much needs a person."""

from __future__ import annotations

import streamlit as st

from core import numbers
from core.people import Person
from core.workspace import Workspace
from pages.shared import gate, hotkeys, state, text

_NAME: state.Key[str] = state.Key("sidebar", "name", str)
_ROOT: state.Key[str] = state.Key("sidebar", "root", str)


def show(workspace: Workspace, person: Person) -> None:
    """Draw it (the inbox count is drawn by the frame, which looks for changes anyway)."""
    with st.sidebar:
        brand = text.tag("p", text.esc("Touchstone"), cls="ts-brand")
        where = text.tag("p", text.esc(workspace.root.name), cls="ts-where", title=str(workspace.root))
        doing = "reviewing" if gate.decides() else "looking"
        who = text.grey(f"{doing} as {person.name} · {person.role if person.email else 'local'}")
        text.show(brand, where)
        text.show(who)
        with st.container(horizontal=True, gap="small"):
            if person.email is None or len(gate.choices()) > 1:
                with st.popover("Change", type="tertiary", icon=":material/tune:", key="sidebar_change"):
                    _change(workspace, person)
            st.button("Keys `?`", key="sidebar_keys", type="tertiary", on_click=hotkeys.ask_for_help)
            if person.email is not None:
                st.button("Sign out", key="sidebar_sign_out", type="tertiary", on_click=st.logout)


def _change(workspace: Workspace, person: Person) -> None:
    choices = [str(path) for path in gate.choices()]
    if len(choices) > 1:
        _ROOT.set(str(workspace.root))
        st.selectbox(
            "Workspace", choices, key=_ROOT.id, format_func=lambda root: text.label(root.rsplit("/", 1)[-1]),
            on_change=lambda: gate.choose_workspace(_ROOT.get()),
        )  # fmt: skip
    else:
        text.show(text.grey(f"{numbers.count(1, 'workspace')} on this server: {choices[0]}"))
    if person.email is None:
        st.text_input(
            "Reviewing as", value=person.name, key=_NAME.id, max_chars=80, on_change=gate.rename, args=(_NAME,)
        )
