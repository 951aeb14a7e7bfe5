"""Files as documents of entries: nothing lost, everything wrong said (suggestions contract, Files)."""

import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.suggestions import edits
from core.suggestions.entries import Document, Entry, identity, instant_of, parse
from core.times import parse_instant

BOM = b"\xef\xbb\xbf"
LINES = st.sampled_from([
    "### 2026-05-07 | N | [T](https://e.example/a)\n", "### x\n", "- 📋 建議：a\n", "- **Feedback**: ✅ Accept\n", "\n",
    "---\n", "```\n", "<!-- c -->\n", "<!--\n", "-->\n", "- ```\n", "text\n", "\r\n", "- b\r\n", "a\r", "##", "#", " ",
    "### 2026-01-01 | S | plain\r\n", "# 📋 Pending Suggestions\n",
])  # fmt: skip


def one(text: str) -> Entry:
    entries = parse(text.encode(), "f.md").entries
    assert len(entries) == 1
    return entries[0]


@given(st.lists(LINES, max_size=25).map("".join), st.booleans())
def test_the_pieces_add_up_to_the_file(text: str, bom: bool) -> None:
    raw = (BOM if bom else b"") + text.encode()
    document = parse(raw, "f.md")
    assert document.text.encode() == raw.removeprefix(BOM)
    assert document.first_byte + sum(document.sizes) == len(raw)
    for index, entry in enumerate(document.entries):
        assert raw.startswith(entry.text.encode(), document.offset(index))
        assert entry.text.startswith("### ")


PLAIN = st.sampled_from(
    ["- 📋 建議：a\n", "\n", " \n", "---\n", "   ***\n", "    ---\n", "#\n", "### x\n", "text", "- b", "#tag\n"]
)


@given(st.lists(PLAIN, max_size=10).map("".join))
def test_of_lines_rules_and_blanks_alone_the_last_line_is_the_end(text: str) -> None:
    """The short way that most entries take reads what the long way reads."""
    assert edits._end_of_lines(text) == edits._end_of_parts(text)


@given(st.binary(max_size=60), st.lists(LINES, max_size=6).map("".join))
def test_any_bytes_are_read_without_an_exception(tail: bytes, text: str) -> None:
    document = parse(text.encode() + tail, "f.md")
    assert document.complete == (not document.problems or "UTF-8" not in document.problems[0].reason)


def test_an_entry_as_the_contract_shows_it() -> None:
    entry = one(
        "# 📋 Pending Suggestions\n\n---\n\n### 2026-05-07 | Newsletter | [Title](https://example.org/a)\n"
        "- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n- 📋 建議：Add a prompt\n- 📄 [報告](file:///reports/x.md)\n"
    )
    assert (entry.date, entry.source, entry.title, entry.url) == (
        "2026-05-07", "Newsletter", "Title", "https://example.org/a",
    )  # fmt: skip
    assert entry.score is not None
    assert entry.score._asdict() == {"total": 5, "a": 2, "p": 1, "g": 2}
    assert (entry.category, entry.next_step, entry.report) == ("技術", "Add a prompt", "[報告](file:///reports/x.md)")
    assert (entry.decision, entry.day, entry.problems) == (None, date(2026, 5, 7), ())


@pytest.mark.parametrize(
    ("heading", "title", "readable", "problem"),
    [
        ("2026-05-07 | Threads | Plain words", "Plain words", True, None),
        ("2026-05-07 | Threads | [a](b c", "[a](b c", False, "not one link"),
        ("2026-05-07 | Threads | see [a](https://e.example)", "see [a](https://e.example)", False, "not one link"),
        ("only words", "only words", False, "is not `date | source | [title](url)`"),
        ("2026-05-07 | Threads", "2026-05-07 | Threads", False, "is not `date | source | [title](url)`"),
        ("2026-02-30 | Threads | T", "T", True, "'2026-02-30' does not exist"),
        ("2026-5-7 | Threads | T", "T", True, "'2026-5-7' is not YYYY-MM-DD"),
        (" | Threads | T", "| Threads | T", False, "is not `date | source | [title](url)`"),
    ],
)
def test_a_heading_that_does_not_fit_is_kept_and_said(
    heading: str, title: str, readable: bool, problem: str | None
) -> None:
    entry = one(f"### {heading}\n- 📋 建議：x\n")
    assert (entry.title, entry.readable) == (title, readable)
    assert entry.next_step == "x"
    assert (problem is None and entry.problems == ()) or problem in entry.problems[0]


def test_a_line_that_nearly_starts_an_entry_is_pointed_out() -> None:
    entry = one("### 2026-05-07 | N | T\n- 📋 建議：x\n\n---\n\n###2026-05-08 | N | lost\n#### fine\n")
    assert entry.problems == ("the line '###2026-05-08 | N | lost' starts no entry",)


def test_fields_in_a_fence_or_comment_of_an_entry_are_not_its_fields() -> None:
    entry = one(
        "### 2026-05-07 | N | T\n- 📋 建議：x\n```\n- **Feedback**: ✅ Accept\n```\n<!--\n- **Comment**: y\n-->\n"
    )
    assert (entry.decision, entry.comment, entry.next_step) == (None, "", "x")


def test_headings_in_comments_are_counted_and_no_entries() -> None:
    document = parse(b"<!--\n### 2026-05-07 | N | hidden\n-->\n### 2026-05-07 | N | shown\n", "f.md")
    assert ([entry.title for entry in document.entries], document.commented) == (["shown"], 1)


def test_a_file_that_stops_being_utf8_is_shown_up_to_there() -> None:
    document = parse(
        "### 2026-05-07 | N | ok\n- 📋 建議：做\n### 2026-05-08 | N | ".encode() + "做".encode("big5"), "f.md"
    )
    assert [entry.title for entry in document.entries] == ["ok"]
    assert not document.complete
    assert [(problem.file, problem.line) for problem in document.problems] == [("f.md", 3)]


def test_every_problem_has_its_line() -> None:
    document = parse(b"# x\r\n\r\n### a | b | c\r\n### d\r\n\r\n### 2026-01-01 | e | f\r\n### g\r\n", "f.md")
    assert [(problem.line, problem.reason[:12]) for problem in document.entry_problems()] == [
        (3, "the date 'a'"), (4, "the heading "), (7, "the heading "),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("opening", "kind"),
    [
        ("# 📋 Pending Suggestions\n", "pending"), ("# ✅ Reviewed Suggestions\n", "reviewed"),
        ("intro\n# filtered suggestions 🚫\n", "filtered"), ("## Pending\n", None), ("", None),
    ],
)  # fmt: skip
def test_a_heading_says_which_file_it_is(opening: str, kind: str | None) -> None:
    assert parse(opening.encode(), "f.md").kind == kind


def test_an_entry_in_reviewed_without_feedback_is_undecided_and_in_pending_is_not() -> None:
    body = "### 2026-05-07 | N | T\n- 📋 建議：x\n"

    def decision(heading: str) -> Document:
        return parse((heading + body).encode(), "f.md")

    assert decision("# ✅ Reviewed Suggestions\n").entries[0].decision == "undecided"
    assert decision("# 📋 Pending Suggestions\n").entries[0].decision is None


@pytest.mark.parametrize(
    ("at", "problem"),
    [
        ("2026-05-08T10:00:00+08:00", None), ("2026-05-08T02:00:00Z", None), ("2026-05-08T10:00", "zone unknown"),
        ("2026-05-08", "zone unknown"), ("2026-05-32T10:00:00+08:00", "is not a time that exists"),
        ("yesterday", "is not an ISO 8601 time"), ("", "there is no Reviewed time"),
    ],
)  # fmt: skip
def test_review_times(at: str, problem: str | None) -> None:
    entry = one(f"### 2026-05-07 | N | T\n- **Feedback**: ✅ Accept\n- **Reviewed**: {at}\n")
    assert entry.reviewed_at == at
    assert (problem is None and entry.problems == ()) or problem in entry.problems[0]
    assert (entry.reviewed is None) == (problem is not None and "zone" not in problem)


@given(st.datetimes(), st.sampled_from(["+08:00", "-03:30", "Z", "", "+24:00"]), st.sampled_from("T t"))
def test_the_short_way_to_an_instant_is_the_long_way(moment: object, zone: str, separator: str) -> None:
    text = str(moment)[:19].replace(" ", separator) + zone

    def told(read: object) -> object:
        try:
            return read(text)  # type: ignore[operator]
        except ValueError as error:
            return str(error)

    assert told(instant_of) == told(parse_instant)


FIELDS = st.tuples(*[st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=6)] * 5)


@given(FIELDS, FIELDS)
def test_identity_is_that_of_the_five_nfc_fields(one_fields: tuple[str, ...], other: tuple[str, ...]) -> None:
    def nfc(fields: tuple[str, ...]) -> list[str]:
        return [unicodedata.normalize("NFC", field) for field in fields]

    assert (identity(*one_fields) == identity(*other)) == (nfc(one_fields) == nfc(other))
    assert identity(*one_fields) == identity(*nfc(one_fields))


def test_another_next_step_is_another_suggestion() -> None:
    first, second = parse(
        b"### 2026-05-07 | N | T\n- Next step: a\n### 2026-05-07 | N | T\n- Next step: b\n", "f"
    ).entries
    assert first.id != second.id
