"""The verdict: the contract's worked values, and what no combination of inputs may ever give."""

import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.render_fidelity.crosscheck import Due, due, family, in_sample, same_family
from core.render_fidelity.mapping import Coverage
from core.render_fidelity.rubric import AXES, MODES, RULES, VERDICTS, suggest
from core.render_fidelity.verdict import Evidence, Second, Stated, Viewed, decide

ALL = Viewed(10, tuple(str(page) for page in range(1, 11)))


def evidence(mode, scores, second=None, **more):
    axes = dict.fromkeys(AXES) | dict(zip(RULES[mode].axes, scores, strict=True))
    return Evidence(mode=mode, axes=axes, viewed=ALL, second=Second(second)) if not more else Evidence(
        **({"mode": mode, "axes": axes, "viewed": ALL, "second": Second(second)} | more)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "scores", "second", "verdict", "adopted"),
    [
        # 4+4+3+3+3+4+4 = 25, the lower of 25 and 24 is adopted
        ("exact_document", (4, 4, 3, 3, 3, 4, 4), 24, "pass", 24),
        ("exact_document", (4, 4, 3, 3, 3, 4, 4), 21, "needs_human", None),
        ("exact_document", (3, 3, 3, 3, 3, 4, 4), 24, "needs_human", 23),
        ("exact_document", (3, 3, 3, 3, 3, 4, 4), 26, "needs_human", 23),
        ("exact_document", (4, 4, 4, 4, 1, 4, 4), None, "reject", 25),
        ("exact_document", (4, 4, 4, 4, 4, 4, 2), None, "needs_human", 26),
        ("exact_document", (4, 4, 4, 4, 4, 4, 0), None, "reject", 24),
        ("exact_document", (4, 2, 4, 4, 4, 4, 4), None, "reject", 26),
        ("exact_document", (4, 4, 3, 3, 3, 4, 4), 22, "needs_human", 22),
        ("official_system", (4, 4, 4, 3, 3, 4), None, "pass", 22),
        ("historical_canon", (4, 4, 4, 4), None, "pass", 16),
        ("historical_canon", (3, 3, 4, 3), None, "needs_human", 13),
    ],
)
def test_worked_values(mode, scores, second, verdict, adopted):
    outcome = decide(evidence(mode, scores, second))
    assert (outcome.verdict, outcome.adopted_total) == (verdict, adopted)
    assert outcome.reasons


def test_page_seven_not_viewed_is_needs_review_and_submitted_as_pass_reject():
    reviewed = tuple(page for page in ALL.reviewed if page != "7")
    unseen = Viewed(10, reviewed, ("7",))
    assert decide(evidence("exact_document", (4,) * 7, viewed=unseen)).verdict == "needs_review"
    claimed = evidence("exact_document", (4,) * 7, viewed=unseen, stated=Stated("pass"))
    assert decide(claimed).verdict == "reject"


def test_every_reason_is_listed_and_the_deciding_one_comes_first():
    found = decide(
        evidence(
            "exact_document", (1, 2, 4, 4, 4, 4, 2), 21, failed_checks=("canvas_ratio: off",),
            recorded=("a signature is missing: bar",), mapping=Coverage(7, 7, 10, (8, 9, 10)),
        )
    )  # fmt: skip
    assert found.verdict == "reject"
    assert found.reasons[0] == "check failed: canvas_ratio: off"
    for words in (
        "a signature is missing",
        "F7 is 2",
        "F1 is 1, below 2",
        "F2 is 2, below 3",
        "7 of 10 original pages",
    ):
        assert any(words in reason for reason in found.reasons), words


def test_the_boundary_is_the_primary_verifiers_and_averages_never_decide():
    # 26 and 23: 3 apart, the lower is at the line; the primary lies outside 22–24
    assert decide(evidence("exact_document", (4, 4, 4, 4, 3, 3, 4), 23)).verdict == "pass"
    # 28 and 24: the mean would pass
    assert decide(evidence("exact_document", (4,) * 7, 24)).verdict == "needs_human"


def test_a_due_cross_check_that_has_not_run_is_needs_review():
    found = decide(evidence("exact_document", (4,) * 7, due=Due(("the first pack of its batch",))))
    assert (found.verdict, found.reasons[0]) == (
        "needs_review", "a cross-check is due (the first pack of its batch): it has not run",
    )  # fmt: skip
    assert decide(evidence("exact_document", (4,) * 7, 28, due=Due(("first",)))).verdict == "pass"


def test_mapping_rate_is_compared_in_integers():
    assert decide(evidence("exact_document", (4,) * 7, mapping=Coverage(4, 4, 5, (5,)))).verdict == "pass"
    assert decide(evidence("exact_document", (4,) * 7, mapping=Coverage(79, 79, 100, ()))).verdict == "reject"
    assert decide(evidence("exact_document", (4,) * 7, mapping=Coverage(0, 0, 0))).verdict == "needs_review"
    assert decide(evidence("historical_canon", (4,) * 4, mapping=Coverage(1, 1, 100, ()))).verdict == "pass"


def test_synthesis_is_not_scored_and_claims_are_refused():
    assert decide(evidence("style_synthesis", ())).verdict == "not_applicable"
    claims = evidence("style_synthesis", (), reproduction_claims=("source_depth is full",))
    assert decide(claims).verdict == "reject"


scores = st.one_of(st.none(), st.integers(0, 4))
words = st.lists(st.sampled_from(["one", "two"]), max_size=2).map(tuple)
pages = st.sets(st.integers(1, 6))


@st.composite
def anything(draw):
    mode = draw(st.sampled_from([*MODES, None]))
    seen = draw(pages)
    unseen = tuple(str(page) for page in range(1, 7) if page not in seen)
    accounted, total = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    return Evidence(
        mode=mode,
        axes={axis: draw(scores) for axis in AXES},
        viewed=Viewed(6, tuple(map(str, sorted(seen))), unseen, draw(st.booleans())),
        stated=Stated(draw(st.sampled_from([None, *VERDICTS]))),
        stated_total=draw(st.one_of(st.none(), st.integers(-1, 28))),
        failed_checks=draw(words),
        unknown_checks=draw(words),
        reproduction_claims=draw(words),
        recorded=draw(words),
        unjudged=draw(words),
        void=draw(words),
        mapping=draw(st.sampled_from([None, Coverage(min(accounted, total), 0, total)])),
        second=Second(draw(st.one_of(st.none(), st.integers(0, 28))), draw(scores)),
        due=Due(draw(words)),
    )


def forbidden(found):
    """Why this evidence can never be a pass."""
    rule = found.rule
    reasons = []
    if rule is None or not rule.axes:
        return ["no mode, or one that is not scored"]
    reasons += ["unseen page"] * bool(found.viewed.unreviewed or found.viewed.stated_open)
    reasons += ["missing axis"] * any(found.axes[axis] is None for axis in rule.axes)
    reasons += ["failed check"] * bool(found.failed_checks) + ["unknown check"] * bool(found.unknown_checks)
    reasons += ["F7"] * ((found.axes["F7"] or 0) <= 2) + ["F7 of the second"] * ((found.second.rights or 9) <= 2)
    reasons += ["delta"] * (
        found.total is not None and found.second.total is not None and abs(found.total - found.second.total) >= 4
    )
    reasons += ["recorded"] * bool(found.recorded) + ["open"] * bool(found.unjudged) + ["void"] * bool(found.void)
    return reasons


@settings(max_examples=3000, deadline=None)
@given(anything())
def test_no_combination_of_bad_inputs_is_a_pass(found):
    outcome = decide(found)
    assert outcome.reasons
    if forbidden(found):
        assert outcome.verdict != "pass", (forbidden(found), outcome)


@settings(max_examples=500, deadline=None)
@given(anything(), st.data())
def test_a_single_flaw_spoils_a_perfect_pack(found, data):
    mode = data.draw(st.sampled_from([mode for mode in MODES if RULES[mode].axes]))
    perfect = evidence(mode, (4,) * len(RULES[mode].axes))
    assert decide(perfect).verdict == "pass"
    flaw = data.draw(st.sampled_from(["failed_checks", "unknown_checks", "recorded", "unjudged", "void", "viewed"]))
    value = Viewed(10, ALL.reviewed[:-1], ("10",)) if flaw == "viewed" else ("one",)
    assert decide(dataclasses.replace(perfect, **{flaw: value})).verdict != "pass"
    axis = data.draw(st.sampled_from(RULES[mode].axes))
    assert decide(dataclasses.replace(perfect, axes=perfect.axes | {axis: None})).verdict != "pass"
    assert found.rule is None or found.rule.maximum in (0, 16, 24, 28)


@settings(max_examples=300, deadline=None)
@given(anything(), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(found, shuffler: random.Random):
    items = list(found.axes.items())
    shuffler.shuffle(items)
    assert decide(dataclasses.replace(found, axes=dict(items))) == decide(found)


def test_when_a_cross_check_is_due():
    rule = RULES["exact_document"]
    outside = next(f"ppt-{n}" for n in range(50) if not in_sample("b", f"ppt-{n}"))
    inside = next(f"ppt-{n}" for n in range(50) if in_sample("b", f"ppt-{n}"))
    assert not due(rule, 28, 4, slug=outside, batch="b", batch_first=False)
    assert due(rule, 28, 4, slug=inside, batch="b", batch_first=False)
    assert not due(rule, 28, 4, slug=inside, batch=None, batch_first=False)
    for total, inside_boundary in ((21, False), (22, True), (24, True), (25, False)):
        assert bool(due(rule, total, 4, slug=outside, batch="b", batch_first=False)) == inside_boundary
    assert due(rule, 28, 2, slug=outside, batch="b", batch_first=False)
    assert due(rule, None, None, slug=outside, batch="b", batch_first=True)
    assert not due(RULES["style_synthesis"], None, None, slug=inside, batch="b", batch_first=True)


def test_the_sample_is_a_fifth_and_repeats():
    drawn = [in_sample("2026-11", f"ppt-pack-{n}") for n in range(2000)]
    assert drawn == [in_sample("2026-11", f"ppt-pack-{n}") for n in range(2000)]
    assert 340 <= sum(drawn) <= 460  # 400 expected, standard deviation 18


def test_families():
    assert family("gpt-5.6-sol") == family("codex") == family("o3-mini") == "openai"
    assert family("claude-opus-4-8") == "anthropic"
    assert family("Mina") is None
    assert same_family("claude-sonnet", "Claude") == "anthropic"
    assert same_family("gpt-5.6-sol", "claude") is None
    assert same_family("Mina", "Mina") is None


@pytest.mark.parametrize(
    ("met", "of", "score"),
    [(39, 100, 0), (40, 100, 1), (59, 100, 1), (60, 100, 2), (79, 100, 2), (80, 100, 3), (94, 100, 3), (95, 100, 4)],
)
def test_a_share_suggests_a_score(met, of, score):
    assert suggest(met, of) == score


def test_a_share_of_nothing_suggests_nothing():
    assert suggest(0, 0) is None
    with pytest.raises(ValueError, match="no share"):
        suggest(3, 2)
