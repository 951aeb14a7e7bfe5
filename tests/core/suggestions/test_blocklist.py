"""Patterns and matching (suggestions contract, Files and Matching)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.suggestions.blocklist import alternatives, fold, matches, parse, without
from core.suggestions.content import original_text, topic_text, without_links
from core.suggestions.entries import parse as parse_entries
from core.suggestions.placeholders import is_placeholder
from core.suggestions.profile import read_profile


@pytest.mark.parametrize(
    ("pattern", "text", "fires"),
    [
        ("Web3", "a Web3 wallet", True), ("Web3", "Web30 index", False), ("Web3", "(web3)", True),
        ("研究看看", "先研究看看這個工具", True), ("研究看看", "研究看板", False), ("ｇｐｕ", "a GPU here", True),
        ("GPU", "使用GPU叢集", True), ("nft", "nftables", False), ("NFT", "ｎｆｔ 交易", True),
        ("NFT", "my_nft", False),
        ("C++", "in c++17", True), ("C++", "objC++", False), (".NET", "use .net 9", True), ("x", "é x̂ y", False),
        ("café", "cafe\u0301 au lait", True), ("cafe", "café", False), ("Straße", "STRASSE 5", True),
        ("a  b", "a\u3000\n b", True), ("研究看看", "研\u200b究看看", True), ("研究看看", "研究\ufe0f看看", True),
        ("研究看看", "研\u00ad究\u2060看看", True), ("R&D", "the R&D team", True), ("(a)", "x(a)x", True),
        ("café", "cafe\u200b\u0301 au lait", True), ("가", "ᄀ\u200bᅡ", True), ("Дом", "Домик", True),
        ("가상화폐", "가상화폐는", True), ("3", "13", False), ("Ⅷ", "VIII", True),
    ],
)  # fmt: skip
def test_matching(pattern: str, text: str, fires: bool) -> None:
    assert matches(pattern, text) is fires


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("區塊鏈", "区块链入门"), ("区块链", "什麼是區塊鏈"), ("瞭解一下", "了解一下这个"), ("软件", "軟件工程"),
        ("乾燥", "天气干燥"), ("後台", "后台设计"), ("论文研读", "論文研讀心得"),
    ],
)  # fmt: skip
def test_traditional_and_simplified_match_each_other_and_the_reason_says_so(pattern: str, text: str) -> None:
    verdict = parse(f"## Topic Blocks\n- {pattern}\n", "b").check(text, "")
    assert verdict.outcome == "hard_veto"
    assert verdict.reason == f"Hard-veto: {pattern} (Traditional/Simplified variant)"


def test_the_same_form_is_no_variant() -> None:
    assert parse("## Topic Blocks\n- 區塊鏈\n", "b").check("區塊鏈", "").reason == "Hard-veto: 區塊鏈"


@given(st.text(max_size=12))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(min_size=1, max_size=12))
def test_a_pattern_matches_itself(text: str) -> None:
    assert matches(text, text) or not fold(text)


def test_bullets_alternatives_and_notes() -> None:
    text = (
        "# Rubric Blocklist\n- outside\n\n## Topic Blocks\n- Blockchain / Web3 / NFT (not a field of ours)\n"
        "* **Crypto**（不做）\n  + `inner`\n- Add your topic blocks here\n<!--\n- hidden\n-->\n```\n- fenced\n```\n"
        "## Ambiguity blocklist\n- 了解一下\n- Example vague phrases that should be auto-rejected\n## Other\n- no\n"
    )
    blocklist = parse(text, "b")
    assert [(one.text, one.line) for one in blocklist.of("topic")] == [
        ("Blockchain", 5), ("Web3", 5), ("NFT", 5), ("Crypto", 6), ("inner", 7),
    ]  # fmt: skip
    assert [one.text for one in blocklist.of("ambiguity")] == ["了解一下"]
    assert [one.line for one in blocklist.problems] == [2, 19], "“- outside” and “- no” block nothing, which is told"


@pytest.mark.parametrize(
    ("text", "topics", "told"),
    [
        ("## Topic Blocks\n- a\n### Finance\n- b\n#### deeper\n- c\n", ["a", "b", "c"], []),
        ("## Topic Blocks\n- a\n# Notes\n- b\n- c\n", ["a"], [4]),
        ("## Topic Blocks (hard veto)\n- a\n", [], [2]),
        ("- a\n- b\n\n## Topic Blocks\n- c\n## Other\n### sub\n- d\n", ["c"], [1, 8]),
        ("## Other\n- Add your topic blocks here\n<!--\n- d\n-->\n", [], []),
        ("### Topic Blocks:\n- a\n", ["a"], []),
        ("### Topic Blocks\n- a\n#### sub\n- b\n### Changelog\n- c\n#### May\n- d\n", ["a", "b"], [6, 8]),
    ],
)  # fmt: skip
def test_only_a_heading_no_deeper_than_its_own_ends_a_section_and_what_blocks_nothing_is_told(
    text: str, topics: list[str], told: list[int]
) -> None:
    blocklist = parse(text, "b.md")
    assert [one.text for one in blocklist.patterns] == topics
    assert [one.line for one in blocklist.problems] == told


@pytest.mark.parametrize(
    ("bullet", "patterns"),
    [
        ("A / B (x (y))", ("A", "B")), ("C++ (the language (1985))", ("C++",)), ("NFT（不是（我們）的）", ("NFT",)),
        ("NFT （see (a)）", ("NFT",)), ("a) b)", ("a) b)",)), ("(x) y", ("(x) y",)), ("Web3 (a", ("Web3 (a",)),
    ],
)  # fmt: skip
def test_a_note_may_hold_parentheses(bullet: str, patterns: tuple[str, ...]) -> None:
    assert alternatives(bullet) == patterns
    assert without(bullet, patterns[0]).endswith(bullet[bullet.find(patterns[-1]) + len(patterns[-1]) :])


def test_a_bullet_without_a_pattern_is_a_problem_with_its_line() -> None:
    problems = parse("## Topic Blocks\n- (only a note)\n- ok\n<!-- open\n", "b.md").problems
    assert [(one.file, one.line) for one in problems] == [("b.md", 4), ("b.md", 2)]


def test_one_alternative_can_be_taken_out() -> None:
    assert without("Blockchain / **Web3** / NFT (no)", "Web3") == "Blockchain / NFT (no)"
    assert without("Blockchain / NFT (no)", "NFT") == "Blockchain (no)"
    assert alternatives("a/b") == ("a/b",)


def test_hard_veto_comes_before_ambiguity_and_the_first_pattern_is_named() -> None:
    blocklist = parse("## Topic Blocks\n- b\n- a\n## Ambiguity Blocklist\n- look into\n", "b")
    assert blocklist.check("a b", "look into it").reason == "Hard-veto: b"
    assert blocklist.check("c", "Look  into it").reason == "Ambiguity blocklist: look into"
    assert blocklist.check("look into", "do it").reason is None


ENTRY = (
    "### 2026-05-07 | Newsletter | [A title](https://web3.example/nft)\n- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n"
    "- 📋 建議：Try [the kit](https://kit.example/crypto \"nft\") and https://x.example/defi。後面\n"
    "- 📄 [web3-report](file:///reports/web3.md)\n- ❌ Filter: Hard-veto: dao\n- **Feedback**: ❌ Reject\n"
    "- **Comment**: metaverse\n  and ledger\n- **Reviewed**: 2026-05-08T10:00:00+08:00\n"
)  # fmt: skip


def test_a_topic_is_matched_against_title_and_content_without_urls_file_links_and_verdicts() -> None:
    text = topic_text(parse_entries(ENTRY.encode(), "f").entries[0])
    for gone in ("web3", "nft", "crypto", "defi", "dao", "metaverse", "ledger", "reports"):
        assert gone not in text, gone
    for kept in ("A title", "Newsletter", "技術", "the kit", "後面"):
        assert kept in text, kept


BEHIND = "\n<!--\n### 2026-05-07 | N | A Web3 aside\n- 📋 建議：NFT\n-->\n\n---\n\n## Section\n\nabout DeFi\n"


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        (BEHIND, {"DeFi", "Section"}),  # an entry ends at the next one
        ("\n## Section\nOwn\n", {"Section", "Own"}),
        ("<!-- Web3 -->\n", set()),
        ("- <!-- Web3 -->\n", set()),
        ("<!-- Web3 --> NFT <!-- DeFi --> Own <!-- Section\n", {"NFT", "Own"}),
        ("<!-- Web3\nDeFi --> NFT\n", {"NFT"}),
        ("<!-- Web3 --> \n- Own\n", {"Own"}),
        ("```\nWeb3\n```\n", {"Web3"}),  # a code block is shown to every reader
        ("  and NFT\n" + BEHIND, {"NFT", "DeFi", "Section"}),
    ],
)
def test_what_is_commented_out_is_none_of_an_entry_and_all_else_is(more: str, seen: set[str]) -> None:
    entry = parse_entries(f"### 2026-05-07 | N | T\n- 📋 建議：do it\n{more}".encode(), "f").entries[0]
    for text in (original_text(entry), topic_text(entry)):
        assert {word for word in ("Web3", "NFT", "DeFi", "Section", "Own") if word in text} == seen


def test_the_rule_between_two_entries_is_none_of_either() -> None:
    entries = parse_entries(b"### 2026-05-07 | N | T\n- x\n\n---\n\n### 2026-05-07 | N | U\n- x\n", "f").entries
    assert [original_text(one).split("\n", 1)[1] for one in entries] == ["- x", "- x"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("請參見https://web3.dev/guide 然後寫", "請參見  然後寫"), ("請看www.web3.dev 後", "請看  後"),
        ("寄mailto:nft@e.example 給", "寄  給"), ("see https://web3.dev now", "see   now"),
        ("參見https://e.org/a！區塊鏈很好", "參見 ！區塊鏈很好"), ("https://e.org/a：區塊鏈", " ：區塊鏈"),
        ("《https://e.org/a》區塊鏈", "《 》區塊鏈"), ("“https://e.org/a”…", "“ ”…"),
        ("thttps://x is no word of its own", "  is no word of its own"), ("awww.x", "awww.x"),
    ],
)  # fmt: skip
def test_a_url_needs_no_blank_before_it(text: str, left: str) -> None:
    assert without_links(text) == left


def test_the_original_text_is_what_was_proposed() -> None:
    text = original_text(parse_entries(ENTRY.encode(), "f").entries[0])
    assert text.splitlines() == [*ENTRY.splitlines()[:1], "- 🏷️ 技術", *ENTRY.splitlines()[2:4]]


@pytest.mark.parametrize(
    ("bullet", "placeholder"),
    [
        ("Add your topic blocks here", True), ("add your goals here …", True), ("…", True), ("Adding tests", False),
        ("Example vague phrases that should be auto-rejected from suggestions", True), ("Examples in docs", False),
    ],
)  # fmt: skip
def test_placeholders(bullet: str, placeholder: bool) -> None:
    assert is_placeholder(bullet) is placeholder


def test_a_profile_holds_what_a_person_wrote() -> None:
    profile = read_profile("# My Goals\n\n- Add your goals here\n<!-- - hidden -->\n1. Ship search\n- [ ] Learn Go\n")
    assert profile.bullets == ("Ship search", "Learn Go")
    assert "hidden" not in profile.text
    assert read_profile("# P\n- Total reviewed: 0\n- Accept: 0 (0%) | Reject: 0 (0%)\n").bullets == ()
