"""One finding large: what it is, what a person needs to see first, what changed. Makes text only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import numbers
from core.triage.life import Item
from pages.shared import text
from pages.shared.frame import Context
from pages.shared.text import Html
from pages.triage import keys

#: Evidence that says which version is meant and tells a reader nothing.
_FOR_MACHINES = {"render_hashes", "decide_on", "run", "eval", "title", "topic", "rejected"}
_LONGEST = 12


def head(item: Item, ctx: Context) -> Html:
    """Summary, chips for kind and claim, and the grey line of origin."""
    finding = item.finding
    marks = [
        text.verdict(finding.kind),
        text.chip(finding.severity, "red" if finding.severity == "blocking" else "gray"),
    ]
    if item.claimed_by and item.claimed_until:
        who = "you" if item.claimed_by == ctx.person.name else item.claimed_by
        left = numbers.span(item.claimed_until - ctx.now)
        marks.append(text.chip(f"claimed by {who} · {left} left", "blue", "front_hand"))
    elif not item.needs_a_person:
        marks.append(text.verdict(item.state))
    where = text.esc(f"{keys.SYSTEMS[finding.system]} · {finding.subject} · seen first ")
    seen = text.tag("p", where, text.when(item.seen_first, ctx.zone), cls="ts-grey")
    return text.join([text.tag("h2", text.esc(finding.summary), cls="ts-title"), text.chips(*marks), seen])


def ended(item: Item, ctx: Context) -> Html:
    """How it ended, or until when it sleeps."""
    done = item.resolution
    if done is not None:
        who = text.tag(
            "p", text.esc(f"{done.reviewer}: {done.decision} · "), text.when(done.at, ctx.zone), cls="ts-grey"
        )
        return text.join([who, text.verbatim(done.note, cls="ts-text ts-quote")] if done.note else [who])
    if item.snoozed_until is not None:
        return text.tag("p", text.esc("until "), text.when(item.snoozed_until, ctx.zone), cls="ts-grey")
    if item.ended_at is not None:
        return text.tag("p", text.esc("its cause was gone at "), text.when(item.ended_at, ctx.zone), cls="ts-grey")
    return Html("")


def changed(item: Item) -> Html:
    """What is different since a person ended it: why it is here again."""
    if not item.changed:
        return Html("")
    lines = [text.tag("li", text.esc(line)) for line in item.changed]
    return text.tag(
        "div", text.chips(text.chip("here again: its evidence changed", "orange", "history")), text.tag("ul", *lines)
    )


def evidence(shown: Mapping[str, Any]) -> Html:
    """What a person needs to see first: the short facts in one line, then what takes more room, key by key."""
    kept = {k: v for k, v in shown.items() if k not in _FOR_MACHINES and v not in (None, "", [], {})}
    facts = [_fact(key, value) for key, value in kept.items() if _is_short(value)]
    rows = [
        text.tag("div", text.tag("p", text.esc(_words(key)), cls="ts-h"), _value(value))
        for key, value in kept.items()
        if not _is_short(value)
    ]
    line = [text.tag("p", text.join(facts, " · "), cls="ts-grey")] if facts else []
    return text.tag("div", *line, *rows, cls="ts-stack")


def _words(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _is_short(value: Any) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= 40 and "\n" not in value)


def _fact(key: str, value: Any) -> Html:
    shown = ("yes" if value else "no") if isinstance(value, bool) else value
    return text.join([text.esc(f"{key.replace('_', ' ')} "), text.tag("strong", text.esc(shown))])


def _value(value: Any) -> Html:
    if isinstance(value, Mapping):
        parts = [f"{key}: {_word(one)}" for key, one in value.items()]
        short = sum(map(len, parts)) < 160
        return text.grey(" · ".join(parts)) if short else _listed(parts)
    if isinstance(value, list):
        return _listed([_word(one) for one in value])
    return text.verbatim(value, cls="ts-text")


def _word(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items() if one not in (None, ""))
    return "n/a" if value is None else str(value)


def _listed(lines: list[str]) -> Html:
    shown = [text.tag("li", text.esc(line)) for line in lines[:_LONGEST]]
    if len(lines) > _LONGEST:
        shown.append(text.tag("li", text.esc(f"and {len(lines) - _LONGEST:,} more, on its page"), cls="ts-grey"))
    return text.tag("ul", *shown, cls="ts-problems")
