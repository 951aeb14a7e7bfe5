"""Where the app answers for page pictures. Light: what makes them is imported when the first one is asked for."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

PREFIX = "/render-image"


def routes() -> list[Route]:
    """What the app mounts."""
    return [Route(PREFIX + "/{token}/{kind}/{page:int}/{source:int}", _send, methods=["GET"])]


def _send(request: Request) -> Response:
    from pages.render_fidelity import images  # brings in the imaging libraries: no start-up waits for them

    return images.send(request)
