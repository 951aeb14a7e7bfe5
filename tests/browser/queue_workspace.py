"""A workspace with a long queue, always the same."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

_STEPS = (
    "Add a hybrid-search prompt to the library",
    "Write a pre-commit hook for prompt size",
    "先用十分鐘試跑 pgvector 範例",
    "Compare two rubric wordings on twenty cases",
    "Record a review of the failed digest",
    "Try the new batch endpoint on one job",
    "把週報模板改成三段式",
)
_SOURCES = ("Newsletter", "YouTube", "Threads", "Website")
_SCORES = ((2, 1, 2), (2, 2, 2), (1, 1, 2), (2, 1, 1))


def write(root: Path, pending: int, today: date, reviewed: int = 150) -> Path:
    """Fill ``root`` with ``pending`` entries, six of them of today, and some reviewed ones."""
    folder = root / "data"
    folder.mkdir(parents=True)
    days = [today if number < 6 else today - timedelta(days=number % 40 + 1) for number in range(pending)]
    body = "".join(entry(number, day) for number, day in enumerate(days))
    (folder / "suggestions_pending.md").write_text(f"# 📋 Pending Suggestions\n{body}", "utf-8")
    done = "".join(
        entry(pending + number, today - timedelta(days=number % 90), "accept" if number % 3 else "reject")
        for number in range(reviewed)
    )
    (folder / "suggestions_reviewed.md").write_text(f"# ✅ Reviewed Suggestions\n{done}", "utf-8")
    return root


def entry(number: int, day: date, decision: str = "") -> str:
    """One entry in the written form."""
    a, p, g = _SCORES[number * 7 % 4]
    step = f"{_STEPS[number % 7]} {number}"
    lines = [
        f"### {day} | {_SOURCES[number % 4]} | [{step}](https://example.org/{number})",
        f"- 🏷️ {'技術' if number % 3 else '流程'} | 📊 {a + p + g}/6 (A:{a} P:{p} G:{g})",
        f"- 📋 建議：{step}: take the first step on our own data and write down what changed (20 minutes)",
        f"- 📄 [報告](file:///reports/digest-{number % 50}.md)",
    ]
    if decision:
        mark = {"accept": "✅ Accept", "reject": "❌ Reject"}[decision]
        lines += [f"- **Feedback**: {mark}", f"- **Reviewed**: {day}T10:00:00+08:00"]
    return "\n---\n\n" + "\n".join(lines) + "\n"
