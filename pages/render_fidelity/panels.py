"""The parts of the page round the viewer: state, axes and verdict, what rejects, verifiers, checks, notes."""

from __future__ import annotations

import streamlit as st

from core import numbers
from core.render_fidelity.notes import Note
from core.render_fidelity.publication import lamps
from core.render_fidelity.recorded import items
from core.render_fidelity.standing import Standing
from core.render_fidelity.verdict import Outcome
from pages.render_fidelity import components, deeds, load
from pages.shared import frame, state, text, widgets
from pages.shared.verdicts import Colour, look

NOTE: state.Key[str] = state.Key("render_fidelity", "human_note", str)
_MARKS: dict[str, tuple[Colour, str]] = {
    "pass": ("green", "check"),
    "fail": ("red", "close"),
    "unknown": ("orange", "question_mark"),
}


HELP = {
    "1 … 7": "side by side, swipe, onion, blink, difference, changes, heat",
    "0 9 + -": "fit, 100%, zoom",
    "j k": "next and previous page",
    "n p": "next and previous change",
    "Space": "read on at 100%: the next part not seen",
    "m": "next merged original",
    "o": "offset lock",
    "f": "full window",
    "t": "pin a note (Ctrl+Enter saves it)",
    "d e": "next and previous axis",
    "Shift 0 … 4": "score the open axis",
    "a": "save as pass",
    "s": "save the scores",
    "r": "decide reject (where a person decides)",
    "[ ]": "previous and next pack",
}
HOW = (
    "Packs are folders design-packs/<slug>/ with meta.yaml and pages/; their original pages lie in "
    "_workspace/<batch>/pages_src/."
)


def head(standing: Standing, seen: int, outcome: Outcome, unsaved: bool) -> None:
    """One line of chips that says the state, one grey line that says where it comes from."""
    holds, pages = sum(check.outcome == "pass" for check in standing.checks), len(standing.pack.declared)
    light = lamps(standing.pack.meta, standing.verdict)
    word = standing.verdict
    words = f"{word}, decided by {standing.human.reviewer}" if standing.human else word
    colour: Colour = "red" if standing.failed else "green" if holds == len(standing.checks) else "orange"
    chips = [
        text.verdict(word, words),
        text.chip(f"{holds} of {len(standing.checks)} checks", colour, "fact_check"),
        text.chip(f"{seen} of {pages} pages seen", "green" if seen == pages and pages else "orange", "visibility"),
        text.chip(f"diversity {light.diversity}", look(light.diversity).colour, "lightbulb"),
        text.chip(f"fidelity {light.fidelity}", look(light.fidelity).colour, "lightbulb"),
    ]
    if unsaved:
        chips.append(text.chip("not saved", "blue", "edit"))
    text.show(text.chips(*chips), text.grey(_source(standing, outcome)))


def failed(standing: Standing) -> None:
    """What stands above everything: failed checks (nothing is scored meanwhile), and scores that are void."""
    for check in standing.failed:
        _alert("red", text.verdict("fail", check.name), check.detail)
    if standing.judged is not None:
        for reason in standing.judged.evidence.void:
            _alert("orange", text.verdict("stale", "older scores"), reason)


def _alert(colour: str, chip: text.Html, words: str) -> None:
    line = text.chips(chip, text.tag("span", text.esc(words)))
    text.show(text.Html(f'<div role="alert" class="ts-notice ts-notice-{colour}">{line}</div>'))


def _source(standing: Standing, outcome: Outcome) -> str:
    parts = [standing.pack.mode or "no reference_mode"]
    if standing.judged is not None:
        judged = standing.judged
        if judged.outcome.total is not None:
            parts.append(f"saved total {judged.outcome.total} of {judged.outcome.maximum}")
        if judged.evidence.second.total is not None:
            parts.append(f"second verifier {judged.evidence.second.total}, Δ {judged.outcome.delta}")
        parts.append(f"by {judged.deliverable.reviewer or 'an unnamed verifier'}")
    elif outcome.maximum:
        parts.append("nobody has scored it")
    return " · ".join(parts)


def mapping_words(standing: Standing) -> str:
    """The mapping rate that counts, and the mapped-only rate beside it."""
    found = standing.mapping
    if not found.total:
        return "Mapping rate n/a: no mirror plan with original_pages"
    left = f"; unexplained: {', '.join(map(str, found.unexplained))}" if found.unexplained else ""
    rate, mapped = numbers.percent(found.accounted, found.total), numbers.percent(found.mapped, found.total)
    return f"{rate} of {found.total} original pages mapped or reasoned (this counts), {mapped} mapped{left}"


def scoring(ctx: frame.Context, standing: Standing, outcome: Outcome, seen: int) -> None:
    """The narrow column: the live verdict, what can be saved, the axes, then every reason."""
    mine, slug = deeds.work_on(standing), standing.pack.slug
    if not load.active(standing):
        text.show(text.verdict(standing.computed), text.verbatim("\n".join(standing.reasons)))
        return
    total = f"total {numbers.NOT_KNOWN if outcome.total is None else outcome.total} of {outcome.maximum}"
    text.show(text.chips(text.verdict(outcome.verdict), note=total), key="render_live")
    why = "" if outcome.verdict == "pass" else _why_not(outcome, standing, seen)
    with st.container(horizontal=True, gap="xsmall"):
        widgets.action(
            "Pass", key="render_pass", hint="a", on_click=deeds.save, args=(ctx, slug, True), kind="primary",
            disabled=outcome.verdict != "pass" or bool(standing.failed), why=why,
        )  # fmt: skip
        widgets.action(
            "Save", key="render_save", hint="s", on_click=deeds.save, args=(ctx, slug, False),
            disabled=bool(standing.failed), why="A check fails: scoring does not start." if standing.failed else "",
        )  # fmt: skip
        widgets.action("Undo", key="render_undo", hint="u", on_click=deeds.undo, args=(ctx, slug), kind="tertiary")
    if why:
        text.show(text.grey(why))
    missing = len(mine.recorded["missing_signatures"])
    data = load.axes_data(standing, mine.scores, missing)
    components.axes(data, lambda event: deeds.handle(ctx, event), key="render_axes")
    reasons = text.tag("ul", *(text.tag("li", text.esc(reason)) for reason in outcome.reasons), cls="ts-reasons")
    text.show(text.tag("h2", text.esc("Every reason"), cls="ts-h"), reasons)


def _why_not(outcome: Outcome, standing: Standing, seen: int) -> str:
    pages = len(standing.pack.declared)
    if standing.failed:
        return "Pass is not offered: a check fails."
    if seen < pages:
        return f"No pass yet: {numbers.count(pages - seen, 'page')} not seen at 100%."
    return f"No pass: {outcome.reasons[0]}."


def human(ctx: frame.Context, standing: Standing) -> None:
    """Where the rules ask for a person: pass or reject, with a note."""
    if standing.computed != "needs_human":
        return
    slug = standing.pack.slug
    with st.container(border=True, key="render_human"):
        what = "A person has decided" if standing.human else "This pack waits for a person"
        text.show(text.chips(text.verdict("needs_human", what), note="; ".join(standing.reasons)))
        if standing.human:
            said = standing.human
            text.show(text.verbatim(f"{said.reviewer}: {said.verdict}. {said.note}"))
            text.show(text.grey(f"It stands until {said.reviewer or 'who gave it'} takes it back (u)."))
            return
        st.text_input("Why", key=NOTE.id, max_chars=4000, placeholder="What you saw that decides it")
        with st.container(horizontal=True, gap="small"):
            widgets.action(
                "Decide pass",
                key="render_human_pass",
                icon="check",
                on_click=deeds.decide,
                args=(ctx, slug, "pass", NOTE),
            )
            widgets.action(
                "Decide reject",
                key="render_human_reject",
                hint="r",
                icon="close",
                on_click=deeds.decide,
                args=(ctx, slug, "reject", NOTE),
            )


def record(ctx: frame.Context, standing: Standing) -> None:
    """What rejects by itself whatever the scores: signatures, protected assets, wrong values."""
    slug, mine = standing.pack.slug, deeds.work_on(standing)
    title = text.tag("h2", text.esc("What rejects by itself"), cls="ts-h")
    text.show(title, text.grey("Recorded here, it rejects whatever the scores are."))
    names = load.signature_names(standing)
    if names:
        for name, label in (("missing_signatures", "Signatures missing"), ("unverifiable", "Could not be verified")):
            _pills(ctx, slug, name, label, names, mine.recorded[name])
    for name, label in (
        ("value_errors", "Wrong numbers, units or chart directions"),
        ("copied_assets", "Protected assets copied"),
    ):
        _lines(ctx, slug, name, label, mine.recorded[name])


def _pills(ctx: frame.Context, slug: str, name: str, label: str, names: list[str], ticked: list[str]) -> None:
    key: state.Key[list[str]] = state.Key("render_fidelity", f"{name}_{slug}", list)
    key.set([one for one in ticked if one in names])
    others = [one for one in ticked if one not in names]

    def changed() -> None:
        deeds.record(ctx, slug, name, [*others, *key.get()])

    st.pills(label, names, selection_mode="multi", key=key.id, format_func=text.label, on_change=changed)


def _lines(ctx: frame.Context, slug: str, name: str, label: str, written: list[str]) -> None:
    field: state.Key[str] = state.Key("render_fidelity", f"{name}_{slug}", str)
    field.set("\n".join(written))

    def changed() -> None:
        deeds.record(ctx, slug, name, [line.strip() for line in field.get().splitlines() if line.strip()])

    st.text_area(f"{label}, one a line", key=field.id, height=68, max_chars=4000, on_change=changed)


def verifiers(standing: Standing) -> None:
    """Two verifiers side by side with Δ; never one sum."""
    text.show(text.tag("h2", text.esc("Two verifiers"), cls="ts-h"))
    judged = standing.judged
    if judged is None:
        text.show(text.grey("Nobody has scored this pack yet."))
        return
    second, axes = judged.evidence.second, load.second_scores(standing)
    first = [
        str(judged.evidence.axes.get(axis)) if judged.evidence.axes.get(axis) is not None else numbers.NOT_KNOWN
        for axis in load.active(standing)
    ]
    rows = [
        ["verifier", *load.active(standing), "total"],
        [judged.deliverable.reviewer or "first", *first, _known(judged.outcome.total)],
        [
            second.verifier or "second",
            *(_known(axes.get(axis)) for axis in load.active(standing)),
            _known(second.total),
        ],
        [
            "Δ",
            *(_gap(judged.evidence.axes.get(axis), axes.get(axis)) for axis in load.active(standing)),
            _known(judged.outcome.delta),
        ],
    ]
    cells = [
        text.tag(
            "tr", *(text.tag("th" if not at or not place else "td", text.esc(cell)) for place, cell in enumerate(row))
        )
        for at, row in enumerate(rows)
    ]
    text.show(text.tag("table", *cells, cls="ts-figures"))
    due = judged.evidence.due
    text.show(text.grey(f"Cross-check due: {'; '.join(due.reasons) if due else 'no'}. {second.why}".strip()))


def _known(value: int | None) -> str:
    return numbers.NOT_KNOWN if value is None else str(value)


def _gap(one: int | None, other: int | None) -> str:
    return numbers.NOT_KNOWN if one is None or other is None else str(abs(one - other))


def checks(standing: Standing) -> None:
    """Every deterministic check with its detail."""
    rows = []
    for check in standing.checks:
        colour, icon = _MARKS[check.outcome]
        parts = [text.chip(check.outcome, colour, icon), text.tag("b", text.esc(f" {check.name} "))]
        rows.append(text.tag("li", *parts, text.tag("span", text.esc(check.detail), cls="ts-grey")))
    title = text.tag("h2", text.esc("Deterministic checks"), cls="ts-h")
    text.show(title, text.grey(mapping_words(standing)), text.tag("ul", *rows, cls="ts-problems"))


def notes(found: list[Note], standing: Standing) -> None:
    """Pinned notes and what the saved file asks its author for."""
    text.show(text.tag("h2", text.esc("Notes and repair requests"), cls="ts-h"))
    lines = [
        f"page {note.page} · {note.axis if note.kind == 'repair' else 'invented'} · {note.text} ({note.reviewer})"
        for note in found
    ]
    deliverable = standing.deliverable
    for entry in items(deliverable.raw.get("repair_requests")) if deliverable else []:
        line = (
            f"page {entry.get('page')} · {entry.get('axis')} · {entry.get('text')}"
            if isinstance(entry, dict)
            else str(entry)
        )
        if not any(line in one for one in lines):
            lines.append(f"{line} (saved)")
    if not lines:
        text.show(text.grey("None. Press t on a page to pin one to a region."))
        return
    text.show(text.tag("ul", *(text.tag("li", text.esc(line)) for line in lines), cls="ts-problems"))
