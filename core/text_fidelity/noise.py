"""Judge noise and advice on n (text-fidelity contract, Reading the ledger, "Judge noise"). Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.text_fidelity.aggregate import MOST_SAMPLES
from core.text_fidelity.ledger import Series
from core.text_fidelity.runs import CaseRows, Runs

LAST = 1_000
"""Runs that noise is pooled over: the newest ones say how the judge wobbles now."""

FEWEST = 3
"""The fewest samples that advice names: with fewer the bound says little (contract, The eval folder)."""


@dataclass(frozen=True, slots=True)
class CaseNoise:
    """How much the judge wobbles on one case.

    ``deviation``: pooled sample standard deviation over ``runs`` runs (√(Σ(nᵢ−1)sᵢ² / Σ(nᵢ−1))); ``stderr`` the pooled
    standard error at ``n`` samples. All None where no run has two samples: a spread that was never seen is not 0.
    ``needed``: the fewest samples that bring k · stderr under δ; None where unknown or more than 1,000.
    """

    case: str
    runs: int
    n: int
    deviation: float | None
    stderr: float | None
    needed: int | None


def judge_noise(runs: Runs, series: Series, *, k: float, delta: float, last: int = LAST) -> list[CaseNoise]:
    """The noise of every case over a series (its ``last`` runs), in the order the cases first appear.

    A case of a run with a sample that is none says nothing: neither that sample nor a smaller n stands for it.
    """
    rows = series.rows[-last:]
    cases = runs.cases_of(rows)
    chosen = np.flatnonzero(np.isin(cases.run, rows) & (cases.case.codes >= 0) & cases.sound)
    counts = (cases.starts[1:] - cases.starts[:-1])[chosen]
    squares = _squared_deviations(cases, chosen)
    found: list[CaseNoise] = []
    for code in dict.fromkeys(cases.case.codes[chosen].tolist()):
        here = cases.case.codes[chosen] == code
        freedom = int(np.maximum(counts[here] - 1, 0).sum())
        deviation = math.sqrt(float(squares[here].sum()) / freedom) if freedom > 0 else None
        n = int(counts[here][-1])
        stderr = None if deviation is None or n < 1 else deviation / math.sqrt(n)
        needed = None if deviation is None else samples_needed(deviation, k, delta)
        found.append(CaseNoise(cases.case.words[code], int(here.sum()), n, deviation, stderr, needed))
    return found


def _squared_deviations(cases: CaseRows, chosen: np.ndarray) -> np.ndarray:
    """Σ(x − mean)² of the samples of each chosen case row."""
    starts, samples = cases.starts, np.where(cases.proper, cases.samples, 0.0)
    sums = np.concatenate(([0.0], np.cumsum(samples)))
    counts = np.maximum(starts[1:] - starts[:-1], 1)
    means = (sums[starts[1:]] - sums[starts[:-1]]) / counts
    owner = np.repeat(np.arange(len(counts)), starts[1:] - starts[:-1])
    off = np.concatenate(([0.0], np.cumsum((samples - means[owner]) ** 2)))
    return np.asarray((off[starts[1:]] - off[starts[:-1]])[chosen])


def samples_needed(deviation: float, k: float, delta: float) -> int | None:
    """The fewest n with k · deviation / √n < δ: ⌊(k · deviation / δ)²⌋ + 1; None where no n up to 1,000 does."""
    spread = k * deviation
    if spread == 0:
        return 1
    if delta <= 0:
        return None
    ratio = spread / delta
    if not ratio * ratio < MOST_SAMPLES:
        return None
    return math.floor(ratio * ratio) + 1


def advice(noise: CaseNoise, *, k: float, delta: float) -> str:
    """One sentence for a reviewer; says so where nothing can be said."""
    if noise.stderr is None:
        return f"{noise.case}: one sample a run, so its spread is unknown; use at least 3"
    width = f"k·stderr {k * noise.stderr:.4f}"
    if noise.needed is None:
        why = "no n brings it under δ = 0" if delta <= 0 else f"more than {MOST_SAMPLES} samples would be needed"
        return f"{noise.case}: {width} at n = {noise.n}; {why}"
    if noise.needed <= noise.n:
        enough = max(noise.needed, FEWEST)
        more = f"; n = {enough} would do" if enough < noise.n else ""
        return f"{noise.case}: {width} at n = {noise.n} is under δ = {delta:g}{more}"
    return f"{noise.case}: {width} at n = {noise.n} is over δ = {delta:g}; n = {noise.needed} brings it under"
