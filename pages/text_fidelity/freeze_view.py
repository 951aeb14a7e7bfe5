"""The freeze: what is pinned, what changed since, approving it by confirming what is shown; trust of commands."""

from __future__ import annotations

import shlex

import streamlit as st

from core import people
from core.errors import BadInput, TouchstoneError, UnsafePath
from core.files import read_text
from core.text_fidelity import approval, trust
from core.text_fidelity.approval import FreezeState, Review
from core.text_fidelity.changes import Change
from core.text_fidelity.place import EvalFolder, inside
from core.text_fidelity.trust import Trust
from core.text_fidelity.view import Book
from core.text_fidelity.worddiff import word_diff
from pages.shared import notices, text, widgets
from pages.shared.frame import Context
from pages.text_fidelity import keys, load
from pages.text_fidelity.run_view import _diff

_LOOKER = "You may look here, not decide."


def show(ctx: Context, made: Book, frozen: FreezeState) -> None:
    """Draw it."""
    left, right = st.columns(2, gap="large")
    with left:
        _state(ctx, frozen)
        _approve(ctx, made.folder, frozen)
    with right:
        _trust(ctx, made)


def _state(ctx: Context, frozen: FreezeState) -> None:
    text.show(text.tag("h2", text.esc("Freeze"), cls="ts-title"))
    word = "fresh" if frozen.fresh else "invalid" if frozen.errors else "stale"
    if frozen.stale and frozen.freeze_id is None and not frozen.errors:
        word = "ungraded"
    said = {
        "fresh": "fresh: it may be scored", "stale": "stale: refused until frozen again",
        "invalid": "the config is refused", "ungraded": "draft: never frozen",
    }[word]  # fmt: skip
    at = ""
    if frozen.approved_at:
        at = f"frozen {text.clock(frozen.approved.utc, ctx.zone) if frozen.approved else 'at an unknown time'}"
    parts = [text.chips(text.verdict(word, said), note=at)]
    if frozen.reasons:
        parts.append(
            text.tag("ul", *(text.tag("li", text.tag("bdi", text.esc(one))) for one in frozen.reasons), cls="tf-list")
        )
    parts += [text.chips(text.chip("warning", "orange", "warning"), note=warning) for warning in frozen.warnings]
    text.show(text.tag("div", *parts, cls="ts-stack"))
    held = frozen.checked.file.data.get("hashes") if frozen.checked else None
    hashes = {"definition": frozen.definition_hash or "n/a"} | (dict(held) if isinstance(held, dict) else {})
    rows = [
        text.tag("div", text.tag("span", text.esc(name)), text.tag("code", text.esc(str(value))), cls="tf-hash")
        for name, value in hashes.items()
    ]
    with st.expander("Hashes, as servo computes them", icon=":material/tag:", key="tf_hashes"):
        text.show(text.tag("div", *rows))


def _approve(ctx: Context, folder: EvalFolder, frozen: FreezeState) -> None:
    if frozen.errors:
        text.show(text.grey("A config that is refused cannot be frozen: mend it first."))
        return
    try:
        shown = approval.review(folder)
    except TouchstoneError as error:
        widgets.error(error)
        return
    text.show(
        text.tag("h2", text.esc("What changed since the last freeze"), cls="ts-title tf-space"), _difference(shown)
    )
    if frozen.fresh and not shown.changes:
        return
    may = people.may(ctx.person, ctx.workspace, "decide")
    seen = st.checkbox(
        "I have read this difference and approve it", key=f"tf_seen_{shown.token[:12]}", disabled=not may
    )
    why = "" if may and seen else _LOOKER if not may else "Confirm that you have read the difference first."
    widgets.action(
        "Freeze as shown", key="tf_freeze", icon="lock", kind="primary", disabled=bool(why), why=why,
        on_click=_freeze, args=(ctx, folder, shown.token),
    )  # fmt: skip


def _freeze(ctx: Context, folder: EvalFolder, token: str) -> None:
    notices.attempt(
        lambda: approval.approve(folder, ctx.person, ctx.log, ctx.clock(), token), f"{folder.name} is frozen as shown"
    )


def _difference(shown: Review) -> text.Html:
    if shown.first:
        return text.grey("It was never frozen: everything in it is new.")
    if not shown.changes:
        return text.grey("Nothing: definition, rubric and references are what was frozen.")
    parts = [_change(change) for change in shown.changes]
    if not shown.known:
        parts.append(
            text.grey(
                "The last freeze left hashes only (servo keeps no more), so only the parts that differ are known."
            )
        )
    return text.tag("div", *parts, cls="ts-stack")


def _change(change: Change) -> text.Html:
    name = text.tag("strong", text.esc(change.where))
    if change.kind == "text":
        return text.tag("div", name, _diff(word_diff(change.before, change.after)))
    if change.kind == "changed":
        old, new = text.tag("del", text.esc(change.before)), text.tag("ins", text.esc(change.after))
        return text.tag("div", name, text.Html(" "), old, text.Html(" → "), new, cls="tf-diff")
    sign = "ins" if change.kind == "added" else "del"
    return text.tag("div", name, text.Html(" "), text.tag(sign, text.esc(change.after or change.before)), cls="tf-diff")


def _trust(ctx: Context, made: Book) -> None:
    text.show(text.tag("h2", text.esc("Command sources"), cls="ts-title"))
    found = load.standing(ctx, made)
    if found.state == "none_needed":
        text.show(text.grey("None: every text under test is a file, so nothing has to be run."))
        return
    words = {"trusted": f"trusted by {found.by}", "never": "not trusted: the dashboard will not run them",
             "lapsed": f"trust by {found.by} lapsed"}  # fmt: skip
    look = {"trusted": "fresh", "never": "ungraded", "lapsed": "stale"}
    parts = [text.chips(text.verdict(look[found.state], words[found.state]))]
    parts += [text.grey(change) for change in found.changed]
    parts.append(
        text.grey("A command is code from this workspace. Trust holds for what stands here and lapses when it changes.")
    )
    text.show(text.tag("div", *parts, cls="ts-stack"))
    for one in found.commands:
        text.show(text.tag("h3", text.esc(one.case), cls="tf-case"))
        st.code(shlex.join(one.argv), language=None, wrap_lines=True)
        for name, _ in one.files:
            with st.expander(
                text.label(name), icon=":material/description:", key=f"tf_file_{keys.part(one.case + name)}"
            ):
                st.code(_content(made.folder, name), language=None, wrap_lines=True)
    _trust_buttons(ctx, made, found)


def _content(folder: EvalFolder, name: str) -> str:
    try:
        return read_text(inside(folder.path, name), name).text
    except (BadInput, UnsafePath) as error:
        return str(error)


def _trust_buttons(ctx: Context, made: Book, found: Trust) -> None:
    may = people.may(ctx.person, ctx.workspace, "decide")
    policy = made.policy
    if policy is None:
        return
    if found.state == "trusted":
        widgets.action(
            "Take trust back", key="tf_distrust", icon="block", disabled=not may, why="" if may else _LOOKER,
            on_click=lambda: notices.attempt(
                lambda: trust.distrust(made.folder, ctx.person, ctx.log, ctx.clock()), "Nothing runs from here any more"
            ),
        )  # fmt: skip
        return
    widgets.action(
        "Trust these commands", key="tf_trust", icon="verified_user", disabled=not may, why="" if may else _LOOKER,
        on_click=lambda: notices.attempt(
            lambda: trust.trust(made.folder, policy, ctx.person, ctx.log, ctx.clock(), found.token), "Trusted as shown"
        ),
    )  # fmt: skip
