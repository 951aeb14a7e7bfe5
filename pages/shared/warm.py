"""Work that is done once at start-up, so that the first visitor does not wait for it."""

from __future__ import annotations

import importlib


def up() -> None:
    """Import what the pages import. The pages themselves run only in a session."""
    for name in (
        "pages.shared.frame", "pages.shared.sidebar", "pages.shared.widgets", "pages.shared.items",
        "pages.shared.tables", "pages.shared.charts", "core.decisions",
    ):  # fmt: skip
        importlib.import_module(name)
