"""The verdict, pure: every rule in its order, every reason that applies (render-fidelity contract, Verdict).

No clock, file, environment or network. What is not known is a value of its own and never turns into pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.render_fidelity.crosscheck import Due
from core.render_fidelity.mapping import Coverage
from core.render_fidelity.rubric import (
    DELTA_LIMIT,
    FLOOR,
    MAPPING_PERCENT,
    RIGHTS_SUSPECT,
    RULES,
    STRICT_AXES,
    STRICT_FLOOR,
    UNJUDGED,
    VERDICTS,
    Axis,
    Mode,
    ModeRule,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Stated:
    """The word a file says. ``word`` is how it is read (None: no verdict submitted), ``mark`` what is odd about it."""

    word: Verdict | None
    mark: str = ""

    @property
    def claims_pass(self) -> bool:
        """True for a submitted pass, however it was spelt."""
        return self.word == "pass"


def read_word(value: object) -> Stated:
    """How a stored verdict reads: ``fail`` is reject, another spelling is marked, anything unknown is needs_review."""
    if not isinstance(value, str):
        return Stated("needs_review", "the verdict is missing" if value is None else "the verdict is not a word")
    plain = value.strip().casefold()
    for word in VERDICTS:
        if plain == word:
            return Stated(word, "" if value == word else f"spelt {value!r}")
    if plain in ("fail", "failed"):
        return Stated("reject", f"{value!r} reads as reject")
    return Stated("needs_review", f"{value.strip()[:60]!r} is no verdict and reads as needs_review")


@dataclass(frozen=True, slots=True)
class Viewed:
    """Which pages were reviewed: distinct existing pages. ``stated_open``: the file itself lists pages not reviewed."""

    pages: int
    reviewed: tuple[str, ...] = ()
    unreviewed: tuple[str, ...] = ()
    stated_open: bool = False


@dataclass(frozen=True, slots=True)
class Second:
    """The second verifier. ``total`` None: invalid or not run, and ``why`` says so; ``rights`` is its F7 if known."""

    total: int | None
    rights: int | None = None
    verifier: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything the verdict rests on.

    ``axes`` holds 0..4 or None for an axis without a score. ``recorded``: what the verifier wrote down that rejects by
    itself. ``unjudged``: items left unreviewed, unverifiable or without evidence. ``void``: why these scores are about
    something else than what lies there now. ``total_words``: the stated total as the file writes it. ``mapping`` None:
    no pack at hand; its total 0: unknown.
    """

    mode: Mode | None
    axes: Mapping[Axis, int | None]
    viewed: Viewed
    stated: Stated = Stated(None)
    stated_total: int | None = None
    total_words: str = ""
    failed_checks: tuple[str, ...] = ()
    unknown_checks: tuple[str, ...] = ()
    reproduction_claims: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    void: tuple[str, ...] = ()
    mapping: Coverage | None = None
    second: Second = Second(None)
    due: Due = field(default_factory=lambda: Due(()))

    @property
    def rule(self) -> ModeRule | None:
        """The mode's rule, None without a mode."""
        return RULES[self.mode] if self.mode else None

    @property
    def total(self) -> int | None:
        """The sum of the active axes; None while one of them has no score, and for a mode that is not scored."""
        rule = self.rule
        if rule is None or not rule.axes:
            return None
        scores = [self.axes.get(axis) for axis in rule.axes]
        return None if None in scores else sum(score for score in scores if score is not None)

    @property
    def delta(self) -> int | None:
        """How far the two totals lie apart, None unless both are known."""
        return None if self.total is None or self.second.total is None else abs(self.total - self.second.total)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict with every reason that applies, the deciding rule's first.

    ``adopted_total``: the lower of two totals at most 3 apart, the primary's without a second, None where two
    verifiers disagree or nothing is scored.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    total: int | None
    maximum: int | None
    adopted_total: int | None
    delta: int | None


_Reasons = list[tuple[Verdict, str]]


def _synthesis(evidence: Evidence) -> _Reasons:
    if evidence.mode != "style_synthesis":
        return []
    claims: _Reasons = [("reject", f"style_synthesis, and yet {claim}") for claim in evidence.reproduction_claims]
    return claims or [("not_applicable", "style_synthesis is not scored for fidelity")]


def _checks(evidence: Evidence) -> _Reasons:
    missing = [] if evidence.mode else ["reference_mode is missing or unknown"]
    return [("reject", f"check failed: {check}") for check in (*missing, *evidence.failed_checks)]


def _recorded(evidence: Evidence) -> _Reasons:
    if evidence.void:
        return [("needs_review", reason) for reason in evidence.void]
    found: _Reasons = [("reject", reason) for reason in evidence.recorded]
    if evidence.axes.get("F7") == 0 and _active(evidence, "F7"):
        found.append(("reject", "F7 is 0: a protected asset was copied"))
    return found


def _active(evidence: Evidence, axis: Axis) -> bool:
    return evidence.rule is not None and axis in evidence.rule.axes


def _seen(evidence: Evidence) -> _Reasons:
    viewed = evidence.viewed
    found: _Reasons = []
    open_pages = ", ".join(viewed.unreviewed[:12]) + (" …" if len(viewed.unreviewed) > 12 else "")
    # A pass that leaves a page out is the commonest dishonesty. Where nothing at all is claimed to have been reviewed,
    # evidence is missing rather than misstated.
    dishonest = viewed.stated_open or (viewed.reviewed and viewed.unreviewed)
    if evidence.stated.claims_pass and dishonest:
        found.append(("reject", f"submitted as pass while not every page was reviewed: {open_pages or 'see the list'}"))
    elif viewed.unreviewed or viewed.stated_open:
        found.append(("needs_review", f"pages not reviewed: {open_pages or 'see the list'}"))
    if viewed.pages == 0:
        found.append(("needs_review", "no pages: 0 of 0 reviewed"))
    rule = evidence.rule
    for axis in rule.axes if rule else ():
        if evidence.axes.get(axis) is None:
            found.append(("needs_review", f"{axis} has no score"))
    return found + [("needs_review", text) for text in _left_open(evidence)]


def _left_open(evidence: Evidence) -> list[str]:
    found = [f"left open: {item}" for item in evidence.unjudged]
    found += [f"check unknown: {check}" for check in evidence.unknown_checks]
    if evidence.mode == "exact_document" and evidence.mapping is not None and evidence.mapping.enough is None:
        found.append("mapping rate unknown: no page mirror plan with original_pages")
    if evidence.stated.word == "needs_review":
        found.append(f"the verifier left it at needs_review{': ' * bool(evidence.stated.mark)}{evidence.stated.mark}")
    return found


def _disagreement(evidence: Evidence) -> _Reasons:
    found: _Reasons = []
    if evidence.delta is not None and evidence.delta >= DELTA_LIMIT:
        totals = f"{evidence.total} and {evidence.second.total}"
        found.append(("needs_human", f"two verifiers differ by {evidence.delta} (totals {totals}); never averaged"))
    rights = evidence.axes.get("F7") if _active(evidence, "F7") else None
    for who, score in (("", rights), (" by the second verifier", evidence.second.rights)):
        if score is not None and score <= RIGHTS_SUSPECT:
            found.append(("needs_human", f"F7 is {score}{who}: a person judges the rights boundary"))
    return found


def _minima(evidence: Evidence) -> _Reasons:
    found: _Reasons = []
    for axis in evidence.rule.axes if evidence.rule else ():
        score = evidence.axes.get(axis)
        if score is not None and score < FLOOR:
            found.append(("reject", f"{axis} is {score}, below {FLOOR}"))
        elif score is not None and axis in STRICT_AXES and score < STRICT_FLOOR:
            found.append(("reject", f"{axis} is {score}, below {STRICT_FLOOR}"))
    mapping = evidence.mapping
    if evidence.mode == "exact_document" and mapping is not None and mapping.enough is False:
        rate = f"{mapping.accounted} of {mapping.total} original pages accounted for"
        found.append(("reject", f"mapping rate missed: {rate}, under {MAPPING_PERCENT}%"))
    return found


def _boundary(evidence: Evidence) -> _Reasons:
    rule, total = evidence.rule, evidence.total
    if rule is None or total is None or not rule.inside_boundary(total):
        return []
    low, high = rule.boundary
    return [("needs_human", f"total {total} of {rule.maximum} lies inside the boundary {low}–{high}")]


def _crosscheck(evidence: Evidence) -> _Reasons:
    if not evidence.due or evidence.second.total is not None:
        return []
    state = evidence.second.why or "it has not run"
    return [("needs_review", f"a cross-check is due ({'; '.join(evidence.due.reasons)}): {state}")]


def _adopted(evidence: Evidence) -> int | None:
    if evidence.total is None or (evidence.delta is not None and evidence.delta >= DELTA_LIMIT):
        return None
    return evidence.total if evidence.second.total is None else min(evidence.total, evidence.second.total)


def _line(evidence: Evidence) -> _Reasons:
    rule, adopted = evidence.rule, _adopted(evidence)
    if rule is None or adopted is None:
        return []
    what = f"total {adopted} of {rule.maximum}"
    if evidence.second.total is not None:
        what = f"adopted the lower total, {adopted} of {rule.maximum} ({evidence.total} and {evidence.second.total})"
    if adopted >= rule.line:
        return []
    if rule.inside_boundary(adopted):
        return [("needs_human", f"{what}: below the pass line {rule.line}, inside the boundary")]
    return [("reject", f"{what}: below the pass line {rule.line}")]


def _consistent(evidence: Evidence) -> _Reasons:
    total = evidence.total
    if total is None or evidence.stated_total is None or evidence.stated_total == total:
        return []
    said = evidence.total_words or evidence.stated_total
    return [("needs_review", f"inconsistent: the file says total {said}, its axes add up to {total}")]


_RULES: tuple[Callable[[Evidence], _Reasons], ...] = (
    _synthesis, _checks, _recorded, _seen, _disagreement, _minima, _boundary, _crosscheck, _line, _consistent,
)  # fmt: skip


def decide(evidence: Evidence) -> Outcome:
    """The verdict: the first rule that has something to say decides, and every reason that applies is listed."""
    found = [reasons for rule in _RULES if (reasons := rule(evidence))]
    rule, total = evidence.rule, evidence.total
    if found:
        words = [verdict for verdict, _ in found[0]]
        verdict: Verdict = "reject" if "reject" in words else words[0]
        ordered = sorted(found[0], key=lambda entry: entry[0] != verdict)
        texts = [text for _, text in ordered] + [text for later in found[1:] for _, text in later]
    else:
        verdict, texts = "pass", [_passed(evidence)]
    maximum = rule.maximum if rule else None
    return Outcome(verdict, tuple(dict.fromkeys(texts)), total, maximum, _adopted(evidence), evidence.delta)


def _passed(evidence: Evidence) -> str:
    rule, adopted = evidence.rule, _adopted(evidence)
    if rule is None or adopted is None:  # not reachable: either would have been a reason not to pass
        raise AssertionError("a pass without a mode or a total")
    second = "" if evidence.delta is None else f", second verifier {evidence.second.total}, Δ {evidence.delta}"
    return f"total {adopted} of {rule.maximum} reaches the pass line {rule.line}, every minimum held{second}"


__all__ = ["UNJUDGED", "Evidence", "Outcome", "Second", "Stated", "Viewed", "decide", "read_word"]
