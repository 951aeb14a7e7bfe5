"""The Proposals tab and "Grade new" by their keys: what is asked, what it costs, and where an answer goes."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.decisions import open_log
from core.errors import Conflict, Unavailable
from core.judge.protocol import JudgeSpec
from core.people import local_person
from core.suggestions import answers, confirm, incoming, store
from core.workspace import Workspace
from pages.shared import jobs, judges
from pages.suggestions import grade_new, keys
from tests.core.suggestions.judging import ByTitle
from tests.core.suggestions.making import NOW, entry, workspace
from tests.pages.conftest import RunPage, shown


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    numbers = ("one", "two", "three", "four")
    reviewed = (
        *(entry(f"Astrology {number}", decision="reject", comment=f"no {number}") for number in numbers),
        *(entry(f"Webinar {word}", decision="reject") for word in ("red", "green", "blue")),
        *(entry(f"Search {word}", decision="accept") for word in ("a", "b", "c")),
        entry("What astrology taught us", decision="accept"),
    )
    return workspace(tmp_path, reviewed=reviewed, pending=(entry("Astrology now"),), topics=("NFT (not ours)",))


def _open(run_page: RunPage, place: Workspace, **query: str) -> AppTest:
    store.forget()
    return run_page("suggestions", place.root, tab="proposals", **query)


def _bullet(app: AppTest, topic: str) -> str:
    return str(app.text_input(key=keys.bullet(topic).id).value)


def test_a_proposal_shows_its_cost_by_name(run_page: RunPage, place: Workspace) -> None:
    app = _open(run_page, place, topic="Astrology")
    said = shown(app)
    assert "Block “Astrology”?" in said
    assert "would have caught 4 of 7 rejects" in said
    assert "would have lost 1 of 4 accepts" in said
    assert "would veto 1 pending now" in said
    assert "What astrology taught us" in said
    assert "no one" in said


def test_the_cost_follows_the_edited_bullet(run_page: RunPage, place: Workspace) -> None:
    app = _open(run_page, place, topic="Astrology")
    app.text_input(key=keys.bullet("Astrology").id).set_value("Astrology one / Webinar (said on Monday)").run()
    assert "would have caught 4 of 7 rejects" in shown(app)
    assert "would have lost 0 of 4 accepts" in shown(app)
    app.button(key="proposal_yes").click().run()
    assert not app.exception
    assert "- Astrology one / Webinar (said on Monday)\n" in place.suggestions.blocklist.read_text("utf-8")


def test_yes_and_undo_leave_the_file_as_it_was(run_page: RunPage, place: Workspace) -> None:
    before = place.suggestions.blocklist.read_bytes()
    app = _open(run_page, place, topic="Astrology")
    app.button(key="proposal_yes").click().run()
    assert "Block “Webinar”?" in shown(app)
    record = open_log(place).records()[-1]
    assert (record.action, record.reviewer, record.payload["topic"]) == ("block", "Ann", "Astrology")
    assert b"- Astrology\n" in place.suggestions.blocklist.read_bytes()
    app.button(key=f"proposal_undo_{record.seq}").click().run()
    assert not app.exception
    assert place.suggestions.blocklist.read_bytes() == before
    assert "Block “Astrology”?" in shown(app)


def test_no_is_remembered_and_can_be_taken_back(run_page: RunPage, place: Workspace) -> None:
    before = place.suggestions.blocklist.read_bytes()
    app = _open(run_page, place, topic="Astrology")
    app.button(key="proposal_no").click().run()
    assert "Block “Webinar”?" in shown(app)
    assert "Astrology" not in shown(_open(run_page, place)).partition("Answered lately")[0]
    record = open_log(place).records()[-1]
    assert (record.action, place.suggestions.blocklist.read_bytes()) == ("no", before)
    app = _open(run_page, place)
    app.button(key=f"proposal_undo_{record.seq}").click().run()
    assert "Block “Astrology”?" in shown(app)


def test_the_second_reviewer_is_told(run_page: RunPage, place: Workspace) -> None:
    app = _open(run_page, place, topic="Astrology")
    answers.no(place, local_person("Ben"), "Astrology", now=NOW)
    app.button(key="proposal_yes").click().run()
    assert "is not proposed any more" in shown(app)
    assert b"Astrology" not in place.suggestions.blocklist.read_bytes()


def test_nothing_to_propose_says_what_would_be(run_page: RunPage, tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=(entry("Search", decision="accept"),))
    assert "No topic to block" in shown(_open(run_page, place))


def test_a_pattern_is_taken_out_by_name(run_page: RunPage, place: Workspace) -> None:
    before = place.suggestions.blocklist.read_bytes()
    app = _open(run_page, place)
    app.selectbox(key="suggestions_take_out").set_value("NFT").run()
    app.button(key="proposals_take_out").click().run()
    assert not app.exception
    assert b"NFT" not in place.suggestions.blocklist.read_bytes()
    record = open_log(place).records()[-1]
    app.button(key=f"proposal_undo_{record.seq}").click().run()
    assert place.suggestions.blocklist.read_bytes() == before


def test_an_answer_that_another_undid_does_not_stand_in_the_way(run_page: RunPage, place: Workspace) -> None:
    app = _open(run_page, place, topic="Astrology")
    app.button(key="proposal_no").click().run()
    app.button(key="proposal_yes").click().run()
    no, yes = open_log(place).records()
    confirm.undo(place, local_person("Ben"), yes, now=datetime.now(UTC))
    app.run()
    keys_now = {one.key for one in app.button}
    assert (f"proposal_undo_{yes.seq}" in keys_now, f"proposal_undo_{no.seq}" in keys_now) == (False, True)
    app.button(key=f"proposal_undo_{no.seq}").click().run()
    assert not app.exception
    assert "Answered lately" not in shown(app)


def test_half_of_a_blocklist_makes_the_figures_partial(run_page: RunPage, place: Workspace) -> None:
    path = place.suggestions.blocklist
    path.write_bytes(path.read_bytes() + b"- \xff\n")
    app = _open(run_page, place)
    assert "partial figures" in shown(app)
    assert "What is blocked now · 1+" in {one.label for one in app.expander}


# ---- grade new


def _wait(place: Workspace) -> jobs.Job:
    end = time.monotonic() + 20
    while True:
        job = jobs.current(place, keys.GRADING)
        if job is not None and not job.running:
            return job
        assert time.monotonic() < end, "the grading never ended"


def test_what_a_grading_came_to_is_told(run_page: RunPage, place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pasted text is kept first; then veto, score, route, as the command does it."""
    judge = ByTitle(lambda text: (2, 2, 2) if "Good" in text else (0, 0, 1))
    monkeypatch.setattr(grade_new, "open_judge", lambda *_, **__: judge)
    raw = "\n---\n\n".join([entry("Good one"), entry("Weak one"), entry("NFT news"), entry("Astrology now")]).encode()
    path = incoming.keep(place, raw)
    spec = JudgeSpec(model="test-judge")
    jobs.start(place, keys.GRADING, "Grading", "Ann",
               lambda job: grade_new._work(place, path, spec, grade_new.Budget(), job))  # fmt: skip
    job = _wait(place)
    assert (job.state, job.done, job.total) == ("done", 4, 4)
    app = run_page("suggestions", place.root)
    said = shown(app)
    for words in ("1 to pending", "2 to filtered", "1 known already", "2 entries asked, $0.02"):
        assert words in said
    app.button(key="graded_close").click().run()
    assert "to filtered" not in shown(app)


def test_two_gradings_of_one_workspace_do_not_run_at_once(place: Workspace) -> None:
    job = jobs.start(place, "toy", "A toy", "Ann", lambda job: _until_stopped(job))
    with pytest.raises(Conflict, match="Ann has started this already: A toy"):
        jobs.start(place, "toy", "A toy", "Ben", lambda _: None)
    job.stop()
    while job.running:
        pass
    jobs.clear(place, "toy")
    assert jobs.current(place, "toy") is None


def _until_stopped(job: jobs.Job) -> None:
    while not job.stopped():
        job.tell(1, 2)


def test_a_fault_ends_the_job_and_says_so(place: Workspace) -> None:
    def fails(_: jobs.Job) -> None:
        raise Unavailable("no disk")

    job = jobs.start(place, "toy", "A toy", "Ann", fails)
    while job.running:
        pass
    assert (job.state, job.error) == ("failed", "no disk")
    jobs.clear(place, "toy")


def test_the_practice_judge_is_offered_under_its_own_name_and_is_no_default(place: Workspace) -> None:
    assert not judges.spec_for(place, judges.CONFIGURED).practice
    assert judges.spec_for(place, "practice-judge").practice
    assert judges.spec_for(place, "openai/gpt-6-luna").provider == "openai"
