"""What stands behind a suggestion: the rubric's words and the report it came from."""

from __future__ import annotations

import streamlit as st

from core import files
from core.errors import TouchstoneError
from core.suggestions import anchors, scoring
from core.suggestions.anchors import Anchors
from core.suggestions.backtest import DEFAULT_THRESHOLD
from core.suggestions.entries import Entry
from core.suggestions.threshold import in_force
from core.workspace import Workspace
from pages.shared import data, text
from pages.shared.frame import Context
from pages.suggestions import card

_MOST = 20_000


def rubric(workspace: Workspace) -> Anchors:
    """The words of each value of A, P and G in this workspace's rubric; nothing where it cannot be read."""
    return data.cached(_anchors, workspace, paths=[workspace.suggestions.rubric])


def threshold(ctx: Context) -> int:
    """The total at which a suggestion passes now; where the settings name none that is one, the customer's rule."""
    return data.cached(_threshold, ctx.workspace, extra=ctx.log.version(), given=(ctx,))


def _threshold(workspace: Workspace, ctx: Context) -> int:
    try:
        return in_force(workspace, ctx.log).value
    except TouchstoneError:
        return DEFAULT_THRESHOLD  # the grader's page says what is wrong with the setting


def _anchors(workspace: Workspace) -> Anchors:
    try:
        return anchors.read_anchors(scoring.read_rubric(workspace).text)
    except TouchstoneError:
        return {}  # the page of the grader says what is wrong with the rubric; here only the words are missing


def report(ctx: Context, entry: Entry) -> None:
    """The report the suggestion was made from, as text, when it lies inside the workspace."""
    if not entry.report:
        return
    name = card.report_path(entry)
    try:
        path = ctx.workspace.path(name)
    except TouchstoneError as error:
        text.show(text.grey(f"Report not opened: {error}"))
        return
    if not path.exists():
        return
    with st.expander("Report", icon=":material/article:", key="suggestions_report"):
        try:
            body = data.cached(_read, ctx.workspace, name, paths=[path])
        except TouchstoneError as error:
            text.show(text.grey(str(error)))
            return
        text.show(text.grey(name), text.verbatim(body[:_MOST]))
        if len(body) > _MOST:
            text.show(text.grey(f"The first {_MOST:,} of {len(body):,} characters."))


def _read(workspace: Workspace, name: str) -> str:
    return files.read_text(workspace.path(name), name).text
