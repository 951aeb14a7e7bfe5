"""Twenty reviewers on one inbox: 500 items claimed, decided and resolved, none twice, none lost.

Two processes of ten on one PostgreSQL, and one process of twenty on SQLite.
"""

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.decisions import open_log
from core.decisions.engine import URL_VARIABLE
from core.errors import Conflict
from core.people import local_person
from core.triage import inbox
from core.triage.inbox import open_inbox
from core.triage.life import CLAIM_LASTS
from tests import postgres
from tests.core.triage import crowd

ROOT = Path(__file__).parents[3]
RUNS, ENTRIES = 60, 440
NAMES = [f"reviewer {number:02d}" for number in range(20)]


@pytest.fixture(scope="module")
def postgres_url():
    with postgres.server() as url:
        yield url


def check(workspace, done):
    """The log is whole, and every item was held by exactly the one who ended it, once."""
    log = open_log(workspace)
    assert log.verify().broken == ()
    records = log.records()
    resolved = [record for record in records if record.action == "triage.resolve"]
    assert len({record.subject for record in resolved}) == len(resolved) == RUNS + ENTRIES
    assert sum(one["ended"] for one in done.values()) == RUNS + ENTRIES
    assert Counter(record.reviewer for record in resolved) == Counter(
        {name: one["ended"] for name, one in done.items() if one["ended"]}
    )
    held = {}
    for record in records:
        if record.action == "triage.claim":
            assert record.subject not in held, f"record {record.seq}: claimed while {held.get(record.subject)} held it"
            held[record.subject] = record.reviewer
        elif record.action == "triage.resolve":
            assert held.pop(record.subject) == record.reviewer
    assert held == {}
    for folder in workspace.runs():
        (entry,) = json.loads((folder / "decision.json").read_text())["decisions"]
        assert entry["decision"] == "accept_as_it_stands"
    assert log.half_done() == []
    assert open_inbox(workspace, datetime.now(UTC) + CLAIM_LASTS).waiting == []


@pytest.mark.slow
def test_two_processes_on_one_postgresql(tmp_path, postgres_url, monkeypatch):
    monkeypatch.setenv(URL_VARIABLE, postgres_url)
    workspace = crowd.workspace_of(tmp_path / "shared", RUNS, ENTRIES)
    command = [sys.executable, "-m", "tests.core.triage.crowd", str(workspace.root)]
    running = [
        subprocess.Popen(
            [*command, *names], cwd=ROOT, env=os.environ | {URL_VARIABLE: postgres_url}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )
        for names in (NAMES[:10], NAMES[10:])
    ]  # fmt: skip
    done = {}
    for process in running:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        done |= json.loads(out)
        assert sum(one.get("ended", 0) for one in json.loads(out).values()) > 0, "one process did all the work"
    check(workspace, {name: Counter(one) for name, one in done.items()})


@pytest.mark.slow
def test_one_process_on_sqlite(tmp_path, monkeypatch):
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    workspace = crowd.workspace_of(tmp_path / "alone", RUNS, ENTRIES)
    check(workspace, crowd.crowd(workspace, NAMES))


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_six_reviewers_end_one_item_at_once_that_nobody_claimed(tmp_path, request, monkeypatch, kind):
    """What the decision writes elsewhere is written once too: nobody comes between it and the record."""
    if kind == "postgresql":
        monkeypatch.setenv(URL_VARIABLE, request.getfixturevalue("postgres_url"))
    workspace = crowd.workspace_of(tmp_path / "shared", 10, 0)
    items = [item for item in open_inbox(workspace, datetime.now(UTC)).waiting if item.finding.kind == "loop_escalated"]
    assert len(items) == 10
    for item in items:
        start = threading.Barrier(6)

        def end(name, item=item, start=start):
            start.wait()
            try:
                return inbox.resolve(workspace, local_person(name), item, "accept", now=datetime.now(UTC)).reviewer
            except Conflict as refused:
                return str(refused)

        with ThreadPoolExecutor(6) as pool:
            told = list(pool.map(end, NAMES[:6]))
        (winner,) = [one for one in told if one in NAMES]
        assert Counter(told)[winner] == 1
        assert all(f"{winner} resolved this" in one for one in told if one != winner)
    for folder in workspace.runs():
        assert len(json.loads((folder / "decision.json").read_text())["decisions"]) == 1
    assert open_log(workspace).verify().broken == ()
