"""The route that sends page pictures: by signed address, as the files' own bytes where a browser can show them.

An address opens one pack of one workspace until it expires; it names a page by number and
carries the hash it expects, so that a browser never keeps an old picture under the address of a new one.
"""

from __future__ import annotations

import json
import time

from starlette.requests import Request
from starlette.responses import Response

from core import times
from core.errors import NotAllowed, Stale, TouchstoneError
from core.render_fidelity import serving
from core.render_fidelity.changes import pictures_of
from core.render_fidelity.standing import Standing, read_standing
from core.workspace import Workspace
from pages.render_fidelity.routes import PREFIX
from pages.shared import data, gate

_LASTS = 8 * 3600
_BUCKET = 3600


def base_url(workspace: Workspace, slug: str) -> str:
    """The start of every picture address of a pack; the same for an hour, so that the browser's cache holds."""
    expires = (int(time.time()) // _BUCKET + 1) * _BUCKET + _LASTS
    return f"{PREFIX}/{serving.sign(serving.signing_key(workspace), workspace.root, slug, expires)}"


def standing_of(workspace: Workspace, slug: str, look: serving.Look | None = None) -> Standing:
    """Where a pack stands; read again only when one of its files changed. ``look``: a walk that was just made."""
    key = (look or serving.look(workspace)).key(slug)
    return data.cached(_standing, workspace, slug, extra=key)


def _standing(workspace: Workspace, slug: str) -> Standing:
    return read_standing(workspace, slug, times.now())


def shown_of(workspace: Workspace, slug: str, look: serving.Look | None = None) -> serving.Shown:
    """The files a viewer may ask for; read again only when one of them changed."""
    look = look or serving.look(workspace)
    return data.cached(_shown, workspace, slug, extra=look.key(slug), given=(look,))


def _shown(workspace: Workspace, slug: str, look: serving.Look) -> serving.Shown:
    return serving.shown(standing_of(workspace, slug, look))


def send(request: Request) -> Response:
    """One picture or comparison. Errors are JSON with a reason, never a page of HTML."""
    path = request.path_params
    try:
        workspace, slug = _opened(request)
        what = shown_of(workspace, slug)
        found = serving.serve(what, pictures_of(workspace), path["kind"], path["page"], path["source"])
        _expected(what, path, request.query_params.get("v", ""))
    except NotAllowed as error:
        return _refused(error, 403)
    except Stale as error:
        return _refused(error, 409)
    except TouchstoneError as error:
        return _refused(error, 404)
    headers = {"Cache-Control": f"private, max-age={_LASTS}, immutable", "X-Content-Type-Options": "nosniff"}
    return Response(found.content, media_type=found.media, headers=headers)


def _opened(request: Request) -> tuple[Workspace, str]:
    """The workspace and slug an address opens, for who may look there: an address alone is not enough."""
    token = request.path_params["token"]
    place, _, _ = serving.read_token(token)
    root = next((root for root in gate.offered() if serving.place_of(root) == place), None)
    if root is None:
        raise NotAllowed("this picture address belongs to no workspace of this server")
    if not gate.admits(request.cookies, [root]):
        raise NotAllowed("sign in as somebody who may look here")
    workspace = Workspace.open(root)
    return workspace, serving.verify(serving.signing_key(workspace), token, time.time())


def _expected(what: serving.Shown, path: dict[str, object], version: str) -> None:
    """Raises Stale unless the address carries the hashes of the files as they are now."""
    kind, page, source = path["kind"], path["page"], path["source"]
    render = what.renders.get(page) if isinstance(page, int) else None
    original = what.sources.get(source) if isinstance(source, int) else None
    now = {
        "changes": what.key,
        "thumb-original": original.sha256[:12] if original else "",
    }.get(str(kind), (render.sha256[:12] if render else "") + (original.sha256[:12] if original else ""))
    if version != now:
        raise Stale(f"{what.slug}: the picture was changed meanwhile; load the page again")


def _refused(error: TouchstoneError, status: int) -> Response:
    body = json.dumps({"error": str(error)})
    return Response(body, status, {"Cache-Control": "no-store"}, "application/json")
