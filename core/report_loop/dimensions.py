"""The four dimensions, each a pure function of a receipt and its signals (report-loop contract, Four dimensions)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.report_loop.receipt import Receipt, Standing, as_receipt
from core.report_loop.words import (
    BROKEN,
    DEFAULT_BAR,
    DIMENSIONS,
    JUDGED_SAMPLE_N,
    LEG_CHECKS,
    DimensionResult,
    Scores,
    Status,
)

ReceiptLike = Receipt | Mapping[str, Any]


def score_accurate(receipt: ReceiptLike) -> DimensionResult:
    """The hard floor: `pass`, `fail` or `unverified`, never a number and never judged; the first rule that fits wins.

    Raises BadInput when the receipt is not an object (report-loop contract, Accurate, rules 1 to 6).
    """
    status, reason = _accurate(as_receipt(receipt))
    return DimensionResult(
        dimension="accurate", status=status, anchor_pass=status == "pass", judged_score=None, judged_stub=False,
        bar=None, reason=reason,
    )  # fmt: skip


def _accurate(receipt: Receipt) -> tuple[Status, str]:
    legs = receipt.standings
    if not legs:
        return "unverified", "no legs: nothing was checked"
    v1 = legs.get("V1")
    broken = [leg for leg in legs.values() if leg.name != "V1" and _breaks_the_floor(leg)]
    if broken:
        return "fail", _said(broken)
    if v1 is not None and v1.verdict == "PARTIAL":
        return "unverified", "V1 is PARTIAL: bindings are right, values are not verified (no live data route)"
    if v1 is not None and v1.verdict != "pass":
        return "fail", _said([v1])
    if receipt.missing:
        return "unverified", f"missing: {', '.join(map(_named, receipt.missing))}"
    open_legs = [leg for leg in legs.values() if leg.verdict != "pass"]
    if open_legs:  # only a non-blocking leg can be left here: nothing proven wrong, nothing proven right
        return "unverified", _said(open_legs)
    return "pass", "all seven legs pass"


def _breaks_the_floor(leg: Standing) -> bool:
    return leg.verdict in BROKEN or (leg.blocking and leg.verdict in ("not_captured", "PARTIAL"))


def _named(name: str) -> str:
    check = LEG_CHECKS.get(name)
    return f"{name} ({check})" if check else name


def _said(legs: Iterable[Standing]) -> str:
    return "; ".join(f"{_named(leg.name)} is {leg.verdict}" for leg in legs)


def score_dynamic(
    receipt: ReceiptLike, sign_consistency_pass: bool | None = None, judged_score: float | None = None,
    bar: float = DEFAULT_BAR,
) -> DimensionResult:  # fmt: skip
    """Dynamic: anchor = V1 pass and sign consistency supplied and true. Raises as `score_all` does."""
    anchors = [_leg_anchor(as_receipt(receipt), "V1"), _signal("sign consistency", sign_consistency_pass)]
    return _judge("dynamic", anchors, judged_score, bar)


def score_inclusive(
    receipt: ReceiptLike, a11y_axe_pass: bool | None = None, a11y_verapdf_pass: bool | None = None,
    judged_score: float | None = None, bar: float = DEFAULT_BAR,
) -> DimensionResult:  # fmt: skip
    """Inclusive: anchor = the format's own gate supplied and true, the other one true if supplied.

    Raises ValueError and BadInput as `score_all` does.
    """
    read = as_receipt(receipt)
    gates = {"axe": a11y_axe_pass, "veraPDF": a11y_verapdf_pass}
    own = {"html": "axe", "office": "veraPDF"}.get(read.format)
    anchors: list[str | None] = []
    if own is None:
        anchors.append(f"format {read.format[:40]!r} has no accessibility gate")
    for name, signal in gates.items():
        if name == own or signal is not None:
            anchors.append(_signal(name, signal))
    return _judge("inclusive", anchors, judged_score, bar)


def score_polished(
    receipt: ReceiptLike, format_consistency_pass: bool | None = None, judged_score: float | None = None,
    bar: float = DEFAULT_BAR,
) -> DimensionResult:  # fmt: skip
    """Polished: anchor = V5 pass and format consistency supplied and true. Raises as `score_all` does."""
    anchors = [_leg_anchor(as_receipt(receipt), "V5"), _signal("format consistency", format_consistency_pass)]
    return _judge("polished", anchors, judged_score, bar)


def score_all(
    receipt: ReceiptLike, sign_consistency_pass: bool | None = None, a11y_axe_pass: bool | None = None,
    a11y_verapdf_pass: bool | None = None, format_consistency_pass: bool | None = None,
    dynamic_judged: float | None = None, inclusive_judged: float | None = None, polished_judged: float | None = None,
    bar: float = DEFAULT_BAR,
) -> Scores:  # fmt: skip
    """All four dimensions of one receipt; judged values and the bar lie in [0, 1], None is "not supplied".

    A signal that was not supplied makes its anchor red. Raises ValueError for a judged value or bar outside [0, 1] or
    a signal that is neither true, false nor None, BadInput for a receipt that is not an object.
    """
    read = as_receipt(receipt)
    return {
        "accurate": score_accurate(read),
        "dynamic": score_dynamic(read, sign_consistency_pass, dynamic_judged, bar),
        "inclusive": score_inclusive(read, a11y_axe_pass, a11y_verapdf_pass, inclusive_judged, bar),
        "polished": score_polished(read, format_consistency_pass, polished_judged, bar),
    }


def _leg_anchor(receipt: Receipt, name: str) -> str | None:
    """Why the leg makes the anchor red, or None when it is green."""
    leg = receipt.standings.get(name)
    if leg is None:
        return f"{_named(name)} is missing"
    return None if leg.verdict == "pass" else f"{_named(name)} is {leg.verdict}"


def _signal(name: str, value: bool | None) -> str | None:
    if value is None:
        return f"{name} was not supplied"
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true, false or not supplied, not {value!r}")
    return None if value else f"{name} failed"


def _judge(dimension: str, anchors: Sequence[str | None], judged: float | None, bar: float) -> DimensionResult:
    unit_value(bar, "bar")
    score = None if judged is None else settled(unit_value(judged, f"{dimension} judged score"))
    red = [reason for reason in anchors if reason is not None]
    status: Status | None
    if red:
        status, reason = "fail", "anchor red: " + "; ".join(red)
    elif score is None:
        status, reason = None, "anchor green, awaiting judge"
    elif score >= bar:
        status, reason = "pass", f"anchor green, {exact(score)} reaches the bar {exact(bar)}"
    else:
        status, reason = "fail", f"anchor green, {exact(score)} is below the bar {exact(bar)}"
    return DimensionResult(
        dimension=dimension, status=status, anchor_pass=not red, judged_score=score, judged_stub=score is None,
        bar=bar, reason=reason,
    )  # fmt: skip


def passes_bar(scores: Mapping[str, Any]) -> bool:
    """True only when each of the four dimensions is there and its status is exactly `pass`."""
    results = [scores.get(dimension) for dimension in DIMENSIONS]
    return all(isinstance(result, Mapping) and result.get("status") == "pass" for result in results)


def judged_median(samples: Sequence[float] | None) -> float | None:
    """The median of judge samples in [0, 1]: mean of the middle two when even, None when there are none.

    Raises ValueError that names the sample which is not a finite number in [0, 1].
    """
    ordered = sorted(_samples(samples))
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else settled((ordered[middle - 1] + ordered[middle]) / 2)


def judged_sample_insufficient(samples: Sequence[float] | None, required: int = JUDGED_SAMPLE_N) -> bool:
    """True below ``required`` samples: such a median may be looked at and must not be used as a score.

    Raises ValueError as `judged_median` does.
    """
    return len(_samples(samples)) < required


def _samples(samples: Sequence[float] | None) -> list[float]:
    return [unit_value(sample, f"sample {number}") for number, sample in enumerate(samples or (), start=1)]


def dimension_score(result: Mapping[str, Any]) -> float | None:
    """One dimension as a number for the ratchet.

    Accurate is 1.0 on `pass` else 0.0, a red anchor 0.0, everything else its judged score in [0, 1]. None is
    "unscored", which is not perfect. Raises ValueError for a judged score outside [0, 1].
    """
    if result.get("dimension") == "accurate":
        return 1.0 if result.get("status") == "pass" else 0.0
    judged = result.get("judged_score")
    score = None if judged is None else settled(unit_value(judged, f"{result.get('dimension')} judged score"))
    return score if result.get("anchor_pass") is True else 0.0


def unit_value(value: Any, name: str) -> float:
    """``value`` as a float. Raises ValueError, naming it, unless it is a finite number in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:  # NaN is not between
        raise ValueError(f"{name} is {value!r:.40}, not a number from 0 to 1")
    return float(value)


def settled(value: float) -> float:
    """A score without the noise of binary arithmetic, so that (0.81 + 0.89) / 2 is exactly 0.85."""
    return round(value, 12)


def exact(value: float | None) -> str:
    """A score with every digit that decides (at least two): what is shown is what is compared (contract README)."""
    if value is None:
        return "n/a"
    text = f"{settled(value):.12f}".rstrip("0")
    whole, _, digits = text.partition(".")
    return f"{whole}.{digits:0<2}"
