"""Blocklist proposals: what is offered, what it would cost, what a no means."""

from __future__ import annotations

import pytest

from core.suggestions.blocklist import Blocklist, parse
from core.suggestions.proposals import History, Proposal, Refusal, propose
from tests.core.suggestions.making import entry, suggestions


def _blocklist(*topics: str, phrases: tuple[str, ...] = ()) -> Blocklist:
    bullets = "".join(f"- {topic}\n" for topic in topics), "".join(f"- {phrase}\n" for phrase in phrases)
    return parse("## Topic Blocks\n{}\n## Ambiguity Blocklist\n{}".format(*bullets), "rubric_blocklist.md")


_REVIEWED = (
    entry("A Web3 wallet", decision="reject", comment="no more Web3"),
    entry("Web3 games", decision="reject", comment="not ours"),
    entry("Jobs in Web3", decision="reject"),
    entry("Web30 index", decision="accept"),
    entry("What Web3 taught us", decision="accept"),
    entry("Hybrid search", decision="accept"),
    entry("Prompt caching", decision="accept"),
    entry("Golden datasets", decision="reject", comment="later"),
)
_PENDING = (entry("Web3 in 2027"), entry("Rust"), entry("Notes", "Compare Web3 stacks"))


def _history(*topics: str, phrases: tuple[str, ...] = ()) -> History:
    return History(
        suggestions("reviewed", *_REVIEWED), suggestions("pending", *_PENDING), _blocklist(*topics, phrases=phrases)
    )


def _titles(history: History, ids: tuple[str, ...]) -> list[str]:
    known = {one.id: one.title for one in [*history.rejected, *history.accepted]}
    return [known.get(one, "pending") for one in ids]


def _only(history: History, refusals: tuple[Refusal, ...] = ()) -> Proposal:
    found = propose(history, refusals)
    assert [one.topic for one in found] == ["Web3"]
    return found[0]


def test_a_proposal_with_its_cost() -> None:
    history = _history()
    found = _only(history)
    assert _titles(history, found.rejected) == ["A Web3 wallet", "Web3 games", "Jobs in Web3"]
    assert _titles(history, found.cost.rejects_caught) == ["A Web3 wallet", "Web3 games", "Jobs in Web3"]
    assert _titles(history, found.cost.accepts_lost) == ["What Web3 taught us"]
    assert len(found.cost.pending_hit) == 2
    assert found.examples == ("no more Web3", "not ours")


def test_the_question_is_the_contracts() -> None:
    assert _only(_history()).prompt == (
        '💡 **Blocklist Suggestion**: Detected 3+ rejections regarding the topic: "Web3".\n'
        "- Examples of rejected comments:\n"
        '  - "no more Web3"\n'
        '  - "not ours"\n'
        'Would you like to add "Web3" to the hard-veto blocklist?'
    )


@pytest.mark.parametrize("topic", ["Web3", "web3 (not ours)", "NFT / Web3", "ｗｅｂ３"])
def test_a_topic_that_is_blocked_is_not_offered(topic: str) -> None:
    assert propose(_history(topic)) == []


def test_nor_is_an_ambiguity_phrase_or_what_other_patterns_catch_already() -> None:
    assert propose(_history(phrases=("web3",))) == []
    assert propose(_history("A Web3", "Web3 games", "Jobs")) == []
    assert _only(_history("A Web3", "Jobs")).cost.rejects_caught_anyway


def test_the_cost_of_an_edited_pattern() -> None:
    """Alternatives and a closing note are read as the file's bullets are."""
    history = _history()
    cost = history.cost("Web3 wallet / Golden datasets (said on Monday)")
    assert _titles(history, cost.rejects_caught) == ["A Web3 wallet", "Golden datasets"]
    assert cost.accepts_lost == cost.pending_hit == ()
    assert history.cost("").rejects_caught == ()


def test_comments_and_feedback_are_not_what_a_pattern_matches() -> None:
    cost = _history().cost("not ours")
    assert cost.rejects_caught == ()


def test_a_no_holds_until_three_new_rejections() -> None:
    history = _history()
    ids = _only(history).rejected
    assert propose(history, (Refusal(("Web3",), frozenset(ids)),)) == []
    assert propose(history, (Refusal(("web3",), frozenset(ids[:1])),)) == [], "two new ones are not three"
    _only(history, (Refusal(("Web3",), frozenset()),))  # all three are new
    _only(history, (Refusal(("astrology",), frozenset(ids)),))  # another topic's no


def test_a_no_to_a_wider_topic_covers_the_narrower() -> None:
    reviewed = [entry(f"Web3 wallet {word}", decision="reject") for word in ("one", "two", "three")]
    history = History(suggestions("reviewed", *reviewed), (), Blocklist(()))
    assert [one.topic for one in propose(history)] == ["Web3 wallet"]
    ids = frozenset(propose(history)[0].rejected)
    assert propose(history, (Refusal(("Web3",), ids),)) == []


def test_undecided_entries_reject_nothing() -> None:
    reviewed = [entry(f"Web3 {word}", decision="Defer") for word in ("one", "two", "three")]
    assert propose(History(suggestions("reviewed", *reviewed), (), Blocklist(()))) == []


def test_examples_without_comments_are_the_next_steps() -> None:
    reviewed = [entry(f"Web3 {word}", f"Try {word}", decision="reject") for word in ("alpha", "beta", "gamma")]
    found = propose(History(suggestions("reviewed", *reviewed), (), Blocklist(())))
    assert found[0].examples == ("Try alpha", "Try beta", "Try gamma")


def test_what_stands_in_comments_alone_comes_last_and_says_so() -> None:
    reviewed = [entry(f"Web3 {word}", decision="reject", comment="crypto again") for word in ("one", "two", "three")]
    found = propose(History(suggestions("reviewed", *reviewed), (), Blocklist(())))
    assert [(one.topic, one.in_content, len(one.cost.rejects_caught)) for one in found] == [
        ("Web3", 3, 3),
        ("crypto", 0, 0),
    ]
