"""Blocklist proposals: what keeps being rejected, what blocking it would cost, a person's yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import numbers
from core.decisions import Record
from core.suggestions import answers, confirm
from core.suggestions.maintain import Maintenance, maintain
from core.suggestions.proposals import Cost, Proposal
from core.suggestions.refusals import NO, subject_of
from core.workspace import Workspace
from pages.shared import address, data, hotkeys, items, notices, text, widgets
from pages.shared.frame import Context
from pages.shared.text import Html
from pages.suggestions import keys, load

#: How far back answers are listed and `u` reaches.
_REACH = timedelta(hours=12)
_DONE = {"block": "blocked", "unblock": "taken out", NO: "refused"}
_SHOWN, _NAMED = 12, 100


def maintenance(ctx: Context) -> Maintenance:
    """Proposals and their history as the files and the log stand now."""
    places = ctx.workspace.suggestions
    minute = ctx.now.replace(second=0, microsecond=0)  # only a review dated in the future depends on the clock
    return data.cached(
        _maintenance, ctx.workspace, paths=[places.pending, places.reviewed, places.blocklist],
        extra=(ctx.log.version(), minute), given=(ctx,),
    )  # fmt: skip


def _maintenance(workspace: Workspace, ctx: Context) -> Maintenance:
    return maintain(workspace, ctx.log, ctx.now)


def show(ctx: Context) -> DeltaGenerator:
    """Draw the tab; the right column, for what else is to be said."""
    found = maintenance(ctx)
    chosen = found.proposal(keys.TOPIC.get()) or (found.proposals[0] if found.proposals else None)
    keys.TOPIC.set(chosen.topic if chosen else "")
    address.put(tab="proposals", topic=keys.TOPIC.get() or None, id=None)
    if found.incomplete:
        text.show(text.chips(text.verdict("PARTIAL", "partial figures"), note="a file could not be read to its end"))
    left, right = widgets.split()
    with left:
        _list(found.proposals, chosen)
    with right:
        if chosen is None:
            _none(ctx, found)
        else:
            _item(ctx, found, chosen)
        _lately(ctx)
        _blocked(ctx, found)
    _listen(ctx, found.proposals, chosen)
    return right


def _list(proposals: Sequence[Proposal], chosen: Proposal | None) -> None:
    shown, pages = widgets.page_of(proposals, keys.TOPIC_PAGE, size=_SHOWN)
    rows = [_row(one) for one in shown]
    items.show([items.Group("Surest first", rows)] if rows else [], chosen.topic if chosen else "", keys.TOPIC.set,
               key="proposals_list", label="Proposals")  # fmt: skip
    widgets.pager(keys.TOPIC_PAGE, pages)


def _row(one: Proposal) -> items.Row:
    lost = len(one.cost.accepts_lost)
    sub = numbers.count(len(one.rejected), "rejection")
    if one.in_content == 0:
        return items.Row(one.topic, one.topic, f"{sub}, in comments alone", "catches none", "gray")
    return items.Row(one.topic, one.topic, sub, f"{lost} lost" if lost else "none lost", "orange" if lost else "green")


def _item(ctx: Context, found: Maintenance, one: Proposal) -> None:
    with st.container(border=True, key="proposal_card"):
        text.show(
            text.tag("h2", text.esc(f"Block “{one.topic}”?"), cls="ts-title"),
            text.grey(f"{numbers.count(len(one.rejected), 'rejected suggestion')} on this topic. What reviewers said:"),
            text.tag("div", *(_quote(said) for said in one.examples), cls="ts-quotes"),
        )  # fmt: skip
        if keys.bullet(one.topic).id not in st.session_state:
            keys.bullet(one.topic).set(one.topic)
        bullet = st.text_input(
            "As it will be written: alternatives with “ / ”, a note in parentheses", key=keys.bullet(one.topic).id,
            max_chars=300,
        )  # fmt: skip
        cost = one.cost if bullet.strip() in ("", one.topic) else found.history.cost(bullet)
        _cost(found, cost)
        with st.container(horizontal=True, gap="small"):
            widgets.action("Yes, block it", hint="a", key="proposal_yes", icon="block", kind="primary",
                           on_click=_yes, args=(ctx, one.topic))  # fmt: skip
            widgets.action("No", hint="r", key="proposal_no", icon="close", on_click=_no, args=(ctx, one.topic))
            widgets.action("Next", hint="j", key="proposal_next", icon="arrow_downward", kind="tertiary",
                           on_click=_move, args=(found.proposals, one.topic, 1))  # fmt: skip
            widgets.action("Previous", hint="k", key="proposal_previous", icon="arrow_upward", kind="tertiary",
                           on_click=_move, args=(found.proposals, one.topic, -1))  # fmt: skip
        text.show(text.grey("A no is remembered: the topic comes back after three new rejections. Both can be undone."))


def _quote(said: str) -> Html:
    return text.verbatim(said, cls="ts-text ts-quote")


def _cost(found: Maintenance, cost: Cost) -> None:
    """What the pattern would do to history; every accepted suggestion it would lose is named."""
    caught, lost, hit = cost.rejects_caught, cost.accepts_lost, cost.pending_hit
    anyway = len(cost.rejects_caught_anyway)
    known = f", {anyway:,} of them by other patterns already" if anyway else ""
    text.show(text.tag(
        "div",
        text.chip(f"would have caught {len(caught):,} of {len(found.history.rejected):,} rejects{known}",
                  "green" if caught else "gray", "check_circle" if caught else "remove_circle"),
        text.chip(f"would have lost {len(lost):,} of {len(found.history.accepted):,} accepts",
                  "red" if lost else "green", "warning" if lost else "check_circle"),
        text.chip(f"would veto {len(hit):,} pending now", "blue" if hit else "gray", "inbox"), cls="ts-chips",
    ), key="proposal_cost")  # fmt: skip
    known_titles = {entry.id: entry.title for entry in [*found.history.rejected, *found.history.accepted]}
    waiting = {entry.id: entry.title for entry in found.history.pending}
    _named("lost", "Accepted suggestions it would have lost", [known_titles[one] for one in lost], expanded=True)
    _named("hit", "Pending suggestions it would veto now", [waiting[one] for one in hit])
    _named("caught", "Rejected suggestions it would have caught", [known_titles[one] for one in caught])


def _named(part: str, words: str, names: Sequence[str], *, expanded: bool = False) -> None:
    if not names:
        return
    with st.expander(f"{words} · {len(names):,}", expanded=expanded, key=f"proposal_{part}"):
        shown = [text.tag("li", text.tag("bdi", text.esc(name))) for name in names[:_NAMED]]
        text.show(text.tag("ul", *shown, cls="ts-advice"))
        if len(names) > _NAMED:
            text.show(text.grey(f"and {len(names) - _NAMED:,} more: `python -m core suggestions maintain --json`"))


def _none(ctx: Context, found: Maintenance) -> None:
    rejected = len(found.history.rejected)
    widgets.empty(
        "No topic to block",
        f"A topic is proposed when it stands in three or more of the {rejected:,} rejected suggestions, is rarer among "
        "accepted ones, is not blocked yet and was not refused.", "block",
    )  # fmt: skip


def _lately(ctx: Context) -> None:
    """This reviewer's answers of the last hours, each with its undo."""
    standing = answered(ctx)
    if not standing:
        return
    text.show(text.tag("h2", text.esc("Answered lately"), cls="ts-title"))
    for number, record in enumerate(reversed(standing[-5:])):
        topic = str(record.payload.get("topic", ""))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            colour = "gray" if record.action == NO else "blue"
            mark = text.chip(_DONE[record.action], colour)  # type: ignore[arg-type]
            text.show(text.chips(mark, text.tag("bdi", text.esc(topic)), note=f"record {record.seq}"))
            widgets.action("Undo", hint="" if number else "u", key=f"proposal_undo_{record.seq}", icon="undo",
                           kind="tertiary", on_click=_undo, args=(ctx, record))  # fmt: skip


def answered(ctx: Context) -> list[Record]:
    """This reviewer's answers about topics of the last hours that stand, oldest first."""
    records = ctx.log.records(reviewer=ctx.person.name, since=ctx.now - _REACH)
    about = subject_of("")
    return load.standing(ctx, [one for one in records if one.action in _DONE and one.subject.startswith(about)])


def _blocked(ctx: Context, found: Maintenance) -> None:
    """What is blocked now; a pattern is taken out by name."""
    patterns = found.history.blocklist.patterns
    number = f"{len(patterns):,}{'' if found.history.blocklist.complete else '+'}"
    with st.expander(f"What is blocked now · {number}", icon=":material/block:", key="proposals_blocked"):
        if not patterns:
            text.show(text.grey(f"No pattern in {ctx.workspace.label(ctx.workspace.suggestions.blocklist)}."))
            return
        rows = [text.tag("li", text.tag("bdi", text.esc(one.text)), text.Html(" "),
                         text.tag("span", text.esc(f"{one.section}, line {one.line}"), cls="ts-grey"))
                for one in patterns]  # fmt: skip
        text.show(text.tag("ul", *rows, cls="ts-advice"))
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            names = list(dict.fromkeys(one.text for one in patterns))
            picked = st.selectbox("Take out", names, index=None, key=keys.TAKE_OUT.id, placeholder="Choose a pattern",
                                  format_func=text.label)  # fmt: skip
            why = "" if picked else "Choose a pattern first."
            widgets.action("Take it out", key="proposals_take_out", icon="remove_circle", disabled=bool(why), why=why,
                           on_click=_take_out, args=(ctx, picked))  # fmt: skip


def _listen(ctx: Context, proposals: Sequence[Proposal], chosen: Proposal | None) -> None:
    topic = chosen.topic if chosen else ""
    handlers: dict[str, Callable[[hotkeys.Press], None]] = {
        "a": lambda press: _yes(ctx, press.item),
        "r": lambda press: _no(ctx, press.item),
        "j": lambda _: _move(proposals, keys.TOPIC.get(), 1),
        "k": lambda _: _move(proposals, keys.TOPIC.get(), -1),
        "u": lambda _: _undo_last(ctx),
    }
    hotkeys.listen(handlers, item=topic, focus={"c": keys.bullet(topic).id} if topic else {})


# ---- what a reviewer does: callbacks


def _yes(ctx: Context, topic: str) -> None:
    bullet = keys.bullet(topic).get() if topic else ""
    if topic and notices.attempt(
        lambda: answers.yes(ctx.workspace, ctx.person, topic, now=ctx.clock(), bullet=bullet),
        f"Blocked: {bullet.strip() or topic} (u takes it back)",
    ):
        keys.bullet(topic).clear()


def _no(ctx: Context, topic: str) -> None:
    if topic:
        notices.attempt(lambda: answers.no(ctx.workspace, ctx.person, topic, now=ctx.clock()),
                        f"Refused: {topic} (u takes it back)")  # fmt: skip


def _undo(ctx: Context, record: Record) -> None:
    topic = str(record.payload.get("topic", ""))
    done = f"Taken back: {topic}"
    if notices.attempt(lambda: confirm.undo(ctx.workspace, ctx.person, record, now=ctx.clock()), done):
        because = record.payload.get("because")
        keys.TOPIC.set(str(because.get("proposed", topic)) if isinstance(because, dict) else topic)


def _undo_last(ctx: Context) -> None:
    standing = answered(ctx)
    if standing:
        _undo(ctx, standing[-1])
    else:
        notices.add("error", "There is no answer of yours from the last 12 hours to take back.")


def _take_out(ctx: Context, pattern: str) -> None:
    if notices.attempt(lambda: confirm.unblock(ctx.workspace, ctx.person, pattern, now=ctx.clock()),
                       f"Taken out: {pattern} (u takes it back)"):  # fmt: skip
        keys.TAKE_OUT.clear()
        left = confirm.still_blocked(ctx.workspace, pattern)
        if left is not None:
            notices.add("done", f"It is still blocked by {left.pattern.text}, line {left.pattern.line}")


def _move(proposals: Sequence[Proposal], topic: str, by: int) -> None:
    names = [one.topic for one in proposals]
    if names:
        at = names.index(topic) + by if topic in names else 0
        at = min(max(at, 0), len(names) - 1)
        keys.TOPIC.set(names[at])
        keys.TOPIC_PAGE.set(at // _SHOWN + 1)
