"""Only changed files are read again, counted; and what a finding is called does not hang on the order of files."""

import builtins
import io
import json
import os
import random
import shutil
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.triage import gather
from core.triage.inbox import open_inbox
from core.workspace import Workspace
from tests.core.triage.workspaces import escalated_run, workspace_of_runs

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def demo(tmp_path):
    shutil.copytree(ROOT / "data" / "demo", tmp_path / "demo")
    return Workspace.open(tmp_path / "demo")


@pytest.fixture
def reads(monkeypatch):
    """Which files of a workspace are opened, by any of the ways Python has."""
    opened = Counter()

    def counted(real):
        def call(path, *args, **more):
            if isinstance(path, str | os.PathLike):
                opened[str(path)] += 1
            return real(path, *args, **more)

        return call

    monkeypatch.setattr(os, "open", counted(os.open))
    monkeypatch.setattr(io, "open", counted(io.open))
    monkeypatch.setattr(builtins, "open", counted(builtins.open))
    return opened


def of(workspace, reads):
    """The workspace's own files among what was read, without Touchstone's folder; the count starts again."""
    found = {
        os.path.relpath(path, workspace.root): count
        for path, count in reads.items()
        if path.startswith(str(workspace.root)) and "/.touchstone/" not in path
    }
    reads.clear()
    return found


def test_nothing_changed_nothing_read(demo, reads):
    open_inbox(demo, NOW)
    assert sum(of(demo, reads).values()) > 50
    open_inbox(demo, NOW)
    assert of(demo, reads) == {}


def change(path):
    """The same content with another time: whether it differs can only be known by reading."""
    found = path.stat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1_000_000_000))


@pytest.mark.parametrize(
    ("changed", "own"),
    [
        (".ravenclaude/runs/2026-11-24-harbour-logistics/iterations.json*", ".ravenclaude/runs/2026-11-24-harbour"),
        ("evals/release-notes/**/config.json", "evals/release-notes"),
        ("design-packs/ppt-vista-annual/meta.yaml", "design-packs/ppt-vista-annual"),
        ("data/suggestions_pending.md", "data/"),
    ],
)
def test_one_file_changed_only_its_findings_are_made_again(demo, reads, changed, own):
    if "evals" in changed:
        (demo.root / "touchstone.toml").write_text('[text_fidelity]\nevals = ["evals/release-notes"]\n')
        demo = Workspace.open(demo.root)
    open_inbox(demo, NOW)
    (path, *_) = sorted(demo.root.glob(changed))
    change(path)
    of(demo, reads)
    open_inbox(demo, NOW)
    read = of(demo, reads)
    assert os.path.relpath(path, demo.root) in read
    batch = "_workspace/" if own.startswith("design-packs") else own  # a pack is judged with its batch
    assert [name for name in read if not name.startswith((own, batch))] == []


def test_of_a_thousand_runs_one_is_read(tmp_path, reads):
    workspace = Workspace.open(workspace_of_runs(tmp_path / "many", 1_000))
    open_inbox(workspace, NOW)
    escalated_run(workspace.runs()[500], inclusive=0.6)
    of(workspace, reads)
    found = open_inbox(workspace, NOW)
    read = of(workspace, reads)
    assert {name.split("/")[2] for name in read} == {"run-0500"}
    assert sum(read.values()) <= 5
    assert len(found.waiting) == 1_000


def test_ids_are_stable_over_a_hundred_shuffles_of_the_files(tmp_path, monkeypatch):
    """Every listing of a folder comes in another order; ids, evidence and the inbox's order stay."""
    shutil.copytree(ROOT / "data" / "demo", tmp_path / "demo")
    for number in range(12):
        escalated_run(tmp_path / "demo" / ".ravenclaude" / "runs" / f"run-{number:02d}")
    workspace = Workspace.open(tmp_path / "demo")
    chance, scandir, listdir = random.Random(7), os.scandir, os.listdir

    class Shuffled:
        def __init__(self, *where):
            with scandir(*where) as entries:
                self.entries = list(entries)
            chance.shuffle(self.entries)

        def __enter__(self):
            return iter(self.entries)

        def __exit__(self, *_):
            return None

        def __iter__(self):
            return iter(self.entries)

        def close(self):
            return None

    def shuffled(*where):
        names = listdir(*where)
        chance.shuffle(names)
        return names

    def findings():
        forget()
        found = gather.gather(workspace, NOW).findings
        return {one.id: (one.evidence_hash, one.subject, one.link) for one in found}

    expected = findings()
    assert len(expected) > 20
    monkeypatch.setattr(os, "scandir", Shuffled)
    monkeypatch.setattr(os, "listdir", shuffled)
    for _ in range(100):
        assert findings() == expected


def forget():
    """Make every finding again, from the files."""
    import core.render_fidelity.findings as render
    import core.report_loop.findings as report
    import core.text_fidelity.findings as text
    from core.files.memo import Memo
    from core.suggestions import store

    for module in (render, report, text):
        module._kept = Memo()
    store.forget()


def test_json_order_does_not_change_a_finding(tmp_path):
    """The same record with its keys in another order is the same evidence."""
    root = workspace_of_runs(tmp_path / "ws", 1)
    file = next(root.rglob("iterations.json"))
    before = gather.gather(Workspace.open(root), NOW).findings
    records = json.loads(file.read_text())
    file.write_text(json.dumps([dict(reversed(record.items())) for record in records]))
    forget()
    after = gather.gather(Workspace.open(root), NOW).findings
    assert [(one.id, one.kind) for one in before] == [(one.id, one.kind) for one in after]


def test_a_fault_in_one_system_hides_nothing_of_the_others(demo, monkeypatch):
    def broken(_workspace, _now):
        raise KeyError("nobody thought of this")

    whole = gather.gather(demo, NOW)
    monkeypatch.setattr("core.render_fidelity.findings.findings", broken)
    found = gather.gather(demo, NOW)
    assert whole.systems - found.systems == {"render_fidelity"}
    assert [one.id for one in found.findings] == [
        one.id for one in whole.findings if one.system != "render_fidelity"
    ]  # fmt: skip
    assert "a fault of ours, KeyError: 'nobody thought of this'" in str(found.problems[-1])
