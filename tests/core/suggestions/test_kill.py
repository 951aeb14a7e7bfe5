"""A kill at any instant loses no decision and doubles none; of many who decide, each thing is decided by one."""

import json
import subprocess
import sys
import threading
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.decisions import Record, open_log
from core.errors import Conflict
from core.people import local_person
from core.suggestions import review, store
from core.suggestions.edits import own_text
from core.workspace import Workspace

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
KILLS = 300


def block(name: str) -> str:
    return (
        f"\n---\n\n### 2026-11-29 | Newsletter | [{name}](https://e.example/{name})\n"
        f"- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n- 📋 建議：do {name}\n"
    )


def own(name: str) -> str:
    return block(name).partition("\n---\n\n")[2]


def standing(records: list[Record]) -> dict[str, Record]:
    """The decision in force for each suggestion."""
    undone = {record.undoes for record in records}
    return {
        record.payload["title"]: record
        for record in records
        if record.action in ("accept", "reject") and record.seq not in undone
    }


def check_everything(workspace: Workspace, names: set[str]) -> None:
    """Files and log tell one story: every suggestion is once in one place, whole, and where its decision puts it.

    ``names`` must be there; of what a killed process did not live to report, it may be.
    """
    log = open_log(workspace, writable=True)
    assert log.half_done() == []
    assert log.verify().broken == ()
    decided = standing(log.records())
    pending, reviewed = (store.of_workspace(workspace, kind) for kind in ("pending", "reviewed"))  # type: ignore[arg-type]
    assert pending.problems == reviewed.problems == ()

    found = Counter(entry.title for entry in (*pending.entries, *reviewed.entries))
    assert [name for name, times in found.items() if times > 1] == []
    assert names <= set(found)
    assert all(name.startswith("new-") for name in set(found) - names)

    assert {entry.title for entry in reviewed.entries} == set(decided)
    assert all(own_text(entry) == own(entry.title) for entry in pending.entries)
    for entry in reviewed.entries:
        record = decided[entry.title]
        assert entry.decision == record.action
        assert own_text(entry).startswith(own(entry.title))
        assert entry.comment == record.payload["comment"]


@pytest.mark.slow
def test_three_hundred_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    names = [f"first-{number}" for number in range(40)]
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "suggestions_pending.md").write_text("# 📋 Pending Suggestions\n" + "".join(map(block, names)))
    run = subprocess.run(
        [sys.executable, HERE / "nursery.py", tmp_path, "7", str(KILLS)],
        capture_output=True, text=True, cwd=REPOSITORY, env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin"},
        timeout=240, check=True,
    )  # fmt: skip
    assert run.stderr == ""
    told: list[dict[str, Any]] = json.loads(run.stdout.splitlines()[-1])

    workspace = Workspace.open(tmp_path)
    appended = {report["append"] for report in told if "append" in report}
    check_everything(workspace, {*names, *appended})

    sequence = {record.seq for record in open_log(workspace).records()}
    assert {report["seq"] for report in told if "seq" in report} <= sequence
    deeds = Counter(next(iter(report)) for report in told)
    assert deeds["seq"] > 50, "too few decisions for the test to mean anything"
    assert deeds["append"] > 10
    assert not list(folder.glob(".*.tmp"))


def test_twenty_reviewers_decide_the_same_two_hundred(tmp_path: Path) -> None:
    names = [f"entry-{number}" for number in range(200)]
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "suggestions_pending.md").write_text("# 📋 Pending Suggestions\n" + "".join(map(block, names)))
    workspace = Workspace.open(tmp_path)
    ids = {entry.id: entry.title for entry in store.of_workspace(workspace, "pending").entries}
    won: dict[str, list[str]] = {}
    lost: list[tuple[str, str, str]] = []
    wrong: list[BaseException] = []

    def decide(number: int) -> None:
        person = local_person(f"reviewer-{number}")
        order = list(ids)[number * 10 :] + list(ids)[: number * 10]
        try:
            for entry_id in order:
                try:
                    now = datetime.now(UTC)
                    review.decide(workspace, person, entry_id, "accept" if number % 2 else "reject", now=now)
                    won.setdefault(entry_id, []).append(person.name)
                except Conflict as error:
                    lost.append((entry_id, person.name, str(error)))
        except BaseException as error:  # a thread's error must fail the test, not vanish with it
            wrong.append(error)

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert set(won) == set(ids)
    assert all(len(winners) == 1 for winners in won.values())
    assert len(lost) == 20 * 200 - 200
    for entry_id, loser, told in lost:
        winner = won[entry_id][0]
        assert loser != winner
        done = "accepted" if int(winner.rpartition("-")[2]) % 2 else "rejected"
        assert told.startswith(f"{winner} {done} '{ids[entry_id]}' at ")
    decided = check_everything_of_race(workspace, names)
    assert {name: record.reviewer for name, record in decided.items()} == {
        ids[entry_id]: winners[0] for entry_id, winners in won.items()
    }


def check_everything_of_race(workspace: Workspace, names: list[str]) -> dict[str, Record]:
    log = open_log(workspace)
    assert log.verify().broken == ()
    assert store.of_workspace(workspace, "pending").entries == ()
    reviewed = store.of_workspace(workspace, "reviewed").entries
    assert Counter(entry.title for entry in reviewed) == Counter(names)
    decided = standing(log.records())
    assert all(entry.decision == decided[entry.title].action for entry in reviewed)
    return decided
