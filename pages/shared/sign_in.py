"""Sign-in by OpenID Connect: Streamlit's own login, with any provider that its secrets name under ``[auth]``.

Who somebody is comes from the provider; what they may do is `core.people`. Streamlit returns to the first page after a
sign-in, so the address that was asked for is kept by the browser tab meanwhile.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import streamlit as st
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import AUTH_COOKIE_NAME, get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value

from pages.shared import address

REQUIRED = "TOUCHSTONE_SIGN_IN"

_keep = st.components.v2.component(
    "touchstone_keep_address",
    js="""
export default function () {
  const here = location.pathname + location.search;
  if (here !== "/") sessionStorage.setItem("touchstone_return_to", here);
}
""",
)
_recall = st.components.v2.component(
    "touchstone_recall_address",
    js="""
export default function ({ setTriggerValue }) {
  const there = sessionStorage.getItem("touchstone_return_to");
  if (!there) return;
  sessionStorage.removeItem("touchstone_return_to");
  if (there !== location.pathname + location.search) setTriggerValue("there", there);
}
""",
)


def configured() -> bool:
    """True when this server signs people in; it then never asks for a name instead."""
    return _section() is not None


def required() -> bool:
    """True when this server was told to serve nobody who has not signed in (TOUCHSTONE_SIGN_IN=required)."""
    return os.environ.get(REQUIRED, "").strip().casefold() == "required"


def _section() -> Mapping[str, Any] | None:
    if not st.secrets.load_if_toml_exists():
        return None
    return st.secrets.get("auth")


def providers() -> list[str]:
    """The named providers, in the order of the secrets; "default" for one without a name."""
    section = _section() or {}
    named = [name for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value]
    return (["default"] if "client_id" in section else []) + named


def claims() -> dict[str, Any] | None:
    """What the provider says about this visitor; None when nobody has signed in."""
    told = st.user.to_dict()
    return told if told.get("is_logged_in") else None


def claims_of(cookies: Mapping[str, str]) -> dict[str, Any] | None:
    """The same from the cookies of a plain request: only Streamlit can have signed them."""

    def opened(name: str) -> bytes | None:
        value = cookies.get(name)
        return None if value is None else decode_signed_value(get_cookie_secret(), name, value.encode("latin-1"))

    found = get_cookie_with_chunks(opened, AUTH_COOKIE_NAME)
    told = json.loads(found) if found else None
    return told if isinstance(told, dict) and told.get("is_logged_in") else None


def keep_address() -> None:
    """Let the tab remember which page was asked for, over the sign-in."""
    with st.container(key="ts_bare_keep"):
        _keep(key="sign_in_keep")


def return_to(pages: Mapping[str, Any]) -> None:
    """Go where the tab was before the sign-in; only to one of ``pages`` (by url path), whatever the tab remembers."""
    with st.container(key="ts_bare_recall"):
        there = _recall(key="sign_in_recall", on_there_change=lambda: None).there
    if not isinstance(there, str):
        return
    parts = urlsplit(there)
    page = pages.get(parts.path.strip("/").rpartition("/")[2])
    if page is not None:
        address.leave()
        st.switch_page(page, query_params=dict(parse_qsl(parts.query)))
