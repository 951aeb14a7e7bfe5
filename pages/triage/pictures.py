"""Original beside render for a finding about a pack: the page to look at first, by signed addresses."""

from __future__ import annotations

import html
from typing import Any

from core.errors import TouchstoneError
from core.triage.life import Item
from pages.shared import pictures, text
from pages.shared.frame import Context
from pages.shared.text import Html

_KINDS = ("needs_human", "needs_review", "repair_requested")


def beside(item: Item, ctx: Context) -> Html:
    """Two thumbnails, or nothing for another kind of finding and for a pack without pictures."""
    if item.finding.kind not in _KINDS:
        return Html("")
    try:
        pair = pictures.first_pair(ctx.workspace, item.finding.subject, _page(item.finding.evidence))
    except TouchstoneError:
        return Html("")  # the pack's own page says why it cannot be shown
    shown = [_figure(url, words) for url, words in pair]
    return text.tag("div", *shown, cls="ts-pair") if shown else Html("")


def _page(evidence: dict[str, Any]) -> int | None:
    """The page that the first repair request names, where there is one."""
    for request in evidence.get("repair_requests") or []:
        page = request.get("page") if isinstance(request, dict) else None
        if isinstance(page, int) and not isinstance(page, bool):
            return page
    return None


def _figure(url: str, words: str) -> Html:
    address = html.escape(url, quote=True)
    picture = Html(f'<img src="{address}" alt="{text.esc(words)}" loading="lazy">')
    return text.tag("figure", picture, text.tag("figcaption", text.esc(words), cls="ts-grey"))
