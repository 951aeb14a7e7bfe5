"""Runs as arrays: what the rules of the ledger work on (text-fidelity contract, Reading the ledger). Pure values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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


@dataclass(frozen=True, slots=True)
class Runs:
    """The readable records in the file's order. ``at`` is UTC in µs since 1970; threshold and delta may be NaN."""

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
    cases: CaseRows

    def __len__(self) -> int:
        return len(self.line)

    def case_range(self, row: int) -> tuple[int, int]:
        """First and one past the last case row of a run: a run's cases stand together."""
        first, last = np.searchsorted(self.cases.run, (row, row + 1))
        return int(first), int(last)


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
