"""Processes that are killed at a chosen instant, or at any.

Run as a program it waits for orders, a line of JSON each, and forks a process for every order: that costs milliseconds,
where a new interpreter would cost most of a second. An instant is every point at which the outside world may have
changed: before and after each write, fsync, rename, unlink and commit, and in the middle of each write.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy.engine.default import DefaultDialect

from core.decisions import Plan, Record, open_log, undone
from core.errors import Conflict, TouchstoneError
from core.files.ops import ReplaceFile
from core.people import local_person
from core.workspace import Workspace
from tests.core.decisions import toy

ROOT = Path(__file__).resolve().parents[3]
STOPPED, FINISHED, REFUSED, FAILED = -signal.SIGKILL, 0, 3, 4


Order = dict[str, Any]
_write = os.write  # for what a test itself puts on record: never torn


def _replace(workspace: Workspace) -> None:
    path = workspace.path("data/verdict.json")
    plan = Plan([ReplaceFile(path, path.read_bytes(), b"new verdict")], {"entry": "", "block": "", "offset": 0})
    open_log(workspace).decide(local_person("Ana"), "verdict", "page 1", lambda: plan, lock_on=path)


def _race(workspace: Workspace, order: Order) -> None:
    """Try to decide everything; write down what became of each: nothing (it was ours), or what we were told."""
    if order.get("file_locks") is False:
        Workspace.lock = lambda *_: nullcontext()  # type: ignore[method-assign]
    names = [name for name, _ in toy.blocks(toy.pending(workspace))]
    random.Random(order["who"]).shuffle(names)
    told: dict[str, str] = {}
    Path(order["ready"]).touch()
    while not Path(order["go"]).exists():
        os.sched_yield()
    for name in names:
        try:
            toy.decide(workspace, order["who"], name)
            told[name] = ""
        except Conflict as error:
            told[name] = str(error)
    Path(order["out"]).write_text(json.dumps(told))


def _busy(workspace: Workspace, order: Order) -> None:
    """Decide, undo and note at random until killed; put on record what was confirmed."""
    chance = random.Random(order["seed"])
    confirmed = os.open(order["confirmed"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    progress = os.open(order["progress"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while True:
        try:
            record = _any_deed(workspace, chance, order["who"])
        except Conflict:
            continue  # the other process was first
        _write(confirmed, (json.dumps([record.seq, record.action, record.subject]) + "\n").encode())
        _write(progress, b".")


def _any_deed(workspace: Workspace, chance: random.Random, who: str) -> Record:
    log = open_log(workspace)
    waiting = [name for name, _ in toy.blocks(toy.pending(workspace))]
    deed = chance.choice(["accept", "reject", "bulk", "undo", "undo", "note"])
    if deed == "note" or not waiting:
        return log.append(local_person(who), "note", "n", {})
    if deed == "bulk":
        return toy.decide_many(workspace, who, chance.sample(waiting, min(3, len(waiting))))[-1]
    if deed == "undo":
        back = undone(records := log.records())
        standing = [one.seq for one in records if one.action in ("accept", "reject") and one.seq not in back]
        if standing:
            return toy.undo(workspace, who, chance.choice(standing))
    return toy.decide(workspace, who, chance.choice(waiting), chance.choice(["accept", "reject"]))


DEEDS: dict[str, Callable[[Workspace, Order], object]] = {
    "accept": lambda workspace, _: toy.decide(workspace, "Ana", "e1"),
    "bulk": lambda workspace, _: toy.decide_many(workspace, "Ana", ["e0", "e1", "e3"], "reject"),
    "undo": lambda workspace, _: toy.undo(workspace, "Bo", 1),
    "replace": lambda workspace, _: _replace(workspace),
    "append": lambda workspace, _: open_log(workspace).append(local_person("Ana"), "note", "e1", {}),
    "heal": lambda workspace, _: open_log(workspace, writable=True),
    "race": _race,
    "busy": _busy,
}


class Points:
    """Counts the instants and kills the process at the one that is asked for."""

    def __init__(self, stop_at: int) -> None:
        self.stop_at, self.count = stop_at, 0

    def hit(self) -> None:
        self.count += 1
        if self.count == self.stop_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, really: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **named: Any) -> Any:
            self.hit()
            result = really(*args, **named)
            self.hit()
            return result

        return wrapped

    def torn(self, really: Callable[[int, bytes], int]) -> Callable[[int, bytes], int]:
        def write(handle: int, data: bytes) -> int:
            self.hit()
            half = len(data) // 2
            done = really(handle, data[:half]) if half else 0
            self.hit()
            done += really(handle, data[half:])
            self.hit()
            return done

        return write

    def install(self) -> None:
        os.write = self.torn(os.write)  # type: ignore[assignment]
        for name in ("fsync", "replace", "unlink", "ftruncate"):
            setattr(os, name, self.around(getattr(os, name)))
        DefaultDialect.do_commit = self.around(DefaultDialect.do_commit)  # type: ignore[method-assign]


def _child(order: Order) -> int:
    workspace = Workspace.open(order["root"])
    if order.get("stop_at"):
        Points(order["stop_at"]).install()
    try:
        DEEDS[order["deed"]](workspace, order)
    except TouchstoneError:
        if order["deed"] in ("race", "busy"):
            raise
        return REFUSED
    return FINISHED


def fork(run: Callable[[], int]) -> int:
    """A child that runs and is gone, without a trace of Python's own tidying up; its process id."""
    pid = os.fork()
    if pid:
        return pid
    code = FAILED
    try:
        code = run()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _kill(pid: int, order: Order) -> None:
    """Kill a process some time after it has done so many deeds."""
    moment = threading.Event()
    progress = Path(order["progress"])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (
        not progress.exists() or progress.stat().st_size < order["kill_after_deeds"]
    ):
        moment.wait(0.0005)
    moment.wait(order["kill_after"])
    os.kill(pid, signal.SIGKILL)


def _serve() -> None:
    for line in sys.stdin:
        orders = json.loads(line)
        pids = [fork(lambda order=order: _child(order)) for order in orders]  # type: ignore[misc]
        killers = [
            threading.Thread(target=_kill, args=(pid, order))
            for pid, order in zip(pids, orders, strict=True) if "kill_after" in order
        ]  # fmt: skip
        for killer in killers:
            killer.start()
        for killer in killers:
            killer.join()
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        print(json.dumps(codes), flush=True)


class Driver:
    """Gives orders to a running `crash` program."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, *orders: Order) -> list[int]:
        """Run the orders at the same time and give their exit codes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(orders) + "\n")
        self._process.stdin.flush()
        codes: list[int] = json.loads(self._process.stdout.readline())
        assert FAILED not in codes, "a child failed; its traceback is on standard error"
        return codes


@contextmanager
def driver() -> Iterator[Driver]:
    """A `crash` program with this process's environment (so with its database address)."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.core.decisions.crash"], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Driver(process)
    finally:
        process.communicate()


if __name__ == "__main__":
    _serve()
