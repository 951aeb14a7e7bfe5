"""An edit a reviewer made, its class, and all of them for one report (report-loop contract, Feedback)."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from core.report_loop.words import Dimension
from core.stats import Estimate, proportion

EditClass = Literal["mechanical", "substantive", "undecided"]
Decider = Literal["rule", "judge", "person", "nobody"]
Sort = Literal["words", "added", "removed", "picture", "attribute", "structure"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change as it stands in the two versions.

    ``before`` and ``after`` are the changed words ("" where there are none), ``context`` and ``now`` the sentence or
    block around them in the shipped and in the reviewed version, ``line`` the line in the reviewed version (for a
    removal in the shipped one), ``node`` the element, ``role`` what kind of text it is.
    """

    sort: Sort
    before: str
    after: str
    context: str
    now: str
    line: int
    node: str
    role: str
    times: int = 1

    @property
    def id(self) -> str:
        """The same as long as the change is the same, wherever else the report was edited."""
        parts = "\0".join((self.sort, self.before, self.after, self.context, self.now, self.node))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What an edit is. ``dimension`` is the one that missed a mechanical edit; ``reason`` says why in words."""

    cls: EditClass
    reason: str
    dimension: Dimension | None = None
    decided_by: Decider = "rule"
    reviewer: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """An edit with its ruling."""

    id: str
    edit: Edit
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Feedback:
    """Every edit of one report. ``shipped`` and ``reviewed`` are file names, the digests their sha256."""

    shipped: str
    reviewed: str
    shipped_sha256: str
    reviewed_sha256: str
    edits: tuple[Judged, ...]

    def count(self, cls: EditClass) -> int:
        """How many edits have that class."""
        return sum(1 for judged in self.edits if judged.ruling.cls == cls)

    @property
    def share(self) -> Estimate:
        """Substantive out of the decided edits, with its interval; undecided ones are in neither number."""
        substantive = self.count("substantive")
        return proportion(substantive, substantive + self.count("mechanical"))

    @property
    def misses(self) -> dict[Dimension, int]:
        """Mechanical edits by the dimension that should have caught them."""
        found = Counter(
            judged.ruling.dimension
            for judged in self.edits
            if judged.ruling.cls == "mechanical" and judged.ruling.dimension is not None
        )
        return dict(found)


def numbered(edits: list[tuple[Edit, Ruling]]) -> tuple[Judged, ...]:
    """Edits with ids that are unique in the report: the same change made twice gets a number."""
    seen: Counter[str] = Counter()
    made: list[Judged] = []
    for edit, ruling in edits:
        seen[edit.id] += 1
        suffix = "" if seen[edit.id] == 1 else f"-{seen[edit.id]}"
        made.append(Judged(edit.id + suffix, edit, ruling))
    return tuple(made)


def with_ruling(judged: Judged, ruling: Ruling) -> Judged:
    """The same edit under another ruling."""
    return replace(judged, ruling=ruling)
