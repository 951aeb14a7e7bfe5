"""When this browser was here before: a visit ends after half an hour without a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import streamlit as st

GAP = timedelta(minutes=30)
COOKIE = "touchstone_visits"

_note = st.components.v2.component(
    "touchstone_visit",
    js="""
export default function ({ data }) {
  const found = document.cookie.split("; ").find((part) => part.startsWith(data.name + "="));
  let [seen, before] = (found ? found.slice(data.name.length + 1) : "").split("-").map(Number);
  const now = Date.now();
  if (seen && now - seen > data.gap) before = seen;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${data.name}=${now}-${before || 0}; Path=/; Max-Age=31536000; SameSite=Strict${secure}`;
}
""",
)


def note() -> None:
    """Let the browser note that it is here now. Draw it once on the page."""
    with st.container(key="ts_bare_visit"):
        _note(key="overview_visit", data={"name": COOKIE, "gap": int(GAP.total_seconds() * 1000)})


def last(now: datetime) -> datetime | None:
    """The end of the visit before this one, by the cookie as this page was opened with; None for a first visit."""
    return before(st.context.cookies.get(COOKIE, ""), now)


def before(cookie: str, now: datetime) -> datetime | None:
    """The same from the cookie's text ``seen-before`` (ms since 1970 each, 0 for none)."""
    parts = cookie.split("-")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 15 for part in parts):
        return None
    seen, earlier = (datetime.fromtimestamp(int(part) / 1000, UTC) if int(part) else None for part in parts)
    if seen is None or seen > now:
        return earlier
    return seen if now - seen > GAP else earlier
