"""What stands between the browser and Streamlit: security headers, files for those who may look, the page itself."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared import document, gate


def content_security_policy() -> str:
    """What the browser may load: this server only, no eval, no frame around the app."""
    scripts = " ".join(["'self'", "blob:", *document.inline_script_hashes()])
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

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.place = document.base_path() + "media/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 to a request for a file from somebody who may not look into any workspace of this server."""
        private = scope["type"] == "http" and scope["path"].startswith(self.place)
        if private and not gate.admits(Request(scope).cookies, gate.offered()):
            await PlainTextResponse("sign in as somebody who may look here\n", 403)(scope, receive, send)
            return
        await self.app(scope, receive, send)


class CompleteDocument:
    """ASGI middleware that completes the page Streamlit sends (`document.completed`).

    The page is asked for whole and uncompressed, and it loses its ETag: it is another one than the file that the tag
    was made of.
    """

    NOT_ASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since")
    STALE = (b"content-length", b"etag", b"last-modified", b"vary")

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold an HTML answer back until it is whole, then send it completed; pass everything else on as it comes."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        held: list[Message] = []
        body = b""

        async def completing(message: Message) -> None:
            nonlocal body
            if message["type"] == "http.response.start" and _is_page(message):
                held.append(message)
            elif held and message["type"] == "http.response.body":
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await _send(held[0], document.completed(body, scope["path"]), send, self.STALE)
            else:
                await send(message)

        if _wants_page(scope):
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in self.NOT_ASKED]}
        await self.app(scope, receive, completing)


def _is_page(start: Message) -> bool:
    kinds = [value for name, value in start["headers"] if name.lower() == b"content-type"]
    return start["status"] == 200 and any(value.startswith(b"text/html") for value in kinds)


def _wants_page(scope: Scope) -> bool:
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


async def _send(start: Message, body: bytes, send: Send, stale: tuple[bytes, ...]) -> None:
    kept = [pair for pair in start["headers"] if pair[0].lower() not in stale]
    await send({**start, "headers": [*kept, (b"content-length", str(len(body)).encode())]})
    await send({"type": "http.response.body", "body": body})
