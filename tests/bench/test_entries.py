"""Speed of reading suggestions: beside the plainest way to do it, in the same run (issue: at most twice its time)."""

from __future__ import annotations

import os
import re
import statistics
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time

import pytest

from core.people import local_person
from core.suggestions import queue, review, store
from core.suggestions.entries import parse
from core.workspace import Workspace

pytestmark = pytest.mark.bench

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
STEPS = [
    "把混合查詢的三種模式寫成提示詞庫的範例，附上一個失敗案例與修正後的版本（20 分鐘）",
    "Add a hybrid-search example to the prompt library, with one failing query and what fixed it (20 minutes)",
    "在本地重跑一次延遲測試，將 p95 與上週的數字並列在週報第二頁，並註明快取是否開啟",
]
COMMENTS = ["", "範例很具體，馬上能用", "Too long for what it gives; the second half repeats the first", "與目標無關"]


def reviewed_file(count: int) -> str:
    """About 600 bytes an entry; one in twenty spelled by hand, one in fifty in the old format."""
    return "# ✅ Reviewed Suggestions\n" + "".join(map(_entry, range(count)))


def _entry(number: int) -> str:
    day = f"{2024 + number // 8000}-{1 + number // 28 % 12:02d}-{1 + number % 28:02d}"
    title = f"Notes on retrieval, part {number}: 檢索增強生成的評測與陷阱"
    link = f"[{title} \\[draft\\]](<https://example.com/notes/{number} b>)" if number % 20 == 7 else (
        f"[{title}](https://example.com/notes/{number}/retrieval-and-its-evaluation)"
    )  # fmt: skip
    label = "**Feedback：**" if number % 20 == 3 else "**Feedback**:"
    tags = (
        "💎 High | ⚡ Mid | 🎯 Action"
        if number % 50 == 1
        else f"📊 {4 + number % 3}/6 (A:2 P:{number % 3 // 2 + 1} G:{1 + (number % 3 > 0)})"
    )
    comment = COMMENTS[number % 4]
    return (
        f"\n---\n\n### {day} | Newsletter | {link}\n- 🏷️ 技術 | {tags}\n- 📋 建議：{STEPS[number % 3]} #{number}\n"
        f"- 📄 [報告](file:///desk/reports/{day}/retrieval-and-its-evaluation-{number}.md)\n"
        f"- {label} {'✅ Accept' if number % 3 else '❌ Reject'}\n" + (f"- **Comment**: {comment}\n" if comment else "")
        + f"- **Reviewed**: {day}T10:00:00+08:00\n"
    )  # fmt: skip


PLAIN = [
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^### (.*?) \| (.*?) \| \[(.*)\]\((.*)\)$", r"^- 🏷️ (.*?) \|", r"📊 (\d)/6 \(A:(\d) P:(\d) G:(\d)\)",
        r"^- 📋 建議：(.*)$", r"^- 📄 (.*)$", r"^- \*\*Feedback\*\*: (.*)$", r"^- \*\*Comment\*\*: (.*)$",
        r"^- \*\*Reviewed\*\*: (.*)$",
    )
]  # fmt: skip


def plain_pass(raw: bytes) -> list[list[tuple[str, ...] | None]]:
    """What a script of ten lines does: cut at the headings, one expression a field."""
    blocks = re.split(r"(?m)^(?=### )", raw.decode())[1:]
    found = [[pattern.search(block) for pattern in PLAIN] for block in blocks]
    return [[match.groups() if match else None for match in fields] for fields in found]


def cpu(action: Callable[[], object]) -> float:
    """Processor seconds of one call: the wall clock measures whoever else is at work on this machine."""
    start = process_time()
    action()
    return process_time() - start


def test_parse_and_list_twenty_thousand_reviews(capsys: pytest.CaptureFixture[str]) -> None:
    raw = reviewed_file(20_000).encode()
    assert len(plain_pass(raw)) == len(parse(raw, "f").entries) == 20_000
    pairs = [(cpu(lambda: plain_pass(raw)), cpu(lambda: queue.distinct(parse(raw, "f"), NOW))) for _ in range(7)]
    plain, ours = (min(times) for times in zip(*pairs, strict=True))  # in turns, so that both meet the same machine
    with capsys.disabled():
        print(f"\n{len(raw) / 1e6:.1f} MB: plain pass {plain:.3f} s, parse and list {ours:.3f} s: {ours / plain:.2f}")
    assert ours <= 2 * plain


def test_an_unchanged_file_costs_one_stat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.md"
    path.write_bytes(reviewed_file(2_000).encode())
    store.load(path, "f.md")
    calls: list[str] = []
    for name in ("stat", "open", "lstat", "scandir"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, _real=real, _name=name, **k: (calls.append(_name), _real(*a, **k))[1])
    store.load(path, "f.md")
    assert calls == ["stat"]


def test_a_decision_among_ten_thousand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything in core: reading what changed, three locks, intent, both files, record; then reading again."""
    (tmp_path / "data").mkdir()
    workspace, ann = Workspace.open(tmp_path), local_person("Ann")
    workspace.suggestions.pending.write_text(reviewed_file(10_000).replace("✅ Reviewed", "📋 Pending"), "utf-8")
    workspace.suggestions.reviewed.write_text(reviewed_file(20_000), "utf-8")
    ids = [entry.id for entry in store.of_workspace(workspace, "pending").entries]
    review.decide(workspace, ann, ids[0], "accept", now=NOW)  # makes the log, reads both files
    decided, read, undone, used = [], [], [], []
    for number in range(30):
        start, before = perf_counter(), process_time()
        record = review.decide(workspace, ann, ids[37 + number * 251], "reject", comment="no", now=NOW)
        middle = perf_counter()
        store.of_workspace(workspace, "pending")
        store.of_workspace(workspace, "reviewed")
        end = perf_counter()
        used.append(process_time() - before)
        review.undo(workspace, ann, record.seq, now=NOW)
        undone.append(perf_counter() - end)
        decided.append(middle - start)
        read.append(end - middle)
    figures = [f"{statistics.median(times) * 1000:.0f} ms" for times in (decided, read, undone, used)]
    with capsys.disabled():
        print(f"\nof 10,000 pending, medians: decide {figures[0]}, read again {figures[1]} (CPU of both {figures[3]})")
        print(f"undo {figures[2]}")
    assert statistics.median(used) <= 0.05
