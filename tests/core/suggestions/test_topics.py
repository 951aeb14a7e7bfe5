"""Mining of repeated topics: what is one, what is none, and that nothing but the texts decides."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.suggestions.topics import Text, mine


def _texts(*contents: str, prefix: str = "r") -> list[Text]:
    return [Text(f"{prefix}{number}", content) for number, content in enumerate(contents)]


def _topics(rejected: list[Text], accepted: list[Text] | None = None) -> list[str]:
    return [topic.text for topic in mine(rejected, accepted or [])]


def test_three_entries_make_a_topic_and_two_do_not() -> None:
    assert _topics(_texts("Web3 wallets", "Games on Web3", "Why Web3 matters")) == ["Web3"]
    assert _topics(_texts("Web3 wallets", "Games on Web3", "Why rust matters")) == []


def test_three_times_in_one_entry_are_one_entry() -> None:
    assert _topics(_texts("Web3, Web3 and again Web3", "Games on Web3", "rust")) == []


def test_a_chinese_topic_needs_no_spaces_and_is_the_whole_word() -> None:
    rejected = _texts("認識區塊鏈錢包", "區塊鏈入門", "談談區塊鏈的未來")
    assert _topics(rejected) == ["區塊鏈"]


def test_traditional_and_simplified_are_one_topic() -> None:
    topics = mine(_texts("區塊鏈錢包", "区块链入门", "談區塊鏈"), [])
    assert [topic.text for topic in topics] == ["區塊鏈"]
    assert topics[0].rejected == ("r0", "r1", "r2")


def test_full_width_and_zero_width_are_folded() -> None:
    topics = mine(_texts("ＧＰＵ rental", "G\u200bPU prices", "a gpu story"), [])
    assert [topic.rejected for topic in topics] == [("r0", "r1", "r2")]
    assert topics[0].text.casefold() == "gpu"


def test_plurals_are_one_topic_with_both_spellings() -> None:
    """A pattern of one spelling would not match the other, so the bullet lists both."""
    topics = mine(_texts("NFT market", "An NFT drop", "Selling NFTs"), [])
    assert [topic.text for topic in topics] == ["NFT / NFTs"]
    assert topics[0].spellings == ("NFT", "NFTs")


def test_the_longest_phrase_of_the_same_entries() -> None:
    rejected = _texts("GPU K-Means clustering basics", "Faster gpu k-means clustering", "On GPU K-Means clustering")
    assert _topics(rejected) == ["GPU K-Means clustering"]


def test_the_wider_topic_where_it_has_entries_of_its_own() -> None:
    rejected = _texts("Web3 wallet", "a Web3 wallet", "Web3 wallet tips", "Web3 games", "Web3 art", "Web3 jobs")
    assert _topics(rejected) == ["Web3"]


def test_equally_common_among_accepted_is_no_topic() -> None:
    rejected = _texts("Prompt library I", "A prompt library", "The prompt library again", "Web3", "Web3 b", "c Web3")
    accepted = _texts("Prompt library", "My prompt library", "One more prompt library", prefix="a")
    assert _topics(rejected, accepted) == ["Web3"]


def test_rarer_among_accepted_is_a_topic_and_says_whom() -> None:
    rejected = _texts("Web3 a", "b Web3", "c Web3 d", "Web3 e")
    accepted = _texts("A Web3 story", "Hybrid search", "Prompt caching", prefix="a")
    topics = mine(rejected, accepted)
    assert [topic.text for topic in topics] == ["Web3"]
    assert topics[0].accepted == ("a0",)


@pytest.mark.parametrize(
    "same",
    [
        "Read this article in 20 minutes",
        "the and of with",
        "建議下一步：整理成筆記",
        "先研究看看這個工具",
        "Comment",
        "https://example.org/digest/weekly",
        "2026-05-07",
    ],
)
def test_stop_words_boilerplate_links_and_numbers_are_no_topics(same: str) -> None:
    different = ("alpha", "beta", "gamma")
    assert _topics([Text(one, f"{one}\n{same}") for one in different]) == []


def test_a_refusal_said_three_times_is_no_topic() -> None:
    for words in ("不相關", "太抽象，沒有具體步驟", "not relevant", "too vague", "we already have this", "沒興趣"):
        rejected = [Text(one, one, words) for one in ("alpha", "beta", "gamma")]
        assert _topics(rejected) == [], words


def test_a_topic_that_stands_in_comments_alone() -> None:
    rejected = [Text("1", "alpha", "no more crypto"), Text("2", "beta", "crypto again"), Text("3", "gamma", "Crypto!")]
    topics = mine(rejected, [])
    assert [(topic.text.casefold(), topic.in_content) for topic in topics] == [("crypto", 0)]


def test_verbs_begin_no_topic_but_may_end_one() -> None:
    assert _topics(_texts("整理星座運勢", "整理星座運勢吧", "整理星座運勢了")) == ["星座運勢"]
    assert _topics(_texts("A unit test", "Each unit test", "No unit test")) == ["unit test"]


def test_a_frame_around_a_commoner_topic_is_none() -> None:
    """ "Notes on … at scale" stands around hybrid search by chance; hybrid search itself is equally common."""
    rejected = _texts(*["Notes on hybrid search at scale"] * 3, *[f"hybrid search {word}" for word in "abcdefgh"])
    accepted = _texts(*[f"hybrid search {word}" for word in "ijklmnopqrst"], prefix="a")
    assert _topics(rejected, accepted) == []


def test_fewer_than_three_rejected_entries_have_no_topic() -> None:
    assert mine(_texts("Web3", "Web3"), []) == []
    assert mine([], _texts("a", "b", "c")) == []


def test_order_is_by_evidence() -> None:
    rejected = _texts(*[f"Web3 {c}" for c in "abcdefg"], *[f"astrology {c}" for c in "hij"])
    accepted = _texts(*[f"{c} {c}" for c in "klmnopqrst"], prefix="a")
    assert _topics(rejected, accepted) == ["Web3", "astrology"]


_WORDS = st.sampled_from(["Web3", "wallet", "the", "區塊鏈", "研究", "GPU", "notes", "星座", "，", "20", "Rust"])
_CONTENT = st.lists(_WORDS, max_size=6).map(" ".join)


@given(st.lists(_CONTENT, max_size=12), st.lists(_CONTENT, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_entries_does_not_matter(rejected: list[str], accepted: list[str], draw: random.Random) -> None:
    """The same entries in any order give the same topics over the same ids, and every topic keeps its promises."""
    texts, others = _texts(*rejected), _texts(*accepted, prefix="a")
    first = mine(texts, others)
    mixed, mixed_others = list(texts), list(others)
    draw.shuffle(mixed)
    draw.shuffle(mixed_others)
    again = mine(mixed, mixed_others)
    assert [(topic.text, set(topic.rejected)) for topic in first] == [(t.text, set(t.rejected)) for t in again]
    for topic in first:
        assert len(set(topic.rejected)) >= 3
        assert len(topic.rejected) * len(others) >= 2 * len(topic.accepted) * len(texts)
        assert " / ".join(topic.spellings) == topic.text
