"""The suggestions of the demo workspace, from the authored texts beside this file: the same bytes on every run.

An authored block is four or five lines: day, source, category and score (or 💎/⚡/🎯 of the old format, or the kind of
veto) with the decision; title; address; next step; comment. Days are of 2026, and the demo's last day is 2026-11-30.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

from core.suggestions import queue
from core.suggestions.blocklist import Blocklist
from core.suggestions.blocklist import parse as parse_blocklist
from core.suggestions.content import topic_text
from core.suggestions.entries import HEADINGS, Kind, parse

AUTHORED = Path(__file__).resolve().parent / "authored" / "suggestions"
TAIPEI = timezone(timedelta(hours=8))
NOW = datetime(2026, 11, 30, 9, tzinfo=TAIPEI)
_MARKS = {"+": "✅ Accept", "-": "❌ Reject"}
_TEMPLATE = "\n<!-- New entries go to the end, in this form:\n\n### YYYY-MM-DD | Source | [Title](https://…)\n-->\n"


@dataclass(frozen=True)
class Block:
    """One authored suggestion, before it is written in the form of its file."""

    number: int
    day: date
    source: str
    words: list[str]
    title: str
    address: str
    step: str
    comment: str

    @property
    def heading(self) -> str:
        title = self.title.replace("[", "\\[").replace("]", "\\]")
        return f"### {self.day} | {self.source} | [{title}](https://{self.address})\n"

    @property
    def report(self) -> str:
        return f"- 📄 [報告](file:///reports/{self.day}-{self.source.lower()}.md)\n"

    @property
    def reviewed(self) -> datetime:
        """One to two days after it came, at some time of a working day."""
        hour, minute = 8 + self.number * 7 % 13, self.number * 17 % 60
        day = self.day + timedelta(days=1 + self.number % 2)
        return datetime(day.year, day.month, day.day, hour, minute, self.number * 29 % 60, tzinfo=TAIPEI)


def build(root: Path) -> None:
    """Write data/ and references/ of the demo workspace."""
    data, references = root / "data", root / "references"
    data.mkdir(parents=True, exist_ok=True)
    references.mkdir(parents=True, exist_ok=True)
    reviewed = reviewed_file()
    texts = {
        data / "suggestions_pending.md": pending_file(),
        data / "suggestions_reviewed.md": reviewed,
        data / "suggestions_filtered.md": filtered_file(),
        data / "rubric_blocklist.md": authored("rubric_blocklist.md"),
        data / "goals.md": authored("goals.md"),
        data / "user_preferences.md": counted(reviewed) + authored("preferences_tail.md"),
        references / "rubric.md": authored("rubric.md"),
    }
    for path, text in texts.items():
        path.write_bytes(text.encode())


def authored(name: str) -> str:
    return (AUTHORED / name).read_bytes().decode()


def blocks(*names: str) -> list[Block]:
    texts = [text for name in names for text in authored(name).strip().split("\n\n")]
    return [_block(number, text.split("\n")) for number, text in enumerate(texts)]


def _block(number: int, lines: list[str]) -> Block:
    day, source, *words = lines[0].split()
    month, of_month = map(int, day.split("-"))
    title, address, step, *comment = lines[1:]
    return Block(number, date(2026, month, of_month), source, words, title, address, step, "".join(comment))


def odd(name: str) -> list[str]:
    """Entries that are spelled, scored or dated as they should not be; kept exactly as authored."""
    return [f"### {text.strip()}\n" for text in authored(name).removeprefix("### ").split("\n\n### 2")[:1]] + [
        f"### 2{text.strip()}\n" for text in authored(name).split("\n\n### 2")[1:]
    ]


def file_of(kind: Kind, entries: list[str], after_heading: str = "") -> str:
    return HEADINGS[kind] + "\n" + after_heading + "".join(f"\n---\n\n{entry}" for entry in entries)


def tags(category: str, score: str) -> str:
    if "/" in score:
        impact, effort, kind = score.split("/")
        return f"- 🏷️ {category} | 💎 {impact} | ⚡ {effort} | 🎯 {kind}\n"
    a, p, g = map(int, score)
    return f"- 🏷️ {category} | 📊 {a + p + g}/6 (A:{a} P:{p} G:{g})\n"


def pending_file() -> str:
    entries = [
        (str(one.day), one.heading + tags(*one.words) + f"- 📋 建議：{one.step}\n" + one.report)
        for one in blocks("pending.txt")
    ]
    entries.append(entries[20])  # appended twice: the pipeline ran twice that day
    entries += [(text[4:14] if text[4:8] == "2026" else "2026-11-25", text) for text in odd("pending_odd.md")]
    ordered = sorted(entries, key=lambda entry: min(entry[0], "2026-11-29"))
    return file_of("pending", [text for _, text in ordered], _TEMPLATE)


def reviewed_file() -> str:
    entries: list[tuple[str, str]] = []
    for one in blocks("reviewed_legacy.txt", "reviewed_scored.txt", "reviewed_more.txt"):
        category, score, decision = one.words
        lines = [f"- **Feedback**: {_MARKS[decision]}\n"]
        lines += [f"- **Comment**: {one.comment}\n"] if one.comment else []
        lines.append(f"- **Reviewed**: {one.reviewed.isoformat()}\n")
        text = one.heading + tags(category, score) + f"- 📋 建議：{one.step}\n" + one.report + "".join(lines)
        entries.append((one.reviewed.isoformat(), text))
    entries += [(text.rpartition("Reviewed**")[2].strip(":： \n"), text) for text in odd("reviewed_odd.md")]
    return file_of("reviewed", [text for _, text in sorted(entries, key=lambda entry: entry[0])])


def filtered_file() -> str:
    blocklist = parse_blocklist(authored("rubric_blocklist.md"), "rubric_blocklist.md")
    return file_of("filtered", [_filtered(one, blocklist) for one in blocks("filtered.txt")])


def _filtered(one: Block, blocklist: Blocklist) -> str:
    step = f"- 📋 建議：{one.step}\n"
    entry = parse((one.heading + step).encode(), "").entries[0]
    verdict = blocklist.check(topic_text(entry), entry.next_step)
    expected = {"veto": "hard_veto", "vague": "ambiguity"}.get(one.words[0], "clear")
    if verdict.outcome != expected:
        raise SystemExit(f"filtered.txt: {one.title!r} is {verdict.outcome}, not {expected}")
    if verdict.reason:
        return one.heading + step + f"- ❌ Filter: {verdict.reason}\n" + one.report
    category, score = one.words
    total = sum(map(int, score))
    # Every third in the other form that the pipeline has used for scored entries.
    line = (
        "- 📊 Rubric: {}/6 (A:{} P:{} G:{})\n".format(total, *score) if one.number % 3 == 0 else tags(category, score)
    )
    return one.heading + line + step + f"- ❌ Filter: Below threshold ({total} < 4)\n" + one.report


def counted(reviewed: str) -> str:
    """The profile's statistics, counted as the rest of Touchstone counts."""
    decided = queue.counts(queue.distinct(parse(reviewed.encode(), "", "reviewed"), NOW))
    accepted, rejected = decided["accept"], decided["reject"]
    total = accepted + rejected
    return (
        f"# User Preference Profile\n\n> Last updated: {NOW:%Y-%m-%d} | Based on {total} reviewed suggestions\n\n"
        f"## Summary Statistics\n- Total reviewed: {total}\n- Accept: {accepted} ({accepted / total:.0%}) | "
        f"Reject: {rejected} ({rejected / total:.0%})\n"
    )
