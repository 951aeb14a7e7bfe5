"""The app: `streamlit run app.py` serves pages/main.py, which is the one gate to every view.

The script lies inside pages/ on purpose: beside a pages/ folder, Streamlit would discover that folder by itself on a
fresh server and run a deep link without the gate.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import hashlib
import re
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.render_fidelity import routes
from pages.shared import gate

_INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def inline_script_hashes(index: bytes) -> list[str]:
    """The CSP sources (``'sha256-…'``) of the scripts that stand inside Streamlit's own index page.

    Taken from the installed version, so that an upgrade needs no new constant.
    """
    digests = (hashlib.sha256(script).digest() for script in _INLINE_SCRIPT.findall(index))
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def content_security_policy() -> str:
    """What the browser may load: this server only, no eval, no frame around the app."""
    index = Path(st.__file__).with_name("static") / "index.html"
    scripts = " ".join(["'self'", "blob:", *inline_script_hashes(index.read_bytes())])
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src {scripts}",  # blob: is how Streamlit loads the script of a component
            "style-src 'self' 'unsafe-inline'",  # emotion writes its styles into the page
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "frame-ancestors 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "object-src 'none'",
        ]
    )


class SecurityHeaders:
    """ASGI middleware that adds the security headers to every HTTP answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = [
            (b"content-security-policy", content_security_policy().encode()),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; add the headers to the start of an HTTP answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in self.headers}
                kept = [pair for pair in message["headers"] if pair[0].lower() not in names]
                message["headers"] = [*kept, *self.headers]
            await send(message)

        await self.app(scope, receive, with_headers)


class PrivateFiles:
    """ASGI middleware: what Streamlit serves as files (downloads, pictures) is for who may look, not for any link."""

    PREFIX = "/media/"

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 to a request for a file from somebody who may not look into any workspace of this server."""
        private = scope["type"] == "http" and scope["path"].startswith(self.PREFIX)
        if private and not gate.admits(Request(scope).cookies, gate.offered()):
            await PlainTextResponse("sign in as somebody who may look here\n", 403)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _import_ahead() -> None:
    """Pay for the slow imports before the first visitor does, then take what they made out of the collector's sight.

    Streamlit collects garbage after every run; with the libraries frozen a run costs less than half.
    """
    from pages.shared import warm

    warm.up()
    gc.collect()
    gc.freeze()


@contextlib.asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Start-up: imports run beside the server, which already answers while they do."""
    thread = threading.Thread(target=_import_ahead, name="import-ahead", daemon=True)
    thread.start()
    yield
    thread.join(timeout=5)


app = st.App(
    "pages/main.py",
    middleware=[Middleware(SecurityHeaders), Middleware(PrivateFiles)],
    lifespan=lifespan,
    routes=routes.routes(),
)
