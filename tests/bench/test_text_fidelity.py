"""Text fidelity against the clock: scoring beside the same calls one after another, a large ledger beside pandas."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.judge import JudgeSpec, open_judge
from core.text_fidelity.history import Reader
from core.text_fidelity.place import EvalFolder, locate
from core.text_fidelity.score import Done, score
from core.workspace import Workspace
from tests.bench import large_ledger
from tests.core.text_fidelity.evals import START, case, config, make_eval
from tests.judge_fixture import ROOT, JudgeServer

pytestmark = pytest.mark.bench

LATENCY, CASES, SAMPLES, AT_ONCE = 0.2, 12, 4, 16


def test_twelve_cases_of_four_samples_at_200_ms(tmp_path: Path, judge_server: JudgeServer) -> None:
    """≥ 10 times faster than one call after another, ≤ 1.3 times the ideal of 48 · 0.2 s / 16; both in this run."""
    names = [f"case{number:02d}" for number in range(CASES)]
    judge = {"model": f"test-slow-{int(LATENCY * 1000)}", "max_tokens": 100}
    folder = make_eval(
        tmp_path, given=config(*map(case, names), judge=judge, samples={"n": SAMPLES, "k": 1.0, "delta": 0.0})
    )

    def opened(spec: JudgeSpec, at_once: int = AT_ONCE) -> Any:
        there = spec.model_copy(update={"base_url": judge_server.url})
        return open_judge(there, folder.workspace, concurrency=at_once)

    runs = [_timed(lambda at=at: score(folder, opened, lambda: START + timedelta(hours=at))) for at in range(4)]
    assert all(isinstance(done, Done) for _, done in runs)
    ours = min(seconds for seconds, _ in runs[1:])  # the first one loads the SDK
    one_by_one, _ = _timed(lambda: score(folder, lambda spec: opened(spec, 1), lambda: START + timedelta(hours=9)))
    ideal = CASES * SAMPLES * LATENCY / AT_ONCE
    print(
        f"\nscoring {CASES} × {SAMPLES} at {LATENCY * 1000:.0f} ms: {ours:.3f} s; one after another {one_by_one:.2f} s "
        f"({one_by_one / ours:.1f}×); ideal {ideal:.2f} s ({ours / ideal:.2f}×)"
    )
    assert one_by_one / ours >= 10
    assert ours / ideal <= 1.3


def _timed(deed: Any) -> tuple[float, Any]:
    begun = time.perf_counter()
    done = deed()
    return time.perf_counter() - begun, done


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> EvalFolder:
    root = large_ledger.write(tmp_path_factory.mktemp("large"))
    return locate(Workspace.open(root), ".")


MEASURE = """
import resource, sys, time

def start():
    global begun
    begun = time.perf_counter(), time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def report(rows):
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begun[2]) / 1024
    print(time.perf_counter() - begun[0], time.process_time() - begun[1], memory, rows)
"""
OURS = """
from datetime import UTC, datetime
from pathlib import Path
from core.text_fidelity import view
from core.text_fidelity.place import locate
from core.workspace import Workspace
import core.text_fidelity.findings, pyarrow.json, pyarrow.compute
import pandas  # pyarrow loads it on first use; the app has it before its first visitor
folder = locate(Workspace.open(sys.argv[1]), ".")
start()
chart, lines = view.drawn(view.book(folder, datetime(2026, 12, 1, tzinfo=UTC)))
report(chart.total)
"""
PANDAS = """
import pandas, pyarrow
start()
table = pandas.read_json(sys.argv[1] + "/ledger.jsonl", lines=True)
report(len(table))
"""
ARROW = """
import pyarrow as pa, pyarrow.json as pj
start()
schema = pa.schema([("at", pa.string()), ("composite", pa.float64()), ("definition_hash", pa.string())])
options = pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
table = pj.read_json(sys.argv[1] + "/ledger.jsonl", parse_options=options)
report(len(table))
"""


def _child(code: str, folder: EvalFolder) -> tuple[float, float, float, int]:
    """Seconds, seconds of processor, MB above the imports, rows: in a process of its own."""
    command = [sys.executable, "-c", MEASURE + code, str(folder.path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, used, memory, rows = done.stdout.split()
    return float(seconds), float(used), float(memory), int(rows)


def test_200_000_records_to_chart_data(large: EvalFolder) -> None:
    """From the file to the points that are drawn, strictly read, ≥ 10 times faster than pandas' bare read."""
    size = large.ledger.stat().st_size / 1e6
    ours = min(_child(OURS, large) for _ in range(3))
    arrow = min(_child(ARROW, large) for _ in range(3))
    pandas = min(_child(PANDAS, large) for _ in range(3))
    names = {"to chart data": ours, "pandas.read_json(lines=True)": pandas, "pyarrow, three columns, not strict": arrow}
    print(f"\n{large_ledger.ROWS:,} records, {size:.0f} MB")
    for name, (seconds, used, memory, _) in names.items():
        print(f"  {name}: {seconds:.2f} s ({used:.2f} s of processor), {memory:.0f} MB")
    print(f"  pandas / ours: {pandas[0] / ours[0]:.1f}×, by processor {pandas[1] / ours[1]:.1f}×")
    assert ours[3] == pandas[3] == arrow[3] == large_ledger.ROWS
    assert pandas[0] / ours[0] >= 10
    assert ours[2] < pandas[2]


def test_an_append_to_200_000_records_reads_only_the_tail(large: EvalFolder) -> None:
    """What an open page does every two seconds, and once when a record came."""
    reader = Reader(large)
    reader.history()
    unchanged, _ = _timed(lambda: [reader.refresh() for _ in range(1_000)])
    before = reader.bytes_read
    record = json.loads(large.ledger.read_bytes().splitlines()[-1]) | {"at": "2026-11-30T09:00:00Z"}
    line = json.dumps(record) + "\n"
    with large.ledger.open("a") as opened:
        opened.write(line)
    seconds, history = _timed(reader.history)
    read = reader.bytes_read - before
    print(
        f"\nunchanged {unchanged:.3f} ms a look; an append seen after {seconds * 1000:.0f} ms of work, "
        f"{read} bytes read for a record of {len(line)}"
    )
    assert len(history.runs) == large_ledger.ROWS + 1
    assert read <= len(line) + 1_024
    assert seconds < 3.0  # an open page looks every two seconds and is to show it within five
