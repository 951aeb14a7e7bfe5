"""The demo workspace is what its generator writes, and holds what a newcomer should meet."""

import importlib.util
import shutil
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.suggestions import queue, store
from core.suggestions.confirm import current
from core.suggestions.entries import Kind
from core.suggestions.proposals import History, propose
from core.suggestions.queue import Suggestion
from core.workspace import STATE, Workspace
from data import open_demo

REPOSITORY = Path(__file__).parents[3]
DEMO = Workspace.open(REPOSITORY / "data" / "demo")
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def of(kind: Kind) -> tuple[Suggestion, ...]:
    return queue.distinct(store.of_workspace(DEMO, kind), NOW)


def test_the_files_are_what_the_generator_writes(tmp_path: Path) -> None:
    specification = importlib.util.spec_from_file_location(
        "generate_demo_suggestions", REPOSITORY / "data" / "generate" / "suggestions.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    module.build(tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(made) == 7
    assert made == {place: (DEMO.root / place).read_bytes() for place in made}


def test_the_three_files_are_of_a_size_to_work_with() -> None:
    pending, reviewed, filtered = of("pending"), of("reviewed"), of("filtered")
    assert (len(pending), len(filtered)) == (41, 60)
    assert 145 <= len(reviewed) <= 160
    scored = [one for one in reviewed if one.entry.score is not None]
    assert Counter(bool(one.entry.legacy) for one in reviewed) == {True: 45, False: len(reviewed) - 45}
    assert {4, 5, 6} <= {one.entry.score.total for one in scored if one.entry.score}
    reasons = Counter(one.entry.filtered.partition(":")[0].partition(" (")[0] for one in filtered)
    assert reasons == {"Below threshold": 31, "Hard-veto": 16, "Ambiguity blocklist": 13}


def test_some_entries_are_damaged_on_purpose() -> None:
    problems = " / ".join(problem for one in of("pending") for problem in one.problems(NOW))
    for word in (
        "does not exist",
        "lies in the future",
        "differs from A+P+G",
        "is not out of 6",
        "not http",
        "heading",
    ):
        assert word in problems, word
    assert [one.copies for one in of("pending") if one.copies > 1] == [2]
    assert sum(one.entry.decision == "undecided" for one in of("reviewed")) == 2
    assert store.of_workspace(DEMO, "pending").commented == 2


def test_five_topics_wait_for_a_yes_or_no_and_one_would_lose_an_accept() -> None:
    found = propose(History(of("reviewed"), of("pending"), current(DEMO)))
    lost = {one.topic: len(one.cost.accepts_lost) for one in found}
    assert lost == {"Kubernetes": 1, "Notion": 0, "webinar / webinars": 0, "晨間儀式": 0, "LinkedIn": 0}


def test_a_copy_of_the_demo_holds_nobodys_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even when an app was once opened on the demo itself."""
    shutil.copytree(DEMO.root, tmp_path / "demo")
    (tmp_path / "demo" / STATE / "touchstone.db").write_bytes(b"somebody's")
    monkeypatch.setattr(open_demo, "DEMO", tmp_path / "demo")
    open_demo.copy_demo(tmp_path / "copy", NOW.date())
    assert [path.name for path in (tmp_path / "copy" / STATE).iterdir()] == ["backtests"]
    assert len(list((tmp_path / "copy" / STATE / "backtests").iterdir())) == 2
