"""The link in an entry's heading (suggestions contract, Files)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.suggestions.links import Link, commonmark_link, may_open, read_link


@pytest.mark.parametrize(
    ("text", "title", "url"),
    [
        ("[Plain](https://example.com/a)", "Plain", "https://example.com/a"),
        ("[a | b | c](https://example.com/x|y)", "a | b | c", "https://example.com/x|y"),
        ("[Arrays [2] (x)](https://w.example/S_(c)#U)", "Arrays [2] (x)", "https://w.example/S_(c)#U"),
        (r"[An \] escape](<https://e.example/v?a=1 2>)", "An ] escape", "https://e.example/v?a=1 2"),
        ('[Hover](https://e.example "a title")', "Hover", "https://e.example"),
        ("[R&amp;D &lt;3](https://e.example/?a=1&amp;b=2)", "R&D <3", "https://e.example/?a=1&b=2"),
        ("[<b>x</b>](https://e.example)", "<b>x</b>", "https://e.example"),
        ("[`code` and *this*](https://e.example)", "code and this", "https://e.example"),
        ("[🚀 起飛](https://例え.jp/パス)", "🚀 起飛", "https://例え.jp/パス"),
        ("[closed](https://e.example) ##", "closed", "https://e.example"),
        ("[none]()", "none", ""),
    ],
)
def test_a_link_is_read_as_commonmark_reads_it(text: str, title: str, url: str) -> None:
    assert read_link(text) == Link(title, url)


@pytest.mark.parametrize(
    "text", ["plain", "[a](b) and more", "[a [b](c) d](e)", "[a](b", "<https://e.example>", "[x](<a b)", "![p](q)", ""]
)
def test_anything_but_one_whole_link_is_none(text: str) -> None:
    assert read_link(text) is None


CHARACTERS = st.characters(codec="utf-8", exclude_characters="\n\r")
LABELS = st.text(st.one_of(st.sampled_from("ab ![]()*_`<>&;#\\|:\"'　é中…🚀"), CHARACTERS), max_size=12)
URLS = st.text(st.one_of(st.sampled_from("https://e.x()<> &;\\\"'|%#?é中\t"), CHARACTERS), max_size=14)


@given(LABELS, URLS)
@example("a!", "x")
@example(" a ", "http://e.x")
def test_the_short_way_gives_what_markdown_it_gives(label: str, url: str) -> None:
    text = f"[{label}]({url})"
    long = commonmark_link(text)
    assert read_link(text) == long or (long is None and read_link(text) == commonmark_link(text.rstrip(" #")))


@pytest.mark.parametrize(
    ("url", "opens"),
    [
        ("https://e.example", True), ("HTTP://e.example/x y", True), ("javascript:alert(1)", False),
        ("data:text/html,x", False), ("file:///etc/passwd", False), ("//e.example", False),
        (" https://e.example", False), ("https://e.example/\n", False), ("", False),
        ("https:///x", False), ("vbscript:x", False),
    ],
)  # fmt: skip
def test_only_web_links_may_be_opened(url: str, opens: bool) -> None:
    assert may_open(url) is opens
