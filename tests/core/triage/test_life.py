"""The life of a finding as tables and properties (triage contract, "Life")."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decisions.sightings import Sighting
from core.findings import Finding
from core.triage.life import CLAIM_LASTS, Event, changes, claim_of, items
from core.triage.statistics import statistics

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def finding(subject="run 7", severity="attention", **evidence):
    return Finding.make(
        system="report_loop", kind="loop_escalated", severity=severity, subject=subject, summary="stopped",
        evidence=evidence or {"verdict": "cap"}, link="/report_loop?run=7",
    )  # fmt: skip


def event(seq, deed, who="Ada", at=NOW, of=None, **more):
    of = of or finding()
    return Event(seq, at, who, deed, of.id, of.evidence_hash, of.evidence, **more)


def seen(of, ago, gone_at=None):
    return Sighting(of, NOW - ago, NOW, NOW - ago, NOW - ago, gone_at)


def one(events, now=NOW, of=None, gone_at=None):
    of = of or finding()
    (item,) = items([seen(of, timedelta(hours=6), gone_at)], events, now)
    return item


def test_open_claimed_resolved():
    assert one([]).state == "open"
    claimed = one([event(1, "claim")])
    assert (claimed.state, claimed.claimed_by, claimed.claimed_until) == ("claimed", "Ada", NOW + CLAIM_LASTS)
    done = one([event(1, "claim"), event(2, "resolve", decision="accept", note="fine")])
    assert (done.state, done.resolution.decision, done.resolution.note, done.claimed_by) == (
        "resolved",
        "accept",
        "fine",
        None,
    )
    assert one([event(1, "claim"), event(2, "release")]).state == "open"
    assert one([event(1, "resolve"), event(2, "reopen")]).state == "open"


def test_a_claim_lapses_after_thirty_minutes_without_activity():
    claim = event(1, "claim")
    assert one([claim], NOW + timedelta(minutes=29, seconds=59)).state == "claimed"
    assert one([claim], NOW + timedelta(minutes=30)).state == "open"
    renewed = event(2, "claim", at=NOW + timedelta(minutes=20))
    assert one([claim, renewed], NOW + timedelta(minutes=45)).state == "claimed"


def test_a_claim_is_held_by_one():
    first, second = event(1, "claim", "Ada"), event(2, "claim", "Ben", at=NOW + timedelta(minutes=5))
    assert claim_of([first, second], NOW + timedelta(minutes=6)).reviewer == "Ada"
    late = event(3, "claim", "Ben", at=NOW + timedelta(minutes=31))
    assert claim_of([first, late], NOW + timedelta(minutes=32)).reviewer == "Ben"


def test_changed_evidence_reopens_and_says_what_changed():
    before, after = finding(verdict="cap", inclusive=0.71), finding(verdict="cap", inclusive=0.74)
    item = one([event(1, "resolve", of=before)], of=after)
    assert (item.state, item.changed) == ("open", ("inclusive: 0.71 → 0.74",))


def test_snoozed_until_a_date_or_until_something_changes():
    until = NOW + timedelta(days=2)
    snooze = event(1, "snooze", until=until)
    assert (one([snooze]).state, one([snooze]).snoozed_until) == ("snoozed", until)
    assert one([snooze], until).state == "open"
    assert one([snooze], of=finding(verdict="plateau")).state == "open"


def test_what_is_gone_closes_by_itself_unless_a_person_had_ended_it():
    gone = NOW - timedelta(hours=1)
    assert (one([], gone_at=gone).state, one([], gone_at=gone).ended_at) == ("closed", gone)
    assert one([event(1, "resolve")], gone_at=gone).state == "resolved"
    again = one([event(1, "resolve")], of=finding(verdict="other"), gone_at=gone)  # reopened, and then gone
    assert (again.state, again.ended_at) == ("closed", gone)


def test_changes_name_new_gone_and_different():
    assert changes({"a": 1, "b": [1, 2]}, {"b": [1, 3], "c": "x"}) == (
        "a: gone (was 1)",
        "b: 1, 2 → 1, 3",
        "c: new (x)",
    )


deeds = st.lists(
    st.tuples(
        st.sampled_from(["claim", "release", "resolve", "snooze", "reopen"]),
        st.sampled_from(["Ada", "Ben"]),
        st.integers(0, 90),
    ),
    max_size=12,
)


@given(deeds, st.booleans())
def test_whatever_happened_resolved_means_same_evidence_or_gone(history, changed):
    """A resolved finding reopens exactly when its evidence changes, whatever else happened."""
    now, events = NOW, []
    for seq, (deed, who, minutes) in enumerate(history, 1):
        now += timedelta(minutes=minutes)
        events.append(event(seq, deed, who, now, until=now + timedelta(days=1)))
    item = one(events, now, of=finding(verdict="changed") if changed else None)
    ending = next((e.deed for e in reversed(events) if e.deed in ("resolve", "snooze", "reopen")), None)
    assert (item.state == "resolved") == (ending == "resolve" and not changed)
    assert (item.state == "snoozed") == (ending == "snooze" and not changed)
    if item.state == "claimed":
        assert item.claimed_until > now


@given(deeds, st.randoms())
def test_the_order_in_which_records_arrive_does_not_matter(history, chance):
    events = [
        event(seq, deed, who, NOW + timedelta(minutes=seq), until=NOW + timedelta(days=1))
        for seq, (deed, who, _) in enumerate(history, 1)
    ]
    shuffled = list(events)
    chance.shuffle(shuffled)
    assert one(events, NOW + timedelta(hours=1)) == one(shuffled, NOW + timedelta(hours=1))


@given(st.permutations(["verdict", "dimensions", "receipt", "frozen"]))
def test_a_finding_keeps_its_ids_in_any_order_of_keys(keys):
    assert (
        finding(**dict.fromkeys(keys, 1)).evidence_hash
        == finding(verdict=1, dimensions=1, receipt=1, frozen=1).evidence_hash
    )
    assert finding(**dict.fromkeys(keys, 1)).id == finding().id


def test_severity_then_age_and_the_figures():
    sightings = [
        seen(finding("old", "notice"), timedelta(days=3)),
        seen(finding("young", "blocking"), timedelta(hours=1)),
        seen(finding("older", "blocking"), timedelta(hours=9)),
        seen(finding("gone"), timedelta(days=1), NOW - timedelta(hours=2)),
    ]
    found = items(sightings, [], NOW)
    assert [item.finding.subject for item in found if item.needs_a_person] == ["older", "young", "old"]
    figures = statistics(found, NOW, UTC, days=4)
    assert (figures.waiting, figures.closed_today) == (3, 1)
    assert (figures.median_wait, figures.oldest_wait) == (timedelta(hours=9), timedelta(days=3))
    assert [(day.opened, day.closed) for day in figures.days] == [(1, 0), (0, 0), (1, 0), (2, 1)]


def test_a_reopening_does_not_rewrite_the_days_before_it():
    """Opened four days ago, resolved three days ago, its evidence changed a day ago, resolved an hour ago."""
    days = timedelta(days=1)
    sighting = Sighting(finding(verdict="new"), NOW - 4 * days, NOW, NOW - 4 * days, NOW - days)
    first = event(1, "resolve", at=NOW - 3 * days, of=finding(verdict="old"))
    second = event(2, "resolve", at=NOW - timedelta(hours=1), of=finding(verdict="new"))
    reopened = statistics(items([sighting], [first], NOW), NOW, UTC, days=5).days
    assert [(day.opened, day.closed) for day in reopened] == [(1, 0), (0, 1), (0, 0), (1, 0), (0, 0)]
    ended = statistics(items([sighting], [first, second], NOW), NOW, UTC, days=5).days
    assert [(day.opened, day.closed) for day in ended] == [(1, 0), (0, 1), (0, 0), (1, 0), (0, 1)]


def test_of_an_empty_inbox_nothing_is_claimed():
    figures = statistics([], NOW, UTC)
    assert (figures.waiting, figures.median_wait, figures.oldest_wait) == (0, None, None)


@pytest.mark.parametrize("deed", ["claim", "resolve"])
def test_undone_records_are_not_events(deed):
    """The caller leaves out what was undone: without its event the finding is open again."""
    assert one([event(1, deed)]).state != "open"
    assert one([]).state == "open"
