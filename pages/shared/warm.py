"""Imports made ahead at start-up, in the order in which the first visitor needs them."""

from __future__ import annotations

import importlib
import threading
from pathlib import Path
from types import ModuleType

from core.errors import TouchstoneError
from core.workspace import Workspace

_PAGES = Path(__file__).parents[1]
#: How long the rest waits for a first visitor, in seconds.
PATIENCE = 4.0
#: Set when a page has been drawn for the first time.
drawn = threading.Event()


def up() -> None:
    """Import what every page needs, then the table libraries, then what lies beside each view's page.

    Between the two the first visitor has the processor: the imaging and statistics libraries of the other views would
    take half of it from the page that is being waited for. The pages themselves (`page.py`) are scripts and run only in
    a session.
    """
    for name in ("pages.shared.frame", "pages.shared.sidebar", "pages.shared.widgets", "pandas", "pyarrow"):
        importlib.import_module(name)
    drawn.wait(PATIENCE)
    beside = [
        importlib.import_module(f"pages.{path.parent.name}.{path.stem}")
        for path in sorted(_PAGES.glob("*/*.py"))
        if path.stem not in ("page", "__init__")
    ]
    _read_ahead([module for module in beside if hasattr(module, "ahead")])


def _read_ahead(modules: list[ModuleType]) -> None:
    """Let the views that have many files read them before the first visitor asks: ``ahead(workspace)`` of a module."""
    from pages.shared import gate

    for root in gate.offered():
        try:
            workspace = Workspace.open(root)
            for module in modules:
                module.ahead(workspace)
        except TouchstoneError:
            continue  # whoever opens the page is told
