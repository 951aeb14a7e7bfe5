"""What the grader costs: proposals measured against planted topics, a threshold change, a pattern's cost."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from core.suggestions import runs
from core.suggestions.backtest import (
    Row,
    at_every_threshold,
    at_threshold,
    dimensions,
    disagreements_first,
    recommendations,
    tally,
)
from core.suggestions.blocklist import Blocklist, matches
from core.suggestions.entries import parse
from core.suggestions.proposals import History, propose
from core.suggestions.queue import distinct
from core.suggestions.topics import Topic, mine
from core.workspace import Workspace
from tests.bench.planted import PLANTED, Corpus, corpus
from tests.core.suggestions.making import NOW, entry, file_of
from tests.judge_fixture import JudgeServer

pytestmark = pytest.mark.bench


def _best(of: int, deed: Callable[[], object]) -> float:
    """The shortest of several runs, in seconds."""
    times = []
    for _ in range(of):
        begin = time.perf_counter()
        deed()
        times.append(time.perf_counter() - begin)
    return min(times)


def _found(planted: Corpus, topics: list[Topic]) -> tuple[set[str], list[Topic]]:
    """Which planted topics were found, and the topics that are none of them.

    A topic is a planted one when three of its entries hold it and one pattern is part of the other.
    """
    found: set[str] = set()
    noise: list[Topic] = []
    for topic in topics:
        names = [
            spellings[0]
            for spellings in PLANTED
            if len(planted.planted[spellings[0]] & set(topic.rejected)) >= 3
            and any(matches(a, b) or matches(b, a) for a in topic.spellings for b in spellings)
        ]
        found.update(names)
        if not names:
            noise.append(topic)
    return found, noise


@pytest.mark.parametrize(
    ("rejected", "accepted", "recall", "precision"),
    [(100, 60, 0.8, 0.5), (300, 200, 0.9, 0.7), (600, 600, 1.0, 0.9), (2000, 1000, 0.85, 0.9)],
)
def test_planted_topics_are_found_and_little_else(
    rejected: int, accepted: int, recall: float, precision: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sixteen topics in Latin and Chinese, each in 3 to 8 rejected entries, in texts that are otherwise drawn alike."""
    rates = []
    for seed in range(5):
        planted = corpus(rejected, accepted, seed)
        topics = mine(planted.rejected, planted.accepted)
        found, noise = _found(planted, topics)
        rates.append((len(found) / len(PLANTED), 1 - len(noise) / len(topics)))
    means = [sum(side) / len(rates) for side in zip(*rates, strict=True)]
    with capsys.disabled():
        print(f"\ntopics, {rejected} rejected + {accepted} accepted: recall {means[0]:.2f}, precision {means[1]:.2f}")
    assert means[0] >= recall
    assert means[1] >= precision


def test_mining_twenty_thousand_reviews(capsys: pytest.CaptureFixture[str]) -> None:
    planted = corpus(13_333, 6_667, 0)
    seconds = _best(1, lambda: mine(planted.rejected, planted.accepted))
    with capsys.disabled():
        print(f"\nmining 20,000 reviews: {seconds:.1f} s")
    assert seconds < 15


def test_the_cost_of_a_pattern_over_twenty_thousand_reviews(capsys: pytest.CaptureFixture[str]) -> None:
    """What a reviewer waits for while editing a proposal."""
    texts = [
        entry(f"Topic {number % 7} 區塊鏈 {number}", decision="accept" if number % 3 else "reject")
        for number in range(20_000)
    ]
    reviewed = distinct(parse(file_of("reviewed", *texts).encode(), "reviewed", "reviewed"), NOW)
    history = History(reviewed, (), Blocklist(()))
    first = _best(1, lambda: history.cost("Topic 3 / 区块链"))
    again = _best(3, lambda: history.cost("Topic 4 / 区块链"))
    with capsys.disabled():
        print(f"\ncost of a pattern over 20,000 reviews: first {first * 1000:.0f} ms, then {again * 1000:.0f} ms")
    assert again < 1


def _ten_thousand(draw: random.Random) -> list[Row]:
    rows = []
    for number in range(10_000):
        outcome = draw.choices(["scored", "hard_veto", "ungraded"], [90, 8, 2])[0]
        parts = [draw.randint(0, 2) if outcome == "scored" else None for _ in range(3)]
        rows.append(Row(
            id=f"{number:016x}", date="2026-05-07", source="Newsletter", title=f"Title {number}", next_step="Do it",
            actual=draw.choice(["accept", "reject"]), outcome=outcome, a=parts[0], p=parts[1], g=parts[2],
        ))  # type: ignore[arg-type]  # fmt: skip
    return rows


def test_a_threshold_change_on_a_stored_run_of_ten_thousand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], judge_server: JudgeServer
) -> None:
    """Everything that moves with the slider, under 100 ms and without a call."""
    rows = _ten_thousand(random.Random(0))
    place = Workspace.open(tmp_path)
    run = runs.Run(
        id="20261130T090000-bench0", at="2026-11-30T09:00:00Z", per_side=5000, seed=0, rubric="x", rubric_source="x",
        blocklist="x", asked=0, cost_usd=0.0, available=(5000, 5000), rows=tuple(rows),
        judge=runs.JudgeUsed(provider="anthropic", transport="api", model="test-ok", endpoint=judge_server.url),
    )  # fmt: skip
    runs.store(place, run)
    loading = _best(3, lambda: runs.stored(place))
    stored = runs.stored(place)[0][0]
    counted = tally(stored.rows)

    def change() -> None:
        for threshold in (3, 5):
            at_threshold(counted, threshold)
            at_every_threshold(counted)
            dimensions(counted)
            recommendations(stored.rows, counted, threshold)
            disagreements_first(stored.rows, threshold)

    seconds = _best(5, change) / 2
    counting = _best(3, lambda: tally(stored.rows))
    with capsys.disabled():
        print(
            f"\nrun of 10,000: loaded in {loading * 1000:.0f} ms, counted in {counting * 1000:.0f} ms, "
            f"threshold changed in {seconds * 1000:.1f} ms"
        )
    assert seconds < 0.1
    assert judge_server.calls() == []


def test_proposals_do_not_hold_the_history_twice(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [entry(f"Astrology {number}", decision="reject" if number % 2 else "accept") for number in range(5_000)]
    reviewed = distinct(parse(file_of("reviewed", *texts).encode(), "reviewed", "reviewed"), NOW)
    tracemalloc.start()
    propose(History(reviewed, (), Blocklist(())))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    with capsys.disabled():
        print(f"\nproposals over 5,000 reviews: peak {peak / 1e6:.0f} MB")
    assert peak < 200e6
