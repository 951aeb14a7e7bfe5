"""Overview: what needs me now, what changed, what was checked and what was not."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from core.errors import TouchstoneError
from core.workspace import Workspace
from pages.overview import cards, needs, visit
from pages.shared import data, frame, inbox, text, widgets


def version(workspace: Workspace) -> Hashable:
    """What redraws the page at once; the rest is looked at when it is opened."""
    places = workspace.suggestions
    return (
        data.version([places.pending, places.reviewed, places.filtered]),
        inbox.version(workspace),
        frame.open_log(workspace).version(),
        [data.version([path / "ledger.jsonl", path / "attempts.jsonl"]) for path in workspace.evals()],
        names(workspace),
    )


def names(workspace: Workspace) -> Hashable:
    """The runs, packs and batches there are; or why that cannot be said."""
    try:
        return tuple(path.name for path in (*workspace.runs(), *workspace.packs(), *workspace.batches()))
    except TouchstoneError as error:
        return str(error)


ctx = frame.begin("Overview", watch=version)
visit.note()
found = inbox.latest(ctx.workspace)
text.show(needs.headline(found, inbox.reason(ctx.workspace), ctx))
left, right = st.columns([3, 2], gap="large")
with left:
    text.show(text.tag("h2", text.esc("Needs a person"), cls="ts-title"))
    if found is not None:
        needs.kinds(found, ctx)
with right:
    since = visit.last(ctx.now)
    text.show(text.tag("h2", text.esc(needs.since_words(since, ctx)), cls="ts-title"), needs.changes(found, since, ctx))

shown = cards.all_cards(ctx)
grid = st.grid(len(shown), min_column_width=230, border=True, key="overview_cards")
for card in shown:
    with grid.cell(), st.container(key=f"overview_{card.view}"):
        text.show(text.tag("h2", text.esc(card.title), cls="ts-h"), card.body)
        widgets.go(f"Open {card.title.lower()}", card.view, icon="arrow_forward")

problems = list(dict.fromkeys([*ctx.workspace.problems, *(found.problems if found is not None else [])]))
text.show(text.grey(needs.honest(shown, found, problems)))
widgets.problems(problems)
