"""The page mirror plan: which pages of the original are mapped, which carry a reason, which neither.

Pure (render-fidelity contract, Modes: mapping rate). ``source_pages: [4, 6]`` and ``source_page: 4`` both count.
"""

from __future__ import annotations

from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, field
from typing import Any

from core.render_fidelity.rubric import MAPPING_PERCENT


@dataclass(frozen=True, slots=True)
class MapEntry:
    """One row of the map: a pack page and the original pages it mirrors, in the order written."""

    pack_page: int
    source_pages: tuple[int, ...]
    kind: str = ""
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class MirrorPlan:
    """The plan as written. ``original_pages`` and ``pack_pages`` are None where no whole number stands.

    ``claims_mirror``: the places where the plan calls itself 1:1. ``oddities``: what could not be read as it stands.
    """

    original_pages: int | None
    pack_pages: int | None
    compression: str
    entries: tuple[MapEntry, ...]
    not_selected: dict[int, str]
    unreasoned: tuple[int, ...] = ()
    oddities: tuple[str, ...] = ()

    @property
    def mapped(self) -> frozenset[int]:
        """The distinct original pages that some pack page mirrors (those that exist)."""
        pages = {page for entry in self.entries for page in entry.source_pages}
        return frozenset(page for page in pages if self._exists(page))

    @property
    def accounted(self) -> frozenset[int]:
        """Mapped, or not selected with a reason."""
        return self.mapped | {page for page in self.not_selected if self._exists(page)}

    def _exists(self, page: int) -> bool:
        return self.original_pages is not None and 1 <= page <= self.original_pages

    def sources_of(self, pack_page: int) -> tuple[int, ...]:
        """The original pages that a pack page mirrors, in the order written."""
        return tuple(page for entry in self.entries if entry.pack_page == pack_page for page in entry.source_pages)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The mapping rate in figures: ``accounted`` gates, ``mapped`` is shown beside it; ``total`` 0 is unknown."""

    accounted: int
    mapped: int
    total: int
    unexplained: tuple[int, ...] = field(default=())

    @property
    def enough(self) -> bool | None:
        """True from 80% on, compared in integers; None where the original's page count is unknown."""
        return None if self.total == 0 else self.accounted * 100 >= MAPPING_PERCENT * self.total

    def as_dict(self) -> dict[str, Any]:
        """The contract's ``mapping`` object."""
        return {
            "accounted": self.accounted, "mapped": self.mapped, "total": self.total,
            "unexplained": list(self.unexplained),
        }  # fmt: skip


def coverage(plan: MirrorPlan | None) -> Coverage:
    """How much of the original the plan accounts for; all zero without a plan or a page count."""
    if plan is None or plan.original_pages is None:
        return Coverage(0, 0, 0)
    accounted = plan.accounted
    missing = tuple(page for page in range(1, plan.original_pages + 1) if page not in accounted)
    return Coverage(len(accounted), len(plan.mapped), plan.original_pages, missing)


def whole(value: Any) -> int | None:
    """A whole number as written (``7`` or ``"7"``), or None; true, 7.0 and "7 pages" are none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value.strip()) < 10:
        return int(value)
    return None


MOST_PAGES = 10_000
"""A document with more pages than this is a mistake in the file."""


def page_count(value: Any) -> int | None:
    """A number of pages, 1 to 10,000, or None."""
    number = whole(value)
    return number if number is not None and 1 <= number <= MOST_PAGES else None


def read_plan(value: Any) -> MirrorPlan | None:
    """A ``page_mirror_plan`` as read from YAML or JSON; None where there is none. What is odd is said in the plan."""
    if not isinstance(value, MappingABC):
        return None
    oddities: list[str] = []
    entries = tuple(_entries(_rows(value, "map", oddities), oddities))
    reasons, unreasoned = _not_selected(_rows(value, "not_selected", oddities), oddities)
    original = page_count(value.get("original_pages"))
    if original is not None:
        named = {page for entry in entries for page in entry.source_pages} | set(reasons)
        oddities += [f"original page {page} of {original} does not exist" for page in sorted(named) if page > original]
    compression = value.get("compression")
    return MirrorPlan(
        original, page_count(value.get("pack_pages")), compression if isinstance(compression, str) else "",
        entries, reasons, tuple(unreasoned), tuple(oddities),
    )  # fmt: skip


def _rows(plan: MappingABC[str, Any], key: str, oddities: list[str]) -> list[MappingABC[str, Any]]:
    value = plan.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        oddities.append(f"{key} is not a list")
        return []
    rows = [row for row in value if isinstance(row, MappingABC)]
    if len(rows) != len(value):
        oddities.append(f"{len(value) - len(rows)} of {len(value)} rows of {key} are no objects")
    return rows


def _sources(row: MappingABC[str, Any], where: str, oddities: list[str]) -> tuple[int, ...]:
    given = row.get("source_pages", row.get("source_page"))
    values = given if isinstance(given, list) else [given]
    pages = [page_count(value) for value in values]
    if None in pages:
        oddities.append(f"{where}: a source page that is no page number")
    return tuple(dict.fromkeys(page for page in pages if page is not None))


def _text(row: MappingABC[str, Any], key: str) -> str:
    value = row.get(key)
    return value.strip() if isinstance(value, str) else ""


def _entries(rows: list[MappingABC[str, Any]], oddities: list[str]) -> list[MapEntry]:
    made = []
    for position, row in enumerate(rows, 1):
        page = page_count(row.get("pack_page"))
        sources = _sources(row, f"map row {position}", oddities)
        if page is None:
            oddities.append(f"map row {position}: pack_page is no page number")
            continue
        made.append(MapEntry(page, sources, _text(row, "kind"), _text(row, "rationale")))
    return made


def _not_selected(rows: list[MappingABC[str, Any]], oddities: list[str]) -> tuple[dict[int, str], list[int]]:
    reasons: dict[int, str] = {}
    unreasoned: list[int] = []
    for position, row in enumerate(rows, 1):
        reason = _text(row, "reason")
        for page in _sources(row, f"not_selected row {position}", oddities):
            if reason:
                reasons[page] = reason
            else:
                unreasoned.append(page)
    return reasons, unreasoned
