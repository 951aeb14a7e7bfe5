"""Every page by each role: strangers and signed-out visitors get nothing, lookers nothing that decides."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.decisions import open_log
from core.workspace import Workspace
from pages.shared import sign_in
from tests.pages.conftest import MAIN, shown

ROOT = Path(__file__).parents[2]
VIEWS = [path.parent.name for path in sorted((ROOT / "pages").glob("*/page.py"))]
PEOPLE = '[people]\nreviewers = ["rev@x.org"]\nlookers = ["look@x.org"]\n'
#: Buttons that stay for who may only look: they move, open, look again, or close what was opened.
LOOKING = ("next", "previous", "open", "keys", "sign_out", "close", "verify", "clear", "all", "png", "csv")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people") / "acme"
    shutil.copytree(ROOT / "data" / "demo", folder)
    settings = folder / "touchstone.toml"
    settings.write_text((settings.read_text() if settings.exists() else "") + "\n" + PEOPLE)
    return folder


@pytest.fixture
def visit(demo: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``visit("triage", {claims})``: the page as the person of those claims gets it; None is nobody."""
    monkeypatch.setenv("TOUCHSTONE_WORKSPACE", str(demo))
    monkeypatch.setenv("TOUCHSTONE_REVIEWER", "Somebody")
    monkeypatch.setattr(sign_in, "_section", lambda: {"client_id": "x"})

    def run(view: str, claims: dict[str, Any] | None) -> AppTest:
        app = AppTest.from_file(str(MAIN), default_timeout=60)
        app.user = {"is_logged_in": claims is not None, **(claims or {})}
        app.run()
        if view != "overview" and not app.exception:
            app.switch_page(f"{view}/page.py").run()
        return app

    return run


def claims(email: str, age: float = 0) -> dict[str, Any]:
    return {"email": email, "iat": time.time() - age}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    ("who", "told"),
    [
        (None, "Sign in"),
        (claims("mallory@x.org"), "Nothing here for this account"),
        (claims("rev@x.org") | {"email_verified": False}, "Nothing here for this account"),
        (claims("rev@x.org", age=12 * 3600), "Sign in again"),
    ],
)
def test_who_is_not_let_in_gets_one_question(visit: Any, view: str, who: Any, told: str, demo: Path) -> None:
    with pytest.raises(ValueError, match="Could not find a navigation page"):
        visit(view if view != "overview" else "log", who)  # the page is not even registered for them
    app = visit(view, claims("rev@x.org"))  # and one who was let in is put out of the open page
    app.user = {"is_logged_in": who is not None, **(who or {})}
    app.run()
    said = shown(app)
    assert told in said
    assert demo.name not in said
    assert {button.key for button in app.button} <= {"gate_sign_in_default", "gate_sign_out"}
    assert not any([app.text_input, app.selectbox, app.text_area, app.checkbox, app.dataframe, app.expander, app.radio])


@pytest.mark.parametrize("view", VIEWS)
def test_a_looker_sees_the_page_and_no_button_that_decides(visit: Any, view: str, demo: Path) -> None:
    log = open_log(Workspace.open(demo))
    before = log.version()
    app = visit(view, claims("look@x.org"))
    assert not app.exception, [one.value for one in app.exception]
    assert "looking as look@x.org · looker" in shown(app)
    deciding = [b for b in app.button if not any(word in str(b.key) for word in LOOKING)]
    assert [button.key for button in deciding if not button.disabled] == []
    for button in deciding:
        assert button.help, f"{button.key} does not say why it is disabled"
    assert log.version() == before


@pytest.mark.parametrize("view", VIEWS)
def test_a_reviewer_gets_every_page(visit: Any, view: str) -> None:
    app = visit(view, claims("rev@x.org"))
    assert not app.exception, [one.value for one in app.exception]
    assert "reviewing as rev@x.org · reviewer" in shown(app)
