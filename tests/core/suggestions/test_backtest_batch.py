"""A backtest through the providers' batch APIs: handed in, outliving the process, collected, run from the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import Unavailable
from core.judge import JudgeSpec, open_judge
from core.judge.batch import open_batches
from core.suggestions import backtest_run
from core.suggestions.backtest import tally
from core.suggestions.backtest_batch import advance
from core.workspace import Workspace
from tests.core.suggestions.making import NOW, entry, workspace
from tests.judge_fixture import JudgeServer


def _place(root: Path) -> Workspace:
    reviewed = [entry(f"A{n}", f"Add {n} cases in 20 minutes", decision="accept") for n in range(4)]
    reviewed += [entry(f"R{n}", "看看就好", decision="reject") for n in range(4)]
    return workspace(root, reviewed=tuple(reviewed), topics=("R0",))


def _advance(place: Workspace, spec: JudgeSpec) -> list[str]:
    """One start of the command: everything is opened anew."""
    questions = backtest_run.prepare(place, NOW, per_side=20, seed=0).questions
    return advance(open_batches(spec, place), questions)


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_handed_in_waited_for_collected_and_run(tmp_path: Path, judge_server: JudgeServer, provider: str) -> None:
    place = _place(tmp_path)
    spec = judge_server.spec("practice-judge", provider, practice=True)
    with pytest.raises(Unavailable, match=r"7 calls handed in as batch .*: give this command again later"):
        _advance(place, spec)
    with pytest.raises(Unavailable, match="runs"):
        _advance(place, spec)
    told = _advance(place, spec)
    assert [line.partition(": ")[2] for line in told] == ["7 answered, 0 failed"]
    assert _advance(place, spec) == [], "nothing is missing and nothing is handed in again"
    judge_server.reset()
    run = backtest_run.run(place, open_judge(spec, place), now=NOW)
    assert (tally(run.rows).n, tally(run.rows).excluded, run.asked) == (8, 0, 0)
    assert judge_server.calls() == []


def test_what_failed_in_a_batch_is_asked_singly(tmp_path: Path, judge_server: JudgeServer) -> None:
    """Each batched call of this model fails; the run asks again and names the failure."""
    place = _place(tmp_path)
    spec = judge_server.spec("test-529", max_retries=0)
    for _ in range(2):
        with pytest.raises(Unavailable):
            _advance(place, spec)
    assert _advance(place, spec)[0].endswith("0 answered, 7 failed")
    run = backtest_run.run(place, open_judge(spec, place), now=NOW)
    assert tally(run.rows).excluded == 7
    assert all(row.reason for row in run.rows)
