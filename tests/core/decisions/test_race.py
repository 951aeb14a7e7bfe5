"""Many decide the same entries at the same time: each is decided once, and everybody else is told by whom."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.decisions import open_log
from core.errors import Conflict
from core.workspace import Workspace
from tests.core.decisions import crash, toy


def judge(workspace: Workspace, told: dict[str, dict[str, str]]) -> None:
    """``told``: for each person what became of each entry."""
    names = {name for each in told.values() for name in each}
    toy.check(workspace, names)
    won = {record.subject: record.reviewer for record in open_log(workspace).records()}
    assert set(won) == names
    for who, outcomes in told.items():
        assert set(outcomes) == names
        for name, message in outcomes.items():
            assert message == ("" if won[name] == who else f"{name} was decided by {won[name]}: accept")
    assert sum(message == "" for outcomes in told.values() for message in outcomes.values()) == len(names)


def race(workspace: Workspace, folder: Path, people: int, **order: object) -> dict[str, dict[str, str]]:
    """Start that many processes, let them go together, and give what each was told."""
    orders = [
        {
            "root": str(workspace.root), "deed": "race", "who": f"person {number}", "go": str(folder / "go"),
            "ready": str(folder / f"ready {number}"), "out": str(folder / f"told {number}"), **order,
        }
        for number in range(people)
    ]  # fmt: skip
    starter = threading.Thread(target=_start_all, args=(folder, people))
    starter.start()
    with crash.driver() as driver:
        assert driver.run(*orders) == [crash.FINISHED] * people
    starter.join()
    return {str(one["who"]): json.loads(Path(str(one["out"])).read_text()) for one in orders}


def _start_all(folder: Path, people: int) -> None:
    waited = threading.Event()
    for _ in range(6000):
        if len(list(folder.glob("ready *"))) == people:
            break
        waited.wait(0.01)
    (folder / "go").touch()


@pytest.mark.slow
def test_twenty_processes_decide_the_same_entries(tmp_path, database):
    workspace = toy.build(tmp_path / "workspace", entries=60 if database == "sqlite" else 15)
    told = race(workspace, tmp_path, people=20)
    judge(workspace, told)
    assert sum("" in outcomes.values() for outcomes in told.values()) > 1, "it was no race: one process decided all"


@pytest.mark.slow
def test_twenty_threads_decide_the_same_entries(tmp_path, database):
    workspace = toy.build(tmp_path / "workspace", entries=40 if database == "sqlite" else 15)
    names = [name for name, _ in toy.blocks(toy.pending(workspace))]
    barrier = threading.Barrier(20)

    def decide_all(who: str) -> dict[str, str]:
        told = {}
        barrier.wait()
        for name in names:
            try:
                toy.decide(workspace, who, name)
                told[name] = ""
            except Conflict as error:
                told[name] = str(error)
        return told

    with ThreadPoolExecutor(20) as pool:
        people = [f"person {number}" for number in range(20)]
        judge(workspace, dict(zip(people, pool.map(decide_all, people), strict=True)))


def test_servers_without_common_file_locks_take_turns_by_the_database(tmp_path, monkeypatch, postgres_url):
    """App servers on several machines: their file locks do not reach each other, PostgreSQL's advisory locks do."""
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", postgres_url)
    workspace = toy.build(tmp_path / "workspace", entries=25)
    open_log(workspace).append(crash.local_person("Ana"), "note", "first", {})  # the folder is known to the database
    told = race(workspace, tmp_path, people=6, file_locks=False)
    names = {name for each in told.values() for name in each}
    toy.check(workspace, names)
    assert sum(message == "" for outcomes in told.values() for message in outcomes.values()) == len(names)
    assert sum("" in outcomes.values() for outcomes in told.values()) > 1
