"""Render fidelity: does it resemble, and is anything invented?"""

from __future__ import annotations

import streamlit as st

from core.render_fidelity import notes, serving
from core.render_fidelity.draft import preview
from pages.render_fidelity import components, deeds, images, load, panels
from pages.shared import address, frame, hotkeys, state, text, widgets

ctx = frame.begin(
    "Render fidelity",
    watch=lambda workspace: (serving.stamps(workspace), frame.open_log(workspace).version()),
    keys=panels.HELP,
)
for component in ("render_viewer", "render_axes"):
    components.catch_up(component, lambda event: deeds.handle(ctx, event))
look = serving.look(ctx.workspace)
slugs = load.slugs(ctx.workspace, look)
if not slugs:
    widgets.empty("No design pack here", panels.HOW, "compare")
    widgets.problems(ctx.workspace.problems)
    st.stop()

wanted = address.query("slug")
slug = wanted if wanted in slugs else slugs[0]
if wanted and wanted not in slugs:
    text.show(text.chips(text.verdict("unreadable", "not found"), note=f"No pack has the address {wanted}."))
standing, keys = deeds.fresh(ctx, slug, look)
shown = images.shown_of(ctx.workspace, slug, look)
draft = deeds.draft(ctx, standing, keys)
outcome = preview(standing, draft, ctx.person.name, ctx.now).outcome
mine = notes.notes(ctx.log, slug, standing.pack.render_hashes())
at = slugs.index(slug)

pick: state.Key[str] = state.Key("render_fidelity", "pick", lambda: slug)
pick.set(slug)
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="render_head"):
    st.selectbox(
        "Pack", slugs, key=pick.id, label_visibility="collapsed", width=270,
        on_change=lambda: deeds.open_pack(pick.get()),
    )  # fmt: skip
    with st.container():
        panels.head(standing, len(draft.seen), outcome, deeds.work_on(standing).touched)

panels.failed(standing)
left, right = st.columns([36, 12], gap="medium")
with left:
    data = load.viewer_data(
        ctx.workspace, standing, shown, draft.seen, mine, deeds.page_of(standing), deeds.ASKED.get()
    )
    components.viewer(data, lambda event: deeds.handle(ctx, event), key="render_viewer")
with right:
    panels.scoring(ctx, standing, outcome, len(draft.seen))
panels.human(ctx, standing)
one, two = st.columns(2, gap="large")
with one:
    if load.active(standing):
        panels.verifiers(standing)
        panels.record(ctx, standing)
    panels.notes(mine, standing)
with two:
    panels.checks(standing)
widgets.problems([*ctx.workspace.problems, *standing.problems], key="render_problems")

hotkeys.listen(
    {
        "a": lambda press: deeds.save(ctx, press.item, True),
        "s": lambda press: deeds.save(ctx, press.item, False),
        "u": lambda press: deeds.undo(ctx, press.item),
        "r": lambda press: deeds.decide(ctx, press.item, "reject", panels.NOTE),
        "]": lambda _: deeds.open_pack(slugs[(at + 1) % len(slugs)]),
        "[": lambda _: deeds.open_pack(slugs[at - 1]),
    },
    item=slug,
)
