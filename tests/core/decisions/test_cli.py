"""``python -m core log``."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.cli import main
from core.decisions import open_log
from core.decisions.records import FIELDS
from core.people import local_person
from core.times import parse_instant
from core.workspace import Workspace
from tests.core.decisions import toy
from tests.core.decisions.test_verify import tamper


def run(workspace: Workspace | Path, *words: str) -> Result:
    root = workspace if isinstance(workspace, Path) else workspace.root
    return CliRunner().invoke(main, ["log", *words, "--workspace", str(root)])


@pytest.fixture
def written(workspace: Workspace) -> Workspace:
    log = open_log(workspace)
    for who, subject, at in [
        ("Ana", "s1", "2026-11-29T23:59:59Z"),
        ("Bo", "s2", "2026-11-30T10:00:00+02:00"),
        ("=HYPERLINK(1)", "研究", "2026-11-30T23:59:59.5Z"),
    ]:
        log.append(local_person(who), "note", subject, {"title": 'a "quoted", 研究'}, at=parse_instant(at).utc)
    return workspace


def subjects(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [json.loads(line)["subject"] for line in result.stdout.splitlines()]


def test_an_empty_log_verifies_as_nothing_and_is_not_made(workspace):
    result = run(workspace, "verify")
    assert result.exit_code == 0
    assert result.stdout.endswith(": 0 records, nothing to verify\n")
    assert not (workspace.root / ".touchstone").exists()
    assert json.loads(run(workspace, "verify", "--json").stdout) == {
        "ok": True, "records": 0, "first_bad": None, "broken": [], "half_done": 0,
    }  # fmt: skip


def test_a_whole_log_is_a_yes(written):
    result = run(written, "verify")
    assert (result.exit_code, result.stdout.partition(": ")[2]) == (0, "3 records, each as it was written\n")


def test_the_first_bad_record_is_named_and_it_is_a_no(written):
    tamper(written, "UPDATE log SET reviewer = 'Cy' WHERE seq = 2", "DELETE FROM log WHERE seq = 3")
    result = run(written, "verify")
    assert result.exit_code == 1
    assert result.stdout.partition(": ")[2].splitlines() == [
        "NOT as it was written; first bad: record 2: changed: does not fit its hash",
        "  record 3: missing: was written, and is not there",
    ]
    result = run(written, "verify", "--json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["ok"], data["first_bad"], data["records"]) == (1, False, 2, 2)
    assert data["broken"][1] == {"seq": 3, "last": 3, "kind": "missing", "reason": "was written, and is not there"}


def test_a_log_that_cannot_be_read_could_not_be_verified(tmp_path, sqlite):
    workspace = toy.build(tmp_path / "workspace", entries=0)
    (workspace.root / ".touchstone").mkdir()
    (workspace.root / ".touchstone" / "touchstone.db").write_bytes(b"no database" * 100)
    for words in (["verify"], ["verify", "--json"], ["export"]):
        result = run(workspace, *words)
        assert result.exit_code == 2
        assert result.stderr == (
            "touchstone: the decision log in .touchstone/touchstone.db cannot be used: file is not a database\n"
        )


def test_json_lines_are_exact_and_in_order(written):
    lines = [json.loads(line) for line in run(written, "export").stdout.splitlines()]
    assert lines == [record.as_dict() for record in open_log(written).records()]
    assert [tuple(line) for line in lines] == [FIELDS] * 3
    assert json.loads(run(written, "export", "--json").stdout) == {"records": lines}


def test_csv_is_made_for_a_spreadsheet_that_must_run_nothing(written):
    table = list(csv.reader(io.StringIO(run(written, "export", "--format", "csv").stdout)))
    assert tuple(table[0]) == FIELDS
    assert [row[4] for row in table[1:]] == ["s1", "s2", "研究"]
    assert [row[2] for row in table[1:]] == ["Ana", "Bo", "'=HYPERLINK(1)"]
    assert json.loads(table[1][5]) == {"title": 'a "quoted", 研究'}


def test_an_empty_log_exports_nothing(workspace):
    assert run(workspace, "export").stdout == ""
    assert run(workspace, "export", "--format", "csv").stdout == ",".join(FIELDS) + "\n"
    assert json.loads(run(workspace, "export", "--json").stdout) == {"records": []}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--reviewer", "Bo"], ["s2"]),
        (["--subject", "研究"], ["研究"]),
        (["--action", "accept"], []),
        (["--since", "2026-11-30"], ["s2", "研究"]),
        (["--since", "2026-11-30T08:00:00Z", "--until", "2026-11-30T08:00:01Z"], ["s2"]),
        (["--since", "2026-11-30T10:00:01+02:00"], ["研究"]),
        (["--until", "2026-11-29"], ["s1"]),
        (["--until", "2026-11-30"], ["s1", "s2", "研究"]),
        (["--until", "2026-11-30T08:00:00Z"], ["s1"]),
        (["--reviewer", "Ana", "--since", "2026-11-30"], []),
    ],
)
def test_filters_by_reviewer_subject_action_and_time(written, words, expected):
    assert subjects(run(written, "export", *words)) == expected


def test_a_time_that_is_none_could_not_be_understood(written):
    result = run(written, "export", "--since", "yesterday")
    assert result.exit_code == 2
    assert "'yesterday' is not an ISO 8601 time" in result.stderr
