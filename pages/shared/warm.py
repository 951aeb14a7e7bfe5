"""Imports made ahead at start-up, in the order in which the first visitor needs them."""

from __future__ import annotations

import importlib
from pathlib import Path

_PAGES = Path(__file__).parents[1]


def up() -> None:
    """Import what every page needs, then the table libraries, then what lies beside each view's page.

    The pages themselves (`page.py`) are scripts and run only in a session.
    """
    for name in ("pages.shared.frame", "pages.shared.sidebar", "pages.shared.widgets", "pandas", "pyarrow"):
        importlib.import_module(name)
    for path in sorted(_PAGES.glob("*/*.py")):
        if path.stem not in ("page", "__init__"):
            importlib.import_module(f"pages.{path.parent.name}.{path.stem}")
