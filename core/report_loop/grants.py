"""Edits that people granted to frozen nodes: what the driver adds to a node's budget."""

from __future__ import annotations

import os
from pathlib import Path

from core.workspace import STATE, Workspace


def granted_edits(workspace: Workspace, folder: Path) -> dict[str, int]:
    """One more edit for each time a person unfroze a node of this run. Raises Unavailable."""
    if not (workspace.root / STATE).is_dir() and not os.environ.get("TOUCHSTONE_DATABASE_URL"):
        return {}  # nobody has decided anything here: no database is opened for a loop that has just begun
    from core.decisions import open_log
    from core.report_loop.decisions import NONE, all_decisions

    return dict(all_decisions(open_log(workspace)).get(folder.name, NONE).grants)
