"""Runs as arrays: what the rules of the ledger work on (text-fidelity contract, Reading the ledger). Pure values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

_FEW_RUNS = 5_000


@dataclass(frozen=True, slots=True)
class Coded:
    """Texts as small numbers: ``codes[i]`` is an index into ``words``, −1 where there is none."""

    codes: np.ndarray
    words: tuple[str, ...]

    def word(self, row: int) -> str | None:
        """The text of one row, None where it has none."""
        code = int(self.codes[row])
        return self.words[code] if code >= 0 else None


@dataclass(frozen=True, slots=True)
class CaseRows:
    """Every case of every run, flat: ``run`` is the run's row; samples of row i are ``samples[starts[i]:starts[i+1]]``.

    ``bound`` and ``weight`` are NaN where the record has none.
    """

    run: np.ndarray
    case: Coded
    bound: np.ndarray
    weight: np.ndarray
    artifact: Coded
    starts: np.ndarray
    samples: np.ndarray

    @property
    def proper(self) -> np.ndarray:
        """Which samples are a number in 0..1: a ledger that others write too may hold null, or 85."""
        return np.asarray((self.samples >= 0) & (self.samples <= 1), bool)

    @property
    def sound(self) -> np.ndarray:
        """Which case rows have nothing but such samples."""
        improper = np.concatenate(([0], np.cumsum(~self.proper)))
        return np.asarray(improper[self.starts[1:]] == improper[self.starts[:-1]], bool)

    def of(self, row: int) -> tuple[int, int]:
        """First and one past the last case row of a run: a run's cases stand together."""
        first, last = np.searchsorted(self.run, (row, row + 1))
        return int(first), int(last)


LoadCases = Callable[["Runs", "np.ndarray | None"], CaseRows]


@dataclass(frozen=True)
class Runs:
    """The readable records in the file's order. ``at`` is UTC in µs since 1970; threshold and delta may be NaN.

    Their cases are nine tenths of a ledger, and a chart of many runs needs few of them: they are read when asked for.
    """

    line: np.ndarray
    start: np.ndarray
    length: np.ndarray
    at: np.ndarray
    zone_known: np.ndarray
    composite: np.ndarray
    definition: Coded
    judge: Coded
    freeze: Coded
    threshold: np.ndarray
    delta: np.ndarray
    load: LoadCases = field(compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.line)

    @cached_property
    def cases(self) -> CaseRows:
        """The cases of every run."""
        return self.load(self, None)

    @property
    def few(self) -> bool:
        """Whether all their cases may be read without a second thought."""
        return len(self) <= _FEW_RUNS

    def cases_of(self, rows: np.ndarray) -> CaseRows:
        """The cases of these runs, and of others only where all are at hand anyway."""
        if "cases" in self.__dict__ or self.few or len(rows) > _FEW_RUNS:
            return self.cases
        return self.load(self, np.unique(rows))


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that could not score: ``outcome`` is ``stale`` or ``env_error``; ``at`` is UTC in µs since 1970."""

    line: int
    at: int
    text_at: str
    outcome: str
    case: str | None
    reason: str
    kind: str | None
    zone_known: bool = True
