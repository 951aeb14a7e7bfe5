"""Raises reviewers and kills them: `python nursery.py WORKSPACE SEED KILLS`.

Two processes at a time accept, reject, undo and append until they are killed at a random instant. They are forked from
this one, which has everything imported, so that a life is milliseconds and not a second. What a reviewer was told is
done goes down a pipe before the next deed; the pipe outlives it. The last line printed is what they reported, as JSON.
"""

import json
import os
import random
import selectors
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from core.decisions import open_log
from core.errors import Conflict
from core.files.write import append_bytes
from core.people import local_person
from core.suggestions import review, store
from core.workspace import Workspace


def live(workspace: Workspace, life: int, pipe: int) -> None:
    """One reviewer, until killed."""
    chance = random.Random(life)
    person, log = local_person(f"reviewer {life}"), open_log(workspace)
    mine: list[int] = []
    for deed in range(10_000):
        what = chance.choice(["accept", "accept", "reject", "undo", "append"])
        now = datetime.now(UTC)
        try:
            if what == "append":
                name = f"new-{life}-{deed}"
                append_bytes(workspace.suggestions.pending, block(name).encode(), log.lock)
                told: dict[str, Any] = {"append": name}
            elif what == "undo":
                if not mine:
                    continue
                told = {"seq": review.undo(workspace, person, mine.pop(), now=now).seq}
            else:
                entries = store.of_workspace(workspace, "pending").entries
                if not entries:
                    continue
                chosen = chance.choice(entries[:8]).id  # few, so that the two are in each other's way
                record = review.decide(workspace, person, chosen, what, comment=f"by {life}", now=now)  # type: ignore[arg-type]
                mine.append(record.seq)
                told = {"seq": record.seq}
        except Conflict:
            told = {"conflict": what}
        os.write(pipe, json.dumps(told).encode() + b"\n")


def block(name: str) -> str:
    """A suggestion as a pipeline appends it."""
    return (
        f"\n---\n\n### 2026-11-29 | Newsletter | [{name}](https://e.example/{name})\n"
        f"- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n- 📋 建議：do {name}\n"
    )


def main(root: Path, seed: int, kills: int) -> None:
    workspace = Workspace.open(root)
    chance = random.Random(seed)
    told = b""
    with selectors.DefaultSelector() as waiting:
        alive: dict[int, tuple[int, float, bool]] = {}  # pipe: (process, when it dies, whether that was set by a deed)
        born = killed = 0
        while killed < kills:
            while len(alive) < 2:
                process, pipe = fork(workspace, seed * 100_000 + born)
                born += 1
                waiting.register(pipe, selectors.EVENT_READ)
                # Half of them die while they start, heal and decide for the first time, half at some later deed.
                early = chance.random() < 0.5
                alive[pipe] = (process, monotonic() + (chance.uniform(0, 0.08) if early else 30), early)
            first = min(alive, key=lambda pipe: alive[pipe][1])
            for key, _ in waiting.select(max(0.0, alive[first][1] - monotonic())):
                told += os.read(key.fd, 65536)
                process, dies, fixed = alive[key.fd]
                if not fixed:
                    alive[key.fd] = (process, monotonic() + chance.uniform(0, 0.05), True)
            first = min(alive, key=lambda pipe: alive[pipe][1])
            process, dies, _ = alive[first]
            if dies <= monotonic():
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                waiting.unregister(first)
                while rest := os.read(first, 65536):
                    told += rest
                os.close(first)
                del alive[first]
                killed += 1
        for process, _, _ in alive.values():
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    print(json.dumps([json.loads(line) for line in told.split(b"\n") if line]))


def fork(workspace: Workspace, life: int) -> tuple[int, int]:
    """A reviewer's process and the pipe on which it reports."""
    listen, tell = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(listen)
        try:
            live(workspace, life, tell)
        finally:
            os._exit(70)  # only reached by an error, whose traceback stands on standard error
    os.close(tell)
    return process, listen


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
