"""`report loop` on the demo's scripts: reproduced, killed, interrupted, and fed with bad answers."""

import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
DEMO_RUN = REPOSITORY / "data" / "demo" / ".ravenclaude" / "runs" / "2026-11-26-meadow-retail"
SCRIPTS = REPOSITORY / "data" / "loop"
NOW = "2026-11-26T14:02:00Z"
GIVEN = ("data.json", "deltas.json", "manifest.json", "revisions.json", "run.json", "template.html")


def start(workspace: Path) -> Path:
    """The demo's run as it was before its loop began."""
    run = workspace / ".ravenclaude" / "runs" / DEMO_RUN.name
    run.mkdir(parents=True)
    for name in GIVEN:
        shutil.copy(DEMO_RUN / name, run)
    shutil.copy(DEMO_RUN / "template.html", run / "draft.html")
    return run


def command(workspace: Path, score: str = "", revise: str = "", *more: str) -> list[str]:
    python = f"{sys.executable} -I -S"
    return [
        sys.executable, "-m", "core", "report", "loop", DEMO_RUN.name, "--workspace", str(workspace), "--now", NOW,
        "--score-cmd", score or f"{python} {SCRIPTS / 'score.py'}",
        "--revise-cmd", revise or f"{python} {SCRIPTS / 'revise.py'}", *more,
    ]  # fmt: skip


def finish(workspace: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(workspace, *words), cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120
    )


def content(run: Path) -> dict[str, str]:
    """Every file of a run by its hash; what a try left behind in .work does not belong to the run."""
    return {
        path.relative_to(run).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(run.rglob("*"))
        if path.is_file() and ".work" not in path.parts
    }


def test_the_demos_run_is_reproduced_byte_for_byte(tmp_path):
    run = start(tmp_path)
    done = finish(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:4]] == [f"iteration {n}" for n in range(1, 5)]
    assert lines[4] == "PASS: every checked dimension cleared its bar"
    ours, demo = content(run), content(DEMO_RUN)
    for reviewed_later in ("shipped.html", "reviewed.html", "feedback.json"):
        demo.pop(reviewed_later)
    assert ours == demo


def test_a_finished_run_is_left_as_it_is(tmp_path):
    run = start(tmp_path)
    finish(tmp_path)
    before = content(run)
    again = finish(tmp_path, "", "", "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout)["status"] == "PASS"
    assert content(run) == before


def test_the_reverted_iteration_left_the_draft_byte_for_byte(tmp_path):
    run = start(tmp_path)
    finish(tmp_path)
    records = [json.loads(line) for line in (run / "iterations.jsonl").read_text().splitlines()]
    assert [record.get("accepted") for record in records] == [None, True, False, True]
    standing = (run / "drafts" / "002.html").read_bytes()
    shutil.rmtree(run / "drafts")
    lines = (run / "iterations.jsonl").read_bytes().splitlines(keepends=True)
    (run / "iterations.jsonl").write_bytes(b"".join(lines[:3]))
    (run / "draft.html").write_bytes(standing)
    assert finish(tmp_path).returncode == 0
    assert (run / "drafts" / "004.html").read_bytes() == (run / "draft.html").read_bytes()


@pytest.mark.slow
def test_killed_at_a_hundred_random_instants_it_resumes_to_the_same_end(tmp_path):
    """Killed at any instant, again and again: what it ends with is what an unkilled run ends with."""
    calm = start(tmp_path / "calm")
    began = time.monotonic()
    assert finish(tmp_path / "calm").returncode == 0
    whole = time.monotonic() - began
    expected = content(calm)

    chance = random.Random(20261130)
    kills = ends = 0
    said = tmp_path / "said"
    workspace = tmp_path / "rough-0"
    run = start(workspace)
    while kills < 100:
        process = subprocess.Popen(
            command(workspace), cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=said.open("wb"),
            start_new_session=True,
        )  # fmt: skip
        try:
            code = process.wait(chance.uniform(0.1, 1.1) * whole)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
            continue
        assert code == 0, said.read_text()
        assert content(run) == expected
        ends += 1
        workspace = tmp_path / f"rough-{ends}"
        run = start(workspace)
    assert finish(workspace).returncode == 0
    assert content(run) == expected


def test_what_a_kill_left_behind_the_last_record_is_made_up_for(tmp_path):
    """Killed behind the record, before the draft and the counts: both follow from the records."""
    run = start(tmp_path)
    finish(tmp_path)
    whole = content(run)
    (run / "draft.html").write_bytes((run / "drafts" / "002.html").read_bytes())
    (run / "edit_counts.json").write_text("{}")
    assert finish(tmp_path).returncode == 0
    assert content(run) == whole


def test_ctrl_c_ends_the_command_that_runs_and_keeps_what_is_finished(tmp_path):
    run = start(tmp_path)
    marker = tmp_path / "sleeping"
    slow = tmp_path / "slow.py"
    slow.write_text(
        f"import os, pathlib, time\npathlib.Path({str(marker)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"
    )
    process = subprocess.Popen(
        command(tmp_path, "", f"{sys.executable} -I -S {slow}"), cwd=REPOSITORY, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_for(marker.exists)
    wait_for(lambda: marker.read_text() != "")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 2
    assert errors.strip().splitlines()[-1].endswith("run the same command to go on")
    child = int(marker.read_text())
    wait_for(lambda: not Path(f"/proc/{child}").exists())
    assert len((run / "iterations.jsonl").read_text().splitlines()) == 1
    assert finish(tmp_path).returncode == 0


def wait_for(true, seconds=30.0):
    """Poll for something another process does; fails loudly when it does not."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        os.sched_yield()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("print('all legs are green')", "not JSON"),
        ("print('{} {}')", "second JSON document"),
        ("print('[1]')", "must be one JSON object"),
        ("print('{}')", "must hold a receipt object"),
        ("import sys; sys.exit('no route to the data')", "exit code 1: no route to the data"),
        ("import json; print(json.dumps({'receipt': {}, 'samples': {'dynamic': [2]}}))", "sample 1 is 2"),
        ("import json; print(json.dumps({'receipt': {}, 'samples': {'accurate': [1]}}))", "samples are lists under"),
        ("import json; print(json.dumps({'receipt': {}, 'signals': {'axe': True}}))", "the signals are"),
        ("import json; print(json.dumps({'receipt': {}, 'signals': {'a11y_axe': 1}}))", "true, false or null"),
        ("print('x' * 9_000_000)", "more than 8 MiB"),
    ],
)
def test_a_bad_answer_stops_the_loop_with_a_reason_and_nothing_is_recorded(tmp_path, answer, said):
    run = start(tmp_path)
    script = tmp_path / "bad.py"
    script.write_text(answer)
    done = finish(tmp_path, f"{sys.executable} -I -S {script}")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (run / "iterations.jsonl").exists()


def test_a_command_that_hangs_is_stopped(tmp_path):
    start(tmp_path)
    script = tmp_path / "hang.py"
    script.write_text("import time; time.sleep(600)")
    done = finish(tmp_path, f"{sys.executable} -I -S {script}", "", "--timeout", "0.5")
    assert (done.returncode, "took longer than 0.5 s" in done.stderr) == (2, True)


@pytest.mark.parametrize("line", ["/nowhere/at-all", "'unbalanced", "   "])
def test_a_command_that_cannot_be_run_is_told(tmp_path, line):
    start(tmp_path)
    done = finish(tmp_path, line)
    assert done.returncode == 2
    assert "--score-cmd" in done.stderr


def test_no_shell_reads_the_command(tmp_path):
    start(tmp_path)
    done = finish(tmp_path, f"{sys.executable} -c pass; touch {tmp_path / 'pwned'}")
    assert done.returncode == 2
    assert not (tmp_path / "pwned").exists()


def test_a_draft_that_somebody_edited_meanwhile_is_not_overwritten(tmp_path):
    run = start(tmp_path)
    finish(tmp_path)
    lines = (run / "iterations.jsonl").read_bytes().splitlines(keepends=True)
    (run / "iterations.jsonl").write_bytes(b"".join(lines[:2]))
    (run / "draft.html").write_text("by hand")
    done = finish(tmp_path)
    assert (done.returncode, "is not what iteration 2 left there" in done.stderr) == (2, True)
    assert (run / "draft.html").read_text() == "by hand"


def test_a_run_with_a_list_of_iterations_goes_on_as_a_list(tmp_path):
    run = start(tmp_path)
    finish(tmp_path)
    records = [json.loads(line) for line in (run / "iterations.jsonl").read_text().splitlines()]
    (run / "iterations.jsonl").unlink()
    (run / "iterations.json").write_text(json.dumps(records[:3]))
    (run / "draft.html").write_bytes((run / "drafts" / "002.html").read_bytes())
    assert finish(tmp_path).returncode == 0
    assert len(json.loads((run / "iterations.json").read_text())) == 4
    assert not (run / "iterations.jsonl").exists()


def test_records_that_cannot_be_read_stop_the_loop(tmp_path):
    run = start(tmp_path)
    finish(tmp_path)
    lines = (run / "iterations.jsonl").read_bytes().splitlines(keepends=True)
    (run / "iterations.jsonl").write_bytes(lines[0] + b'{"index": nonsense}\n' + lines[2])
    done = finish(tmp_path)
    assert done.returncode == 2
    assert "iterations.jsonl:2" in done.stderr
