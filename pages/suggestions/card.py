"""One suggestion large: what is proposed, why it scored so, and where it comes from. Makes text only."""

from __future__ import annotations

from urllib.parse import urlsplit

from core.suggestions import blocklist, content
from core.suggestions.anchors import Anchors, Dimension
from core.suggestions.entries import Entry
from core.suggestions.links import may_open, read_link
from core.suggestions.queue import Suggestion
from pages.shared import items, text, verdicts
from pages.shared.frame import Context
from pages.shared.text import Html

DIMENSIONS: tuple[tuple[str, Dimension], ...] = (("Actionability", "A"), ("Preference", "P"), ("Goal", "G"))

_KEPT_OUT = (("Hard-veto", "veto"), ("Ambiguity", "ambiguous"))


def row(suggestion: Suggestion) -> items.Row:
    """The line of the list: title, source, and the score or the decision at its end."""
    entry = suggestion.entry
    title = entry.title or entry.next_step
    sub = " · ".join(part for part in (entry.source, entry.date) if part)
    if entry.decision is not None:
        how = verdicts.look(entry.decision)
        return items.Row(entry.id, title, sub, entry.decision, how.colour, how.icon)
    if not entry.readable:
        return items.Row(entry.id, title, sub, "unreadable", "outline", "error")
    for word, chip in _KEPT_OUT:
        if entry.filtered.startswith(word):
            return items.Row(entry.id, title, sub, chip, "orange", "filter_alt")
    words, colour = score_words(entry)
    return items.Row(entry.id, title, sub, words, colour)


def score_words(entry: Entry) -> tuple[str, verdicts.Colour]:
    """``6/6`` and its colour; an entry without a usable score says so in grey, never 0."""
    if entry.score is not None:
        return f"{entry.score.total}/6", verdicts.score_colour(entry.score.total)
    return ("legacy" if entry.legacy else "no score"), "gray"


def head(suggestion: Suggestion, ctx: Context) -> Html:
    """Title, chips, the grey line of origin, and what is wrong with the entry."""
    entry = suggestion.entry
    words, colour = score_words(entry)
    marks = [text.chip(words, colour, "check_circle" if colour == "green" else "")]
    if entry.decision is not None:
        marks.insert(0, text.verdict(entry.decision))
    marks += [text.chip(part) for part in (entry.category, entry.source) if part]
    if suggestion.copies > 1:
        marks.append(text.chip(f"stands {suggestion.copies} times", "gray", "content_copy"))
    title = text.tag("h2", text.esc(entry.title or "(no title)"), cls="ts-title")
    parts = [title, text.chips(*marks), origin(entry)]
    wrong = suggestion.problems(ctx.now.astimezone(ctx.zone))
    if wrong:
        parts.append(text.tag("div", *(_wrong(reason) for reason in wrong), cls="ts-wrong"))
    return text.join(parts)


def _wrong(reason: str) -> Html:
    return text.tag("p", text.icon("warning"), text.esc(reason))


def origin(entry: Entry) -> Html:
    """The grey line: day, the page it came from, its report."""
    parts = [text.esc(entry.date)] if entry.date else []
    if entry.url:
        host = urlsplit(entry.url).hostname if may_open(entry.url) else None
        parts.append(text.link(entry.url, host or entry.url))
    if entry.report:
        parts.append(text.esc(f"report: {report_path(entry)}"))
    return text.tag("p", text.join(parts, " · "), cls="ts-grey")


def report_path(entry: Entry) -> str:
    """The report as a path inside the workspace, as far as the entry tells; else its text."""
    link = read_link(entry.report)
    target = link.url if link else entry.report
    return target.removeprefix("file://").lstrip("/") if target.startswith("file://") else target


def next_step(entry: Entry) -> Html:
    """What the suggestion asks for."""
    body = text.esc(entry.next_step) if entry.next_step else text.tag("span", text.esc("none given"), cls="ts-grey")
    return Html(f'<p class="ts-step" dir="auto"><strong>Next step.</strong> {body}</p>')


def why(entry: Entry, anchors: Anchors) -> Html:
    """A, P and G with the rubric's words; a legacy entry shows its own fields instead."""
    if entry.score is None:
        return text.grey(entry.legacy) if entry.legacy else Html("")
    columns = []
    for name, part in DIMENSIONS:
        value = getattr(entry.score, part.lower())
        title = text.tag("p", text.esc(f"{name} {'n/a' if value is None else value}"), cls="ts-h")
        words = anchors.get(part, {}).get(value, "") if value is not None else "not in the entry"
        columns.append(text.tag("div", title, text.grey(words)))
    return text.tag("div", *columns, cls="ts-three")


def gate(entry: Entry, patterns: blocklist.Blocklist, threshold: int) -> Html:
    """Why the entry passes the gate as the blocklist stands now, or what would stop it."""
    verdict = patterns.check(content.topic_text(entry), entry.next_step)
    if verdict.reason:
        return text.chips(text.verdict(verdict.outcome, verdict.reason), note="the blocklist would stop it now")
    if not patterns.complete:
        note = f"the blocklist could be read in part only ({patterns.problems[0]})"
        return text.chips(text.verdict("PARTIAL", "not known"), note=note)
    if entry.score is None:
        return text.grey("No topic block matches, no ambiguous phrase. It carries no rubric score.")
    total = entry.score.total
    sign = "≥" if total >= threshold else "<"
    return text.grey(f"No topic block matches, no ambiguous phrase, score {total} {sign} {threshold}.")


def review(suggestion: Suggestion, ctx: Context) -> Html:
    """What was decided: comment, when, and the earlier reviews."""
    entry = suggestion.entry
    parts = [text.verbatim(entry.comment, cls="ts-text ts-quote")] if entry.comment else []
    if entry.reviewed:
        moment = text.when(entry.reviewed, ctx.zone)
        parts.append(text.tag("p", text.esc("reviewed "), moment, cls="ts-grey"))
    elif entry.decision is not None:
        parts.append(text.grey("reviewed at an unknown time"))
    for earlier in reversed(suggestion.history):
        at = text.when(earlier.reviewed, ctx.zone) if earlier.reviewed else text.esc("an unknown time")
        words = text.esc(f" · {earlier.comment}" if earlier.comment else "")
        mark = text.verdict(earlier.decision or "undecided")
        parts.append(text.tag("p", text.esc("before: "), mark, text.esc(" "), at, words, cls="ts-grey"))
    return text.join(parts)
