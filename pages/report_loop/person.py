"""What waits for a person: the checklist, the decision on an escalated run, frozen nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from core.report_loop.view import ChecklistLine, NodeBudget, RunView
from pages.report_loop import deeds, keys
from pages.shared import gate, text, theme, widgets
from pages.shared.frame import Context

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "touchstone_checklist",
    css=theme.palette_css(":host") + (_HERE / "checklist.css").read_text("utf-8"),
    js=(_HERE / "checklist.js").read_text("utf-8"),
)


def decision(ctx: Context, view: RunView) -> None:
    """Accept, send back, waive: only where somebody has to decide."""
    head = view.headline
    if head.decided is not None:
        note = f"“{head.decided.note}”" if head.decided.note else ""
        said = f"{head.decided.reviewer}: {head.decided.action.replace('_', ' ')}"
        chip = text.chips(text.chip(said, "blue", "gavel"), note=note)
        text.show(text.tag("h3", text.esc("Decided"), cls="ts-h"), chip)
        return
    if not head.escalated:
        return
    where = text.grey(f"{head.words}: route {head.stop['route']}. What you decide also stands in decision.json.")
    text.show(text.tag("h3", text.esc("Waiting for a person"), cls="ts-h"), where)
    note = keys.note(view.run)
    st.text_area(
        "Instructions or reason", key=note.id, placeholder="Instructions or reason ( c )", height=72,
        label_visibility="collapsed",
    )  # fmt: skip
    with st.container(horizontal=True, gap="small"):
        widgets.action("Accept as it stands", key="report_loop_accept", hint="a", icon="check", kind="primary",
                       on_click=deeds.on_run, args=(ctx, view, "accept_as_it_stands"))  # fmt: skip
        widgets.action("Send back", key="report_loop_send_back", hint="s", icon="undo",
                       on_click=deeds.on_run, args=(ctx, view, "send_back"))  # fmt: skip
        chosen = len(keys.waive(view.run).get())
        widgets.action(f"Waive {chosen or 'residue'}", key="report_loop_waive", hint="w", icon="remove_done",
                       on_click=deeds.on_run, args=(ctx, view, "waive_residue"), disabled=not chosen,
                       why="" if chosen else "Choose the lines to waive in the list below.")  # fmt: skip


def checklist(ctx: Context, view: RunView) -> None:
    """The manual residue: ticked by whom, the rest still open. It is never hidden by a PASS."""
    done = sum(1 for line in view.checklist if line.done)
    text.show(text.tag("h3", text.esc(f"Left for a person · {done} of {len(view.checklist)} done"), cls="ts-h"))
    key = f"report_loop_checklist_{view.run}"
    chosen = keys.waive(view.run)
    data: dict[str, Any] = {
        "label": "Left for a person",
        "lines": [_line(line) for line in view.checklist],
        "checked": [line.item.id for line in view.checklist if line.done],
        "chosen": chosen.get(),
        "waivable": view.headline.escalated,
        "locked": not gate.decides(),
    }

    def sent(name: str) -> list[str]:
        return [str(one) for one in (st.session_state.get(key) or {}).get(name) or []]

    _mount(
        key=key, data=data, default={"checked": data["checked"], "chosen": data["chosen"]},
        on_checked_change=lambda: deeds.tick(ctx, view, sent("checked")),
        on_chosen_change=lambda: chosen.set(sent("chosen")), height="content",
    )  # fmt: skip


def _line(line: ChecklistLine) -> dict[str, Any]:
    by = line.waived or line.ticked or line.earlier
    deed = "waived" if by is not None and by.action == "waive_residue" else "done"
    note = "" if by is None else f"{deed} by {by.reviewer}"
    if line.earlier is not None:
        of = "an earlier draft" if line.earlier.iteration is None else f"iteration {line.earlier.iteration}"
        note += f" for {of}, not for this draft"
    return {
        "id": line.item.id, "text": line.item.text, "note": note, "done": line.done, "waived": line.waived is not None,
    }  # fmt: skip


def nodes(ctx: Context, view: RunView) -> None:
    """The edit budget by node; a frozen one gets one more edit or is accepted."""
    if not view.nodes:
        return
    text.show(text.tag("h3", text.esc("Edit budget by node"), cls="ts-h"))
    for node in view.nodes:
        _node(ctx, view, node)


def _node(ctx: Context, view: RunView, node: NodeBudget) -> None:
    name = node.name or node.node
    state_ = (
        text.verdict("node_frozen", "frozen")
        if node.frozen
        else text.chip(f"{node.edits} of {node.allowed}", "gray", "edit")
    )
    note = f"{node.node} · {node.edits} of {node.allowed} edits without reaching the bar"
    if node.accepted_by:
        note += f" · accepted by {node.accepted_by}"
    line = text.chips(text.tag("b", text.esc(name)), state_, note=note)
    if not node.waiting:
        text.show(line)
        return
    words, buttons = st.columns([3, 2], vertical_alignment="center")
    with words:
        text.show(line)
    with buttons, st.container(horizontal=True, gap="small"):
        widgets.action("One more edit", key=f"report_loop_thaw_{node.node}", icon="lock_open",
                       on_click=deeds.on_node, args=(ctx, view, node.node, True))  # fmt: skip
        widgets.action("Accept node", key=f"report_loop_take_{node.node}", icon="check",
                       on_click=deeds.on_node, args=(ctx, view, node.node, False))  # fmt: skip
