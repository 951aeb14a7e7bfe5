"""What the ledger chart draws: at most two thousand points out of any number of runs (design, screens). Pure.

Runs are numbered from 1 in time order and stand at their number; what happened between two runs (a change of
definition, failed runs) stands half way between them and breaks the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.text_fidelity.ledger import Change, Reading
from core.text_fidelity.runs import CaseRows, Failure

MOST_POINTS = 1_500
_MOST_DOTS = 1_200


@dataclass(frozen=True, slots=True)
class Point:
    """One run on the axis. ``segment`` numbers the unbroken stretches of line."""

    run: int
    row: int
    composite: float
    segment: int
    series: int
    change: Change | None
    drift: tuple[str, ...]
    zone_unknown: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """Failed runs between two scored ones: how many, and the last one's reason. ``x`` lies between the runs."""

    x: float
    count: int
    last: Failure


@dataclass(frozen=True, slots=True)
class Break:
    """A change of definition (``definition``) or of the frozen texts under one: rows before and after."""

    x: float
    before: int
    after: int
    definition: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """The visible stretch ``first``…``last`` of ``total`` runs; ``thinned`` when only extremes of it are drawn."""

    points: tuple[Point, ...]
    gaps: tuple[Gap, ...]
    breaks: tuple[Break, ...]
    off_axis: tuple[int, ...]
    first: int
    last: int
    total: int
    thinned: bool


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One case over the visible runs: (run, bound, segment), and its samples as (run, sample)."""

    case: str
    weight: float | None
    bounds: tuple[tuple[int, float, int], ...]
    samples: tuple[tuple[int, float], ...]


def chart(
    reading: Reading, failures: Sequence[Failure], breaks: Sequence[tuple[int, int, bool]], *, window: int | None = None
) -> Chart:
    """The last ``window`` runs (None: all), with every break and gap among them.

    ``breaks`` are (row before, row after, whether the definition changed). Runs out of [0,1], without a definition or
    in the future are counted in ``off_axis`` by row and not drawn.
    """
    runs, order = reading.runs, reading.order
    drawn = order[reading.marks.compared[order]]
    number = np.zeros(len(runs), np.int64)
    number[drawn] = np.arange(1, len(drawn) + 1)
    first = 1 if window is None else max(1, len(drawn) - window + 1)
    marks = [
        Break(number[after] - 0.5, before, after, definition)
        for before, after, definition in breaks
        if number[after] >= first and number[after] > 1 and number[before] > 0
    ]
    gaps = [gap for gap in _gaps(runs.at[drawn], failures) if gap.x >= first - 0.5]
    cuts = np.array(sorted([*(gap.x for gap in gaps), *(mark.x for mark in marks if mark.definition)]))
    shown = drawn[first - 1 :]
    kept = _thin(shown, runs.composite, cuts, first)
    points = _points(reading, kept, number, cuts)
    off_axis = tuple(int(row) for row in order[~reading.marks.compared[order]])
    return Chart(
        tuple(points), tuple(gaps), tuple(marks), off_axis, first, len(drawn), len(drawn), len(kept) < len(shown)
    )


def _points(reading: Reading, rows: np.ndarray, number: np.ndarray, cuts: np.ndarray) -> list[Point]:
    drift = reading.drifted()
    names = {series.definition: index for index, series in enumerate(reading.series)}
    definition = reading.runs.definition
    return [
        Point(
            int(number[row]), int(row), round(float(reading.runs.composite[row]), 4),
            int(np.searchsorted(cuts, number[row])), names[definition.word(int(row)) or ""],
            reading.change_word(int(row)), tuple(drift.get(int(row), ())), not bool(reading.runs.zone_known[row]),
        )
        for row in rows
    ]  # fmt: skip


def _gaps(at: np.ndarray, failures: Sequence[Failure]) -> list[Gap]:
    """Failures gathered by the runs they lie between."""
    found: dict[int, list[Failure]] = {}
    for failure in sorted(failures, key=lambda failure: failure.at):
        found.setdefault(int(np.searchsorted(at, failure.at, "right")), []).append(failure)
    return [Gap(place + 0.5, len(group), group[-1]) for place, group in sorted(found.items())]


def _thin(rows: np.ndarray, composite: np.ndarray, cuts: np.ndarray, first: int) -> np.ndarray:
    """The rows to draw: all of them, or of each of many short stretches its lowest and highest, ends and cuts kept."""
    if len(rows) <= MOST_POINTS:
        return rows
    edges = np.linspace(0, len(rows), MOST_POINTS // 2 + 1).astype(np.int64)[:-1]
    values = composite[rows]
    keep = {0, len(rows) - 1}
    for start, end in zip(edges, [*edges[1:], len(rows)], strict=True):
        keep |= {int(start + values[start:end].argmin()), int(start + values[start:end].argmax())}
    if len(cuts) <= MOST_POINTS // 10:
        for cut in cuts:
            keep |= {place for place in (int(cut - first), int(cut - first) + 1) if 0 <= place < len(rows)}
    return rows[sorted(keep)]


def case_lines(reading: Reading, made: Chart) -> list[CaseLine]:
    """Each case's bound and samples over the points of a chart: the newest run's cases first, then older ones."""
    cases = reading.runs.cases_of(np.array([point.row for point in made.points], np.int64))
    rows: dict[int, list[tuple[Point, int]]] = {}
    for point in (*made.points[-1:], *made.points):
        start, end = cases.of(point.row)
        for i in range(start, end):
            rows.setdefault(int(cases.case.codes[i]), []).append((point, i))
    newest = {id(point) for point in made.points[-1:]}
    lines = []
    for code, found in rows.items():
        entries = found[1:] if id(found[0][0]) in newest and len(found) > 1 else found
        if code >= 0:
            lines.append(_case_line(cases, code, entries))
    return lines


def _case_line(cases: CaseRows, code: int, entries: list[tuple[Point, int]]) -> CaseLine:
    step = max(1, sum(int(cases.starts[i + 1] - cases.starts[i]) for _, i in entries) // _MOST_DOTS)
    weight = float(cases.weight[entries[-1][1]])
    return CaseLine(
        cases.case.words[code],
        None if np.isnan(weight) else weight,
        tuple((point.run, float(cases.bound[i]), point.segment) for point, i in entries if 0 <= cases.bound[i] <= 1),
        tuple(
            (point.run, float(sample))
            for point, i in entries[::step]
            for sample in cases.samples[cases.starts[i] : cases.starts[i + 1]]
            if 0 <= sample <= 1
        ),
    )
