"""Pages run as a whole app (gate, navigation, view) without a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest

from pages.shared import data, gate, inbox

MAIN = Path(__file__).parents[2] / "pages" / "main.py"
RunPage = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without this every AppTest scans all installed packages for components (0.3 s); the cache is emptied after."""
    monkeypatch.setattr(BidiComponentManager, "discover_and_register_components", lambda self, **_: None)
    monkeypatch.setattr(gate, "_remembered", str)  # AppTest has no browser and so no cookie
    monkeypatch.setattr(inbox, "PATIENCE", 20.0)  # what the first look finds is on the first drawing
    yield
    data.forget()


@pytest.fixture
def run_page(monkeypatch: pytest.MonkeyPatch) -> RunPage:
    """``run_page("suggestions", folder, name="Ann", id="…")``: the page as that reviewer sees it; name="" is nobody.

    Fails when the script raised, so that no test passes on a page that broke.
    """

    def run(view: str, folder: Path, /, *, name: str = "Ann", **query: str) -> AppTest:
        monkeypatch.setenv("TOUCHSTONE_WORKSPACE", str(folder))
        monkeypatch.setenv("TOUCHSTONE_REVIEWER", name)
        app = AppTest.from_file(str(MAIN), default_timeout=60)
        for key, value in query.items():
            app.query_params[key] = value
        app.run()
        if view != "overview":
            app.switch_page(f"{view}/page.py").run()
        assert not app.exception, [one.value for one in app.exception]
        return app

    return run


def shown(app: AppTest) -> str:
    """Everything a page says in its own HTML and texts, for "is this word there" assertions."""
    elements = [*app.get("html"), *app.text, *app.markdown, *app.caption]
    return "\n".join(str(getattr(one, "body", None) or getattr(one, "value", "")) for one in elements)
