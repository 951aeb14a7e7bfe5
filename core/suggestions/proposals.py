"""Blocklist proposals: topics that reviewers keep rejecting, each with what blocking it would do to history. Pure.

Nothing here writes: a proposal becomes a pattern only by a person's yes (suggestions contract, Maintain).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from core.suggestions.blocklist import Blocklist, Folded, alternatives, first_match, fold, matches
from core.suggestions.content import topic_text
from core.suggestions.entries import Entry
from core.suggestions.queue import Suggestion
from core.suggestions.topics import MIN_ENTRIES, Text, Topic, mine

MOST_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Cost:
    """What a pattern would do to history, as ids in file order: the rejects it catches, the accepts it loses, the
    pending entries it would veto now. `rejects_caught_anyway` are those a present topic pattern catches already.
    """

    rejects_caught: tuple[str, ...]
    accepts_lost: tuple[str, ...]
    pending_hit: tuple[str, ...]
    rejects_caught_anyway: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A topic that could be blocked. `topic` is the bullet as it would be written.

    `rejected` are the ids of the rejected entries it stands in (three or more), `accepted` those of accepted ones;
    `examples` what reviewers said; `in_content` how many of the rejected hold it where a pattern can match; `strength`
    orders (see `Topic`).
    """

    topic: str
    spellings: tuple[str, ...]
    rejected: tuple[str, ...]
    accepted: tuple[str, ...]
    examples: tuple[str, ...]
    cost: Cost
    in_content: int
    strength: float

    @property
    def prompt(self) -> str:
        """The question as the contract words it."""
        lines = "".join(f'  - "{example}"\n' for example in self.examples)
        return (
            f'💡 **Blocklist Suggestion**: Detected 3+ rejections regarding the topic: "{self.topic}".\n'
            f"- Examples of rejected comments:\n{lines}"
            f'Would you like to add "{self.topic}" to the hard-veto blocklist?'
        )


@dataclass(frozen=True, slots=True)
class Refusal:
    """A remembered no: the topic's spellings, and the rejected entries it had then."""

    spellings: tuple[str, ...]
    rejected: frozenset[str]


class History:
    """Reviewed and pending suggestions, folded once, so that the cost of any pattern is one pass of searches."""

    def __init__(self, reviewed: Sequence[Suggestion], pending: Sequence[Suggestion], blocklist: Blocklist) -> None:
        self.rejected = [one.entry for one in reviewed if one.entry.decision == "reject"]
        self.accepted = [one.entry for one in reviewed if one.entry.decision == "accept"]
        self.pending = [one.entry for one in pending]
        self.blocklist = blocklist
        self._rejected, self._accepted = _folded(self.rejected), _folded(self.accepted)
        self._pending = _folded(self.pending)
        topics = blocklist.of("topic")
        self.vetoed = frozenset(one for one, text in self._rejected if first_match(topics, text))

    @cached_property
    def topics(self) -> list[Topic]:
        """What is repeated among the rejected entries, whether or not it is blocked or was refused; mined once."""
        return mine(_texts(self.rejected), _texts(self.accepted))

    def cost(self, bullet: str) -> Cost:
        """What a bullet, alternatives and note included, would do to history (suggestions contract, Maintain)."""
        patterns = alternatives(bullet)

        def hit(texts: list[tuple[str, Folded]]) -> tuple[str, ...]:
            return tuple(one for one, text in texts if any(matches(pattern, text) for pattern in patterns))

        caught = hit(self._rejected)
        anyway = tuple(one for one in caught if one in self.vetoed)
        return Cost(caught, hit(self._accepted), hit(self._pending), anyway)


def _folded(entries: Iterable[Entry]) -> list[tuple[str, Folded]]:
    return [(entry.id, _folded_text(entry)) for entry in entries]


@lru_cache(maxsize=65536)
def _folded_text(entry: Entry) -> Folded:
    """Kept by entry: a decision changes one of ten thousand, and folding all of them again takes half a second."""
    return Folded(topic_text(entry))


def propose(history: History, refusals: Sequence[Refusal] = ()) -> list[Proposal]:
    """The topics to ask a person about, surest first; those that stand in comments alone come last.

    Left out: what a pattern covers already, and what was refused and has not gathered three new rejections since.
    (suggestions contract, Maintain, "Blocklist proposals")
    """
    open_topics = [topic for topic in history.topics if not covered(topic, history) and not refused(topic, refusals)]
    open_topics.sort(key=lambda topic: topic.in_content == 0)
    entries = {entry.id: entry for entry in history.rejected}
    return [
        Proposal(
            topic.text, topic.spellings, topic.rejected, topic.accepted, examples(topic, entries),
            history.cost(topic.text), topic.in_content, topic.strength,
        )
        for topic in open_topics
    ]  # fmt: skip


def _texts(entries: Iterable[Entry]) -> list[Text]:
    return [Text(entry.id, f"{entry.title}\n{entry.next_step}", entry.comment) for entry in entries]


def covered(topic: Topic, history: History) -> bool:
    """Whether the blocklist has it: every spelling matches a pattern, or every entry it stands in is vetoed by one."""
    if set(topic.rejected) <= history.vetoed:
        return True
    return all(first_match(history.blocklist.patterns, spelling) for spelling in topic.spellings)


def refused(topic: Topic, refusals: Iterable[Refusal]) -> bool:
    """Whether a person said no to it, or to a topic it is part of, fewer than three new rejections ago."""
    related = [one for one in refusals if _related(topic.spellings, one.spellings)]
    known = {entry for one in related for entry in one.rejected}
    return bool(related) and len(set(topic.rejected) - known) < MIN_ENTRIES


def _related(spellings: Iterable[str], others: Sequence[str]) -> bool:
    return any(matches(a, b) or matches(b, a) for a in spellings for b in others if fold(a) and fold(b))


def examples(topic: Topic, entries: dict[str, Entry]) -> tuple[str, ...]:
    """What reviewers said about it: comments that name it, other comments of its entries; failing those, next steps."""
    held = [entries[one] for one in topic.rejected]
    comments = list(dict.fromkeys(entry.comment for entry in held if entry.comment))
    naming = [text for text in comments if any(matches(spelling, text) for spelling in topic.spellings)]
    found = naming + [text for text in comments if text not in naming]
    if not found:
        found = list(dict.fromkeys(entry.next_step or entry.title for entry in held))
    return tuple(found[:MOST_EXAMPLES])
