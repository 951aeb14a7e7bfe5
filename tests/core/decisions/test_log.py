"""Deciding, undoing, reading: what `Log` promises, on both databases."""

import os
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.decisions import BatchPlan, Filter, Fold, Plan, Undone, open_log, undone
from core.decisions.records import GENESIS
from core.errors import BadInput, Conflict, NotAllowed, UnsafePath
from core.files.ops import AppendBlock, RemoveBlocks, ReplaceFile
from core.people import Person, local_person
from tests.core.decisions import toy

ANA, BO = local_person("Ana"), local_person("Bo")
NAMES = {f"e{number}" for number in range(5)}
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_a_decision_reaches_both_files_and_the_log(workspace):
    record = toy.decide(workspace, "Ana", "e1")
    assert (record.seq, record.reviewer, record.action, record.subject) == (1, "Ana", "accept", "e1")
    assert record.prev_hash == GENESIS
    assert toy.pending(workspace).read_bytes() == (
        b"# Pending\n\n### e0\n- text 0\n\n### e2\n- text 2\n\n### e3\n- text 3\n\n### e4\n- text 4\n\n"
    )
    assert toy.reviewed(workspace).read_bytes() == b"# Reviewed\n### e1\n- text 1\n\n- accept by Ana\n"
    assert open_log(workspace).records() == [record]
    toy.check(workspace, NAMES)


def test_the_second_is_told_who_was_first_and_nothing_is_written(workspace):
    toy.decide(workspace, "Ana", "e1")
    before = toy.reviewed(workspace).read_bytes()
    with pytest.raises(Conflict, match="e1 was decided by Ana: accept"):
        toy.decide(workspace, "Bo", "e1", "reject")
    assert toy.reviewed(workspace).read_bytes() == before
    toy.check(workspace, NAMES)


def test_many_at_once_are_one_change_of_the_file_and_a_record_each(workspace):
    records = toy.decide_many(workspace, "Ana", ["e0", "e3", "e4"], "reject")
    assert [(record.seq, record.subject) for record in records] == [(1, "e0"), (2, "e3"), (3, "e4")]
    assert len({record.at for record in records}) == 1
    toy.check(workspace, NAMES)


def test_many_at_once_are_all_or_none(workspace):
    toy.decide(workspace, "Ana", "e3")
    with pytest.raises(Conflict, match="e3 was decided by Ana"):
        toy.decide_many(workspace, "Bo", ["e0", "e3", "e4"])
    assert open_log(workspace).count() == 1
    toy.check(workspace, NAMES)


def test_nothing_to_decide_decides_nothing(workspace):
    log = open_log(workspace)
    assert log.decide_many(ANA, lambda: BatchPlan([], []), lock_on=toy.pending(workspace)) == []
    assert log.count() == 0


def test_undo_is_a_new_record_and_brings_the_bytes_back(workspace):
    before = toy.pending(workspace).read_bytes()
    first = toy.decide(workspace, "Ana", "e1")
    record = toy.undo(workspace, "Bo", first.seq)
    assert (record.seq, record.action, record.subject, record.undoes) == (2, "undo", "e1", 1)
    assert toy.pending(workspace).read_bytes() == before
    assert toy.reviewed(workspace).read_bytes() == toy.HEAD
    with pytest.raises(Conflict, match=r"record 1 was undone by Bo already \(record 2\)"):
        toy.undo(workspace, "Ana", first.seq)
    with pytest.raises(BadInput, match="there is no record 17"):
        toy.undo(workspace, "Ana", 17)
    toy.decide(workspace, "Bo", "e1", "reject")
    toy.check(workspace, NAMES)


def test_undo_many_is_one_change(workspace):
    before = toy.pending(workspace).read_bytes()
    toy.decide_many(workspace, "Ana", ["e0", "e1"])
    log = open_log(workspace)

    def plan(targets):
        assert [target.subject for target in targets] == ["e0", "e1"]
        put_back = [
            ReplaceFile(toy.pending(workspace), toy.pending(workspace).read_bytes(), before),
            RemoveBlocks(toy.reviewed(workspace), [target.payload["block"].encode() for target in targets]),
        ]
        return Plan(put_back, {"why": "by mistake"})

    records = log.undo_many(BO, [1, 2], plan, lock_on=toy.pending(workspace))
    assert [(record.undoes, record.subject, record.payload["why"]) for record in records] == [
        (1, "e0", "by mistake"), (2, "e1", "by mistake"),
    ]  # fmt: skip
    with pytest.raises(Conflict, match="record 2 was undone by Bo"):
        log.undo_many(ANA, [2], plan, lock_on=toy.pending(workspace))
    toy.check(workspace, NAMES)


def test_an_undo_can_be_undone(workspace):
    log = open_log(workspace)
    log.append(ANA, "snooze", "finding:1", {"days": 3})
    log.undo(ANA, 1)
    assert set(undone(log.records())) == {1}
    log.undo(ANA, 2)
    assert set(undone(log.records())) == {2}
    log.undo(BO, 1)
    assert {seq: undo.reviewer for seq, undo in undone(log.records()).items()} == {1: "Bo", 2: "Ana"}


def test_a_check_stands_between_the_records_so_far_and_the_new_one(workspace):
    log = open_log(workspace)

    def free(records):
        if records:
            raise Conflict(f"claimed by {records[-1].reviewer}")

    log.append(ANA, "claim", "finding:1", {}, check=free)
    log.append(ANA, "claim", "finding:2", {}, check=free)
    with pytest.raises(Conflict, match="claimed by Ana"):
        log.append(BO, "claim", "finding:1", {}, check=free)
    assert [record.subject for record in log.records()] == ["finding:1", "finding:2"]
    assert log.verify().ok


# ---- who may


@pytest.mark.parametrize("role", ["looker", "stranger"])
def test_who_may_not_decide_leaves_no_trace(workspace, role):
    somebody = Person("Cy", role)
    log = open_log(workspace)
    plan = pytest.fail
    for deed in (
        lambda: log.decide(somebody, "accept", "e1", plan, lock_on=toy.pending(workspace)),
        lambda: log.append(somebody, "claim", "finding:1", {}),
        lambda: log.undo(somebody, 1),
    ):
        with pytest.raises(NotAllowed, match=f"Cy \\({role}\\) may not decide"):
            deed()
    assert os.listdir(workspace.root) == ["data"]


# ---- reading


def test_reading_a_workspace_without_a_log_creates_nothing(workspace):
    log = open_log(workspace, writable=True)
    assert (log.records(), log.record(1), log.last("e1"), log.count(), log.values("reviewer")) == (
        [],
        None,
        None,
        0,
        [],
    )
    assert log.version() == (0, GENESIS)
    assert (log.verify().records, log.verify().ok, log.half_done(), log.heal()) == (0, True, [], [])
    assert os.listdir(workspace.root) == ["data"]


def test_records_are_found_by_each_of_their_fields(workspace):
    log = open_log(workspace)
    for number, (person, action, subject) in enumerate(
        [(ANA, "accept", "s1"), (BO, "reject", "s1"), (ANA, "accept", "s2"), (ANA, "note", "s3")]
    ):
        log.append(person, action, subject, {"n": number}, at=NOON + timedelta(milliseconds=500 * number))

    def seqs(**which):
        return [record.seq for record in log.records(**which)]

    assert seqs() == [1, 2, 3, 4]
    assert seqs(reviewer="Ana") == [1, 3, 4]
    assert seqs(action="accept", reviewer="Ana") == [1, 3]
    assert seqs(subject="s1") == [1, 2]
    assert seqs(after=2) == [3, 4]
    assert seqs(since=NOON + timedelta(milliseconds=500)) == [2, 3, 4]
    assert seqs(until=NOON + timedelta(milliseconds=500)) == [1]
    other_zone = (NOON + timedelta(seconds=1)).astimezone(ZoneInfo("Asia/Taipei"))
    assert seqs(since=other_zone) == [3, 4]
    assert seqs(newest_first=True, limit=2) == [4, 3]
    assert log.count(Filter(reviewer="Ana")) == 3
    assert log.values("action") == ["accept", "note", "reject"]
    assert log.last("s1").reviewer == "Bo"
    assert log.record(3).payload == {"n": 2}
    assert log.record(5) is None
    assert log.records()[0].at == "2026-11-30T12:00:00.000000Z"
    assert log.records()[1].instant == NOON + timedelta(milliseconds=500)


def test_the_version_changes_with_every_record_and_only_then(workspace):
    log = open_log(workspace)
    seen = [log.version()]
    for subject in ("a", "b"):
        log.append(ANA, "note", subject, {})
        seen.append(log.version())
        assert log.version() == seen[-1]
        assert open_log(workspace).version() == seen[-1]
    assert len(set(seen)) == 3


def test_a_fold_reads_only_what_is_new(workspace, monkeypatch):
    log = open_log(workspace)
    fold = Fold(Undone, Undone.take)
    assert fold.upto(log) == {}
    log.append(ANA, "note", "a", {})
    log.undo(ANA, 1)
    assert set(fold.upto(log)) == {1}
    read = []
    original = type(log).records
    monkeypatch.setattr(
        type(log), "records", lambda self, **which: read.append(found := original(self, **which)) or found
    )
    log.append(ANA, "note", "b", {})
    assert set(fold.upto(log)) == {1}
    assert [record.seq for record in read[-1]] == [2, 3]
    assert set(fold.upto(log)) == {1}
    assert [record.seq for record in read[-1]] == [3]


def test_a_fold_of_another_log_starts_again(tmp_path, sqlite):
    fold = Fold(list, lambda state, record: state.append(record.subject))
    for name, subjects in (("one", ["a", "b"]), ("two", ["c", "d", "e"]), ("three", [])):
        log = open_log(toy.build(tmp_path / name, 0))
        for subject in subjects:
            log.append(ANA, "note", subject, {})
        assert fold.upto(log) == subjects


# ---- what cannot be recorded


@pytest.mark.parametrize(
    ("action", "subject", "payload"),
    [
        ("", "s", {}),
        ("note", "", {}),
        ("note", "nul \0", {}),
        ("note", "half a pair \ud800", {}),
        ("note", "s", {"x": float("nan")}),
        ("note", "s", {"x": float("inf")}),
        ("note", "s", {1: "a key that is no text"}),
        ("note", "s", {"x": {"deep": {2: 3}}}),
        ("note", "s", {"x": b"bytes"}),
        ("note", "s", {"x": {1, 2}}),
        ("note", "s", {"healed_at": "then"}),
        ("note", "s", {"not_written": []}),
    ],
)
def test_what_has_no_exact_form_is_refused_before_anything_happens(workspace, action, subject, payload):
    log = open_log(workspace)
    with pytest.raises(ValueError):
        log.append(ANA, action, subject, payload)
    with pytest.raises(ValueError):
        log.decide(
            ANA, action, subject, lambda: Plan([AppendBlock(toy.reviewed(workspace), b"x\n")], payload),
            lock_on=toy.pending(workspace),
        )  # fmt: skip
    assert not toy.reviewed(workspace).exists()
    assert log.count() == 0


def test_any_text_comes_back_as_it_went_in(workspace):
    payload = {
        "title": "研究 📊 | ] ( ) & \0 \ud800 \u2028 \"quoted\" 'and' \\",
        "n": [1, 2.5, -0.0, 10**30, None, True],
        "": {},
    }
    log = open_log(workspace)
    log.append(ANA, "note", "先研究看看這個工具 🏷️", payload)
    record = open_log(workspace).records()[0]
    assert record.payload == payload
    assert record.subject == "先研究看看這個工具 🏷️"
    assert log.verify().ok


def test_a_plan_that_makes_no_sense_is_refused(workspace):
    log = open_log(workspace)
    path = toy.reviewed(workspace)
    twice = [AppendBlock(path, b"x\n"), AppendBlock(path, b"y\n")]
    with pytest.raises(ValueError, match="same file"):
        log.decide(ANA, "accept", "e1", lambda: Plan(twice, {}), lock_on=path)
    with pytest.raises(ValueError, match="without a decision"):
        log.decide_many(ANA, lambda: BatchPlan(twice[:1], []), lock_on=path)
    with pytest.raises(UnsafePath):
        outside = workspace.root.parent / "outside.md"
        log.decide(ANA, "accept", "e1", lambda: Plan([AppendBlock(outside, b"x\n")], {}), lock_on=path)
    assert not path.exists()
    assert log.count() == 0


def test_the_plan_may_take_decisions_itself_and_read_under_its_own_lock(workspace):
    log = open_log(workspace)

    def plan():
        with log.lock(toy.pending(workspace)):
            return Plan([], {"waiting": len(toy.blocks(toy.pending(workspace)))})

    assert log.decide(ANA, "count", "pending", plan, lock_on=toy.pending(workspace)).payload == {"waiting": 5}
