"""Overview: what needs me now, what could not be read."""

from __future__ import annotations

from pages.shared import frame, widgets

ctx = frame.begin("Overview")
widgets.problems(ctx.workspace.problems, expanded=True)
if not ctx.workspace.problems:
    widgets.empty("Nothing needs you", "Open a workspace in which pipelines write suggestions, runs, evals or packs.")
