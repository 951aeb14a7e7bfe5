"""Reviewers who clear an inbox, each a thread: `python -m tests.core.triage.crowd ROOT NAME…`, one process of several.

Each takes what is open in an order of their own, claims it, ends it, and goes on until nothing is left.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from core.errors import Conflict
from core.people import local_person
from core.triage import choices, inbox
from core.triage.standing import Survey, stand, survey
from core.workspace import Workspace
from tests.core.triage.workspaces import escalated_run


def workspace_of(root: Path, runs: int, entries: int) -> Workspace:
    """Findings of two systems: runs, whose decisions are written to files, and entries, whose are not."""
    for number in range(runs):
        escalated_run(root / ".ravenclaude" / "runs" / f"run-{number:04d}")
    blocks = [f"\n---\n\n### heading {number} that says nothing\n- 📋 建議：x{number}\n" for number in range(entries)]
    (root / "data").mkdir(parents=True)
    (root / "data" / "suggestions_pending.md").write_text("# Pending\n" + "".join(blocks), "utf-8")
    return Workspace.open(root)


def clear(workspace: Workspace, seen: Survey, name: str) -> Counter[str]:
    """One reviewer's work; how many they ended and how often somebody was first."""
    me, chance, done = local_person(name), random.Random(name), Counter[str]()
    while True:
        waiting = [
            item for item in stand(workspace, seen, datetime.now(UTC)).waiting if item.claimed_by in (None, name)
        ]
        if not waiting:
            return done
        item = chance.choice(waiting)
        try:
            inbox.claim(workspace, me, item, datetime.now(UTC))
        except Conflict:
            done["was second"] += 1
            continue
        first = choices.of_kind(item.finding.kind)[0]
        inbox.resolve(workspace, me, item, first.decision, note=f"by {name}", now=datetime.now(UTC))
        done["ended"] += 1


def crowd(workspace: Workspace, names: list[str]) -> dict[str, Counter[str]]:
    """All of these reviewers at once, on one look at the files. A reviewer's error is everybody's."""
    seen = survey(workspace, datetime.now(UTC))
    done: dict[str, Counter[str]] = {}
    faults: list[BaseException] = []

    def work(name: str) -> None:
        try:
            done[name] = clear(workspace, seen, name)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return done


if __name__ == "__main__":
    print(json.dumps(crowd(Workspace.open(sys.argv[1]), sys.argv[2:])))
