"""The practice judge: its replies follow from the text, every one is marked, and it is nobody's default."""

import io
from typing import Literal

import pytest
from PIL import Image as Pictures
from PIL import ImageDraw
from pydantic import BaseModel, Field

from core.judge import Image, JudgeRequest, JudgeSpec, Scored, ScoreReply, Unscored, open_judge
from core.judge.practice import practice_spec, rules
from tests import judge_fixture
from tests.core.judge.asking import REFERENCE, question
from tests.judge_fixture import JudgeServer

PROVIDERS = ["anthropic", "openai"]


def score(server: JudgeServer, text: str, provider: str = "anthropic") -> float:
    judge = open_judge(server.spec("practice-judge", provider), None)
    [sample] = judge.ask(question(untrusted={"reference": REFERENCE, "text_under_test": text}))
    assert isinstance(sample, Scored)
    return sample.value.score


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_score_follows_from_the_text(judge_server: JudgeServer, provider: str) -> None:
    whole = score(judge_server, REFERENCE, provider)
    half = score(judge_server, "Restart the router, please.", provider)
    other = score(judge_server, "Our office is closed on Friday.", provider)
    assert whole == 1.0
    assert whole > half > other == 0.0
    assert half == score(judge_server, "Restart the router, please.", provider)


def test_every_sample_is_marked(judge_server: JudgeServer) -> None:
    [sample] = open_judge(judge_server.spec("practice-judge"), None).ask(question())
    assert isinstance(sample, Scored)
    assert sample.fingerprint.practice
    assert "practice judge: no model" in sample.note
    assert sample.reasoning.startswith("practice judge, no model: ")
    assert (sample.model, sample.usage.cost_usd) == ("practice-judge", 0.0)


def test_it_is_nobodys_default() -> None:
    assert not JudgeSpec(model="claude-sonnet-4-6").practice
    assert practice_spec().practice
    with pytest.raises(ValueError):
        practice_spec(base_url="https://api.anthropic.com")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_it_answers_to_no_real_models_name(provider: str) -> None:
    """A judge whose address points here by mistake gets a 404 and not a practice score."""
    process, url = judge_fixture.start()
    try:
        server = JudgeServer(url)
        for model in ("claude-sonnet-4-6", "gpt-5.6-sol", "test-ok"):
            [sample] = open_judge(server.spec(model, provider), None).ask(question())
            assert isinstance(sample, Unscored)
            assert sample.kind == "no_model"
            assert "this is the practice judge" in sample.reason
        [sample] = open_judge(server.spec("practice-judge", provider), None).ask(question())
        assert isinstance(sample, Scored)
    finally:
        process.terminate()
        process.wait(timeout=10)


class Grades(BaseModel):
    actionability: int = Field(ge=0, le=2)
    preference_alignment: int = Field(ge=0, le=2)
    goal_relevance: int = Field(ge=0, le=2)
    reasoning: str = ""


GOALS = "# Goals\n- Faster retrieval in the support assistant\n- Fewer manual release steps"
LIKES = "# Preferences\n## High interest\n- retrieval, evaluation\n## Low interest\n- blockchain, wallets"


@pytest.mark.parametrize(
    ("suggestion", "grades"),
    [
        ("- 📋 建議：Add a retrieval benchmark to the support assistant (2 hours)", (2, 2, 2)),
        ("- 📋 建議：Write an evaluation script", (1, 2, 0)),
        ("- 📋 建議：Keep an eye on retrieval news", (0, 2, 1)),
        ("- 📋 建議：Automate the manual release steps", (1, 1, 2)),
        ("- 📋 建議：Compare three blockchain wallets today", (2, 0, 0)),
        ("- 📋 建議：研究看看這個工具", (0, 1, 0)),
        ("- 📋 建議：新增檢索測試，今天完成", (2, 1, 0)),
    ],
)
def test_grades_follow_from_words_that_stand_in_the_entry(
    judge_server: JudgeServer, suggestion: str, grades: tuple[int, int, int]
) -> None:
    request = JudgeRequest(
        instructions="Grade it.",
        untrusted={"goals": GOALS, "preferences": LIKES, "suggestion": suggestion},
        reply=Grades,
    )
    [sample] = open_judge(judge_server.spec("practice-judge"), None).ask(request)
    assert isinstance(sample, Scored)
    value = sample.value
    assert (value.actionability, value.preference_alignment, value.goal_relevance) == grades, sample.reasoning
    assert "actionability: " in sample.reasoning


class Axis(BaseModel):
    points: int = Field(ge=0, le=4)
    note: str


class Verdict(BaseModel):
    f1: Axis
    f2: int = Field(ge=0, le=4)
    verdict: Literal["rework", "pass"]
    trusted: bool
    invented: list[str]
    first: str | None


def picture(*boxes: tuple[int, int, int, int]) -> Image:
    page = Pictures.new("RGB", (400, 300), "white")
    for box in boxes:
        ImageDraw.Draw(page).rectangle(box, fill="navy")
    out = io.BytesIO()
    page.save(out, "PNG")
    return Image("page", out.getvalue(), "image/png")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_any_reply_model_is_filled_and_pictures_are_compared(judge_server: JudgeServer, provider: str) -> None:
    one, other = picture((20, 20, 380, 120)), picture((20, 180, 380, 280))

    def asked(*images: Image) -> Verdict:
        request = JudgeRequest(instructions="Compare.", untrusted={}, reply=Verdict, images=images)
        [sample] = open_judge(judge_server.spec("practice-judge", provider), None).ask(request)
        assert isinstance(sample, Scored), sample
        return sample.value

    same, different = asked(one, one), asked(one, other)
    assert (same.f1.points, same.f2, same.verdict, same.trusted) == (4, 4, "pass", True)
    assert (different.f2, different.verdict, different.trusted) == (0, "rework", False)
    assert same.invented == []


def test_a_reply_longer_than_max_tokens_is_cut(judge_server: JudgeServer) -> None:
    [sample] = open_judge(judge_server.spec("practice-judge", max_tokens=5), None).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "cut"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The quick, brown fox!", ["quick", "brown", "fox"]),
        ("檢索測試", ["檢索", "索測", "測試"]),
        ("好", ["好"]),
        ("Add GPU 測試 2.5", ["add", "gpu", "2.5", "測試"]),
        ("", []),
    ],
)
def test_the_words_of_a_text(text: str, words: list[str]) -> None:
    assert rules.words(text) == words


def test_the_likeness_of_nothing_is_nothing() -> None:
    assert rules.likeness("", "").value == 0.0
    assert rules.likeness("a b c", "").value == 0.0


def test_a_plain_chat_request_without_our_frame_is_answered_too(judge_server: JudgeServer) -> None:
    """So that a newcomer can try any client against it."""
    import openai

    client = openai.OpenAI(api_key="none", base_url=judge_server.base_url("openai"))
    said = client.chat.completions.create(model="practice-judge", messages=[{"role": "user", "content": "Hello"}])
    assert ScoreReply.model_validate_json(said.choices[0].message.content or "").score == 0.0
