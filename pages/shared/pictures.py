"""A pack's pictures on other views than its own: small, by the same signed addresses."""

from __future__ import annotations

import time

from core import times
from core.render_fidelity import serving
from core.render_fidelity.standing import read_standing
from core.workspace import Workspace
from pages.shared import data

#: Where pages/render_fidelity answers for pictures.
PREFIX = "/render-image"
LASTS = 8 * 3600
_BUCKET = 3600


def base_url(workspace: Workspace, slug: str) -> str:
    """The start of every picture address of a pack; the same for an hour, so that the browser's cache holds."""
    expires = (int(time.time()) // _BUCKET + 1) * _BUCKET + LASTS
    return f"{PREFIX}/{serving.sign(serving.signing_key(workspace), workspace.root, slug, expires)}"


def first_pair(workspace: Workspace, slug: str, page: int | None = None) -> list[tuple[str, str]]:
    """(address, words) of an original page and the render of it: of ``page``, else of the first that has both.

    One of them alone where there is no other, nothing where there is none. Raises what reading the pack raises.
    """
    shown = data.cached(_shown, workspace, slug, extra=serving.look(workspace).key(slug))
    whole = [pair for pair in shown.pairs if pair.original is not None and pair.render is not None]
    wanted = [pair for pair in whole or shown.pairs if page in (None, pair.page)] or whole or list(shown.pairs)
    if not wanted:
        return []
    pair, base = wanted[0], base_url(workspace, slug)
    found = []
    if pair.original is not None:
        mark = pair.original.sha256[:12]
        found.append((f"{base}/thumb-original/{pair.page}/{pair.source}?v={mark}", f"Original {pair.source}"))
    if pair.render is not None:
        mark = pair.render.sha256[:12] + (pair.original.sha256[:12] if pair.original else "")
        found.append((f"{base}/thumb/{pair.page}/{pair.source}?v={mark}", f"Render {pair.page}"))
    return found


def _shown(workspace: Workspace, slug: str) -> serving.Shown:
    return serving.shown(read_standing(workspace, slug, times.now()))
