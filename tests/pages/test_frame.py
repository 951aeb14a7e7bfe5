"""The frame round every page: the gate, the views in the navigation, errors as one line."""

from __future__ import annotations

from pathlib import Path

from tests.pages.conftest import RunPage, shown


def test_nobody_without_a_name_sees_a_page(run_page: RunPage, tmp_path: Path) -> None:
    """The question stands in place of the page, and naming oneself opens it."""
    app = run_page("overview", tmp_path, name="")
    assert "Who is reviewing?" in shown(app)
    assert "Overview" not in shown(app)
    app.text_input(key="gate_field").set_value("Ann").run()
    assert "Overview" in shown(app)
    assert "reviewing as Ann" in shown(app)
