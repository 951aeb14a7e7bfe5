"""What a reviewer does on this page, as callbacks: look, pin, score, save, decide, take back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from core import times
from core.render_fidelity import notes, scoring, serving, views
from core.render_fidelity.draft import Draft
from core.render_fidelity.evidence import changed_pages
from core.render_fidelity.recorded import describe, items
from core.render_fidelity.rubric import AXES, Axis
from core.render_fidelity.standing import Standing
from core.render_fidelity.views import PageKey
from pages.render_fidelity import images, load
from pages.render_fidelity.components import Event
from pages.shared import address, frame, gate, notices, state

LISTS = ("missing_signatures", "must_preserve_broken", "copied_assets", "value_errors", "unverifiable")


@dataclass
class Work:
    """What this reviewer has scored and recorded of one pack and not saved yet. ``renders``: what it is about."""

    renders: dict[str, str]
    scores: dict[Axis, int | None]
    recorded: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in LISTS})
    touched: bool = False


WORK: state.Key[dict[str, Work]] = state.Key("render_fidelity", "work", dict)
PAGE: state.Key[dict[str, int]] = state.Key("render_fidelity", "page", dict)
ASKED: state.Key[int] = state.Key("render_fidelity", "asked", int)
FOLLOWED: state.Key[str] = state.Key("render_fidelity", "followed", str)


def work_on(standing: Standing) -> Work:
    """The reviewer's own work on a pack; begun from the scores that are saved for the same render, else empty."""
    everything, slug, renders = WORK.get(), standing.pack.slug, standing.pack.render_hashes()
    if slug not in everything or everything[slug].renders != renders:
        everything[slug] = _begun(standing, renders)
    return everything[slug]


def _begun(standing: Standing, renders: dict[str, str]) -> Work:
    deliverable = standing.deliverable
    if deliverable is None or changed_pages(deliverable, standing.pack):
        return Work(renders, dict.fromkeys(AXES))
    made = Work(renders, dict(deliverable.axes))
    for name in LISTS:
        made.recorded[name] = [describe(item) for item in items(deliverable.raw.get(name))]
    return made


def draft(ctx: frame.Context, standing: Standing, keys: dict[int, PageKey]) -> Draft:
    """The work with what the log knows: pages seen and notes pinned."""
    mine, slug = work_on(standing), standing.pack.slug
    return Draft(
        mine.scores, views.seen_pages(ctx.log, slug, ctx.person.name, keys),
        notes=tuple(notes.notes(ctx.log, slug, standing.pack.render_hashes())),
        **{name: tuple(mine.recorded[name]) for name in LISTS},
    )  # fmt: skip


def fresh(ctx: frame.Context, slug: str, look: serving.Look | None = None) -> tuple[Standing, dict[int, PageKey]]:
    """The pack as it lies there at this moment; ``look``: a walk over the files that was just made."""
    look = look or serving.look(ctx.workspace)
    standing = images.standing_of(ctx.workspace, slug, look)
    return standing, load.page_keys(standing, images.shown_of(ctx.workspace, slug, look))


def handle(ctx: frame.Context, event: Event) -> None:
    """One event from the viewer or the axes. It names its pack, so nothing lands on another one."""
    slug = str(event.values.get("slug"))
    deeds = {"page": _turned, "seen": _seen, "pin": _pinned, "score": _scored}
    if event.kind in deeds:
        deeds[event.kind](ctx, slug, {**event.values, "event": event.id})


def _turned(_ctx: frame.Context, slug: str, values: Any) -> None:
    PAGE.get()[slug] = int(values["page"])
    if address.query("slug") in (None, slug):  # a page turned just before another pack was opened opens nothing
        FOLLOWED.set(f"{slug}#{int(values['page'])}")
        address.put(slug=slug, page=str(int(values["page"])))


def _seen(ctx: frame.Context, slug: str, values: Any) -> None:
    def deed() -> None:
        _, keys = fresh(ctx, slug)
        page = int(values["page"])
        told = PageKey(page, str(values["render"]), tuple(str(one) for one in values["sources"]))
        views.record_view(ctx.log, ctx.person, slug, told, keys.get(page, PageKey(page, "")), float(values["coverage"]))

    if gate.decides():  # who only looks reviews nothing: their eyes are no evidence
        notices.attempt(deed)


def _pinned(ctx: frame.Context, slug: str, values: Any) -> None:
    axis = next((one for one in AXES if one == values.get("axis")), "F3")
    kind: notes.Kind = "invented" if values.get("note") == "invented" else "repair"
    x, y, width, height = (int(one) for one in values["region"])
    note = notes.Note(
        kind, int(values["page"]), (x, y, width, height), str(values["text"]), axis, str(values["render"])
    )
    once = str(values["event"])
    notices.attempt(lambda: notes.pin(ctx.log, ctx.person, slug, note, once=once), done=f"Pinned on page {note.page}")


def _scored(ctx: frame.Context, slug: str, values: Any) -> None:
    axis, score = next((one for one in AXES if one == values.get("axis")), None), values.get("score")
    if axis is None or not (score is None or (isinstance(score, int) and 0 <= score <= 4)):
        return
    mine = work_on(images.standing_of(ctx.workspace, slug))
    mine.scores = mine.scores | {axis: score}
    mine.touched = True


def record(ctx: frame.Context, slug: str, name: str, entries: list[str]) -> None:
    """What rejects by itself, as the reviewer ticked or wrote it."""
    mine = work_on(images.standing_of(ctx.workspace, slug))
    mine.recorded[name] = entries
    mine.touched = True


def save(ctx: frame.Context, slug: str, as_pass: bool) -> None:
    """Write the deliverable and the log."""

    def deed() -> None:
        standing, keys = fresh(ctx, slug)
        made = draft(ctx, standing, keys)
        scoring.save(ctx.log, ctx.person, slug, made, times.now(), as_pass=as_pass)
        WORK.get().pop(slug, None)

    notices.attempt(deed, done="Saved as pass" if as_pass else "Scores saved")


def decide(ctx: frame.Context, slug: str, verdict: Literal["pass", "reject"], note: state.Key[str]) -> None:
    """A person's verdict where the rules ask for one."""
    words = note.get()
    if notices.attempt(
        lambda: scoring.decide_human(ctx.log, ctx.person, slug, verdict, words, times.now()), done=f"Decided: {verdict}"
    ):
        note.set("")


def undo(ctx: frame.Context, slug: str) -> None:
    """Take back the last note, score or verdict of this person on this pack."""

    def deed() -> None:
        scoring.undo_last(ctx.log, ctx.person, slug)
        WORK.get().pop(slug, None)

    notices.attempt(deed, done="Undone")


def open_pack(slug: str) -> None:
    """Go to another pack (a callback)."""
    address.put(slug=slug, page=None)


def page_of(standing: Standing) -> int:
    """Which page is open: the address where it changed, else where this reviewer was."""
    slug, asked = standing.pack.slug, address.query("page") or ""
    numbers = [page.number for page in standing.pack.declared]
    wanted = (
        int(asked) if asked.isdigit() and int(asked) in numbers else PAGE.get().get(slug, numbers[0] if numbers else 1)
    )
    if FOLLOWED.get() != f"{slug}#{wanted}":
        FOLLOWED.set(f"{slug}#{wanted}")
        ASKED.set(ASKED.get() + 1)
    PAGE.get()[slug] = wanted
    return wanted
