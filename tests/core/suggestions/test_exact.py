"""The one expression for entries in the written form reads what the long way reads."""

from hypothesis import example, given
from hypothesis import strategies as st

from core.suggestions.entries import Kind, parse, read_entry
from core.suggestions.exact import read_exact

PIECES = st.sampled_from([
    "技術", "a b", "x|y", "｜", " | ", "*", "**b**", "：", ": ", "✅ Accept", "❌ Reject", "5/6", "建議", "Feedback: ",
    "é", "(", ")", "[", "]", "\\", "&amp;", "<", "`", "_", "#", "\ufe0f", "\u200b", "\x0b", "\x00", "　", "\x85", "📊",
    "🏷️", "https://e.example/a", "```", "<!--",
])  # fmt: skip
WORDS = st.lists(PIECES, min_size=1, max_size=3).map("".join)
DAYS = st.sampled_from(["2026-02-30", "2026-5-7", "2099-01-01", "once"])
URLS = st.sampled_from(["javascript:x", "https://e.example/(a)", "", "http://", "<https://e.example>", "https://e/ b"])
TAGS = st.sampled_from([
    "📊 4/6 (A:2 P:1 G:2)", "📊 7/6 (A:2 P:1 G:2)", "📊 5/6", "📊 4/5", "💎 High | 📊 5/6 (A:2 P:1 G:2)", "⚡ Mid", "",
])  # fmt: skip
FEEDBACK = st.sampled_from(["✅", "Defer", "✅ ❌", "✅ Accepted", "❌ Reject ✅"])
TIMES = st.sampled_from(["2026-13-08T10:00:00+08:00", "2026-05-08T10:00:00", "2026-05-08T99:00:00+08:00", "once"])
ENDS = st.sampled_from(["", "\n---\n\n---\n", "text\n", "***\n", "- 📋 建議：again\n", "```\n", "<!-- c -->\n"])
USUAL = {
    "day": "2026-05-07", "source": "Newsletter", "title": "A title", "url": "https://e.example/a", "category": "技術",
    "tags": "📊 5/6 (A:2 P:1 G:2)", "next_step": "Add a prompt", "filtered": "Below threshold (3 < 4)",
    "report": "[報告](file:///r.md)", "feedback": "✅ Accept", "comment": "good",
    "reviewed": "2026-05-08T10:00:00+08:00", "end": "\n---\n\n",
}  # fmt: skip
ODD = {"day": DAYS, "url": URLS, "tags": TAGS, "feedback": FEEDBACK, "reviewed": TIMES, "end": ENDS}
LINES = {
    "filtered": "- ❌ Filter: {}", "report": "- 📄 {}", "feedback": "- **Feedback**: {}",
    "comment": "- **Comment**: {}", "reviewed": "- **Reviewed**: {}",
}  # fmt: skip


@st.composite
def written(draw: st.DrawFn) -> str:
    """Entries as Touchstone writes them, with up to two parts that are not."""
    odd = draw(st.sets(st.sampled_from(sorted(USUAL)), max_size=2))
    part = {name: draw(ODD.get(name, WORDS)) if name in odd else usual for name, usual in USUAL.items()}
    there = draw(st.sets(st.sampled_from(sorted(LINES))))
    lines = [
        f"### {part['day']} | {part['source']} | [{part['title']}]({part['url']})",
        f"- 🏷️ {part['category']} | {part['tags']}",
        f"- 📋 建議：{part['next_step']}",
        *(line.format(part[name]) for name, line in LINES.items() if name in there),
    ]
    ending = draw(st.sampled_from(["\n", "\n", " \n"]))
    return ending.join(lines) + ending + part["end"]


@given(written(), st.sampled_from(["pending", "reviewed", None]))
@example("### 2026-05-07 | N | [T](https://e.example)\n- 🏷️ a | 📊 6/6 (A:2 P:1 G:2)\n- 📋 建議：x\n", "pending")
def test_the_short_way_reads_what_the_long_way_reads(text: str, kind: Kind | None) -> None:
    short = parse(text.encode(), "f", kind).entries
    assert short[0].text == text
    assert short[0] == read_entry(text, text, kind)


def test_the_written_form_takes_the_short_way() -> None:
    text = (
        "### 2026-05-07 | Newsletter | [Title](https://example.org/a)\n- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n"
        "- 📋 建議：Add a prompt\n- 📄 [報告](file:///reports/x.md)\n- **Feedback**: ✅ Accept\n"
        "- **Comment**: good\n- **Reviewed**: 2026-05-08T10:00:00+08:00\n\n---\n\n"
    )
    assert read_exact(text, 0, len(text)) is not None
