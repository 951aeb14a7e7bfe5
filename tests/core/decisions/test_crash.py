"""A kill at every instant of a decision: nothing lost, nothing doubled, and the log verifies."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.decisions import open_log
from core.workspace import Workspace
from tests.core.decisions import crash, toy

NAMES = {f"e{number}" for number in range(5)}


@pytest.fixture
def driver(database: str) -> Iterator[crash.Driver]:
    with crash.driver() as running:
        yield running


def made(root: Path, deed: str) -> Workspace:
    workspace = toy.build(root, entries=5)
    (root / "data" / "verdict.json").write_bytes(b"old verdict")
    if deed == "undo":
        toy.decide(workspace, "Ana", "e1")
    else:
        open_log(workspace).append(crash.local_person("Ana"), "note", "first", {})
    return workspace


def everywhere(workspace: Workspace) -> set[str]:
    return {name for path in (toy.pending(workspace), toy.reviewed(workspace)) for name, _ in toy.blocks(path)}


@pytest.mark.parametrize("deed", ["accept", "bulk", "undo", "replace", "append"])
def test_a_kill_at_any_instant(tmp_path, driver, deed, database):
    happened: list[bool] = []
    for stop_at in range(1, 200, 1 if database == "sqlite" else 2):
        workspace = made(tmp_path / str(stop_at), deed)
        (code,) = driver.run({"root": str(workspace.root), "deed": deed, "stop_at": stop_at})
        # Even before it is healed a reader finds every entry somewhere.
        assert everywhere(workspace) == NAMES
        open_log(workspace, writable=True)
        toy.check(workspace, NAMES)
        records = open_log(workspace).count() - 1
        assert records in (0, 3 if deed == "bulk" else 1)
        verdict = (workspace.root / "data" / "verdict.json").read_bytes()
        assert verdict == (b"new verdict" if deed == "replace" and records else b"old verdict")
        happened.append(records > 0)
        if code == crash.FINISHED:
            break
        assert code == crash.STOPPED
    # From one instant on it has happened; before, nothing has.
    assert happened == sorted(happened)
    assert happened[0] is False
    assert happened[-1] is True
    assert len(happened) > (1 if deed == "append" else 6)


@pytest.mark.slow
def test_a_kill_while_a_kill_is_being_healed(tmp_path, driver, database):
    """For every instant that left something to heal, instants of the healing, others each time until all were there."""
    nested = 0
    stride = 5 if database == "sqlite" else 17
    for stop_at in range(1, 200):
        for heal_stop in range(1 + stop_at % stride, 200, stride):
            workspace = made(tmp_path / f"{stop_at}-{heal_stop}", "accept")
            (code,) = driver.run({"root": str(workspace.root), "deed": "accept", "stop_at": stop_at})
            if not open_log(workspace).half_done():
                break
            (healing,) = driver.run({"root": str(workspace.root), "deed": "heal", "stop_at": heal_stop})
            assert everywhere(workspace) == NAMES
            nested += healing == crash.STOPPED
            open_log(workspace, writable=True)
            toy.check(workspace, NAMES)
            assert [record.subject for record in open_log(workspace).records()] == ["first", "e1"]
            if healing == crash.FINISHED:
                break
        if code == crash.FINISHED:
            break
    assert nested > 10


def test_two_processes_heal_at_once_and_one_record_comes_of_it(tmp_path, driver, database):
    healed = 0
    for stop_at in range(1, 200, 1 if database == "sqlite" else 3):
        workspace = made(tmp_path / str(stop_at), "accept")
        root = str(workspace.root)
        (code,) = driver.run({"root": root, "deed": "accept", "stop_at": stop_at})
        if open_log(workspace).half_done():
            healed += 1
            codes = driver.run(*({"root": root, "deed": "heal"} for _ in range(3)))
            assert codes == [crash.FINISHED] * 3
            assert [record.subject for record in open_log(workspace).records()] == ["first", "e1"]
            toy.check(workspace, NAMES)
        if code == crash.FINISHED:
            break
    assert healed > 3


def test_the_next_decision_heals_before_it_looks(tmp_path, driver):
    """The second reviewer meets a half-done decision and is told who took it."""
    for stop_at in range(1, 200):
        workspace = made(tmp_path / str(stop_at), "accept")
        root = str(workspace.root)
        driver.run({"root": root, "deed": "accept", "stop_at": stop_at})
        if open_log(workspace).half_done():
            assert driver.run({"root": root, "deed": "accept"}) == [crash.REFUSED]
            toy.check(workspace, NAMES)
            return
    pytest.fail("no instant left a half-done decision")
