"""Reading the ledger: series, noise floor, plateau, drift (text-fidelity contract, Reading the ledger). Pure.

Arrays in, arrays out, so that 200,000 runs cost what 200 do. A comparison uses the printed four decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.text_fidelity.aggregate import DIGITS
from core.text_fidelity.runs import Runs

PATIENCE = 2
"""Runs in a row without a gain above δ that make a plateau."""

Change = Literal["first", "improved", "flat", "dropped"]
CHANGES: tuple[Change, ...] = ("first", "improved", "flat", "dropped")
NOT_JUDGED = -1


@dataclass(frozen=True, slots=True)
class Marks:
    """What is wrong with a run, each an array over the runs; a run with any of the first three is not compared."""

    out_of_range: np.ndarray
    future: np.ndarray
    no_definition: np.ndarray
    zone_unknown: np.ndarray
    contradiction: np.ndarray

    @property
    def compared(self) -> np.ndarray:
        """Runs that are judged against each other."""
        return np.asarray(~(self.out_of_range | self.future | self.no_definition), bool)

    @property
    def trusted(self) -> np.ndarray:
        """Runs that may be the latest: compared, and at a time whose zone is known."""
        return np.asarray(self.compared & ~self.zone_unknown, bool)


@dataclass(frozen=True, slots=True)
class Series:
    """Runs under one definition, in time order: rows of `Runs`. ``without_gain``: compared runs since the last gain."""

    definition: str
    rows: np.ndarray
    without_gain: int
    best: float | None

    def plateau(self, patience: int = PATIENCE) -> bool:
        """True when that many runs in a row brought no gain above δ."""
        return self.without_gain >= patience


@dataclass(frozen=True, slots=True)
class Reading:
    """A ledger as understood: series by first run, a change for each run, drift as (run, case) code pairs."""

    runs: Runs
    marks: Marks
    order: np.ndarray
    series: tuple[Series, ...]
    change: np.ndarray
    gain: np.ndarray
    drift: np.ndarray
    latest: int | None

    def change_word(self, row: int) -> Change | None:
        """``first``, ``improved``, ``flat`` or ``dropped``; None for a run that is not compared."""
        code = int(self.change[row])
        return None if code == NOT_JUDGED else CHANGES[code]

    def drifted(self) -> dict[int, list[str]]:
        """By run: the command-backed cases whose text changed with it while the definition did not."""
        found: dict[int, list[str]] = {}
        for run, code in self.drift.tolist():
            found.setdefault(run, []).append(self.runs.cases.case.words[code])
        return found

    def series_of(self, row: int) -> Series | None:
        """The series a run belongs to, None without a definition."""
        code = int(self.runs.definition.codes[row])
        name = self.runs.definition.words[code] if code >= 0 else None
        return next((series for series in self.series if series.definition == name), None)


def read(
    runs: Runs, now_us: int, *, delta: float = 0.0, commands: Mapping[str, frozenset[str]] | None = None
) -> Reading:
    """Understand a ledger at the instant ``now_us`` (UTC, µs since 1970).

    ``delta`` (≥ 0) is the noise floor of records that name none; ``commands`` gives the command-backed case ids of a
    definition, with ``""`` for every definition it does not name.
    """
    marks = _marks(runs, now_us)
    order = np.lexsort((runs.line, runs.at))
    change = np.full(len(runs), NOT_JUDGED, np.int64)
    gain = np.full(len(runs), np.nan)
    series: list[Series] = []
    codes = runs.definition.codes[order]
    for code in dict.fromkeys(codes[codes >= 0].tolist()):
        rows = order[codes == code]
        series.append(_judge(runs, marks, rows, runs.definition.words[code], delta, change, gain))
    trusted = order[marks.trusted[order]]
    latest = int(trusted[-1]) if len(trusted) else None
    return Reading(runs, marks, order, tuple(series), change, gain, _drift(runs, order, commands or {}), latest)


def _marks(runs: Runs, now_us: int) -> Marks:
    return Marks(
        out_of_range=~((runs.composite >= 0) & (runs.composite <= 1)),
        future=runs.at > now_us,
        no_definition=runs.definition.codes < 0,
        zone_unknown=~runs.zone_known,
        contradiction=_contradictions(runs),
    )


def _contradictions(runs: Runs) -> np.ndarray:
    """Runs whose judge is not the one most runs of their definition name: the definition pins the judge."""
    judges = len(runs.judge.words) + 1
    pairs = (runs.definition.codes + 1) * judges + runs.judge.codes + 1
    counts = np.bincount(pairs, minlength=(len(runs.definition.words) + 1) * judges).reshape(-1, judges)
    usual = counts.argmax(axis=1)
    return np.asarray((runs.definition.codes >= 0) & (runs.judge.codes + 1 != usual[runs.definition.codes + 1]), bool)


def _judge(
    runs: Runs, marks: Marks, rows: np.ndarray, name: str, delta: float, change: np.ndarray, gain: np.ndarray
) -> Series:
    """Fill in change and gain of one series against the best so far (contract, Noise floor)."""
    judged = rows[marks.compared[rows]]
    if not len(judged):
        return Series(name, rows, 0, None)
    values = np.round(runs.composite[judged], DIGITS)
    best = np.maximum.accumulate(values)
    floor = np.where(np.isnan(runs.delta[judged]), delta, runs.delta[judged])
    gains = np.round(values[1:] - best[:-1], DIGITS)
    gain[judged[1:]] = gains
    words = np.full(len(judged), CHANGES.index("flat"))
    words[0] = CHANGES.index("first")
    words[1:][gains > floor[1:]] = CHANGES.index("improved")
    words[1:][gains < -floor[1:]] = CHANGES.index("dropped")
    change[judged] = words
    gained = np.flatnonzero((words == CHANGES.index("improved")) | (words == CHANGES.index("first")))
    return Series(name, rows, len(judged) - 1 - int(gained[-1]), float(best[-1]))


def _drift(runs: Runs, order: np.ndarray, commands: Mapping[str, frozenset[str]]) -> np.ndarray:
    """(run, case code) pairs where a command-backed case's text changed within one definition (contract, Drift)."""
    if not any(commands.values()):
        return np.zeros((0, 2), np.int64)
    cases = runs.cases
    place = np.empty(len(runs), np.int64)
    place[order] = np.arange(len(runs))
    known = np.flatnonzero((cases.artifact.codes >= 0) & _command_backed(runs, commands))
    definition = runs.definition.codes[cases.run[known]]
    ranked = known[np.lexsort((place[cases.run[known]], definition, cases.case.codes[known]))]
    before, after = ranked[:-1], ranked[1:]
    definition = runs.definition.codes[cases.run]
    same = (cases.case.codes[before] == cases.case.codes[after]) & (definition[before] == definition[after])
    moved = after[same & (cases.artifact.codes[before] != cases.artifact.codes[after]) & (definition[after] >= 0)]
    return np.stack((cases.run[moved], cases.case.codes[moved]), axis=1)


def _command_backed(runs: Runs, commands: Mapping[str, frozenset[str]]) -> np.ndarray:
    """Which case rows are command-backed under the definition of their run."""
    cases = runs.cases
    table = np.zeros((len(runs.definition.words) + 1, len(cases.case.words) + 1), bool)
    for code, name in enumerate((*runs.definition.words, "")):
        names = commands.get(name, commands.get("", frozenset()))
        table[code, :-1] = [word in names for word in cases.case.words]
    return np.asarray(table[runs.definition.codes[cases.run], cases.case.codes], bool)


def breaks(reading: Reading) -> list[tuple[int, int]]:
    """(row before, row after) of each change of definition along the time line, runs without one left out."""
    rows = reading.order[~reading.marks.no_definition[reading.order]]
    codes = reading.runs.definition.codes[rows]
    return [(int(rows[i]), int(rows[i + 1])) for i in np.flatnonzero(codes[:-1] != codes[1:])]


def refreezes(reading: Reading) -> list[tuple[int, int]]:
    """(row before, row after) where the definition stayed and its frozen texts (rubric, references) did not."""
    found: list[tuple[int, int]] = []
    for series in reading.series:
        rows = series.rows[reading.runs.freeze.codes[series.rows] >= 0]
        codes = reading.runs.freeze.codes[rows]
        found += [(int(rows[i]), int(rows[i + 1])) for i in np.flatnonzero(codes[:-1] != codes[1:])]
    return found
