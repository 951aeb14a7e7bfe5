"""The address follows what is looked at; a key that was sent with the address from before leads nobody back.

What an AppTest says as its address after the first run is that of a browser that has not heard of the newest one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.testing.v1 import AppTest

from tests.browser.server import DEMO, copy_workspace
from tests.pages.conftest import RunPage

# view, the parameter that names the item, the button that goes on
VIEWS = [("triage", "id", "triage_next"), ("suggestions", "id", "suggestion_next")]


def named(app: AppTest, parameter: str) -> str:
    value = app.query_params[parameter]
    return value if isinstance(value, str) else value[0]


@pytest.mark.parametrize(("view", "parameter", "onward"), VIEWS)
def test_an_older_address_leads_nobody_back(
    run_page: RunPage, tmp_path: Path, view: str, parameter: str, onward: str
) -> None:
    app = run_page(view, copy_workspace(DEMO, tmp_path / "demo"))
    seen = [named(app, parameter)]
    for _ in range(3):
        app.button(key=onward).click().run()
        seen.append(named(app, parameter))
    assert len(set(seen)) == 4
    for late in seen[:3]:  # one, two and three steps behind
        app.query_params[parameter] = late
        app.run()
        assert named(app, parameter) == seen[3]
    app.query_params[parameter] = seen[1]  # a key pressed before the browser had heard of the third step
    app.button(key=onward).click().run()
    assert named(app, parameter) not in seen


@pytest.mark.parametrize(("view", "parameter", "onward"), VIEWS)
def test_going_back_in_the_browser_goes_back(
    run_page: RunPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str, parameter: str, onward: str
) -> None:
    app = run_page(view, copy_workspace(DEMO, tmp_path / "demo"))
    first = named(app, parameter)
    app.button(key=onward).click().run()
    reset = ScriptRunContext.reset

    def went_back(self: ScriptRunContext, *args: Any, **options: Any) -> None:
        reset(self, *args, **{**options, "is_history_navigation": True})

    app.query_params[parameter] = first
    with monkeypatch.context() as patched:
        patched.setattr(ScriptRunContext, "reset", went_back)
        app.run()
    assert named(app, parameter) == first
    app.run()
    assert named(app, parameter) == first
