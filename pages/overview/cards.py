"""One card a system: where it stands in a word, its last weeks in a small picture, and what was not looked at."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from core import numbers
from core.errors import TouchstoneError
from core.render_fidelity.standing import read_standing
from core.report_loop.decisions import all_decisions
from core.report_loop.index import RunsIndex
from core.suggestions import queue, store
from core.suggestions.queue import Suggestion
from core.text_fidelity import approval
from core.text_fidelity.place import at
from core.text_fidelity.view import Book, book
from core.workspace import Workspace
from pages.shared import data, spark, text
from pages.shared.frame import Context
from pages.shared.text import Html

DAYS = 28


@dataclass(frozen=True)
class Card:
    """What one card says; ``checked`` is what was looked at, for the honest sentence ("" when there is nothing)."""

    view: str
    title: str
    body: Html
    checked: str


def all_cards(ctx: Context) -> list[Card]:
    """The four cards; a system that cannot be read says so in its card and hides no other."""
    makers = (
        ("suggestions", "Suggestions", suggestions), ("report_loop", "Report loop", report_loop),
        ("text_fidelity", "Text fidelity", text_fidelity), ("render_fidelity", "Render fidelity", render_fidelity),
    )  # fmt: skip
    cards = []
    for view, title, make in makers:
        try:
            body, checked = make(ctx)
        except TouchstoneError as error:
            body, checked = (
                text.join([text.chips(text.verdict("env_error", "could not be read")), text.grey(error)]),
                "",
            )
        cards.append(Card(view, title, body, checked))
    return cards


def _card(big: str, chips: list[Html], picture: Html, line: str) -> Html:
    parts = [
        text.tag("p", text.esc(big), cls="ts-big"),
        text.chips(*chips) if chips else Html(""),
        picture,
        text.grey(line),
    ]
    return text.tag("div", *parts)


def _none(line: str) -> Html:
    return text.join([text.chips(text.chip("nothing here", "gray", "remove_circle")), text.grey(line)])


# ---- suggestions


def suggestions(ctx: Context) -> tuple[Html, str]:
    """What waits, and what was decided in the last four weeks."""
    places = ctx.workspace.suggestions
    if not any(path.exists() for path in (places.pending, places.reviewed, places.filtered)):
        return _none("A pipeline that writes suggestions_pending.md fills it."), ""
    minute = ctx.now.replace(second=0, microsecond=0)
    waiting, done, kept_out = data.cached(
        _suggestions,
        ctx.workspace,
        paths=[places.pending, places.reviewed, places.filtered],
        extra=minute,
        given=(ctx,),
    )
    today = date.fromisoformat(ctx.today)
    days = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    by_day = Counter(
        (one.entry.reviewed.utc.astimezone(ctx.zone).date(), one.entry.decision) for one in done if one.entry.reviewed
    )
    pairs = [(by_day[day, "accept"], by_day[day, "reject"]) for day in days]
    number = queue.counts(done)
    decided = number["accept"] + number["reject"]
    fresh = sum(1 for one in waiting if one.entry.day == today)
    chips = [text.chip(f"{fresh:,} of today", "blue", "today")] if fresh else []
    words = f"accepted {sum(one for one, _ in pairs)}, rejected {sum(other for _, other in pairs)} in {DAYS} days"
    rate = f"accept rate {numbers.percent(number['accept'], decided)} of {decided:,} decided"
    body = _card(f"{len(waiting):,} pending", chips, spark.bars(pairs, words), f"{words} · {rate}")
    checked = f"{len(waiting) + len(done) + len(kept_out):,} suggestions"
    return body, checked


def _suggestions(workspace: Workspace, ctx: Context) -> tuple[tuple[Suggestion, ...], ...]:
    documents = (store.of_workspace(workspace, kind) for kind in ("pending", "reviewed", "filtered"))
    return tuple(queue.distinct(document, ctx.now) for document in documents)


# ---- report loop


def report_loop(ctx: Context) -> tuple[Html, str]:
    """How many runs stand where, the escalated ones first."""
    folders = ctx.workspace.runs()
    if not folders:
        return _none("A run folder in .ravenclaude/runs fills it."), ""
    index = data.cached(RunsIndex, ctx.workspace)
    index.refresh()
    rows = index.rows(all_decisions(ctx.log), ctx.now)
    words = Counter(str(row.word) for row in rows)
    open_runs = sum(1 for row in rows if row.escalated)
    newest = max(rows, key=lambda row: row.latest.timestamp() if row.latest else 0.0)
    chips = [text.verdict(word, f"{number} {word}") for word, number in words.most_common(4)]
    line = f"newest: {newest.title}, {newest.words}"
    big = f"{open_runs:,} escalated" if open_runs else numbers.count(len(rows), "run")
    return _card(big, chips, Html(""), line), numbers.count(len(rows), "report run")


# ---- text fidelity


def text_fidelity(ctx: Context) -> tuple[Html, str]:
    """The newest composite of each eval and what may be made of it, and the course of the first."""
    places = [at(ctx.workspace, path) for path in ctx.workspace.evals()]
    if not places:
        return _none("An eval in .servo/content-fidelity fills it."), ""
    books = [book(place, ctx.now) for place in places]
    chips = [_eval_chip(made) for made in books]
    if any(made.practice for made in books):
        chips.append(text.chip("practice judge: no model", "violet", "school"))
    picture, line = _course(next((made for made in books if made.reading.latest is not None), None))
    runs = sum(len(made.reading.runs) for made in books)
    return _card(numbers.count(len(places), "eval"), chips, picture, line), numbers.count(runs, "scored run")


def _eval_chip(made: Book) -> Html:
    """An eval's word: a score counts only while its definition is fresh and no later run has failed."""
    name, row = made.folder.name, made.reading.latest
    if not approval.state(made.folder).fresh:
        return text.verdict("stale", f"{name} stale")
    if made.failed_since is not None:
        return text.verdict(made.failed_since.outcome, f"{name} {made.failed_since.outcome}")
    if row is None:
        return text.chip(f"{name}: not scored", "gray", "remove_circle")
    value, bar = float(made.reading.runs.composite[row]), float(made.reading.runs.threshold[row])
    # What is shown and what is decided agree: the comparison uses the four decimals that are printed.
    word = "unscored" if bar != bar else "pass" if round(value, 4) >= round(bar, 4) else "fail"
    return text.verdict(word, f"{name} {numbers.composite(value)}")


def _course(made: Book | None) -> tuple[Html, str]:
    """The last runs of one eval as a small picture, and what they are in words."""
    if made is None or made.reading.latest is None:
        return Html(""), ""
    bar = float(made.reading.runs.threshold[made.reading.latest])
    series = made.reading.series_of(made.reading.latest)
    values = [float(made.reading.runs.composite[row]) for row in series.rows[-40:]] if series else []
    words = f"composite of {made.folder.name}, last {len(values)} runs"
    picture = spark.line(values, words, level=None if bar != bar else bar)
    return picture, f"{made.folder.name}: the last {len(values)} runs under one definition"


# ---- render fidelity


def render_fidelity(ctx: Context) -> tuple[Html, str]:
    """How many packs have which verdict."""
    packs = ctx.workspace.packs()
    if not packs:
        return _none("A pack in design-packs fills it."), ""
    words: Counter[str] = Counter()
    for folder in packs:
        try:
            words[read_standing(ctx.workspace, folder.name, ctx.now).verdict] += 1
        except TouchstoneError:
            words["unreadable"] += 1
    chips = [text.verdict(word, f"{number} {word}") for word, number in words.most_common()]
    asked = words["needs_human"]
    big = f"{asked} {'needs' if asked == 1 else 'need'} a person" if asked else numbers.count(len(packs), "pack")
    return _card(big, chips, Html(""), f"{words['pass']} of {len(packs)} pass"), numbers.count(len(packs), "pack")
