"""The item in work: evidence, what the decision asks for, and the buttons with their keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import streamlit as st

from core.triage import choices, effects
from core.triage.life import Item
from pages.shared import data, text, widgets
from pages.shared.frame import Context
from pages.triage import browse, card, deeds, keys, pictures

_ICONS = ("check", "close", "playlist_add_check")


def show(ctx: Context, rows: Sequence[Item], item: Item) -> None:
    """Draw the card."""
    finding = item.finding
    with st.container(border=True, key="triage_card"):
        text.show(
            card.head(item, ctx), card.changed(item), card.evidence(finding.evidence), pictures.beside(item, ctx)
        )  # fmt: skip
        if item.needs_a_person:
            _asked(ctx, item)
            _buttons(ctx, rows, item)
        else:
            text.show(card.ended(item, ctx))
        with st.container(horizontal=True, gap="small"):
            widgets.action("Open", hint="o", key="triage_open", icon="open_in_new", kind="tertiary",
                           on_click=keys.GO.set, args=(finding.id,))  # fmt: skip
            widgets.action("Next", hint="j", key="triage_next", icon="arrow_downward", kind="tertiary",
                           on_click=browse.move, args=(rows, 1))  # fmt: skip
            widgets.action("Previous", hint="k", key="triage_previous", icon="arrow_upward", kind="tertiary",
                           on_click=browse.move, args=(rows, -1))  # fmt: skip
            undo_button(ctx)


def _asked(ctx: Context, item: Item) -> None:
    """What a decision takes beside a press: the reason, an edited topic, the residue a waiver names."""
    finding = item.finding
    if finding.kind == "blocklist_proposal":
        topic = keys.topic(finding.id)
        if not topic.get():
            topic.set(str(finding.evidence.get("topic", "")))
        st.text_input("Topic to block", key=topic.id, max_chars=200)
    if finding.kind == "loop_escalated":
        lines = {line.id: line.text for line in _residue(ctx, item)}
        chosen = keys.residue(finding.id)
        chosen.get()
        st.multiselect(
            "Residue that a waiver names", list(lines), key=chosen.id, placeholder="Choose lines of the checklist",
            format_func=lambda one: text.label(lines.get(one, one), 100),
        )  # fmt: skip
    st.text_input(
        "Why", key=keys.note(finding.id).id, placeholder="Why (c): it goes into the record",
        label_visibility="collapsed", max_chars=2000,
    )  # fmt: skip


def _residue(ctx: Context, item: Item) -> list[effects.Item]:
    """The checklist of the run; read again when its evidence or the log is another."""
    run = str(item.finding.evidence.get("run", ""))
    because = (item.finding.evidence_hash, ctx.log.version())
    return data.cached(effects.residue, ctx.workspace, run, extra=because, given=(ctx.now,)) if run else []


def _buttons(ctx: Context, rows: Sequence[Item], item: Item) -> None:
    held = item.claimed_by is not None and item.claimed_by != ctx.person.name
    why = f"{item.claimed_by} holds it" if held else ""
    with st.container(horizontal=True, gap="small"):
        for number, choice in enumerate(choices.of_kind(item.finding.kind)):
            widgets.action(
                choice.label, hint=keys.DECIDE[number], key=f"triage_decide_{number}", icon=_ICONS[number],
                kind="primary" if number == 0 else "secondary", on_click=deeds.decide,
                args=(ctx, rows, item.finding.id, number), disabled=held, why=why,
            )  # fmt: skip
        mine = item.claimed_by == ctx.person.name
        claims: dict[str, Any] = {"args": (ctx, rows, item.finding.id), "disabled": held, "why": why}
        widgets.action("Give back" if mine else "Claim", hint="e", key="triage_claim", icon="front_hand",
                       on_click=deeds.claim_or_release, **claims)  # fmt: skip
        widgets.action("Snooze a day", hint="s", key="triage_snooze", icon="snooze", kind="tertiary",
                       on_click=deeds.snooze, **claims)  # fmt: skip


def undo_button(ctx: Context) -> None:
    """Undo, greyed out while there is nothing to take back."""
    nothing = (
        data.cached(deeds.latest, extra=(ctx.workspace.root, ctx.log.version(), ctx.person.name), given=(ctx,)) is None
    )
    widgets.action(
        "Undo", hint="u", key="triage_undo", icon="undo", kind="tertiary", on_click=deeds.undo, args=(ctx,),
        disabled=nothing, why="You have ended nothing in the last 12 hours." if nothing else "",
    )  # fmt: skip


def address(item: Item) -> tuple[str, dict[str, str]]:
    """View and query parameters of the page that shows the finding."""
    parts = urlsplit(item.finding.link)
    return parts.path.strip("/"), dict(parse_qsl(parts.query))
