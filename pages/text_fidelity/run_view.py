"""One run opened: reference and text side by side, what changed since the run before, every sample with its reason."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core import numbers, times
from core.errors import TouchstoneError
from core.text_fidelity import report, worddiff
from core.text_fidelity.aggregate import lower_bound
from core.text_fidelity.view import Book, Opened, OpenedCase, find_row, number
from core.text_fidelity.worddiff import Piece
from pages.shared import text, widgets
from pages.shared.frame import Context
from pages.text_fidelity import keys, load

_LONGEST = 60_000
_MOST_SEGMENTS = 5


def number_of(made: Book, row: int) -> int | None:
    """A run's number on the axis; None for one that is not on it."""
    drawn = made.reading.order[made.reading.marks.compared[made.reading.order]]
    found = np.flatnonzero(drawn == row)
    return int(found[0]) + 1 if len(found) else None


def show(ctx: Context, made: Book, row: int, order: Sequence[int]) -> Opened | None:
    """Draw the run; None where the ledger no longer holds it."""
    try:
        found = load.opened(made, row)
    except TouchstoneError as error:
        widgets.error(error, "The ledger was rewritten; the page will show it as it is now.")
        return None
    _head(ctx, made, row, found)
    names = [case.case for case in found.cases]
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="tf_turn"):
        _cases(found, names)
        with st.container(horizontal=True, gap="small", width="content"):
            _turn(made, row, order)
    if not names:
        text.show(text.grey("This record names no cases."))
        return found
    case = next(one for one in found.cases if one.case == keys.CASE.get())
    _texts(made, case)
    _samples(case, found)
    return found


def _cases(found: Opened, names: Sequence[str]) -> None:
    if names and keys.CASE.get() not in names:
        keys.CASE.set(names[0])
    if 1 < len(names) <= _MOST_SEGMENTS:
        st.segmented_control(
            "Case", names, key=keys.CASE.id, required=True, label_visibility="collapsed",
            format_func=lambda name: f"{text.label(name, 40)} {_bound(found, name)}",
        )  # fmt: skip
    elif len(names) > _MOST_SEGMENTS:
        st.selectbox(
            "Case", names, key=keys.CASE.id, label_visibility="collapsed", width=380,
            format_func=lambda name: f"{name} {_bound(found, name)}",
        )  # fmt: skip


def _head(ctx: Context, made: Book, row: int, found: Opened) -> None:
    reading = made.reading
    number = number_of(made, row)
    title = f"Run {number}" if number is not None else f"Line {int(reading.runs.line[row])}"
    at = times.parse_instant(str(found.record.get("at")))
    chips = [text.chip(numbers.composite(float(reading.runs.composite[row])), "gray", "show_chart")]
    word = reading.change_word(row)
    if word is not None:
        gain = float(reading.gain[row])
        chips.append(_change(word, gain))
    for case in reading.drifted().get(row, []):
        chips.append(text.verdict("drift", f"{case} drifted: generator and judge mixed"))
    chips += [text.verdict("unreadable", flag.replace("_", " ")) for flag in report.flags(reading, row)]
    if found.practice:
        chips.append(text.chip("practice judge: no model", "violet", "school"))
    text.show(
        text.tag("div", text.tag("h2", text.esc(title), cls="ts-title tf-run"), *chips,
                 text.tag("span", text.when(at, ctx.zone), cls="ts-grey"), cls="ts-chips")
    )  # fmt: skip


def _turn(made: Book, row: int, order: Sequence[int]) -> None:
    widgets.action("Previous", hint="k", key="tf_previous", icon="chevron_left", kind="tertiary",
                   on_click=move, args=(made, order, -1), disabled=row == order[0])  # fmt: skip
    widgets.action("Next", hint="j", key="tf_next", icon="chevron_right", kind="tertiary",
                   on_click=move, args=(made, order, 1), disabled=row == order[-1])  # fmt: skip


def _change(word: str, gain: float) -> text.Html:
    more = f" {gain:+.4f} to the best before" if gain == gain else ""
    colours = {
        "improved": ("green", "trending_up"),
        "dropped": ("red", "trending_down"),
        "flat": ("gray", "trending_flat"),
    }
    colour, icon = colours.get(word, ("blue", "flag"))
    return text.chip(f"{word}{more}", colour, icon)  # type: ignore[arg-type]  # the table's colours


def move(made: Book, order: Sequence[int], by: int) -> None:
    """Go to the run before or after in time (a callback); each press of a burst starts where the one before ended."""
    here = find_row(made, keys.RUN.get())
    here = made.current if here is None else here
    if here is not None:
        place = min(max(0, list(order).index(here) + by), len(order) - 1)
        keys.RUN.set(str(int(made.reading.runs.line[order[place]])))


def move_case(names: Sequence[str], by: int) -> None:
    """Go to the next or previous case (a callback)."""
    if names:
        here = names.index(keys.CASE.get()) if keys.CASE.get() in names else 0
        keys.CASE.set(names[(here + by) % len(names)])


def _bound(found: Opened, name: str) -> str:
    return numbers.composite(next(one for one in found.cases if one.case == name).bound)


def _texts(made: Book, case: OpenedCase) -> None:
    pieces = case.diff
    left, right = st.columns(2, gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="center", key="tf_reference_head"):
            text.show(text.grey(f"Reference · {case.reference_name}"))
        text.show(_box(case.reference))
    with right:
        n = len(case.samples)
        source = f"Text under test · gathered once, judged {n} time{'s' if n != 1 else ''}"
        held = " · held from an earlier run" if case.held else ""
        comparable = pieces is not None and not case.same_text
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="tf_text_head"):
            text.show(text.grey(source + held))
            if comparable:
                keys.DIFF.get()
                st.toggle("What changed `d`", key=keys.DIFF.id)
        if case.text is None:
            text.show(text.tag("div", text.grey(case.missing[:1].upper() + case.missing[1:] + "."), cls="tf-box"))
        elif comparable and keys.DIFF.get() and pieces is not None:
            gone, new = worddiff.changed(pieces)
            before = number_of(made, case.before_run) if case.before_run is not None else None
            since = f"since run {before}" if before is not None else "since the run before"
            text.show(_diff(pieces), text.grey(f"{gone} words gone, {new} new {since}"))
        else:
            text.show(_box(case.text), text.grey("The same text as in the run before." if case.same_text else ""))


def _box(value: str | None) -> text.Html:
    if value is None:
        return text.tag("div", text.grey("Not kept."), cls="tf-box")
    cut = f"\n… {len(value) - _LONGEST:,} more characters" if len(value) > _LONGEST else ""
    return text.tag("div", text.verbatim(value[:_LONGEST] + cut, cls="ts-mono"), cls="tf-box")


def _diff(pieces: Sequence[Piece]) -> text.Html:
    names = {"gone": "del", "new": "ins", "same": "span"}
    inner = [text.tag(names[piece.kind], text.esc(piece.text)) for piece in pieces]
    return text.tag("div", text.tag("div", *inner, cls="ts-mono"), cls="tf-box tf-diff")


def _samples(case: OpenedCase, found: Opened) -> None:
    scores = [text.tag("span", text.esc(numbers.composite(sample)), cls="tf-score") for sample in case.samples]
    if case.reasons:
        told = [*case.reasons, *["no reason was recorded"] * len(scores)]
        body = text.join([
            text.tag("div", score, text.tag("bdi", text.esc(reason)), cls="tf-sample")
            for score, reason in zip(scores, told, strict=False)
        ])  # fmt: skip
    else:
        body = text.tag("div", *scores, text.grey("no reasons were recorded"), cls="ts-chips")
    text.show(
        text.tag("h3", text.esc(numbers.count(len(case.samples), "sample")), cls="tf-case"),
        text.grey(_spread(case)), text.tag("div", body, cls="tf-samples"),
        *(text.grey(note) for note in case.notes), text.grey(_cost(found)),
    )  # fmt: skip


def _spread(case: OpenedCase) -> str:
    known = [sample for sample in case.samples if sample is not None]
    if len(known) < len(case.samples):
        return f"no spread: {numbers.count(len(case.samples) - len(known), 'sample')} of this record is no number"
    try:
        found = lower_bound(known, 0)
    except ValueError as error:
        return f"no spread: {error}"
    spread = f"stderr {found.stderr:.4f}" if found.spread_known else "n=1, spread unknown"
    return f"mean {numbers.composite(found.mean)} · {spread} · lower bound on record {numbers.composite(case.bound)}"


def _cost(found: Opened) -> str:
    usage = found.record.get("usage")
    if not isinstance(usage, dict):
        return "this record does not say what it cost"
    tokens = [usage.get("input_tokens"), usage.get("output_tokens")]
    told = " + ".join(f"{count:,}" if isinstance(count, int) else numbers.NOT_KNOWN for count in tokens)
    money = numbers.money(number(usage.get("cost_usd")))
    return f"{usage.get('calls', numbers.NOT_KNOWN)} calls · {told} tokens · {money} for the run"
