"""Text fidelity: is it getting better, or wobbling?"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import TouchstoneError
from core.text_fidelity.place import EvalFolder
from core.text_fidelity.view import Book, find_row
from pages.shared import frame, hotkeys, widgets
from pages.shared.frame import Context
from pages.text_fidelity import chooser, freeze_view, head, keys, ledger_view, load, run_view, runs_view, scoring

_HOW = (
    "`python -m core text init .` makes .servo/content-fidelity here; "
    "touchstone.toml may name other places under [text_fidelity] evals."
)


def ledger(ctx: Context, made: Book) -> None:
    """The chart, and under it the run that is open."""
    order = [int(row) for row in made.reading.order]
    asked = find_row(made, keys.RUN.get())
    row = made.current if asked is None else asked
    if row is None:
        where = made.folder.file_label(made.folder.ledger)
        widgets.empty("Nothing scored yet", f"Each scored run adds a line to {where}.", "show_chart")
        return
    ledger_view.show(ctx, made, row)
    found = run_view.show(ctx, made, row, order)
    ledger_view.advice_on_n(made, row)
    names = [case.case for case in found.cases] if found else []
    hotkeys.listen(
        {
            "j": lambda _: run_view.move(made, order, 1),
            "k": lambda _: run_view.move(made, order, -1),
            "n": lambda _: run_view.move_case(names, 1),
            "p": lambda _: run_view.move_case(names, -1),
            "d": lambda _: keys.DIFF.set(not keys.DIFF.get()),
        },
        item=str(row),
    )


def show(ctx: Context, folder: EvalFolder, corner: DeltaGenerator) -> None:
    """One eval; ``corner`` is where the way to a new run stands."""
    frozen = load.frozen(folder)
    try:
        made = load.book(ctx, folder)
    except TouchstoneError as error:
        widgets.error(error, "Put a regular file in its place.")
        return
    head.show(ctx, made, frozen)
    with corner:
        scoring.button(ctx, made, frozen)
    scoring.progress(ctx, folder)
    if keys.VIEW.get() == "freeze":
        freeze_view.show(ctx, made, frozen)
    elif keys.VIEW.get() == "runs":
        runs_view.show(ctx, made)
    else:
        ledger(ctx, made)
    widgets.problems([*ctx.workspace.problems, *made.history.problems])


ctx = frame.begin("Text fidelity", watch=load.version, keys=keys.HELP)
st.html(Path(__file__).with_name("view.css"))
folders = {folder.label: folder for folder in load.evals(ctx.workspace)}
if folders:
    chooser.follow_address(list(folders))
    corner = chooser.show({label: folder.name for label, folder in folders.items()})
    show(ctx, folders[keys.EVAL.get()], corner)
    chooser.write_address()
else:
    widgets.empty("No eval here", _HOW, "notes")
    widgets.problems(ctx.workspace.problems)
