"""The inbox in short: how much, of which kinds, how old; and what happened while nobody looked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from core import numbers
from core.decisions import Record
from core.errors import Problem
from core.triage.inbox import Inbox
from core.triage.life import Item
from pages.overview.cards import Card
from pages.shared import text, widgets
from pages.shared.frame import Context
from pages.shared.text import Html

_SEVERITY = {"blocking": ("red", "priority_high"), "attention": ("orange", "warning"), "notice": ("gray", "info")}
_SHOWN = 8
_DEEDS = {
    "accept": "accepted", "reject": "rejected", "restore": "brought back", "undo": "took back",
}  # fmt: skip


def headline(inbox: Inbox | None, reason: str, ctx: Context) -> Html:
    """One line of chips by severity, and the oldest wait; ``reason`` is why there is no inbox."""
    if inbox is None and reason:
        return text.chips(text.verdict("env_error", "the inbox could not be read"), note=reason)
    if inbox is None:
        return text.chips(text.chip("gathering the inbox", "gray", "hourglass"), note="it appears by itself")
    waiting = inbox.waiting
    if not waiting:
        return text.chips(text.verdict("ok", "nothing needs a person"))
    parts = []
    for name, (colour, icon) in _SEVERITY.items():
        count = sum(1 for item in waiting if item.finding.severity == name)
        if count:
            parts.append(text.chip(f"{count:,} {name}", colour, icon))  # type: ignore[arg-type]
    oldest = max(ctx.now - item.seen_first for item in waiting)
    words = f"{len(waiting):,} {'needs' if len(waiting) == 1 else 'need'} a person · oldest {numbers.span(oldest)}"
    return text.chips(*parts, note=words)


def kinds(inbox: Inbox, ctx: Context) -> None:
    """The kinds that wait, the most severe first, each with its number and its oldest item."""
    waiting = inbox.waiting
    if not waiting:
        widgets.empty("All clear", "What a system cannot decide by its rules appears here.", "task_alt")
        return
    groups: dict[str, list[Item]] = {}
    for item in waiting:  # already in the order of the inbox
        groups.setdefault(item.finding.kind, []).append(item)
    rows = []
    for kind, items in list(groups.items())[:_SHOWN]:
        oldest = max(ctx.now - item.seen_first for item in items)
        colour, icon = _SEVERITY[items[0].finding.severity]
        mark = text.chip(f"{len(items):,} {kind}", colour, icon)  # type: ignore[arg-type]
        words = text.tag("span", text.esc(items[0].finding.summary), cls="ts-grey ts-clamp")
        age = text.tag("span", text.esc(numbers.span(oldest)), cls="ts-grey ts-age")
        rows.append(text.tag("div", mark, words, age, cls="ts-kind"))
    text.show(*rows)
    widgets.go("Open the inbox", "triage", icon="inbox")


def since_words(since: datetime | None, ctx: Context) -> str:
    """The heading of the changes."""
    if since is None:
        return "In the last day"
    return f"Since your last visit, {numbers.span(ctx.now - since)} ago"


def changes(inbox: Inbox | None, since: datetime | None, ctx: Context) -> Html:
    """What others decided and what is new in the inbox since then."""
    begin = since or ctx.now - timedelta(days=1)
    lines = []
    if inbox is not None:
        fresh = [item for item in inbox.waiting if item.seen_first >= begin]
        if fresh:
            named = list(dict.fromkeys(item.finding.kind for item in fresh))
            more = f" and {len(named) - 3} more kinds" if len(named) > 4 else ""
            few = ", ".join(named[: 3 if more else 4])
            lines.append(text.esc(f"{numbers.count(len(fresh), 'new finding')}: {few}{more}"))
        ended = sum(1 for item in inbox.items if item.ended_at is not None and item.ended_at >= begin)
        if ended:
            lines.append(text.esc(f"{numbers.count(ended, 'finding')} ended"))
    records = [one for one in ctx.log.records(since=begin) if one.reviewer != ctx.person.name]
    lines += _by_person(records)
    if not lines:
        return text.grey("Nothing changed.")
    return text.tag("div", *(text.tag("p", line) for line in lines[:_SHOWN]), cls="ts-changes")


def _by_person(records: Sequence[Record]) -> list[Html]:
    """One line a person: what they did, how often."""
    people: dict[str, dict[str, int]] = {}
    for record in records:
        deeds = people.setdefault(record.reviewer, {})
        word = _DEEDS.get(record.action, record.action)
        deeds[word] = deeds.get(word, 0) + 1
    return [
        text.esc(f"{name}: {', '.join(f'{word} {count}' for word, count in deeds.items())}")
        for name, deeds in people.items()
    ]


def honest(shown: Sequence[Card], inbox: Inbox | None, found: Sequence[Problem]) -> str:
    """What was looked at and what was not, in one sentence. While the inbox is not known, so is what could be read."""
    checked = [card.checked for card in shown if card.checked]
    absent = [card.title.lower() for card in shown if not card.checked]
    parts = [f"Looked at {', '.join(checked)}" if checked else "Looked at nothing"]
    if absent:
        parts.append(f"nothing of {', '.join(absent)} is here")
    if inbox is None:
        parts.append("what could not be read is not known yet")
    else:
        damaged = sum(1 for item in inbox.waiting if item.finding.kind in ("unreadable", "suggestion_unreadable"))
        unread = damaged + len(found)
        words = f"{numbers.count(unread, 'thing')} could not be read" if unread else "everything found could be read"
        parts.append(words)
    return "; ".join(parts) + ". What no file records was not checked."
