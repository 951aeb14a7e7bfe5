"""One record in full, and all that a filter leaves as a file."""

from __future__ import annotations

import streamlit as st

from core.decisions import Filter, Log, Record, export
from pages.log import rows
from pages.shared import address, text, widgets
from pages.shared.frame import Context


def exports(log: Log, which: Filter, number: int) -> None:
    """All that the filter leaves, exact and for a spreadsheet; made when asked for."""
    with st.container(horizontal=True):
        st.download_button(
            f"JSON Lines of {number:,}",
            lambda: "".join(f"{line}\n" for line in export.jsonl(log.find(which))).encode(),
            "decisions.jsonl", "application/jsonl", key="log_jsonl", icon=":material/download:", on_click="ignore",
        )  # fmt: skip
        st.download_button(
            f"CSV of {number:,}", lambda: b"\xef\xbb\xbf" + export.csv_text(log.find(which)).encode(),
            "decisions.csv", "text/csv", key="log_csv", icon=":material/download:", on_click="ignore",
        )  # fmt: skip


def show(record: Record, ctx: Context) -> None:
    """A record in full."""
    with st.container(border=True, key="log_record"):
        title = text.tag("h2", text.esc(f"Record {record.seq}: {rows.named(record)}"), cls="ts-title")
        when = text.when(record.instant, ctx.zone, original=record.at)
        text.show(title, text.tag("p", text.esc(f"{record.reviewer} · {record.action} · "), when, cls="ts-grey"))
        for file in record.not_written:
            text.show(text.chips(text.verdict("fail", "not written"), note=f"{file.get('file')}: {file.get('reason')}"))
        where = rows.page_of(record.subject)
        with st.container(horizontal=True, vertical_alignment="center"):
            if where is not None:
                widgets.go("Open the item", where[0], icon="open_in_new", **{where[1]: where[2]})
            st.button("Close", key="log_close", type="tertiary", on_click=lambda: address.put(seq=None))
        text.show(text.verbatim(rows.whole(record), cls="ts-mono"))
