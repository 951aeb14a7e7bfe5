"""A reply is the answer or it is none (text fidelity contract, "Judge"): nothing is clamped, rescaled or dug out."""

import json
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from core.judge import ReplyError, ScoreReply, parse_as, parse_reply
from core.judge.reply import Parsed

FENCED = '```json\n{"score": 0.5, "reasoning": "half of it"}\n```'


@pytest.mark.parametrize(
    ("text", "score", "note"),
    [
        ('{"score": 0.8, "reasoning": "close"}', 0.8, ""),
        ('  {"score": 1}\n', 1.0, ""),
        ('{"score": 0}', 0.0, ""),
        ('{"score": 1e-1}', 0.1, ""),
        ('{"score": -0.0}', 0.0, ""),
        ('\ufeff{"score": 0.9}', 0.9, ""),
        ('{"score": 0.7, "extra": {"score": 2}}', 0.7, ""),
        ('{"score": "0.8"}', 0.8, "score was the text '0.8', read as a number"),
        (FENCED, 0.5, "taken out of a code fence"),
        ('Here it is: {"score": 0.5}. Done.', 0.5, "taken out of chat text"),
        ('The set {A, B} and then {"score": 0.25}', 0.25, "taken out of chat text"),
        ('{"score": 0.5} and again {"score": 0.50}', 0.5, "the same answer stands 2 times in the reply"),
        ('{"score": "0.80"} {"score": 0.8}', 0.8, "the same answer stands 2 times in the reply"),
        ('{"note": "first"} {"score": 0.4}', 0.4, "taken out of chat text"),
        ('It says {"a": {"score": 1}}, so {"score": 0.1}', 0.1, "taken out of chat text"),
        ('<think>{"score": 0.1}</think>{"score": 0.4}', 0.4, "a think block was set aside"),
        ('<thinking>a <think>b</think> {"score":0}</thinking>{"score": 0.4}', 0.4, "a think block was set aside"),
        ('a draft, {"score": 0.1}\n</think>\n{"score": 0.6}', 0.6, "a think block was set aside"),
        ("<think>x</think>\n" + FENCED, 0.5, "a think block was set aside; taken out of a code fence"),
        ('{"score": 0.3, "reasoning": "it says </think> and {score: 1}"}', 0.3, ""),
        ('{"score": 0.7, "reasoning": null}', 0.7, "its reasoning was no text and is left out: None"),
    ],
)
def test_an_answer_is_read_and_what_was_around_it_is_noted(text: str, score: float, note: str) -> None:
    found = parse_reply(text)
    assert not isinstance(found, ReplyError), found
    assert (found.score, found.note) == (score, note)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("I cannot judge this.", "no JSON object"),
        ("0.8", "no JSON object"),
        ('{"pass": true}', 'no "score" at its top level'),
        ('{"result": {"score": 0.5}}', 'no "score" at its top level'),
        ('Sure: {"result": {"score": 0.5}}', "no JSON object"),
        ('[{"score": 0.5}]', "inside a list"),
        ('[ {"score": 0.5}', "cut off"),
        ('{"score": 0.5} {"score": 0.6}', "disagree"),
        ('The text claims {"score": 1.0}. My answer: {"score": 0.2}', "disagree"),
        ('{"score": 0.8} {"score": 0.8', "cut off"),
        ('{"score": 0.8, "reasoning": "it', "cut off"),
        ('{"score": 0.85, "score": 0.2}', "stands twice"),
        ("{'score': 0.5}", "unreadable"),
        ('{{"score": 0.5}}', "unreadable"),
        ('{"score": 0.8,}', "unreadable"),
        ('{"score": NaN}', "NaN"),
        ('{"score": Infinity}', "Infinity"),
        ('{"score": 1e999}', "larger than a number can be"),
        ('{"score": "nan"}', "valid number"),
        ('{"score": "4/5"}', "valid number"),
        ('{"score": "80%"}', "valid number"),
        ('{"score": "0,8"}', "valid number"),
        ('{"score": "０.８"}', "valid number"),
        ('{"score": ".8"}', "valid number"),
        ('{"score": "1e-1"}', "valid number"),
        ('{"score": true}', "valid number"),
        ('{"score": null}', "valid number"),
        ('{"score": [0.8]}', "valid number"),
        ('{"score": 85}', "less than or equal to 1"),
        ('{"score": "85"}', "less than or equal to 1"),
        ('{"score": -0.1}', "greater than or equal to 0"),
        ('{"score": 1.0000001}', "less than or equal to 1"),
        ('<think> I would say {"score": 0.3}', "ends inside its think block"),
        ('{"score": 0.9}\x00', "NUL"),
        ("{x " * 60_000, "more open brackets"),
        ("[" * 190_000, "more open brackets"),
        ("x" * 200_001, "more than 200,000"),
    ],
)
def test_what_is_not_plainly_the_answer_is_none(text: str, reason: str) -> None:
    found = parse_reply(text)
    assert isinstance(found, ReplyError), found
    assert reason in found.reason
    assert "\n" not in found.reason


def test_case_c03_only_a_decimal_string_is_tolerated(cases: Path) -> None:
    replies = json.loads((cases / "C-03-judge-score-types" / "replies.json").read_text("utf-8"))
    found = {reply["id"]: parse_reply(reply["text"]) for reply in replies}
    assert len(found) == 15
    assert {number for number, read in found.items() if not isinstance(read, ReplyError)} == {4}
    assert found[4].score == 0.8  # type: ignore[union-attr]
    assert "read as a number" in found[4].note  # type: ignore[union-attr]


class Axes(BaseModel):
    """A reply with whole numbers, a closed word and a nested list."""

    f1: int = Field(ge=0, le=4)
    f2: int = Field(ge=0, le=4)
    verdict: Literal["pass", "rework"]
    invented: list[str] = []
    reasoning: str = ""


def test_any_reply_model_is_read_by_the_same_rules() -> None:
    read = parse_as('{"f1": 4, "f2": "3", "verdict": "pass", "invented": ["a logo"]}', Axes)
    assert isinstance(read, Parsed)
    assert read.value == Axes(f1=4, f2=3, verdict="pass", invented=["a logo"])
    assert read.note == "f2 was the text '3', read as a number"
    whole = parse_as('{"f1": 4.0, "f2": 3, "verdict": "pass"}', Axes)
    assert isinstance(whole, Parsed)
    assert (whole.value.f1, type(whole.value.f1)) == (4, int)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"f1": 5, "f2": 3, "verdict": "pass"}', "f1"),
        ('{"f1": 3.5, "f2": 3, "verdict": "pass"}', "f1"),
        ('{"f1": true, "f2": 3, "verdict": "pass"}', "f1"),
        ('{"f1": 4, "verdict": "pass"}', "no 'f2'"),
        ('{"f1": 4, "f2": 3, "verdict": "PASS"}', "verdict"),
        ('{"f1": 4, "f2": 3, "verdict": "pass", "invented": "a logo"}', "invented"),
        ('{"f1": 4, "f2": 3, "verdict": "pass"} {"f1": 4, "f2": 2, "verdict": "pass"}', "disagree"),
    ],
)
def test_a_reply_that_misses_or_breaks_a_field_is_none(text: str, reason: str) -> None:
    found = parse_as(text, Axes)
    assert isinstance(found, ReplyError)
    assert reason in found.reason


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    parse_reply(text)


OBJECTS = ['{"score": 0.4}', '{"score": "0.4"}', '{"score": 2}', '{"score": NaN}', '{"a": {"score": 0.9}}']
MARKS = ["{", "}", "[", "]", '"', "'", "\\", "<think>", "</think>", "```json\n", "```", "\n", " and ", "score: 1"]
pieces = st.sampled_from([*OBJECTS, *MARKS])


@given(st.lists(pieces, max_size=8).map("".join))
def test_whatever_surrounds_them_only_a_number_that_stands_there_as_an_answer_is_read(text: str) -> None:
    found = parse_reply(text)
    if not isinstance(found, ReplyError):
        assert found.score == 0.4
        assert '{"score": 0.4}' in text or '{"score": "0.4"}' in text


@given(st.floats(0, 1), st.text(max_size=80))
def test_a_reply_as_asked_for_is_read_exactly(score: float, reasoning: str) -> None:
    found = parse_reply(json.dumps({"score": score, "reasoning": reasoning}))
    if "\0" in json.loads(json.dumps(reasoning)) or any("\ud800" <= char <= "\udfff" for char in reasoning):
        return
    assert not isinstance(found, ReplyError), found
    assert (found.score, found.reasoning, found.note) == (score + 0.0, reasoning, "")


def test_the_reader_of_a_score_gives_a_score_reply() -> None:
    found = parse_reply('{"score": 0.5, "reasoning": "so"}')
    assert isinstance(found, ScoreReply)
