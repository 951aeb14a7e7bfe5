"""Appends to the ledger: two processes and a reader, and kills at any instant."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.files import append_jsonl
from core.text_fidelity.history import Reader
from core.text_fidelity.ledger import read
from core.text_fidelity.place import locate
from core.workspace import Workspace

CASES = [{"id": name, "samples": [0.5, 0.6, 0.7, 0.8], "lower_bound": 0.58, "reasons": ["fine"] * 4} for name in "abc"]
NOW = 1_796_000_000_000_000


def record(writer: int, number: int) -> dict[str, object]:
    at = f"2026-11-01T{number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}Z"
    return {
        "at": at,
        "model": f"w{writer}",
        "composite": 0.5,
        "definition_hash": "sha256:d",
        "cases": CASES,
        "n": number,
    }


def write_many(root: str, writer: int, count: int) -> None:
    workspace = Workspace.open(root)
    for number in range(count):
        append_jsonl(Path(root) / "ledger.jsonl", record(writer, number), workspace.lock)


@pytest.mark.slow
def test_two_processes_append_2000_each_while_a_reader_charts(tmp_path: Path) -> None:
    """4,000 records, none torn, in each writer's order; the reader sees whole records only, and more each time."""
    (tmp_path / "config.json").write_text("{}")
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_many, args=(str(tmp_path), writer, 2_000)) for writer in range(2)]
    for writer in writers:
        writer.start()
    reader = Reader(locate(Workspace.open(tmp_path), "."))
    seen, looks = 0, 0
    while any(writer.is_alive() for writer in writers):
        history = reader.history()
        read(history.runs, NOW)
        assert [str(problem) for problem in history.problems if not history.torn] == []
        assert len(history.runs) >= seen
        seen, looks = len(history.runs), looks + 1
    for writer in writers:
        writer.join()
    assert looks > 10
    history = reader.history()
    assert (len(history.runs), history.problems, history.torn, history.duplicates) == (4_000, (), False, 0)
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text("utf-8").splitlines()]
    for writer in range(2):
        assert [line["n"] for line in lines if line["model"] == f"w{writer}"] == list(range(2_000))
    # Each byte was read about once, although the file was looked at many times.
    assert reader.bytes_read < (tmp_path / "ledger.jsonl").stat().st_size + looks * 4_096


@pytest.mark.slow
def test_sigkill_during_append_200_times(tmp_path: Path) -> None:
    """At most the last line is torn and said to be; the next append is whole; nothing that was read goes missing.

    Each child is a fork of one that has imported everything, so that the kill comes while it appends and not before.
    """
    (tmp_path / "config.json").write_text("{}")
    ledger = tmp_path / "ledger.jsonl"
    workspace = Workspace.open(tmp_path)
    folder = locate(workspace, ".")
    chance = random.Random(5)
    torn = written = 0
    for round_ in range(200):
        least = chance.randint(1, 4)
        killed_after(least, chance.uniform(0.0, 0.002), tmp_path, round_ * 400)
        before = Reader(folder).history()
        torn += before.torn
        assert len(before.problems) == torn
        assert len(before.runs) >= written + least
        append_jsonl(ledger, record(9, round_), workspace.lock)
        after = Reader(folder).history()
        assert not after.torn
        assert len(after.runs) == len(before.runs) + 1
        assert after.runs.judge.word(len(after.runs) - 1) == "w9/api"
        written = len(after.runs)
    assert len(Reader(folder).history().problems) == torn


def killed_after(appends: int, seconds: float, root: Path, start: int) -> None:
    """Fork a writer, wait for that many appends and then a moment, kill it with SIGKILL in the next."""
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        workspace = Workspace.open(root)
        number = start
        while True:
            append_jsonl(root / "ledger.jsonl", record(0, number % 80_000), workspace.lock)
            os.write(told, b".")
            number += 1
    for _ in range(appends):
        os.read(ready, 1)
    signal.sigtimedwait([], seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(ready)
    os.close(told)


@pytest.mark.parametrize("cut", [1, 40, -2, -1])
def test_a_line_that_was_cut_anywhere_is_reported_and_the_next_record_is_whole(tmp_path: Path, cut: int) -> None:
    """What a kill inside the write itself leaves, made by hand: every place is reached."""
    (tmp_path / "config.json").write_text("{}")
    ledger = tmp_path / "ledger.jsonl"
    workspace = Workspace.open(tmp_path)
    append_jsonl(ledger, record(0, 1), workspace.lock)
    whole = (json.dumps(record(0, 2)) + "\n").encode()
    with ledger.open("ab") as opened:
        opened.write(whole[:cut])
    reader = Reader(locate(workspace, "."))
    before = reader.history()
    complete = cut == -1
    assert (len(before.runs), before.torn) == (2 if complete else 1, not complete)
    append_jsonl(ledger, record(0, 3), workspace.lock)
    after = reader.history()
    assert (len(after.runs), after.torn, len(after.problems)) == (3 if complete else 2, False, 0 if complete else 1)
    if not complete:
        assert after.problems[0].line == 2


def test_the_lock_holds_between_processes(tmp_path: Path) -> None:
    """A second process appends only after the first has let go."""
    workspace = Workspace.open(tmp_path)
    ledger = tmp_path / "ledger.jsonl"
    code = (
        "import sys\nfrom pathlib import Path\nfrom core.files import append_jsonl\n"
        "from core.workspace import Workspace\n"
        "print('go', flush=True)\n"
        "append_jsonl(Path(sys.argv[1]) / 'ledger.jsonl', {'by': 'child'}, Workspace.open(sys.argv[1]).lock)"
    )
    with workspace.lock(ledger):
        child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "go\n"
        append_jsonl(ledger, {"by": "parent"}, workspace.lock)
        assert not child.poll()
    assert child.wait(30) == 0
    child.stdout.close()
    assert [json.loads(line)["by"] for line in ledger.read_text().splitlines()] == ["parent", "child"]
