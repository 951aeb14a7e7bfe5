"""One run: what it came to, its timeline, and the iteration that is looked at."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core import numbers, times
from core.report_loop.view import Column, RunView
from core.report_loop.view.receipts import LegRow, ReceiptView
from core.report_loop.view.status import RULE
from pages.report_loop import browse, keys, timeline
from pages.shared import charts, text
from pages.shared.frame import Context
from pages.shared.text import Html

_DECIDED = {
    "accept_as_it_stands": "accepted as it stands", "send_back": "sent back", "waive_residue": "residue waived",
}  # fmt: skip
_FOLD = 220


def head(ctx: Context, view: RunView) -> None:
    """Title, one line of chips, one grey line of where it comes from."""
    state, chips = view.headline, []
    chips.append(text.verdict("needs_human" if state.escalated else state.word, state.words))
    chips.append(_accurate(view))
    if state.held_back:
        names = " and ".join(name.capitalize() for name in state.held_back)
        chips.append(text.chip(f"{names} {'holds' if len(state.held_back) == 1 else 'hold'} it back", "red", "block"))
    if state.decided is not None:
        chips.append(text.chip(f"{_DECIDED[state.decided.action]} by {state.decided.reviewer}", "blue", "gavel"))
    receipt = view.receipts.get(view.latest_receipt)
    flags = receipt.flags if receipt else ()
    chips += [text.chip(flag.text, "red" if flag.kind in ("overclaim", "a11y_contradiction") else "orange", "flag")
              for flag in flags if flag.kind not in ("stale", "underclaim")]  # fmt: skip
    if view.problems:
        chips.append(text.verdict("unreadable", f"{numbers.count(len(view.problems), 'problem')} in its files"))
    if state.violation:
        chips.append(text.chip(state.violation, "red", "flag"))
    started = _when(ctx, view.started) if view.started is not None else text.esc("at an unknown time")
    age = text.esc(f" · receipt {receipt.age}") if receipt is not None and receipt.age else Html("")
    where = text.tag("p", text.esc(f"{state.why} · began "), started, age, cls="ts-grey")
    text.show(text.tag("h2", text.esc(view.title), cls="ts-title"), text.chips(*chips), where)


def _accurate(view: RunView) -> Html:
    """The floor as it stands; where the iterations say better than the receipt, the receipt counts."""
    standing = view.standing
    receipt = view.receipts.get(view.latest_receipt)
    by_receipt = receipt.accurate if receipt is not None and receipt.readable else ""
    if standing is None:
        return text.verdict(by_receipt, f"Accurate: {by_receipt} by its receipt") if by_receipt else Html("")
    cell = standing.cell("accurate")
    if cell.claimed:
        return text.verdict(cell.state, f"Accurate: {cell.words} by its receipt, {cell.claimed} by its iterations")
    return text.verdict(cell.state, f"Accurate: {cell.words}")


def picture(view: RunView, chosen: int | None) -> None:
    """The timeline, or what would fill it."""
    if not view.columns:
        text.show(text.grey("No iteration of this run can be shown. " + RULE))
        return
    chart_key = f"report_loop_timeline_{view.run}"

    def clicked() -> None:
        points = (st.session_state.get(chart_key) or {}).get("selection", {}).get("iteration") or []
        if points and isinstance(points[0].get("iteration"), int | float):
            browse.look_at(int(points[0]["iteration"]))

    charts.show(
        timeline.spec(view, chosen), key=chart_key, name=f"Timeline of {view.title}", rows=timeline.rows(view),
        height=timeline.height(), on_select=clicked, selection_mode="iteration",
    )  # fmt: skip
    bar = next((cell.bar for column in view.columns for cell in column.cells if cell.bar is not None), None)
    strip = f"Strip: judge samples from {timeline.lowest(view):g} to 1, diamond the median, tick the bar"
    text.show(text.grey(f"{strip}{f' {bar:g}' if bar is not None else ''}. Frame: the dimension revised. {RULE}"))


def iterations(view: RunView, chosen: int | None) -> None:
    """The same choice as a click in the picture, as a control."""
    indices = [column.index for column in view.columns]
    if len(indices) < 2 or chosen is None:
        return
    control = keys.step(view.run)
    control.set(chosen)
    st.segmented_control(
        "Iteration", indices, key=control.id, required=True,
        on_change=lambda: browse.look_at(control.get() or chosen),
    )  # fmt: skip


def detail(ctx: Context, view: RunView, column: Column | None) -> None:
    """One iteration: what it was about, its receipt and every leg with its evidence."""
    receipt = view.receipt_of(column) if column is not None else view.receipts.get(view.latest_receipt)
    title = f"Legs at iteration {column.index}" if column is not None else "Legs of the receipt"
    parts: list[Html] = [text.tag("h3", text.esc(title), cls="ts-h")]
    if column is not None:
        parts.append(_about(ctx, column))
    if receipt is None:
        missing = column.receipt if column is not None else ""
        why = f"{missing} is not in the run folder" if missing else "this iteration names no receipt"
        parts.append(text.chips(text.verdict("not_captured", "no receipt"), note=why))
    elif not receipt.readable:
        note = "the place and the reason stand under “could not be read”"
        parts.append(text.chips(text.verdict("unreadable", f"{receipt.name} cannot be read"), note=note))
    else:
        parts += [_gate(receipt), legs(receipt), *_a11y(receipt)]
    text.show(text.tag("div", *parts, cls="ts-stack"))


def _about(ctx: Context, column: Column) -> Html:
    said = [
        f"{column.move} for {column.target.capitalize()}" if column.target else column.move, column.why,
        "" if column.measured else "not scored: the cells repeat what stood",
        f"judge {column.fingerprint[:40]}" if column.fingerprint else "no judge fingerprint",
    ]  # fmt: skip
    return text.tag("p", text.esc(" · ".join(part for part in said if part)), _at(ctx, column.at), cls="ts-grey")


def _at(ctx: Context, written: str) -> Html:
    """When the iteration ended, in the reviewer's zone; as it is written where it is no time."""
    if not written:
        return Html("")
    try:
        return text.join([text.esc(" · "), _when(ctx, times.parse_instant(written))])
    except ValueError:
        return text.esc(f" · {written[:40]}")


def _when(ctx: Context, moment: times.Instant) -> Html:
    """A time of the run; one that is still to come is marked, and one that has no other zone stands as written."""
    skew = text.esc(" (in the future: clock skew)") if moment.in_future(ctx.now) else Html("")
    try:
        return text.join([text.when(moment, ctx.zone), skew])
    except OverflowError:
        return text.join([text.esc(moment.text), skew])


def _gate(receipt: ReceiptView) -> Html:
    computed = text.verdict(str(receipt.gate), f"gate {receipt.gate}")
    claimed = text.verdict("overclaim", f"claims {receipt.claimed}") if receipt.overclaim else Html("")
    fresh = receipt.freshness
    age = Html("") if fresh is None or fresh.fresh else text.verdict("stale", "stale" if fresh.stale else fresh.why)
    note = f"{receipt.legs_passed} of 7 legs pass · {receipt.age} · {receipt.name}"
    return text.chips(computed, claimed, age, note=note)


def legs(receipt: ReceiptView) -> Html:
    """The legs as a table; long evidence is folded and there in full."""
    heads = text.tag("tr", *(text.tag("th", text.esc(name)) for name in ("leg", "verdict", "evidence")))
    return text.tag("table", heads, *map(_leg, receipt.legs), cls="ts-legs")


def _leg(leg: LegRow) -> Html:
    word = text.verdict("not_captured" if leg.verdict == "missing" else leg.verdict, leg.verdict)
    judge = _small(f"judge {leg.fingerprint}" if leg.fingerprint else "")
    return text.tag(
        "tr",
        text.tag("td", text.tag("b", text.esc(leg.leg)), _small(leg.checks)),
        text.tag("td", word, _small(_label(leg.label, leg.blocking, leg.repeat_count))),
        text.tag("td", _evidence(leg.evidence), _small(leg.note), judge),
    )


def _label(label: str, blocking: bool, repeats: int | None) -> str:
    words = [label or "no label", "" if blocking else "does not block", f"{repeats}×" if repeats else ""]
    return ", ".join(word for word in words if word)


def _small(words: str) -> Html:
    return text.tag("p", text.esc(words), cls="ts-grey") if words else Html("")


def _evidence(words: str) -> Html:
    if len(words) <= _FOLD:
        return text.tag("bdi", text.esc(words or "no evidence given"))
    more = f"{words[:_FOLD].rstrip()}… {numbers.size(len(words.encode('utf-8', 'replace')))}"
    return text.tag("details", text.tag("summary", text.esc(more)), text.verbatim(words, cls="ts-mono"))


def _a11y(receipt: ReceiptView) -> list[Html]:
    gate = receipt.a11y
    if gate is None:
        return [text.grey("no accessibility gate beside this receipt")]
    if gate.signal is None:
        return [text.chips(text.verdict("unreadable", "accessibility gate unreadable"))]
    words = text.verdict("pass" if gate.signal else "fail", f"accessibility gate {gate.gate}")
    found = [
        text.tag("li", text.tag("code", text.esc(f"{one.rule} {one.wcag} ")), text.esc(f"{one.node}: {one.detail}"))
        for one in gate.violations
    ]  # fmt: skip
    return [text.chips(words, note=gate.contradiction), *([text.tag("ul", *found, cls="ts-problems")] if found else [])]


def figures(view: RunView) -> list[dict[str, Any]]:
    """The legs of the latest receipt for a download."""
    receipt = view.receipts.get(view.latest_receipt)
    return [
        {"leg": leg.leg, "checks": leg.checks, "verdict": leg.verdict, "label": leg.label, "blocking": leg.blocking,
         "evidence": leg.evidence, "note": leg.note}
        for leg in (receipt.legs if receipt else ())
    ]  # fmt: skip
