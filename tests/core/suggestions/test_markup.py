"""What hides an entry's heading, and what does not (suggestions contract, Files)."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.suggestions.markup import heading_places, hidden, plain_lines


def headings(text: str) -> list[str]:
    plain = plain_lines(text)
    places, _ = heading_places(plain, hidden(plain))
    return [plain[at : (plain + "\n").index("\n", at)].strip() for at in places]


def test_a_comment_over_several_lines_hides_headings() -> None:
    assert headings("<!--\n### a\n-->\n### b\n") == ["### b"]


def test_a_fence_hides_headings_until_a_fence_at_least_as_long() -> None:
    assert headings("````\n### a\n```\n### b\n````\n### c\n") == ["### c"]


def test_a_tilde_fence_is_not_closed_by_backticks() -> None:
    assert headings("~~~ markdown\n### a\n```\n### b\n~~~\n### c\n") == ["### c"]


def test_backticks_in_the_info_string_open_nothing() -> None:
    assert headings("``` a`b\n### a\n") == ["### a"]


def test_an_opening_that_nothing_closes_hides_nothing_and_is_told() -> None:
    text = "### a\n```\n### b\n<!-- forgotten\n### c\n"
    assert headings(text) == ["### a", "### b", "### c"]
    assert [text[at:].split("\n")[0] for at in hidden(text).unclosed] == ["```", "<!-- forgotten"]


def test_an_arrow_in_a_title_opens_no_comment() -> None:
    assert headings("### A <!-- x\n### b --> c\n") == ["### A <!-- x", "### b --> c"]


def test_a_fence_inside_a_list_item_ends_with_the_item() -> None:
    assert headings("- ```\n  ### a\n### b\n- ```\n  x\n  ```\n### c\n") == ["### b", "### c"]


def test_a_comment_that_begins_a_list_item_ends_with_the_item() -> None:
    assert headings("- <!-- open\n### a\n-->\n### b\n") == ["### a", "### b"]


def test_every_line_ending_counts() -> None:
    assert headings("### a\r\n```\r\n### b\r\n```\r\n### c\r### d") == ["### a", "### c", "### d"]


def test_a_thousand_forgotten_fences_are_not_a_thousand_searches() -> None:
    text = "".join(f"### {n}\n```{'`' * (n % 2)}x\ntext\n" for n in range(0, 20_000, 2))
    assert len(headings(text)) == 10_000


LINES = ["### h", "```", "````", "~~~", " ```", "<!-- c -->", "<!--", "-->", "text", "", "``` py", "a --> b", "---"]


@given(st.lists(st.sampled_from(LINES), max_size=14))
def test_what_is_hidden_is_what_commonmark_hides_where_everything_is_closed(lines: list[str]) -> None:
    """Outside of lists, and where nothing stands open, markdown-it sees the same headings."""
    text = "\n".join(lines) + "\n"
    if hidden(text).unclosed:
        return
    tokens = MarkdownIt("commonmark").parse(text)
    seen = [token.map[0] for token in tokens if token.type == "heading_open" and token.tag == "h3" and token.map]
    places, _ = heading_places(text, hidden(text))
    assert [text.count("\n", 0, at) for at in places] == seen
