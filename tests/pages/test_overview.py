"""The overview: what waits, what changed since the last visit, and an honest sentence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.people import local_person
from core.suggestions import review, store
from core.triage.inbox import open_inbox
from core.workspace import Workspace
from pages.overview import visit
from pages.shared import inbox
from tests.browser import queue_workspace
from tests.browser.server import DEMO, copy_workspace
from tests.pages.conftest import RunPage, shown

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


@pytest.mark.parametrize(
    ("seen", "earlier", "expected"),
    [
        (NOW - timedelta(hours=20), None, NOW - timedelta(hours=20)),  # came back the next day
        (NOW - timedelta(minutes=3), NOW - timedelta(days=2), NOW - timedelta(days=2)),  # the same visit goes on
        (NOW - timedelta(minutes=3), None, None),  # the first visit goes on
        (NOW + timedelta(hours=1), NOW - timedelta(days=2), NOW - timedelta(days=2)),  # a clock that ran ahead
    ],
)
def test_a_visit_ends_after_half_an_hour(seen: datetime, earlier: datetime | None, expected: datetime | None) -> None:
    cookie = f"{ms(seen)}-{ms(earlier) if earlier else 0}"
    assert visit.before(cookie, NOW) == expected


@pytest.mark.parametrize("cookie", ["", "x", "1-2-3", "-", "99999999999999999999-0", "１-2", "<b>-0"])
def test_a_cookie_that_is_none_of_ours_is_a_first_visit(cookie: str) -> None:
    assert visit.before(cookie, NOW) is None


@pytest.fixture
def gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The inbox is there at once instead of a moment later."""
    monkeypatch.setattr(inbox, "latest", lambda workspace, **_: open_inbox(workspace, datetime.now(UTC)))


@pytest.mark.usefixtures("gathered")
def test_what_waits_and_what_others_did(run_page: RunPage, tmp_path: Path) -> None:
    root = queue_workspace.write(tmp_path / "queue", 12, datetime.now(UTC).date())
    file = root / "data" / "suggestions_pending.md"
    file.write_text(file.read_text("utf-8") + "\n---\n\n### half a heading\n- 📋 建議：x\n", "utf-8")
    workspace = Workspace.open(root)
    first = store.of_workspace(workspace, "pending").entries[0]
    review.decide(workspace, local_person("Bo"), first.id, "accept", now=datetime.now(UTC))
    said = shown(run_page("overview", root))
    assert "12 pending" in said
    assert "1 suggestion_unreadable" in said
    assert "Bo: accepted 1" in said
    assert "1 thing could not be read" in said
    assert "nothing of report loop, text fidelity, render fidelity is here" in said


@pytest.mark.usefixtures("gathered")
def test_an_empty_workspace_is_not_called_checked(run_page: RunPage, tmp_path: Path) -> None:
    said = shown(run_page("overview", tmp_path))
    assert "Looked at nothing" in said
    assert "nothing needs a person" in said


def test_before_the_inbox_is_known_nothing_is_called_readable(
    run_page: RunPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "latest", lambda workspace, **_: None)
    said = shown(run_page("overview", tmp_path))
    assert "gathering the inbox" in said
    assert "not known yet" in said
    assert "nothing needs a person" not in said


def test_a_score_under_a_definition_that_changed_since_is_stale_and_no_pass(run_page: RunPage, tmp_path: Path) -> None:
    """The demo's release-notes eval scored above its threshold before somebody edited its rubric."""
    said = shown(run_page("overview", copy_workspace(DEMO, tmp_path / "demo")))
    assert "release-notes stale" in said
    assert "release-notes 0." not in said
    assert "practice judge: no model" in said
