"""The environment fails while a decision is made: it has happened or it has not, and the message says which."""

import errno
import os
import sqlite3

import pytest
from sqlalchemy.exc import OperationalError

from core.decisions import Plan, open_log, store
from core.errors import Conflict, Unavailable
from core.files.ops import AppendBlock, ReplaceFile
from core.people import local_person
from tests.core.decisions import toy

NAMES = {f"e{number}" for number in range(5)}
ANA = local_person("Ana")


def broken(*_args, **_named):
    raise OSError(errno.ENOSPC, "No space left on device", "/a/b/reviewed.md")


def killed(*_args, **_named):
    raise KeyboardInterrupt


def locked(*_args, **_named):
    raise OperationalError("INSERT", {}, sqlite3.OperationalError("disk I/O error"))


def test_a_full_disk_before_the_first_change_takes_everything_back(workspace, monkeypatch):
    toy.decide(workspace, "Ana", "e0")
    before = toy.reviewed(workspace).read_bytes()
    with (
        monkeypatch.context() as patch,
        pytest.raises(
            Unavailable, match=r"nothing was decided: reviewed\.md cannot be written \(No space left on device\)"
        ),
    ):
        patch.setattr(os, "write", broken)
        toy.decide(workspace, "Bo", "e1")
    assert toy.reviewed(workspace).read_bytes() == before
    assert open_log(workspace).half_done() == []
    toy.check(workspace, NAMES)
    toy.decide(workspace, "Bo", "e1")
    toy.check(workspace, NAMES)


def test_a_full_disk_after_the_first_change_leaves_a_decision_that_is_finished_later(workspace, monkeypatch):
    open_log(workspace).append(ANA, "note", "first", {})
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", broken)
        with pytest.raises(
            Unavailable, match=r"the decision of Ana \(accept on e1\) stands, but reviewed\.md cannot be"
        ):
            toy.decide(workspace, "Ana", "e1")
        assert [intent.entries[0].subject for intent in open_log(workspace).half_done()] == ["e1"]
        # Nobody decides on top of half a decision about the same files …
        with pytest.raises(Unavailable, match="is half done and cannot be finished"):
            toy.decide(workspace, "Bo", "e2")
        # … and everybody else goes on.
        other = workspace.path("data/other.md")
        open_log(workspace).decide(ANA, "note", "other", lambda: Plan([AppendBlock(other, b"x\n")], {}), lock_on=other)
    records = open_log(workspace, writable=True).records()
    assert [(record.reviewer, record.subject) for record in records[1:]] == [("Ana", "other"), ("Ana", "e1")]
    assert records[2].payload["healed_at"] > records[2].at
    toy.check(workspace, NAMES)


def test_a_workspace_that_cannot_be_written_to_says_so(workspace, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", broken)
        with pytest.raises(Unavailable, match=r"nothing can be decided in workspace: .* \(No space left on device\)"):
            toy.decide(workspace, "Ana", "e1")
        with pytest.raises(Unavailable, match=r"the decision log cannot be made: .* \(No space left on device\)"):
            open_log(workspace).append(ANA, "note", "first", {})
    assert open_log(workspace).count() == 0


def test_a_log_that_cannot_be_written_leaves_a_decision_that_is_finished_later(workspace, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(store, "append", locked)
        with pytest.raises(Unavailable, match=r"stands, but the decision log in .* cannot be used: disk I/O error"):
            toy.decide(workspace, "Ana", "e1")
    with pytest.raises(Conflict, match="e1 was decided by Ana"):
        toy.decide(workspace, "Bo", "e1", "reject")
    toy.check(workspace, NAMES)


def test_a_log_that_cannot_take_the_intent_changes_no_file(workspace, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(store, "put_intent", locked)
        with pytest.raises(Unavailable, match="disk I/O error"):
            toy.decide(workspace, "Ana", "e1")
    assert not toy.reviewed(workspace).exists()
    toy.check(workspace, NAMES)


def test_a_file_changed_between_planning_and_writing_is_a_conflict_and_nothing_happens(workspace, monkeypatch):
    """Somebody who does not ask for our locks writes after the plan was made and before the file is replaced."""
    path = workspace.path("data/verdict.json")
    path.write_bytes(b"read")
    really = store.put_intent

    def and_somebody_writes(*args):
        really(*args)
        path.write_bytes(b"somebody's own words")

    with (
        monkeypatch.context() as patch,
        pytest.raises(Conflict, match=r"nothing was decided: data/verdict\.json was ch"),
    ):
        patch.setattr(store, "put_intent", and_somebody_writes)
        open_log(workspace).decide(
            ANA, "pass", "page 1", lambda: Plan([ReplaceFile(path, b"read", b"new")], {}), lock_on=path
        )
    assert path.read_bytes() == b"somebody's own words"
    assert (open_log(workspace).half_done(), open_log(workspace).count()) == ([], 0)


def test_what_could_not_be_written_at_healing_is_recorded_and_said(workspace, monkeypatch):
    """Killed before the file was replaced, and somebody edited it since: the decision counts, their words stay."""
    path = workspace.path("data/verdict.json")
    path.write_bytes(b"read")
    with monkeypatch.context() as patch:
        patch.setattr("core.decisions.intents.roll", killed)
        with pytest.raises(KeyboardInterrupt):
            open_log(workspace).decide(
                ANA,
                "pass",
                "page 1",
                lambda: Plan([ReplaceFile(path, b"read", b"new")], {"note": "fine"}),
                lock_on=path,
            )
    path.write_bytes(b"somebody's own words")
    (record,) = open_log(workspace).heal()
    assert path.read_bytes() == b"somebody's own words"
    assert (record.reviewer, record.action, record.payload["note"]) == ("Ana", "pass", "fine")
    assert record.not_written == [
        {"file": "data/verdict.json", "reason": "was changed by somebody else meanwhile, so it was not written"}
    ]
    assert open_log(workspace).verify().ok
    assert open_log(workspace).heal() == []


def test_an_intent_of_a_later_version_is_not_guessed_at(workspace, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("core.decisions.log.to_dict", lambda _step: {"step": "Teleport"})
        patch.setattr(os, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            toy.decide(workspace, "Ana", "e1")
    for _ in range(2):
        with pytest.raises(Unavailable, match="half done and cannot be finished: a file change of the unknown kind"):
            open_log(workspace, writable=True)
    assert len(open_log(workspace).half_done()) == 1


def test_a_healer_that_comes_late_does_not_repeat_what_was_undone_since(workspace, monkeypatch):
    """It saw the intent; before it got the locks somebody else finished it, and a reviewer took it back."""
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            toy.decide(workspace, "Ana", "e1")
    log = open_log(workspace)
    seen = log.half_done()
    assert len(seen) == 1
    assert [record.subject for record in log.heal()] == ["e1"]
    toy.undo(workspace, "Bo", 1)
    before = (toy.pending(workspace).read_bytes(), toy.reviewed(workspace).read_bytes())
    with monkeypatch.context() as patch:
        patch.setattr("core.decisions.intents.Intents.open", lambda _self: seen)
        assert log.heal() == []
    assert (toy.pending(workspace).read_bytes(), toy.reviewed(workspace).read_bytes()) == before
    toy.check(workspace, NAMES)


def test_a_half_done_decision_is_finished_before_another_touches_one_of_its_files(workspace, monkeypatch):
    """It was locked on another file, and its process was alive a moment ago; only the plan shows what they share."""
    open_log(workspace).append(ANA, "note", "first", {})
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", broken)
        with pytest.raises(Unavailable, match="stands"):
            toy.decide(workspace, "Ana", "e1")
    other = workspace.path("data/other.md")
    ops = [AppendBlock(other, b"x\n"), AppendBlock(toy.reviewed(workspace), b"### x\n")]
    open_log(workspace).decide(ANA, "note", "x", lambda: Plan(ops, {}), lock_on=other)
    assert [record.subject for record in open_log(workspace).records()] == ["first", "e1", "x"]
    assert toy.reviewed(workspace).read_bytes().endswith(b"- accept by Ana\n### x\n")
    assert open_log(workspace).half_done() == []


def test_an_intent_becomes_records_once(workspace, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(store, "append", locked)
        with pytest.raises(Unavailable):
            toy.decide_many(workspace, "Ana", ["e1", "e2"])
    log = open_log(workspace)
    (intent,) = log.half_done()
    first = log._intents.record(intent, [], {})
    assert [(record.seq, record.subject) for record in first] == [(1, "e1"), (2, "e2")]
    assert log._intents.record(intent, [], {}) == first
    with pytest.raises(Unavailable, match=r"(?i)unique"), log._database.write() as conn:
        store.append(conn, intent.created, "Ana", intent.entries, intent.uuid)
    assert log.records() == first
