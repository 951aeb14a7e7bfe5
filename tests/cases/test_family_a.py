"""Family A: files of suggestions as pipelines, editors and people leave them. (A-13 is in test_a13_calibration.py.)"""

from __future__ import annotations

import json
import runpy
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.people import Person, local_person
from core.stats import wilson
from core.suggestions import blocklist, queue, review, store
from core.suggestions.edits import own_text
from core.suggestions.entries import Document, parse
from core.suggestions.links import may_open
from core.suggestions.profile import read_profile
from core.suggestions.queue import Suggestion
from core.workspace import Workspace

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ANN: Person = local_person("Ann")


def read(folder: Path, name: str) -> Document:
    return parse((folder / name).read_bytes(), name)


def distinct(folder: Path, name: str) -> tuple[Suggestion, ...]:
    return queue.distinct(read(folder, name), NOW)


def copied(folder: Path, target: Path) -> Workspace:
    """A workspace whose data folder holds the case."""
    (target / "data").mkdir()
    for path in folder.iterdir():
        if path.name != "expected.md":
            (target / "data" / path.name).write_bytes(path.read_bytes())
    store.forget()
    return Workspace.open(target)


def test_a01_a_heading_is_parted_at_its_first_two_bars(cases: Path, tmp_path: Path) -> None:
    folder = cases / "A-01-pipe-bracket-titles"
    document = read(folder, "suggestions_pending.md")
    assert [(one.title, one.url) for one in document.entries] == [
        ("Pipes | Filters | Sockets: a tour", "https://example.com/a|b?x=1"),
        ("Arrays [part 2] and (slices)", "https://wiki.example.org/Slice_(computing)#Use"),
        ("Escaped ] bracket | pipe", "https://example.com/watch?v=1 2"),
        ("「引號」與｜全形直線", "https://example.com/t/1"),
    ]
    assert all(one.problems == () for one in document.entries)
    workspace = copied(folder, tmp_path)
    for one in document.entries:
        review.decide(workspace, ANN, one.id, "accept", now=NOW)
    after = store.of_workspace(workspace, "reviewed").entries
    assert [one.text.splitlines()[0] for one in after] == [one.text.splitlines()[0] for one in document.entries]


def test_a03_rules_are_decoration(cases: Path) -> None:
    found = distinct(cases / "A-03-missing-separators", "suggestions_reviewed.md")
    assert [one.entry.title for one in found] == ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"]
    assert queue.counts(found) == {"accept": 3, "reject": 2}
    assert found[-1].entry.reviewed_at == "2026-06-04T09:00:00+08:00"


def test_a05_bom_and_crlf_make_the_round_trip(cases: Path, tmp_path: Path) -> None:
    folder = cases / "A-05-bom-crlf-roundtrip"
    before = read(folder, "suggestions_pending.md")
    assert [one.date for one in before.entries] == ["2026-05-07", "2026-05-06", "2026-05-05"]
    for one in before.entries:
        fields = (one.date, one.source, one.title, one.url, one.category, one.next_step, one.legacy, one.report)
        assert not any("\r" in field or "\ufeff" in field for field in fields)
    assert before.entries[0].text.count("混合查詢  \r\n") == 1

    workspace = copied(folder, tmp_path)
    record = review.decide(workspace, ANN, before.entries[1].id, "accept", now=NOW)
    raw = workspace.suggestions.pending.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf### 2026-05-07")
    assert raw.count(b"\n") == raw.count(b"\r\n")
    after = parse(raw, "after").entries
    assert [own_text(one) for one in after] == [own_text(before.entries[0]), own_text(before.entries[2])]
    assert len(before.raw) - len(raw) == len(("\r\n---\r\n\r\n" + own_text(before.entries[1])).encode())
    review.undo(workspace, ANN, record.seq, now=NOW)
    assert workspace.suggestions.pending.read_bytes() == before.raw


def test_a07_width_and_invisible_characters_hide_nothing(cases: Path) -> None:
    folder = cases / "A-07-blocklist-width-zero-width"
    patterns = blocklist.parse((folder / "rubric_blocklist.md").read_text("utf-8"), "rubric_blocklist.md")
    reasons = {
        one["id"]: patterns.check(f"{one['title']}\n{one['suggestion']}", one["suggestion"]).reason
        for one in json.loads((folder / "candidates.json").read_text("utf-8"))
    }
    assert reasons == {
        "s1": "Hard-veto: GPU K-Means clustering", "s2": "Ambiguity blocklist: 研究看看",
        "s3": "Ambiguity blocklist: 了解一下", "s4": "Ambiguity blocklist: 研究看看", "s5": "Hard-veto: NFT",
        "s6": None, "s7": None, "s8": "Hard-veto: 論文研讀",
    }  # fmt: skip


def test_a09_the_later_review_counts_and_a_repeat_once(cases: Path) -> None:
    folder = cases / "A-09-rereview-and-double-append"
    document = read(folder, "suggestions_reviewed.md")
    found = queue.distinct(document, NOW)
    assert len(document.entries) == 5
    assert [(one.entry.title, one.entry.date, one.entry.decision, one.copies) for one in found] == [
        ("Six agent workflow shapes", "2026-06-12", "accept", 2), ("Queue depth alarms", "2026-06-12", "accept", 2),
        ("Six agent workflow shapes", "2026-06-14", "reject", 1),
    ]  # fmt: skip
    assert [[earlier.decision for earlier in one.history] for one in found] == [["reject"], [], []]
    assert queue.counts(found) == {"accept": 2, "reject": 1}
    assert document.text.encode() == (folder / "suggestions_reviewed.md").read_bytes()


def test_a16_the_mark_decides_in_every_spelling(cases: Path, tmp_path: Path) -> None:
    folder = cases / "A-16-feedback-spelling-variants"
    found = distinct(folder, "suggestions_reviewed.md")
    by_decision: dict[str | None, list[str]] = {}
    for one in found:
        by_decision.setdefault(one.entry.decision, []).append(one.entry.title)
    assert by_decision == {
        "accept": ["V1", "V3", "V5", "V10"], "reject": ["V2", "V4", "V8"], "undecided": ["V6", "V7", "V9"],
    }  # fmt: skip
    assert [one.entry.feedback for one in found if one.entry.decision == "undecided"] == [
        "✅ Accept → ❌ Reject", None, "⏸ Defer",
    ]  # fmt: skip
    assert all(one.entry.problems for one in found if one.entry.decision == "undecided")
    before = (folder / "suggestions_reviewed.md").read_bytes()
    workspace = copied(folder, tmp_path)
    pending = "### 2026-08-11 | Threads | [New](https://example.com/11)\n- 📋 建議：寫 3 行\n"
    workspace.suggestions.pending.write_text(pending, "utf-8")
    review.decide(workspace, ANN, store.of_workspace(workspace, "pending").entries[0].id, "accept", now=NOW)
    assert workspace.suggestions.reviewed.read_bytes().startswith(before)


def test_a17_markup_is_text_and_only_web_links_open(cases: Path) -> None:
    folder = cases / "A-17-markup-and-script-in-fields"
    document = read(folder, "suggestions_pending.md")
    assert [(one.title, one.url, may_open(one.url)) for one in document.entries] == [
        ("<img src=x onerror=alert(1)> Report", "https://example.com/1", True),
        ("Click", "javascript:alert(3)", False),
        ("Data", "data:text/html;base64,PGI+aGk8L2I+", False),
        ("A < B & C", "https://example.com/?a=1&b=2", True),
    ]
    assert [one.next_step for one in document.entries] == [
        "試用 <script>alert(2)</script> 範例", "讀一頁", "![p](https://track.example.net/p.gif?d=1) 寫筆記",
        "比較 a<b 與 c>d",
    ]  # fmt: skip
    assert document.text.encode() == document.raw


def test_a19_nothing_is_nothing_and_placeholders_are_not_content(cases: Path, tmp_path: Path) -> None:
    folder = cases / "A-19-empty-and-placeholder-files"
    workspace = copied(folder, tmp_path)
    for kind in ("pending", "reviewed", "filtered"):
        document = store.of_workspace(workspace, kind)  # type: ignore[arg-type]
        assert (document.entries, document.problems, document.complete) == ((), (), True), kind
    assert wilson(0, 0) is None
    assert read_profile((folder / "goals.md").read_text("utf-8")).bullets == ()
    assert read_profile((folder / "user_preferences.md").read_text("utf-8")).bullets == ()
    patterns = blocklist.parse((folder / "rubric_blocklist.md").read_text("utf-8"), "b")
    assert (patterns.patterns, patterns.problems) == ((), ())
    assert patterns.check("Example vague phrases", "Example vague phrases").outcome == "clear"


def test_a19_the_first_write_makes_the_heading(cases: Path, tmp_path: Path) -> None:
    workspace = copied(cases / "A-19-empty-and-placeholder-files", tmp_path)
    places = workspace.suggestions
    pending = places.pending.read_text("utf-8")
    places.pending.write_text(pending + "\n---\n\n### 2026-11-01 | N | T\n- 📋 建議：x\n", "utf-8")
    entry = store.of_workspace(workspace, "pending").entries[0]
    review.decide(workspace, ANN, entry.id, "reject", now=NOW)
    assert places.reviewed.read_text("utf-8").startswith("# ✅ Reviewed Suggestions\n\n---\n\n### 2026-11-01")
    assert places.pending.read_text("utf-8") == pending
    assert not places.filtered.exists()


@pytest.fixture(scope="module")
def big(request: pytest.FixtureRequest) -> str:
    make = runpy.run_path(str(Path(__file__).parent / "A-21-twenty-thousand-reviews" / "make_big.py"))
    text: Any = make["big"]()
    return str(text)


def test_a21_counts_stay_exact_at_twenty_thousand(big: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    workspace = Workspace.open(tmp_path)
    workspace.suggestions.reviewed.write_text(big, "utf-8")
    found = queue.distinct(store.of_workspace(workspace, "reviewed"), NOW)
    assert queue.counts(found) == {"accept": 6667, "reject": 13333}
    by_score = Counter((one.entry.score.total, one.entry.decision) for one in found if one.entry.score)
    assert by_score == {(4, "accept"): 6667, (5, "reject"): 6667, (6, "reject"): 6666}
    assert set(Counter(one.entry.category for one in found).values()) == {4000}
    assert len(queue.search(found, "item 1999")) == 12

    workspace.suggestions.pending.write_text("### 2026-11-01 | N | one more\n- 📋 建議：x\n", "utf-8")
    review.decide(workspace, ANN, store.of_workspace(workspace, "pending").entries[0].id, "accept", now=NOW)
    raw = workspace.suggestions.reviewed.read_bytes()
    assert raw.startswith(big.encode())
    assert len(store.of_workspace(workspace, "reviewed").entries) == 20_001
