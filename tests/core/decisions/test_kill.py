"""Processes killed at random while they do whatever they like: nothing lost, nothing doubled, the log verifies."""

import json
import random

import pytest

from core.decisions import open_log
from core.people import local_person
from tests.core.decisions import crash, toy

ROUNDS = {"sqlite": 60, "postgresql": 20}
INSTANTS = 100  # a decision has about thirty


@pytest.mark.slow
def test_two_processes_killed_again_and_again(tmp_path, database):
    workspace = toy.build(tmp_path / "workspace", entries=60)
    names = {name for name, _ in toy.blocks(toy.pending(workspace))}
    log = open_log(workspace)
    log.append(local_person("Ana"), "note", "first", {})
    confirmed = tmp_path / "confirmed"
    chance = random.Random(20261130)
    with crash.driver() as driver:
        for round_number in range(ROUNDS[database]):
            kills: dict[str, crash.Order] = {
                "Ana": {"kill_after_deeds": chance.randrange(4), "kill_after": chance.uniform(0, 0.02)},
                "Bo": {"stop_at": chance.randrange(1, INSTANTS)},
            }
            codes = driver.run(*(
                {
                    "root": str(workspace.root), "deed": "busy", "who": who, "seed": f"{round_number} {who}",
                    "confirmed": str(confirmed), "progress": str(tmp_path / f"progress {round_number} {who}"), **kill,
                }
                for who, kill in kills.items()
            ))  # fmt: skip
            assert codes == [crash.STOPPED] * 2
            with log.lock(toy.pending(workspace)), toy.pending(workspace).open("ab") as opened:
                opened.write(f"### a{round_number}\n- by an agent\n\n".encode())
            names.add(f"a{round_number}")
    open_log(workspace, writable=True)
    toy.check(workspace, names)
    records = {record.seq: record for record in log.records()}
    promised = [json.loads(line) for line in confirmed.read_text().splitlines()]
    assert len({seq for seq, _, _ in promised}) == len(promised)
    for seq, action, subject in promised:
        assert (records[seq].action, records[seq].subject) == (action, subject)
    assert {"accept", "reject", "undo", "note"} <= {action for _, action, _ in promised}
    assert len(promised) > ROUNDS[database]
    healed = [record for record in records.values() if "healed_at" in record.payload]
    assert healed, "no kill hit a decision half way: the test showed nothing"
