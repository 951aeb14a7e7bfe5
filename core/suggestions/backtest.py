"""What a backtest says: the rubric's decisions against the reviewers', at any threshold, without asking a judge again.

Pure: rows in, figures out. (suggestions contract, Backtest)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.stats import Agreement, Confusion, Estimate, agreement, separation, sweep, wilson

DEFAULT_THRESHOLD = 4
HIGHEST_TOTAL = 6
THRESHOLDS = range(HIGHEST_TOTAL + 1)

Outcome = Literal["hard_veto", "ambiguity", "scored", "ungraded"]
Quadrant = Literal["tp", "fp", "tn", "fn"]
Part = Annotated[int, Field(ge=0, le=2)]
DIMENSIONS: tuple[tuple[Literal["a", "p", "g"], str], ...] = (
    ("a", "Actionability"),
    ("p", "Preference Alignment"),
    ("g", "Goal Relevance"),
)


class Row(BaseModel):
    """One sampled entry: what the rubric made of its original text, and what the reviewer decided.

    `a`, `p`, `g` are 0, 1 or 2 and set for `scored` rows only. `reason` names the pattern of a veto or why there is no
    score; `reasoning` is the judge's own sentence.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    date: str
    source: str
    title: str
    url: str = ""
    next_step: str
    category: str = ""
    actual: Literal["accept", "reject"]
    comment: str = ""
    outcome: Outcome
    reason: str = ""
    reasoning: str = ""
    a: Part | None = None
    p: Part | None = None
    g: Part | None = None

    @property
    def total(self) -> int | None:
        """A + P + G, 0–6; None where the entry was not scored."""
        if self.a is None or self.p is None or self.g is None:
            return None
        return self.a + self.p + self.g

    def passes(self, threshold: int) -> bool | None:
        """Whether the rubric passes it: no veto and total ≥ threshold. None where the judge failed."""
        if self.outcome in ("hard_veto", "ambiguity"):
            return False
        return None if self.total is None else self.total >= threshold

    def quadrant(self, threshold: int) -> Quadrant | None:
        """Where it falls in the confusion table; None for an excluded entry (suggestions contract, Backtest)."""
        passed = self.passes(threshold)
        if passed is None:
            return None
        if self.actual == "accept":
            return "tp" if passed else "fn"
        return "fp" if passed else "tn"


@dataclass(frozen=True, slots=True)
class Tally:
    """A run's rows counted once: all that any threshold needs.

    `accepted[t]` and `rejected[t]` count scored entries with total t; `vetoed` counts vetoed accepts and rejects;
    `excluded` the entries the judge failed on. `parts[d]` holds the two histograms of a dimension's 0, 1, 2.
    """

    accepted: tuple[int, ...]
    rejected: tuple[int, ...]
    vetoed: tuple[int, int]
    excluded: int
    parts: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]

    @property
    def n(self) -> int:
        """Entries that count."""
        return sum(self.accepted) + sum(self.rejected) + sum(self.vetoed)


def tally(rows: Iterable[Row]) -> Tally:
    """Count the rows of a run. One pass."""
    totals = {"accept": [0] * (HIGHEST_TOTAL + 1), "reject": [0] * (HIGHEST_TOTAL + 1)}
    parts = {name: {"accept": [0, 0, 0], "reject": [0, 0, 0]} for name, _ in DIMENSIONS}
    vetoed = {"accept": 0, "reject": 0}
    excluded = 0
    for row in rows:
        if row.outcome in ("hard_veto", "ambiguity"):
            vetoed[row.actual] += 1
        elif (total := row.total) is None:
            excluded += 1
        else:
            totals[row.actual][total] += 1
            for name, _ in DIMENSIONS:
                parts[name][row.actual][getattr(row, name)] += 1
    return Tally(
        tuple(totals["accept"]), tuple(totals["reject"]), (vetoed["accept"], vetoed["reject"]), excluded,
        {name: (tuple(both["accept"]), tuple(both["reject"])) for name, both in parts.items()},
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """The confusion table and its figures at one threshold (0–6)."""

    threshold: int
    table: Confusion
    figures: Agreement


def at_every_threshold(counted: Tally) -> list[AtThreshold]:
    """The figures at every threshold 0…6, in order (suggestions contract, Backtest)."""
    tables = sweep(counted.accepted, counted.rejected, counted.vetoed)
    return [AtThreshold(threshold, table, agreement(table)) for threshold, table in enumerate(tables)]


def at_threshold(counted: Tally, threshold: int) -> AtThreshold:
    """The figures at one threshold. Raises ValueError outside 0…6."""
    if threshold not in THRESHOLDS:
        raise ValueError(f"a threshold lies between 0 and {HIGHEST_TOTAL}, not {threshold}")
    table = sweep(counted.accepted, counted.rejected, counted.vetoed)[threshold]
    return AtThreshold(threshold, table, agreement(table))


@dataclass(frozen=True, slots=True)
class Dimension:
    """How well one dimension alone tells accepts from rejects: the chance that an accept scores higher (0–1)."""

    name: str
    letter: Literal["a", "p", "g"]
    separation: Estimate
    accepted: tuple[int, ...]
    rejected: tuple[int, ...]

    @property
    def separates(self) -> bool | None:
        """True when the interval lies above one half, None where nothing can be said."""
        interval = self.separation.interval
        return None if interval is None else interval.low > 0.5


def dimensions(counted: Tally) -> list[Dimension]:
    """Each dimension's separation, best first (suggestions contract, Backtest). Vetoed entries have no scores."""
    found = [
        Dimension(name, letter, separation(*counted.parts[letter]), *counted.parts[letter])
        for letter, name in DIMENSIONS
    ]
    return sorted(found, key=lambda one: -(one.separation.value if one.separation.value is not None else -1.0))


def disagreements_first(rows: Sequence[Row], threshold: int) -> list[tuple[Quadrant | None, Row]]:
    """Every row with its quadrant: leaks (FP), then misses (FN), the excluded, then agreement; newest first within."""
    order: dict[Quadrant | None, int] = {"fp": 0, "fn": 1, None: 2, "tp": 3, "tn": 3}
    placed = [(row.quadrant(threshold), row) for row in sorted(rows, key=lambda row: row.date, reverse=True)]
    return sorted(placed, key=lambda pair: order[pair[0]])


@dataclass(frozen=True, slots=True)
class Change:
    """Two settings on the entries both could judge: how many each got right alone, and whether that can be chance.

    `p_value` is the exact two-sided McNemar test; None when they never differ.
    """

    common: int
    only_first_right: int
    only_second_right: int
    p_value: float | None

    @property
    def settled(self) -> bool:
        """Whether the difference is more than chance at the 5% level."""
        return self.p_value is not None and self.p_value < 0.05


def compare(first: Sequence[Row], second: Sequence[Row], thresholds: tuple[int, int]) -> Change:
    """Lay two runs side by side, entry by entry (suggestions contract, Backtest)."""
    right_then = {row.id: row.quadrant(thresholds[0]) in ("tp", "tn") for row in _counting(first)}
    right_now = {row.id: row.quadrant(thresholds[1]) in ("tp", "tn") for row in _counting(second)}
    common = right_then.keys() & right_now.keys()
    lost = sum(right_then[one] and not right_now[one] for one in common)
    won = sum(right_now[one] and not right_then[one] for one in common)
    return Change(len(common), lost, won, _mcnemar(won, lost))


def _mcnemar(won: int, lost: int) -> float | None:
    """The chance of a split at least as uneven if neither were better; None when nothing differs."""
    from scipy.stats import binomtest  # here, because it takes a second to import

    return float(binomtest(won, won + lost, 0.5).pvalue) if won + lost else None


def _counting(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.passes(0) is not None]


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One sentence of advice and the figure it stands on."""

    advice: str
    figure: str


def recommendations(rows: Sequence[Row], counted: Tally, threshold: int) -> list[Recommendation]:
    """What the run supports, each with its figure; nothing that its interval does not bear out (contract, Backtest)."""
    found = [*_threshold_advice(counted, threshold), *_veto_advice(rows), *_dimension_advice(counted)]
    if counted.excluded:
        found.append(
            Recommendation(
                "Run again for the entries without a score: they count in no figure here.",
                f"{counted.excluded} excluded, {counted.n} counted",
            )
        )
    return found


def _threshold_advice(counted: Tally, threshold: int) -> list[Recommendation]:
    """Another threshold only moves the entries between the two; it is better when most of those move rightly."""
    found = []
    for other in THRESHOLDS:
        low, high = sorted((threshold, other))
        accepted, rejected = sum(counted.accepted[low:high]), sum(counted.rejected[low:high])
        rightly = rejected if other > threshold else accepted
        inner = wilson(rightly, accepted + rejected)
        if inner is not None and inner.low > 0.5:
            gain = 2 * rightly - accepted - rejected
            figure = (
                f"{rightly} of the {accepted + rejected} entries between the two thresholds would move to the right "
                f"side (95% {inner.low * 100:.1f}–{inner.high * 100:.1f}%)"
            )
            found.append(
                (gain, -abs(other - threshold), Recommendation(f"Pass at {other} instead of {threshold}.", figure))
            )
    return [max(found, key=lambda one: one[:2])[2]] if found else []


def _veto_advice(rows: Sequence[Row]) -> list[Recommendation]:
    lost = sorted({row.reason for row in rows if row.outcome in ("hard_veto", "ambiguity") and row.actual == "accept"})
    found = []
    for reason in lost:
        group = [row for row in rows if row.reason == reason and row.outcome in ("hard_veto", "ambiguity")]
        accepted = sum(row.actual == "accept" for row in group)
        found.append(
            Recommendation(
                f"Look at the pattern behind “{reason}”: reviewers accepted what it vetoes.",
                f"{accepted} accepted of {len(group)} it vetoes in this sample",
            )
        )
    return found


def _dimension_advice(counted: Tally) -> list[Recommendation]:
    found = []
    for one in dimensions(counted):
        inner = one.separation.interval
        if inner is not None and inner.high < 0.5:
            found.append(
                Recommendation(
                    f"{one.name} points the wrong way: rejected entries score higher. Rewrite its anchors.",
                    f"separation {one.separation.value:.2f} (95% {inner.low:.2f}–{inner.high:.2f}; 0.50 is none)",
                )
            )
    return found
