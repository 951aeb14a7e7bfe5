"""Maintain over a workspace: proposals, a person's answers, what of it the inbox shows, the command."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.cli import main
from core.decisions import open_log
from core.errors import Conflict, NotAllowed
from core.findings import Finding
from core.people import Person, local_person
from core.suggestions import answers, confirm, findings, store, threshold
from core.suggestions.maintain import Maintenance, maintain
from core.workspace import Workspace
from tests.core.suggestions.making import NOW, entry, workspace

ANN, BEN = local_person("Ann"), local_person("Ben")


def _astrology(*words: str) -> list[str]:
    return [entry(f"Astrology {word}", decision="reject", comment=f"no {word}") for word in words]


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    reviewed = (*_astrology("one", "two", "three"), entry("Search", decision="accept"), entry("x", decision="reject"))
    return workspace(tmp_path, reviewed=reviewed, pending=(entry("Astrology now"),), topics=("NFT (not ours)",))


def _now(place: Workspace) -> Maintenance:
    store.forget()
    return maintain(place, open_log(place), NOW)


def _topics(place: Workspace) -> list[str]:
    return [one.topic for one in _now(place).proposals]


def _add_rejections(place: Workspace, *words: str) -> None:
    path = place.suggestions.reviewed
    path.write_text(path.read_text("utf-8") + "".join(f"\n---\n\n{text}" for text in _astrology(*words)), "utf-8")


def test_a_yes_writes_the_bullet_and_ends_the_proposal(place: Workspace) -> None:
    assert _topics(place) == ["Astrology"]
    before = place.suggestions.blocklist.read_bytes()
    record = answers.yes(place, ANN, "Astrology", now=NOW)
    assert b"- NFT (not ours)\n- Astrology\n" in place.suggestions.blocklist.read_bytes()
    assert _topics(place) == []
    assert record.payload["because"]["proposed"] == "Astrology"
    assert len(record.payload["because"]["rejects_caught"]) == 3
    confirm.undo(place, ANN, record, now=NOW)
    assert place.suggestions.blocklist.read_bytes() == before
    assert _topics(place) == ["Astrology"]


def test_a_yes_can_be_edited_first(place: Workspace) -> None:
    record = answers.yes(place, ANN, "Astrology", now=NOW, bullet="Astrology one / horoscopes (not a field of ours)")
    assert "- Astrology one / horoscopes (not a field of ours)" in place.suggestions.blocklist.read_text("utf-8")
    assert len(record.payload["because"]["rejects_caught"]) == 1


def test_a_no_is_remembered_until_three_new_rejections(place: Workspace) -> None:
    before = place.suggestions.blocklist.read_bytes()
    record = answers.no(place, ANN, "Astrology", now=NOW)
    assert _topics(place) == []
    _add_rejections(place, "four", "five")
    assert _topics(place) == [], "two new ones are not three"
    _add_rejections(place, "six")
    assert _topics(place) == ["Astrology"]
    assert place.suggestions.blocklist.read_bytes() == before
    answers.no(place, BEN, "Astrology", now=NOW)
    assert _topics(place) == []
    assert record.action == "no"


def test_an_undone_no_is_forgotten(place: Workspace) -> None:
    record = answers.no(place, ANN, "Astrology", now=NOW)
    undo = confirm.undo(place, ANN, record, now=NOW)
    assert _topics(place) == ["Astrology"]
    open_log(place).undo(ANN, undo.seq)
    assert _topics(place) == [], "the undo was undone, so the no stands again"


def test_the_second_answer_is_told(place: Workspace) -> None:
    answers.no(place, ANN, "Astrology", now=NOW)
    for answer in (answers.yes, answers.no):
        with pytest.raises(Conflict, match="is not proposed any more"):
            answer(place, BEN, "Astrology", now=NOW)


def test_only_who_may_decide_answers(place: Workspace) -> None:
    for answer in (answers.yes, answers.no):
        with pytest.raises(NotAllowed):
            answer(place, Person("Lee", "looker"), "Astrology", now=NOW)
    assert _topics(place) == ["Astrology"]


def test_the_same_history_is_kept_until_a_file_changes(place: Workspace) -> None:
    first = maintain(place, open_log(place), NOW)
    assert maintain(place, open_log(place), NOW + timedelta(minutes=1)).history is first.history
    answers.yes(place, ANN, "Astrology", now=NOW)
    assert maintain(place, open_log(place), NOW).history is not first.history
    assert maintain(place, open_log(place), NOW).history.topics is first.history.topics


def _finding(place: Workspace, kind: str) -> Finding | None:
    store.forget()
    return next((one for one in findings.findings(place, NOW) if one.kind == kind), None)


def test_a_proposal_is_a_finding_until_it_is_answered(place: Workspace) -> None:
    found = _finding(place, "blocklist_proposal")
    assert found is not None
    assert found.evidence["topic"] == "Astrology"
    assert [found.evidence[name] for name in ("rejects_caught", "accepts_lost", "pending_hit")] == [3, [], 1]
    assert found.link == "/suggestions?tab=proposals&topic=Astrology"
    _add_rejections(place, "four")
    changed = _finding(place, "blocklist_proposal")
    assert changed is not None
    assert (changed.id == found.id, changed.evidence_hash == found.evidence_hash) == (True, False)
    answers.yes(place, ANN, "Astrology", now=NOW)
    assert _finding(place, "blocklist_proposal") is None


def test_threshold_advice_is_a_finding_until_it_is_in_force(tmp_path: Path) -> None:
    reviewed = [entry(f"r{number}", decision="reject", score=(2, 1, 1)) for number in range(25)]
    reviewed += [entry(f"a{number}", decision="accept", score=(2, 1, 1)) for number in range(6)]
    place = workspace(tmp_path, reviewed=tuple(reviewed))
    found = _finding(place, "threshold_advice")
    assert found is not None
    assert (found.severity, found.evidence["recommended"], found.evidence["supported"]) == ("attention", 5, True)
    record = answers.change_threshold(place, ANN, 5, now=NOW)
    assert record.payload["because"].startswith("raise to 5: 19.4% is below 60%")
    assert _finding(place, "threshold_advice") is None
    assert threshold.in_force(place, open_log(place)).value == 5


def _run(place: Workspace, *arguments: str) -> Result:
    store.forget()
    return CliRunner().invoke(main, ["suggestions", *arguments, "--workspace", str(place.root)])


def test_the_command_has_the_contracts_keys_and_writes_nothing(place: Workspace) -> None:
    before = {path: path.read_bytes() for path in place.root.rglob("*") if path.is_file()}
    done = _run(place, "maintain", "--json")
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    proposal = told["proposals"][0]
    assert proposal["topic"] == "Astrology"
    assert (len(proposal["rejected"]), len(proposal["rejects_caught"])) == (3, 3)
    assert (proposal["accepts_lost"], len(proposal["pending_hit"])) == ([], 1)
    assert proposal["examples"] == ["no one", "no two", "no three"]
    assert told["calibration"] == {
        "n": 0, "buckets": {}, "advice": None, "recommended_threshold": None, "supported": None, "more_reviews": None,
        "undecided": 0, "message": "📊 Rubric calibration: 0/30 — collecting more data.",
    }  # fmt: skip
    assert {path: path.read_bytes() for path in place.root.rglob("*") if path.is_file()} == before


def test_the_command_asks_in_the_contracts_words(place: Workspace) -> None:
    lines = _run(place, "maintain").stdout.splitlines()
    assert lines[0] == '💡 **Blocklist Suggestion**: Detected 3+ rejections regarding the topic: "Astrology".'
    assert 'Would you like to add "Astrology" to the hard-veto blocklist?' in lines
    assert lines[-1] == "📊 Rubric calibration: 0/30 — collecting more data."


def test_a_file_read_in_part_makes_the_figures_partial(place: Workspace) -> None:
    path = place.suggestions.reviewed
    path.write_bytes(path.read_bytes() + b"\xff\xfe")
    told = json.loads(_run(place, "maintain", "--json").stdout)
    assert told["incomplete"] is True
    assert told["problems"][0]["file"] == "data/suggestions_reviewed.md"


def test_half_a_blocklist_makes_the_figures_partial(place: Workspace) -> None:
    path = place.suggestions.blocklist
    path.write_bytes(path.read_bytes() + b"- \xff\xfe")
    told = json.loads(_run(place, "maintain", "--json").stdout)
    assert (told["incomplete"], told["problems"][0]["file"]) == (True, "data/rubric_blocklist.md")
    assert "incomplete: a file could not be read to its end" in _run(place, "maintain").stdout


def test_advice_knows_the_threshold_in_force(tmp_path: Path) -> None:
    """17 of 30 in bucket 4: 56.7%."""
    reviewed = [entry(f"e{n}", decision="accept" if n < 17 else "reject", score=(2, 1, 1)) for n in range(30)]
    workspace(tmp_path, reviewed=tuple(reviewed))
    for settings, said, recommended in (
        ("", "raise to 5: 56.7% is below 60%", 5),
        ("[suggestions]\nthreshold = 6\n", "the threshold is 6 already: 56.7% is below 60%", None),
    ):
        (tmp_path / "touchstone.toml").write_text(settings, "utf-8")
        told = json.loads(_run(Workspace.open(tmp_path), "maintain", "--json").stdout)["calibration"]
        assert (told["recommended_threshold"], told["advice"].startswith(said)) == (recommended, True)
        assert f"Advice: {said}" in _run(Workspace.open(tmp_path), "maintain").stdout


def test_backtest_of_nothing_is_no_success(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    done = _run(place, "backtest", "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1
    assert (told["tp"], told["accuracy"], told["precision"], told["intervals"]["recall"]) == (0, None, None, None)
    assert _run(place, "backtest").stdout == "nothing to review: no decided suggestion in the file\n"
    assert not (tmp_path / ".tmp").exists()


def test_a_stored_run_is_asked_for_by_its_name(tmp_path: Path) -> None:
    place = workspace(tmp_path, reviewed=(entry("a", decision="accept"),))
    for name in ("last", "20260101T000000-aaaaaa", "../x"):
        assert _run(place, "backtest", "--run", name).exit_code == 2
