"""The suggestions page by its keys: what each tab says, and that a decision goes one way to file and log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.decisions import open_log
from core.errors import Unavailable
from core.people import local_person
from core.suggestions import review, store
from core.workspace import Workspace
from pages.shared.place import Place
from pages.suggestions import card
from tests.browser import queue_workspace
from tests.pages.conftest import RunPage, shown

TODAY = datetime.now(UTC).date()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return queue_workspace.write(tmp_path / "queue", 30, TODAY, reviewed=6)


def titles(folder: Path, kind: str) -> list[str]:
    return [entry.title for entry in store.of_workspace(Workspace.open(folder), kind).entries]  # type: ignore[arg-type]


def in_work(app: AppTest) -> str:
    """The title on the card: the first h2 that the page draws."""
    return shown(app).split('<h2 class="ts-title">')[1].split("</h2>")[0]


def test_today_comes_first_then_the_backlog(run_page: RunPage, folder: Path) -> None:
    app = run_page("suggestions", folder)
    assert in_work(app) == titles(folder, "pending")[0]
    assert "0 decided today · 30 left" in shown(app)
    assert [one.label for one in app.button if one.key == "suggestion_accept"] == ["Accept `a`"]


def test_a_decision_moves_on_and_is_found_in_file_and_log(run_page: RunPage, folder: Path) -> None:
    first, second = titles(folder, "pending")[:2]
    app = run_page("suggestions", folder)
    entry_id = store.of_workspace(Workspace.open(folder), "pending").entries[0].id
    app.text_input(key=f"suggestions_comment_{entry_id}").set_value("for Monday")
    app.button(key="suggestion_reject").click().run()
    assert not app.exception
    assert in_work(app) == second
    assert "1 decided today · 29 left" in shown(app)
    last = store.of_workspace(Workspace.open(folder), "reviewed").entries[-1]
    assert (last.title, last.decision, last.comment) == (first, "reject", "for Monday")
    record = open_log(Workspace.open(folder)).records()[-1]
    assert (record.action, record.reviewer, record.subject) == ("reject", "Ann", f"suggestion:{entry_id}")
    app.button(key="suggestion_undo").click().run()
    assert in_work(app) == first
    assert titles(folder, "pending")[0] == first


def test_search_leaves_what_matches_and_says_when_nothing_does(run_page: RunPage, folder: Path) -> None:
    app = run_page("suggestions", folder)
    app.text_input(key="suggestions_search_pending").set_value("週報 13").run()
    assert in_work(app) == "把週報模板改成三段式 13"
    app.text_input(key="suggestions_search_pending").set_value("nowhere at all").run()
    assert "Nothing here matches “nowhere at all”" in shown(app)
    app.button(key="suggestions_clear_pending").click().run()
    assert in_work(app) in titles(folder, "pending")


def test_address_opens_the_item_on_its_tab(run_page: RunPage, folder: Path) -> None:
    wanted = store.of_workspace(Workspace.open(folder), "reviewed").entries[2]
    app = run_page("suggestions", folder, id=wanted.id)
    assert in_work(app) == wanted.title
    assert app.segmented_control(key="suggestions_tab").value == "reviewed"


def test_conflict_names_who_and_what_and_writes_nothing(run_page: RunPage, folder: Path) -> None:
    app = run_page("suggestions", folder)
    entry = store.of_workspace(Workspace.open(folder), "pending").entries[0]
    review.decide(Workspace.open(folder), local_person("Bo"), entry.id, "accept", now=datetime.now(UTC))
    app.button(key="suggestion_accept").click().run()
    assert "Somebody was first" in shown(app)
    assert "Bo accepted" in shown(app)
    assert titles(folder, "reviewed").count(entry.title) == 1
    app.button(key="notice_close").click().run()
    assert "Somebody was first" not in shown(app)


def test_an_item_that_another_took_is_told(run_page: RunPage, folder: Path) -> None:
    app = run_page("suggestions", folder)
    first, second = store.of_workspace(Workspace.open(folder), "pending").entries[:2]
    review.decide(Workspace.open(folder), local_person("Bo"), first.id, "reject", now=datetime.now(UTC))
    app.run()
    assert f"Bo rejected “{first.title}” while you were on it" in shown(app)
    assert in_work(app) == second.title


def test_what_a_colleague_undid_can_be_decided_again(run_page: RunPage, folder: Path) -> None:
    """Two decided, Bo undoes the second: one counts today, the second can be decided, and `u` finds its way back."""
    place = Workspace.open(folder)
    first, second = (entry.id for entry in store.of_workspace(place, "pending").entries[:2])
    app = run_page("suggestions", folder)
    app.button(key="suggestion_accept").click().run()
    app.button(key="suggestion_reject").click().run()
    last = review.last_decision(place, second)
    assert last is not None
    review.undo(place, local_person("Bo"), last.seq, now=datetime.now(UTC))
    app.run()
    assert "1 decided today · 29 left" in shown(app)
    app.button(key="suggestion_undo").click().run()
    assert "Not done" not in shown(app)
    assert "Somebody was first" not in shown(app)
    assert "0 decided today · 30 left" in shown(app)
    for wanted in (first, second):
        assert wanted in {entry.id for entry in store.of_workspace(place, "pending").entries}
        app.session_state["suggestions_place_pending"] = Place(wanted, 0)
        app.run()
        app.button(key="suggestion_accept").click().run()
        assert not app.exception
    assert "2 decided today · 28 left" in shown(app)
    assert [review.last_decision(place, one).action for one in (first, second)] == ["accept", "accept"]  # type: ignore[union-attr]


def test_a_key_pressed_twice_decides_once_and_another_decision_is_told(folder: Path, run_page: RunPage) -> None:
    place = Workspace.open(folder)
    first = store.of_workspace(place, "pending").entries[0]
    app = run_page("suggestions", folder)
    review.decide(place, local_person("Ann"), first.id, "accept", now=datetime.now(UTC))
    app.button(key="suggestion_accept").click().run()
    assert "Somebody was first" not in shown(app)
    app = run_page("suggestions", folder, id=first.id)
    assert titles(folder, "reviewed").count(first.title) == 1
    second = store.of_workspace(place, "pending").entries[0]
    app = run_page("suggestions", folder, id=second.id)
    review.decide(place, local_person("Ann"), second.id, "accept", now=datetime.now(UTC))
    app.button(key="suggestion_reject").click().run()
    assert "Ann accepted" in shown(app)


def test_words_of_a_decision_that_failed_are_kept(
    run_page: RunPage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise Unavailable("the log is busy")

    first = store.of_workspace(Workspace.open(folder), "pending").entries[0]
    app = run_page("suggestions", folder)
    app.text_input(key=f"suggestions_comment_{first.id}").set_value("for Monday")
    with monkeypatch.context() as broken:
        broken.setattr(review, "decide", busy)
        app.button(key="suggestion_accept").click().run()
    assert "the log is busy" in shown(app)
    assert app.text_input(key=f"suggestions_comment_{first.id}").value == "for Monday"
    app.button(key="suggestion_accept").click().run()
    assert store.of_workspace(Workspace.open(folder), "reviewed").entries[-1].comment == "for Monday"


def test_of_many_those_that_another_took_are_told_together(run_page: RunPage, folder: Path) -> None:
    place = Workspace.open(folder)
    pending = store.of_workspace(place, "pending").entries[:3]
    app = run_page("suggestions", folder)
    app.button(key="suggestions_select").click().run()
    app.session_state["suggestions_ticked"] = [one.id for one in pending]
    app.run()
    for one in pending[:2]:
        review.decide(place, local_person("Bo"), one.id, "reject", now=datetime.now(UTC))
    app.button(key="suggestions_bulk_accept").click().run()
    assert "Bo rejected" in shown(app)
    assert "(and 1 more)" in shown(app)
    assert [one.reviewer for one in open_log(place).records()] == ["Bo", "Bo", "Ann"]


def test_half_of_a_blocklist_lets_nothing_pass(run_page: RunPage, folder: Path) -> None:
    (folder / "data" / "rubric_blocklist.md").write_bytes("## Topic Blocks\n- Web3\n- 量".encode("big5"))
    said = shown(run_page("suggestions", folder))
    assert "No topic block matches" not in said
    assert "the blocklist could be read in part only (data/rubric_blocklist.md:3: is not UTF-8" in said


def test_an_item_that_left_the_file_is_told(run_page: RunPage, folder: Path) -> None:
    app = run_page("suggestions", folder)
    file = folder / "data" / "suggestions_pending.md"
    head, _, rest = file.read_text("utf-8").split("\n---\n", 2)
    file.write_text(f"{head}\n---\n{rest}", "utf-8")
    app.run()
    assert "no longer in the file" in shown(app)


def test_every_tab_tells_its_number(run_page: RunPage, tmp_path: Path) -> None:
    yesterday = TODAY - timedelta(days=1)  # today's reviews of 10:00 in Taipei lie in the future until 02:00 UTC
    app = run_page("suggestions", queue_workspace.write(tmp_path / "queue", 30, yesterday, reviewed=6))
    assert list(app.segmented_control(key="suggestions_tab").options) == [
        "Pending 30",
        "Reviewed 6",
        "Filtered 0",
        "Proposals",
    ]
    app.segmented_control(key="suggestions_tab").set_value("filtered").run()
    assert "Nothing was filtered" in shown(app)
    app.segmented_control(key="suggestions_tab").set_value("reviewed").run()
    assert "<bdi>reject</bdi>" in shown(app), "number 30 was rejected and is the newest"


def test_no_score_is_never_shown_as_zero(run_page: RunPage, tmp_path: Path) -> None:
    data = tmp_path / "odd" / "data"
    data.mkdir(parents=True)
    tomorrow = TODAY + timedelta(days=2)
    (data / "suggestions_pending.md").write_text(
        "# 📋 Pending Suggestions\n\n"
        f"### {tomorrow} | Web | [Legacy](https://example.org)\n- 💎 高 | ⚡ 低 | 🎯 中\n- 📋 建議：do it\n\n"
        "### 2026-11-30 | Web | [Odd](https://example.org/2)\n- 🏷️ x | 📊 9/10 (A:3 P:3 G:3)\n- 📋 建議：do it\n",
        "utf-8",
    )
    entries = store.of_workspace(Workspace.open(data.parent), "pending").entries
    assert [card.score_words(entry)[0] for entry in entries] == ["legacy", "no score"]
    app = run_page("suggestions", data.parent, id=entries[0].id)
    assert "lies in the future" in shown(app)
    assert "💎 高" in shown(app)
    assert "0/6" not in shown(app)


def test_nothing_at_all_says_what_would_fill_it(run_page: RunPage, tmp_path: Path) -> None:
    app = run_page("suggestions", tmp_path)
    assert "No suggestion waits" in shown(app)
    assert "data/suggestions_pending.md" in shown(app)
    assert list(tmp_path.iterdir()) == []
