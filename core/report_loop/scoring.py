"""From a receipt, its signals and judge samples to the four scores: what an iteration rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.errors import BadInput
from core.report_loop.a11y import A11y
from core.report_loop.dimensions import judged_median, judged_sample_insufficient, score_all
from core.report_loop.receipt import Receipt, freshness
from core.report_loop.words import DEFAULT_BAR, JUDGED, Scores

SIGNALS = ("sign_consistency", "a11y_axe", "a11y_verapdf", "format_consistency")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about one draft: signals True, False or missing, judge samples in [0, 1] by dimension.

    ``judge_notes`` says for a dimension why it has no (or no usable) judged score.
    """

    receipt: Receipt
    a11y: A11y | None = None
    signals: Mapping[str, bool | None] = field(default_factory=dict)
    samples: Mapping[str, list[float]] = field(default_factory=dict)
    judge_fingerprint: str = ""
    judge_notes: Mapping[str, str] = field(default_factory=dict)


def signals_of(evidence: Evidence) -> dict[str, bool | None]:
    """The four signals; the accessibility gate beside the receipt counts for its format unless overridden."""
    signals = {name: evidence.signals.get(name) for name in SIGNALS}
    own = {"html": "a11y_axe", "office": "a11y_verapdf"}.get(evidence.receipt.format)
    if own is not None and signals[own] is None and evidence.a11y is not None:
        signals[own] = evidence.a11y.signal
    return signals


def score_evidence(evidence: Evidence, bar: float = DEFAULT_BAR) -> Scores:
    """The four dimensions with N = 3 medians; fewer than three samples leave a dimension unscored, and say so.

    Raises ValueError for a sample or bar outside [0, 1] or a signal that is no truth value.
    """
    signals = signals_of(evidence)
    medians: dict[str, float | None] = {}
    notes = dict(evidence.judge_notes)
    for name in JUDGED:
        samples = evidence.samples.get(name, [])
        short = judged_sample_insufficient(samples)
        medians[name] = None if short else judged_median(samples)
        if short and samples:
            notes.setdefault(name, f"insufficient samples: {len(samples)} of 3")
    scores = score_all(
        evidence.receipt,
        sign_consistency_pass=signals["sign_consistency"],
        a11y_axe_pass=signals["a11y_axe"],
        a11y_verapdf_pass=signals["a11y_verapdf"],
        format_consistency_pass=signals["format_consistency"],
        dynamic_judged=medians["dynamic"],
        inclusive_judged=medians["inclusive"],
        polished_judged=medians["polished"],
        bar=bar,
    )
    for dimension, note in notes.items():
        if scores[dimension]["judged_stub"]:
            scores[dimension]["reason"] += f" ({note})"
    return scores


def record_extra(evidence: Evidence, now: datetime) -> dict[str, Any]:
    """What an iteration record keeps beside the scores: samples, signals, fingerprint, receipt freshness."""
    extra: dict[str, Any] = {
        "samples": {name: list(values) for name, values in evidence.samples.items()},
        "signals": signals_of(evidence),
        "receipt_fresh": freshness(evidence.receipt, now).fresh,
    }
    if evidence.judge_fingerprint:
        extra["judge_fingerprint"] = evidence.judge_fingerprint
    return extra


def read_samples(value: Any, file: str) -> dict[str, list[float]]:
    """Judge samples out of JSON: ``{"dynamic": [0.9, 0.88, 0.91]}``. Raises BadInput that names the sample."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadInput.of(file, "samples must be an object of dimensions", position="samples")
    found: dict[str, list[float]] = {}
    for name, samples in value.items():
        place = f"samples.{name}"
        if name not in JUDGED or not isinstance(samples, list):
            raise BadInput.of(file, f"samples are lists under {', '.join(JUDGED)}", position=place)
        try:
            judged_median(samples)
        except ValueError as error:
            raise BadInput.of(file, str(error), position=place) from None
        found[name] = [float(sample) for sample in samples]
    return found


def read_signals(value: Any, file: str) -> dict[str, bool | None]:
    """Signals out of JSON: true, false or null each. Raises BadInput for any other name or value."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadInput.of(file, "signals must be an object", position="signals")
    for name, signal in value.items():
        if name not in SIGNALS:
            raise BadInput.of(file, f"the signals are {', '.join(SIGNALS)}", position=f"signals.{name}")
        if signal is not None and not isinstance(signal, bool):
            raise BadInput.of(file, "a signal is true, false or null", position=f"signals.{name}")
    return dict(value)
