"""Text from outside, shown as text: the only place that makes HTML, and everything in it is escaped.

Titles, comments, generated text and file names are not ours (contract README, "Content is untrusted"). `Html` marks
what has been escaped, so that `show` cannot be handed a raw string by mistake.
"""

from __future__ import annotations

import html
import re
from datetime import datetime
from typing import NewType
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import streamlit as st

from core import times
from pages.shared import verdicts

Html = NewType("Html", str)

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>$:&^=@\"'])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def esc(value: object) -> Html:
    """Any value as text inside HTML; control characters become a visible replacement sign."""
    return Html(html.escape(_CONTROL.sub("�", str(value)), quote=True))


def label(value: object, limit: int = 120) -> str:
    """Untrusted text for a label, toast or option, which Streamlit reads as Markdown: one line, every sign escaped.

    A word joiner keeps bare addresses from turning into links.
    """
    line = " ".join(_CONTROL.sub("�", str(value)).split())
    line = line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
    line = line.replace("://", ":\u2060//").replace("www.", "www\u2060.").replace("@", "@\u2060")
    return _SPECIAL.sub(r"\\\1", line)


def show(*parts: Html, key: str | None = None) -> None:
    """Put escaped HTML on the page, in one element (ten elements cost ten times as much)."""
    body = "".join(parts)
    if key is None:
        st.html(body)
    else:
        with st.container(key=key):
            st.html(body)


def join(parts: list[Html], between: str = "") -> Html:
    """Several pieces in one."""
    return Html(between.join(parts))


def tag(name: str, *inner: Html, cls: str = "", title: str = "", lang: str = "") -> Html:
    """One element: ``tag("p", esc(title), cls="ts-title")``. Its attributes are escaped here."""
    attributes = "".join(
        f' {attribute}="{html.escape(value, quote=True)}"'
        for attribute, value in (("class", cls), ("title", title), ("lang", lang))
        if value
    )
    return Html(f"<{name}{attributes}>{''.join(inner)}</{name}>")


def icon(name: str) -> Html:
    """A Material symbol, hidden from screen readers (the word beside it says it)."""
    return Html(f'<span class="ts-icon" aria-hidden="true">{html.escape(name)}</span>')


def verbatim(value: object, *, cls: str = "ts-text") -> Html:
    """A block of foreign text: line breaks kept, direction isolated, nothing interpreted."""
    return Html(f'<div class="{cls}" dir="auto">{esc(value)}</div>')


def chip(words: object, colour: verdicts.Colour = "gray", icon_name: str = "") -> Html:
    """A small tinted label with an optional icon."""
    mark = icon(icon_name) if icon_name else Html("")
    return Html(f'<span class="ts-chip ts-{colour}">{mark}<bdi>{esc(words)}</bdi></span>')


def verdict(word: str, words: object | None = None) -> Html:
    """The chip of a verdict word; ``words`` says more than the bare word where there is more to say."""
    how = verdicts.look(word)
    return chip(word if words is None else words, how.colour, how.icon)


def chips(*parts: Html, note: object = "") -> Html:
    """One line of chips, with a grey note after them."""
    tail = tag("span", esc(note), cls="ts-grey") if note else Html("")
    return tag("div", *parts, tail, cls="ts-chips")


def grey(value: object) -> Html:
    """The grey line that says where something comes from."""
    return tag("p", esc(value), cls="ts-grey")


def link(url: str, words: object) -> Html:
    """A link that opens a new tab, for http and https only; anything else stays text."""
    try:
        parts = urlsplit(url.strip())
        safe = parts.scheme.lower() in ("http", "https") and bool(parts.netloc)
    except ValueError:
        safe = False
    if not safe or _CONTROL.search(url):
        return tag("span", esc(words), title=url)
    address = html.escape(url.strip(), quote=True)
    return Html(f'<a href="{address}" target="_blank" rel="noopener noreferrer nofollow" dir="auto">{esc(words)}</a>')


def when(moment: datetime | times.Instant, zone: ZoneInfo, *, original: str = "") -> Html:
    """A time in the reviewer's zone, with the text it came from on hover."""
    if isinstance(moment, times.Instant):
        original = original or moment.text + ("" if moment.zone_known else " (zone unknown, read as UTC)")
        moment = moment.utc
    return tag("time", esc(clock(moment, zone)), title=original or times.iso(moment))


def clock(moment: datetime, zone: ZoneInfo) -> str:
    """``29 Nov 2026 21:14`` in that zone, as plain text."""
    local = moment.astimezone(zone)
    return f"{local.day} {local:%b %Y %H:%M}"
