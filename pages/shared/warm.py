"""Imports made ahead at start-up, in the order in which the first visitor needs them."""

from __future__ import annotations

import importlib
import inspect
import threading
from pathlib import Path
from types import ModuleType

from core.errors import TouchstoneError
from core.workspace import Workspace

_PAGES = Path(__file__).parents[1]
#: How long imports give way to a first visitor, in seconds.
PATIENCE = 4.0
#: Set when somebody asks for a page for the first time, and when that page has been drawn.
arrived, drawn = threading.Event(), threading.Event()


def up() -> None:
    """Import what every page needs, then the table libraries, then what lies beside each view's page, and read ahead.

    From the moment a first visitor comes until the page is drawn, nothing more is begun: the imaging and statistics
    libraries of the other views would take half of the processor from the page that is being waited for. The pages
    themselves (`page.py`) are scripts and run only in a session.
    """
    for name in ("pages.shared.frame", "pages.shared.sidebar", "pages.shared.widgets", "pandas", "pyarrow"):
        importlib.import_module(name)
    inspect.stack()  # Streamlit does so before its first element, and the first time maps every module to its file
    beside = []
    for path in sorted(_PAGES.glob("*/*.py")):
        if path.stem not in ("page", "__init__"):
            _give_way()
            beside.append(importlib.import_module(f"pages.{path.parent.name}.{path.stem}"))
    _read_ahead([module for module in beside if hasattr(module, "ahead")])


def _give_way() -> None:
    if arrived.is_set() and not drawn.wait(PATIENCE):
        drawn.set()  # nothing was drawn for that visitor (a sign-in, a closed door): nobody is waited for again


def _read_ahead(modules: list[ModuleType]) -> None:
    """Let the views that have many files read them before the first visitor asks: ``ahead(workspace)`` of a module."""
    from pages.shared import gate

    for root in gate.offered():
        try:
            workspace = Workspace.open(root)
            for module in modules:
                _give_way()
                module.ahead(workspace)
        except TouchstoneError:
            continue  # whoever opens the page is told
