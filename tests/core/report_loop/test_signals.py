"""Sign consistency and format consistency: what is found, where, and what is left to the judge."""

import pytest

from core.errors import BadInput
from core.report_loop.signals import format_consistency, kind_of, read_blocks, read_deltas, sign_consistency

DELTAS = read_deltas(
    {
        "Revenue": {"delta": 4.2, "aliases": ["net revenue"]},
        "Operating margin": {"delta": -0.4, "rounding": 0.1, "aliases": ["margin"]},
        "Headcount": 0,
        "Costs": {"delta": 2},
        "Churn": {"delta": 0.02, "rounding": 0.1},
    }
)


def sign(text):
    return sign_consistency(read_blocks(text, "text"), DELTAS)


@pytest.mark.parametrize(
    "text",
    [
        "Revenue rose 4%.",
        "Revenue was up 4% and costs rose.",
        "Revenue increased; headcount was flat.",
        "Net revenue grew while operating margin fell to 18.7%.",
        "We saw growth in revenue of 4%.",
        "A decline in operating margin of 0.4 points.",
        "Higher revenue paid for it.",
        "Revenue (net of refunds) rose.",
        "Operating margin has fallen.",
        "Operating margin: down 0.4 points",
        "Churn was flat at 1.2%.",
        "Churn rose slightly.",
        "Headcount remained unchanged.",
        "Operating margin slipped as costs rose.",
        "Revenue of vs. plan is open. Revenue rose.",
    ],
)
def test_a_narrative_that_goes_with_the_data_passes(text):
    found = sign(text)
    assert found.passed is True, found
    assert found.checked >= 1


@pytest.mark.parametrize(
    ("text", "word", "metric"),
    [
        ("Revenue fell 4%.", "fell", "Revenue"),
        ("Net revenue and margin rose.", "rose", "Operating margin"),
        ("Headcount rose.", "rose", "Headcount"),
        ("Revenue remained unchanged.", "unchanged", "Revenue"),
        ("Operating margin: up 0.4 points", "up", "Operating margin"),
        ("Margin showed a clear increase.", "increase", "Operating margin"),
        ("Margin has increased.", "increased", "Operating margin"),
        ("Rising margin helped.", "rising", "Operating margin"),
        ("Lower costs lifted everything.", "lower", "Costs"),
        ("Operating margin was flat.", "flat", "Operating margin"),
        ("REVENUE  DECLINED\nsharply.", "declined", "Revenue"),
    ],
)
def test_a_contradiction_names_the_word_and_the_metric(text, word, metric):
    found = sign(text)
    assert found.passed is False
    (remark,) = found.contradictions
    assert repr(word) in remark.reason
    assert metric in remark.reason
    assert remark.line == 1


@pytest.mark.parametrize(
    "text",
    [
        "Revenue did not fall.",
        "The decline of operating margin slowed.",
        "Revenue growth slowed.",
        "Did revenue fall?",
        "Revenue fell short of plan.",
        "Revenue should rise next year.",
        "Revenue rose less than costs.",
        "Revenue in Europe grew 4% and fell in Asia.",
        "Margin benefitted from higher prices.",
        "Without the sale, revenue would have fallen.",
        "Revenue had fallen before.",
        "Revenue is the point. The rise, however, was noted — revenue.",
    ],
)
def test_what_turns_a_direction_round_is_undecided_and_never_a_pass(text):
    found = sign(text)
    assert found.passed is None, found
    assert found.contradictions == ()


def test_nothing_checked_is_no_pass():
    assert sign("The weather was fine.").passed is None
    assert sign("Revenue was $4.8M.").passed is None
    assert sign("").passed is None
    assert sign_consistency(read_blocks("Revenue rose.", "text"), []).passed is None


def test_a_metric_is_a_whole_name_and_the_longest_one():
    deltas = read_deltas({"margin": -1, "gross margin": 2})
    assert sign_consistency(read_blocks("Gross margin rose.", "text"), deltas).passed is True
    assert sign_consistency(read_blocks("Marginal gains rose.", "text"), deltas).passed is None


def test_tables_state_figures_and_claim_nothing():
    html = "<table><tr><th>Revenue decline</th></tr><tr><td>fell 4%</td></tr></table><p>Revenue rose.</p>"
    assert sign_consistency(read_blocks(html, "html"), DELTAS).passed is True


def test_places_are_lines_and_nodes():
    html = "<body>\n<h1>Report</h1>\n<p id='summary'>Fine.</p>\n<p id='detail'>Revenue\n  <b>fell</b> 4%.</p>\n</body>"
    (remark,) = sign_consistency(read_blocks(html, "html"), DELTAS).contradictions
    assert (remark.line, remark.node, remark.text) == (4, "p#detail", "Revenue fell 4%.")


@pytest.mark.parametrize(
    "value",
    [3, "Revenue", [1], {"": 1}, {"Revenue": "up"}, {"Revenue": True}, {"Revenue": {"delta": None}},
     {"Revenue": float("nan")}, {"Revenue": {"delta": 1, "rounding": -1}}, {"Revenue": {"delta": 1, "aliases": "x"}},
     {"Revenue": 1, "revenue": 2}, [{"metric": None, "delta": 1}]],
)  # fmt: skip
def test_deltas_that_are_none_are_refused(value):
    with pytest.raises(BadInput):
        read_deltas(value)


def test_deltas_in_every_form():
    as_object = read_deltas({"Revenue": 1.5})
    assert (
        as_object
        == read_deltas([{"metric": "Revenue", "delta": 1.5}])
        == read_deltas({"metrics": [{"name": "Revenue", "delta": 1.5}]})
    )
    assert read_deltas({}) == ()


def formats(text, kind="html"):
    return format_consistency(read_blocks(text, kind))


@pytest.mark.parametrize(
    "text",
    [
        "<p>Revenue was $4.8M, up 4.2% from $4.6M.</p>",
        "<p>On 4 May 2026 and 30 June 2026 there were 12,300 and 1,200 users, in 2026.</p>",
        "<p>Q3 2026 beat Q2 2026.</p>",
        "<p>Of €1.234,50 and €12.000,00 nothing is left.</p>",
        "<table><tr><td></td><th>Q3</th></tr><tr><td>North</td><td>7</td></tr></table>",
        "<p>None of the regions fell. A null result.</p>",
        "<p>See V1, A-4, #123, 10:30 and version 2.0.</p>",
        "<p>Room 4501 has 12,000 seats.</p>",
        "<p aria-hidden='true'></p><a name='here'></a><p>x</p>",
        "<script>NaN; {{ x }}</script><style>p{width:100%}</style><p>Text.</p>",
    ],
)
def test_consistent_drafts_pass(text):
    assert formats(text).findings == ()
    assert formats(text).passed is True


@pytest.mark.parametrize(
    ("text", "kind", "offence"),
    [
        ("<p>$4.8M, $4.1M and 3.1M €.</p>", "currency", "3.1M €"),
        ("<p>4%, 5% and 6 percent.</p>", "percentage", "6 percent"),
        ("<p>4% and 5% and 6 %</p>", "percentage", "6 %"),
        ("<p>2026-04-30, 2026-05-01 and 4 May 2026.</p>", "date", "4 May 2026"),
        ("<p>4 May 2026, 5 May 2026 and May 6, 2026.</p>", "date", "May 6, 2026"),
        ("<p>Q3 2026, Q2 2026 and 2026-Q1.</p>", "period", "2026-Q1"),
        ("<p>12,300, 4,500 and 67000.</p>", "grouping", "67000"),
        ("<p>12,300, 1,200 and 4500.</p>", "grouping", "4500"),
        ("<p>1.5, 2.5 and 3,5.</p>", "decimal mark", "3,5"),
        ("<p>$4 million, $5 million and $6M.</p>", "scale", "$6M"),
        ("<td>NaN</td>", "orphan", "NaN"),
        ("<p>Dear {{ name }},</p>", "orphan", "{{ name }}"),
        ("<p>Growth was undefined.</p>", "orphan", "undefined"),
        ("<p>It grew None% in spring.</p>", "orphan", "None"),
        ("<td>None</td>", "orphan", "None"),
        ("<p>Total: $null</p>", "orphan", "null"),
        ("<p>Hello ${user}</p>", "orphan", "${user}"),
        ("<p>[object Object]</p>", "orphan", "[object Object]"),
        ("<p>x</p><p id='gap'> </p>", "empty node", "<p#gap>"),
        ("<ul><li></li><li>x</li></ul>", "empty node", "<li>"),
        ("<img alt='NaN by region'><p>x</p>", "orphan", "NaN"),
    ],
)  # fmt: skip
def test_each_stray_is_found_with_its_text(text, kind, offence):
    found = formats(text)
    assert found.passed is False
    assert [(remark.kind, remark.text) for remark in found.findings] == [(kind, offence)]


def test_an_empty_draft_is_no_pass():
    for kind in ("html", "markdown", "text"):
        assert formats("", kind).passed is None
        assert formats(" \n ", kind).passed is None


def test_markdown_and_text_are_read_with_their_lines():
    markdown = "# Report\n\nRevenue was 4%.\n\n- 5 %\n- 6%\n\n| a | b |\n|---|---|\n| NaN | 1 |\n\n![NaN](x.png)\n"
    found = formats(markdown, "markdown").findings
    assert [(remark.text, remark.line) for remark in found] == [("5 %", 5), ("NaN", 10), ("NaN", 12)]
    assert [remark.line for remark in formats("fine\n\nsecond NaN\nparagraph", "text").findings] == [3]


def test_hostile_drafts_are_read_as_text():
    for text in ("<p>" * 5000 + "NaN", "\0<p>NaN\0</p>", "<p>NaN", "<?xml version='1.0' encoding='utf-16'?><p>NaN</p>",
                 "<!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><p>&x; NaN</p>"):  # fmt: skip
        blocks = read_blocks(text, "html")
        assert "NaN" in " ".join(block.text for block in blocks)
        assert "root:" not in " ".join(block.text for block in blocks)


def test_the_kind_of_a_file_is_told_by_its_name():
    assert [kind_of(name) for name in ("a.HTML", "b.md", "c.txt", "d", "e.docx")] == [
        "html", "markdown", "text", "text", "text",
    ]  # fmt: skip
