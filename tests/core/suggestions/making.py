"""Entries and workspaces made for tests, in the form that the files have."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from core.suggestions.entries import HEADINGS, Kind, parse
from core.suggestions.queue import Suggestion, distinct
from core.workspace import Workspace

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
_MARKS = {"accept": "✅ Accept", "reject": "❌ Reject"}


def entry(
    title: str, step: str = "整理成筆記", *, decision: str = "", comment: str = "",
    score: tuple[int, int, int] | None = None, day: str = "2026-05-07", at: str = "2026-05-10T10:00:00+08:00",
    legacy: bool = False, url: str = "",
) -> str:  # fmt: skip
    """One entry; `decision` is accept, reject, or any other text for the Feedback line."""
    link = f"[{title}]({url})" if url else f"[{title}](https://example.org/{abs(hash_of(title)) % 10**6})"
    lines = [f"### {day} | Newsletter | {link}"]
    if score:
        lines.append("- 🏷️ 技術 | 📊 {}/6 (A:{} P:{} G:{})".format(sum(score), *score))
    else:
        lines.append("- 🏷️ 技術 | 💎 High | ⚡ High | 🎯 Action" if legacy else "- 🏷️ 技術")
    lines += [f"- 📋 建議：{step}", "- 📄 [報告](file:///reports/x.md)"]
    if decision:
        lines.append(f"- **Feedback**: {_MARKS.get(decision, decision)}")
        lines += [f"- **Comment**: {comment}"] if comment else []
        lines.append(f"- **Reviewed**: {at}")
    return "\n".join(lines) + "\n"


def hash_of(text: str) -> int:
    """A number that is the same in every process (hash() is not)."""
    return sum(ord(char) * (place + 7) for place, char in enumerate(text))


def file_of(kind: Kind, *entries: str) -> str:
    """A whole file with its heading."""
    return "\n---\n\n".join([HEADINGS[kind] + "\n", *entries])


def suggestions(kind: Kind, *entries: str) -> tuple[Suggestion, ...]:
    """What the file of these entries holds."""
    return distinct(parse(file_of(kind, *entries).encode(), f"suggestions_{kind}.md", kind), NOW)


def workspace(
    root: Path, *, pending: tuple[str, ...] = (), reviewed: tuple[str, ...] = (), filtered: tuple[str, ...] = (),
    topics: tuple[str, ...] = (), phrases: tuple[str, ...] = (), rubric: str = "", goals: str = "- Ship the search\n",
) -> Workspace:  # fmt: skip
    """A workspace with these files; a kind without entries has no file."""
    data = root / "data"
    data.mkdir(parents=True, exist_ok=True)
    for kind, entries in (("pending", pending), ("reviewed", reviewed), ("filtered", filtered)):
        if entries:
            (data / f"suggestions_{kind}.md").write_text(file_of(kind, *entries), "utf-8")  # type: ignore[arg-type]
    bullets = "".join(f"- {topic}\n" for topic in topics), "".join(f"- {phrase}\n" for phrase in phrases)
    blocklist = "# Rubric Blocklist\n\n## Topic Blocks\n{}\n## Ambiguity Blocklist\n{}".format(*bullets)
    (data / "rubric_blocklist.md").write_text(blocklist, "utf-8")
    (data / "goals.md").write_text(f"# Goals\n\n{goals}", "utf-8")
    if rubric:
        (root / "references").mkdir(exist_ok=True)
        (root / "references" / "rubric.md").write_text(rubric, "utf-8")
    return Workspace.open(root)
