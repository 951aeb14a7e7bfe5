"""Instants compare as moments, numbers print in one way."""

from datetime import UTC, datetime, timedelta

import pytest

from core import numbers, people
from core.errors import NotAllowed
from core.times import iso, parse_instant
from core.workspace import Workspace


@pytest.mark.parametrize(
    ("text", "utc", "zone_known"),
    [
        ("2026-11-30T09:00:00Z", "2026-11-30T09:00:00Z", True),
        ("2026-11-30T09:00:00+09:00", "2026-11-30T00:00:00Z", True),
        ("2026-11-30T09:00:00-0500", "2026-11-30T14:00:00Z", True),
        ("2026-11-30 09:00", "2026-11-30T09:00:00Z", False),
        ("2026-11-30", "2026-11-30T00:00:00Z", False),
        ("2026-11-30T09:00:00.123456789Z", "2026-11-30T09:00:00.123456Z", True),
    ],
)
def test_instants(text, utc, zone_known):
    instant = parse_instant(text)
    assert (instant.iso, instant.zone_known, instant.text) == (utc, zone_known, text)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-02-30", "2026-13-01", "2026-11-30T25:00", "1700000000", "9999-12-31T23:59:59-10:00"]
)
def test_what_is_no_instant_is_refused(text):
    with pytest.raises(ValueError):
        parse_instant(text)


def test_a_time_without_a_zone_cannot_be_written():
    with pytest.raises(ValueError):
        iso(datetime(2026, 11, 30))
    assert parse_instant("2026-12-01T00:00:00Z").in_future(datetime(2026, 11, 30, tzinfo=UTC))


def test_what_is_not_known_is_printed_as_such():
    assert numbers.percent(0, 0) == numbers.percent_of(None) == numbers.score(None) == numbers.money(None) == "n/a"
    assert (numbers.percent(11, 20), numbers.composite(0.62547), numbers.interval(0.342, 0.742)) == (
        "55.0%",
        "0.6255",
        "34.2–74.2%",
    )
    assert (numbers.count(1, "entry", "entries"), numbers.count(12000, "entry", "entries")) == (
        "1 entry",
        "12,000 entries",
    )
    assert (numbers.money(0.0042), numbers.size(12_100), numbers.span(timedelta(hours=30))) == (
        "$0.0042",
        "12.1 kB",
        "1 d",
    )


UNTIL = datetime(9999, 1, 1, tzinfo=UTC)


def test_roles_follow_the_settings_as_they_stand(tmp_path):
    settings = tmp_path / "touchstone.toml"
    settings.write_text('[people]\nreviewers = ["A@x.org"]\nlookers = ["b@x.org"]\n')
    workspace = Workspace.open(tmp_path)
    ada, ben, eve = (people.Person(name, "reviewer", f"{name}@x.org", UNTIL) for name in "abe")
    people.require(ada, workspace, "decide")
    assert [people.may(person, workspace, "look") for person in (ada, ben, eve)] == [True, True, False]
    for person in (ben, eve):
        with pytest.raises(NotAllowed, match="may not decide"):
            people.require(person, workspace, "decide")
    with pytest.raises(NotAllowed):
        people.local_person("  ")
