"""The page that Streamlit sends before it knows what is on it, with what the browser would otherwise find out later.

Opened by a deep link, it asks at two addresses in turn where its server is and waits a tenth of a second between the
two; and the scripts of an element it asks for when the element has come. Both stand in the page from the start instead.
All names are taken from the installed Streamlit: what a later version does differently is left as it is.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import streamlit as st

_STATIC = Path(st.__file__).with_name("static")
_INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_IMPORTED = re.compile(r"(?:from|import)\"\./([\w.-]+\.js)\"")
_HEAD = b"<head>"
#: Elements by the name of their script: those of every page, and those of the views that draw a chart at once.
ALWAYS = ("Html", "BidiComponent", "Button", "ButtonGroup", "TextInput")
CHARTS = {"report_loop": ("ArrowVegaLiteChart",), "text_fidelity": ("ArrowVegaLiteChart",)}


@cache
def _streamlits() -> bytes:
    return (_STATIC / "index.html").read_bytes()


def base_path() -> str:
    """Below which path this server answers (Streamlit's ``server.baseUrlPath``): ``/`` or ``/tools/touchstone/``."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/" if base else "/"


def where_the_server_is() -> bytes:
    """The script that tells it: at this very address, below the base path."""
    return b"window.__streamlit={BACKEND_BASE_URL:location.origin+" + f'"{base_path()}"'.encode() + b"}"


def inline_script_hashes() -> list[str]:
    """The CSP sources (``'sha256-…'``) of every script that stands inside the page."""
    scripts = [*_INLINE_SCRIPT.findall(_streamlits()), where_the_server_is()]
    return [f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in scripts]


def completed(html: bytes, path: str) -> bytes:
    """``html``, if it is Streamlit's page, for the view at ``path``; anything else as it is."""
    if html != _streamlits() or html.count(_HEAD) != 1:
        return html
    links = "".join(f'\n    <link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in _ahead(path))
    return html.replace(_HEAD, _HEAD + b"\n    <script>" + where_the_server_is() + b"</script>" + links.encode())


def _ahead(path: str) -> tuple[str, ...]:
    return _files((*ALWAYS, *CHARTS.get(path.strip("/").rpartition("/")[2], ())))


@cache
def _files(elements: Iterable[str]) -> tuple[str, ...]:
    """The scripts of the elements and what these import, without what the page names itself."""
    found = dict.fromkeys(name for element in elements for name in _with_imports(element))
    return tuple(name for name in found if name.encode() not in _streamlits())


def _with_imports(element: str) -> Iterator[str]:
    waiting = [path.name for path in (_STATIC / "static/js").glob(f"{element}.*.js")]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            yield name
            text = (_STATIC / "static/js" / name).read_text("utf-8")
            waiting += [one for one in _IMPORTED.findall(text) if one.encode() not in _streamlits()]
