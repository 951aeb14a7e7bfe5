"""Tampering with the stored log: whatever is done to it, `verify` names it, and the first bad entry first."""

import hashlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from core.decisions import open_log
from core.decisions.engine import Database
from core.decisions.records import GENESIS, canonical, hash_of
from core.errors import Unavailable
from core.people import local_person
from core.workspace import Workspace

ANA = local_person("Ana")
COUNT = 6


@pytest.fixture
def written(workspace: Workspace) -> Workspace:
    log = open_log(workspace)
    for number in range(1, COUNT + 1):
        log.append(ANA, "note", f"s{number}", {"n": number, "after n": {"z": 1, "a": ["é"]}})
    return workspace


def tamper(workspace: Workspace, *statements: str, **values: object) -> None:
    """Run SQL as somebody with the database in their hands, who has switched our refusal off."""
    database = Database(workspace)
    with database.write() as conn:
        if database.is_postgres:
            conn.exec_driver_sql("ALTER TABLE log DISABLE TRIGGER ALL")
        else:
            conn.exec_driver_sql("DROP TRIGGER IF EXISTS log_no_update")
            conn.exec_driver_sql("DROP TRIGGER IF EXISTS log_no_delete")
        for statement in statements:
            conn.execute(text(statement), values)


def found(workspace: Workspace) -> list[tuple[int, int, str]]:
    return [(broken.seq, broken.last, broken.kind) for broken in open_log(workspace).verify().broken]


def test_an_untouched_log_is_whole(written):
    verdict = open_log(written).verify()
    assert (verdict.records, verdict.broken, verdict.ok) == (COUNT, (), True)


def test_the_hash_can_be_computed_by_anybody_from_the_export(written):
    """sha256 of the other seven fields as JSON: sorted keys, no blanks, ASCII."""
    before = GENESIS
    for record in open_log(written).records():
        fields = record.as_dict()
        told = fields.pop("hash")
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
        assert told == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
        assert fields["prev_hash"] == before
        before = told


@pytest.mark.parametrize(
    "deed", ["UPDATE log SET reviewer = 'Bo' WHERE seq = 2", "DELETE FROM log WHERE seq = 2", "DELETE FROM log"]
)
def test_the_database_itself_refuses_to_change_or_delete(written, deed):
    with pytest.raises(Unavailable, match="the decision log is append-only"), Database(written).write() as conn:
        conn.exec_driver_sql(deed)
    assert open_log(written).verify().records == COUNT


@pytest.mark.parametrize(
    "change",
    [
        "reviewer = 'Bo'",
        "action = 'accept'",
        "subject = 'other'",
        "at = '2026-01-01T00:00:00.000000Z'",
        """payload = '{"n"\\:99}'""",
        "payload = replace(payload, ',', ', ')",
        "payload = 'no JSON'",
        f"hash = '{GENESIS}'",
        f"prev_hash = '{GENESIS}'",
    ],
)
def test_a_changed_field_is_found_and_only_there(written, change):
    tamper(written, f"UPDATE log SET {change} WHERE seq = 3")
    assert found(written) == [(3, 3, "changed")]


@pytest.mark.parametrize(
    ("deed", "broken"),
    [
        ("DELETE FROM log WHERE seq = 1", [(1, 1, "missing")]),
        ("DELETE FROM log WHERE seq = 3", [(3, 3, "missing")]),
        ("DELETE FROM log WHERE seq IN (3, 4)", [(3, 4, "missing")]),
        ("DELETE FROM log WHERE seq IN (2, 5)", [(2, 2, "missing"), (5, 5, "missing")]),
        (f"DELETE FROM log WHERE seq = {COUNT}", [(COUNT, COUNT, "missing")]),
        ("DELETE FROM log WHERE seq > 2", [(3, COUNT, "missing")]),
        ("DELETE FROM log", [(1, COUNT, "missing")]),
        ("UPDATE log SET seq = 99 WHERE seq = 2", [(2, 2, "missing"), (7, 98, "missing"), (99, 99, "reordered")]),
    ],
)
def test_missing_records_are_named_also_at_the_end(written, deed, broken):
    tamper(written, deed)
    known = [item for item in found(written) if item != (7, 99, "changed")]
    assert known == broken


def test_two_records_that_changed_places_are_told_as_such(written):
    tamper(
        written, "UPDATE log SET seq = 100 WHERE seq = 3", "UPDATE log SET seq = 3 WHERE seq = 4",
        "UPDATE log SET seq = 4 WHERE seq = 100",
    )  # fmt: skip
    verdict = open_log(written).verify()
    assert [str(broken) for broken in verdict.broken] == [
        "record 3: reordered: what stands here was written as record 4",
        "record 4: reordered: what stands here was written as record 3",
    ]


def test_a_record_removed_and_the_rest_moved_up_is_found(written):
    tamper(
        written, "DELETE FROM log WHERE seq = 3", "UPDATE log SET seq = -seq WHERE seq > 3",
        "UPDATE log SET seq = -seq - 1 WHERE seq < 0",
    )  # fmt: skip
    verdict = open_log(written).verify()
    assert verdict.broken[0].seq == 3
    assert {(broken.seq, broken.kind) for broken in verdict.broken} >= {(3, "changed"), (COUNT, "missing")}


def test_a_record_forged_with_a_fitting_hash_is_found_by_the_next(written):
    third = open_log(written).record(3)
    forged = hash_of(3, third.at, "Bo", third.action, third.subject, canonical(third.payload), third.prev_hash)
    tamper(written, "UPDATE log SET reviewer = 'Bo', hash = :forged WHERE seq = 3", forged=forged)
    verdict = open_log(written).verify()
    assert [str(broken) for broken in verdict.broken] == [
        "record 3: changed: fits its own hash, but record 4 was written after another record 3"
    ]


def test_the_last_record_forged_is_found_by_what_is_kept_beside_the_log(written):
    last = open_log(written).record(COUNT)
    forged = hash_of(COUNT, last.at, "Bo", last.action, last.subject, canonical(last.payload), last.prev_hash)
    tamper(written, f"UPDATE log SET reviewer = 'Bo', hash = :forged WHERE seq = {COUNT}", forged=forged)
    assert found(written) == [(COUNT, COUNT, "changed")]


def test_a_record_smuggled_in_behind_the_last_is_found(written):
    last = open_log(written).record(COUNT)
    forged = hash_of(COUNT + 1, last.at, "Bo", "note", "x", "{}", last.hash)
    tamper(
        written,
        f"INSERT INTO log VALUES ({COUNT + 1}, '{last.at}', 'Bo', 'note', 'x', '{{}}', '{last.hash}', :forged, NULL)",
        forged=forged,
    )
    assert found(written) == [(COUNT + 1, COUNT + 1, "changed")]


def test_an_unreadable_payload_is_shown_and_hides_no_other_record(written):
    tamper(written, "UPDATE log SET payload = 'no JSON' WHERE seq = 3")
    records = open_log(written).records()
    assert [record.seq for record in records] == list(range(1, COUNT + 1))
    assert (records[2].problem, records[2].payload) == (
        "the stored payload is no JSON object",
        {"unreadable": "no JSON"},
    )


FIELDS = ["at", "reviewer", "action", "subject", "payload", "prev_hash", "hash"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seq=st.integers(1, COUNT), field=st.sampled_from(FIELDS), value=st.text('ab{}"é研', min_size=1))
def test_any_change_of_any_field_of_any_record_is_found_there(written, seq, field, value):
    before = getattr(open_log(written).record(seq), field)
    before = canonical(before) if field == "payload" else before
    tamper(written, f"UPDATE log SET {field} = :value WHERE seq = {seq}", value=value)
    assert found(written) == [(seq, seq, "changed")]
    tamper(written, f"UPDATE log SET {field} = :value WHERE seq = {seq}", value=before)
    assert found(written) == []


def test_without_the_row_that_names_the_newest_nothing_is_whole_and_nothing_added(written):
    tamper(written, "DELETE FROM log_head")
    assert found(written) == [(COUNT + 1, COUNT + 1, "missing")]
    with pytest.raises(Unavailable, match="lost the row that names its newest record"):
        open_log(written).append(ANA, "note", "x", {})
