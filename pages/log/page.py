"""Log: who decided what, when, and is the record whole?"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, time, timedelta

import streamlit as st

from core import numbers
from core.decisions import Filter, Log, Undone, Verdict, undone
from core.workspace import Workspace
from pages.log import record, rows
from pages.shared import address, data, frame, hotkeys, state, tables, text, widgets

SHOWN = 2_000
WHO: state.Key[str | None] = state.Key("log", "who", lambda: None)
ACTION: state.Key[str | None] = state.Key("log", "action", lambda: None)
DAYS: state.Key[str] = state.Key("log", "days", lambda: "all")
AGAIN: state.Key[int] = state.Key("log", "again", int)
SPANS = {"all": "All time", "1": "Today", "7": "7 days", "30": "30 days", "90": "90 days"}


def version(workspace: Workspace) -> Hashable:
    """What the page is drawn from."""
    return frame.open_log(workspace).version()


def check(_workspace: Workspace, log: Log) -> Verdict:
    """The chain read back."""
    return log.verify()


def taken_back(_workspace: Workspace, log: Log) -> Undone:
    """Which records were undone, by which."""
    return undone(log.records(action="undo"))


def chain(log: Log) -> None:
    """One line: is every record as it was written?"""
    moment = ctx.now.replace(minute=ctx.now.minute // 5 * 5, second=0, microsecond=0)
    verdict = data.cached(check, ctx.workspace, extra=(log.version(), moment, AGAIN.get()), given=(log,))
    if verdict.records == 0 and verdict.ok:
        mark = text.chip("nothing decided yet", "gray", "history")
    elif verdict.ok:
        mark = text.verdict("ok", f"chain intact, {numbers.count(verdict.records, 'record')}")
    else:
        mark = text.verdict("fail", f"{numbers.count(len(verdict.broken), 'break')} in the chain")
    with st.container(horizontal=True, vertical_alignment="center"):
        text.show(text.chips(mark, note=log.place), key="log_chain")
        st.button("Verify again", key="log_verify", type="tertiary", icon=":material/verified:",
                  on_click=lambda: AGAIN.set(AGAIN.get() + 1))  # fmt: skip
    for broken in verdict.broken[:20]:
        text.show(text.chips(text.verdict("fail", f"record {broken.seq}"), note=str(broken)))


def chosen() -> Filter:
    """The filter the reviewer has set; a subject comes with the address."""
    since = None
    if DAYS.get() != "all":
        first = ctx.now.astimezone(ctx.zone).date() - timedelta(days=int(DAYS.get()) - 1)
        since = datetime.combine(first, time(), ctx.zone)
    return Filter(None, address.query("subject"), WHO.get(), ACTION.get(), since)


def controls(log: Log) -> None:
    """Reviewer, action, span of time."""
    who, action, days, _ = st.columns([2, 2, 2, 3])
    DAYS.among(SPANS)
    who.selectbox("Reviewer", log.values("reviewer"), index=None, key=WHO.id, placeholder="Everybody")
    action.selectbox("Action", log.values("action"), index=None, key=ACTION.id, placeholder="Every action")
    days.selectbox("When", list(SPANS), key=DAYS.id, format_func=SPANS.__getitem__)


ctx = frame.begin("Log", watch=version)
book = ctx.log
chain(book)
controls(book)
which = chosen()
number = book.count(which)
if which.subject:
    text.show(text.chips(text.chip(which.subject, "blue", "filter_alt"), note="only this subject"))
    st.button("Show every subject", key="log_all", type="tertiary", on_click=lambda: address.put(subject=None))
seq = address.query("seq") or ""
picked = book.record(int(seq)) if seq.isdecimal() else None
if picked is not None:
    record.show(picked, ctx)
if number:
    found = book.find(which, newest_first=True, limit=SHOWN)
    back = data.cached(taken_back, ctx.workspace, extra=book.version(), given=(book,))
    tables.table(
        rows.rows(found, back, ctx.zone), key="log_table", name="decisions", columns=rows.COLUMNS, csv=False,
        height=min(560, 37 + 34 * max(3, len(found))), on_pick=lambda row: address.put(seq=str(row["seq"])),
    )  # fmt: skip
    if number > SHOWN:
        text.show(text.grey(f"The newest {SHOWN:,} of {number:,}. Narrow the filter, or export all of them."))
    record.exports(book, which, number)
else:
    widgets.empty("No decision here", "Every accept, reject, claim, resolution and undo is recorded here.", "history")
hotkeys.listen({}, focus={"/": "log_table_search"})
