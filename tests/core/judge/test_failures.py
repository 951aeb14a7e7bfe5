"""Each way a provider can fail, through the real SDKs over real HTTP: a named state, never a score, never a 0."""

import socket
import time

import pytest

from core.judge import JudgeSpec, Scored, Unscored, open_judge
from core.workspace import Workspace
from tests.core.judge.asking import echo, question
from tests.judge_fixture import JudgeServer

PROVIDERS = ["anthropic", "openai"]

# model, kind, in the reason, calls that reach the server with one retry allowed
FAILURES = [
    ("test-401", "unauthorized", "invalid x-api-key", 1),
    ("test-402", "unauthorized", "credit balance", 1),
    ("test-403", "unauthorized", "may not use the model", 1),
    ("test-404", "no_model", "was retired", 1),
    ("test-400", "bad_request", "not valid", 1),
    ("test-413", "bad_request", "too large", 1),
    ("test-429", "rate_limited", "HTTP 429", 2),
    ("test-529", "overloaded", "HTTP 529", 2),
    ("test-503", "overloaded", "HTTP 503", 2),
    ("test-500", "server_error", "HTTP 500", 2),
    ("test-502", "server_error", "HTTP 502", 2),
    ("test-html", "not_json", "doctype html", 1),
    ("test-html-404", "bad_request", "nothing answers at this address", 1),
    ("test-broken-json", "not_json", "not its protocol", 1),
    ("test-wrong-shape", "not_json", "not its protocol", 1),
    ("test-list", "not_json", "not its protocol", 1),
    ("test-empty", "not_json", "not its protocol", 1),
    ("test-redirect", "not_json", "another address", 1),
    ("test-drop", "unreachable", "cannot be reached", 2),
    ("test-refusal", "refused", "I will not judge this", 3),
    ("test-cut", "cut", "max_tokens (1024)", 3),
    ("test-cut-whole", "cut", "max_tokens (1024)", 3),
    ("test-nothing-said", "bad_reply", "empty", 3),
]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("model", "kind", "said", "calls"), FAILURES, ids=[row[0] for row in FAILURES])
def test_a_failure_has_its_name(
    judge_server: JudgeServer, tmp_path: object, provider: str, model: str, kind: str, said: str, calls: int
) -> None:
    workspace = Workspace.open(str(tmp_path))
    judge = open_judge(judge_server.spec(model, provider), workspace)
    [sample] = judge.ask(question())
    assert isinstance(sample, Unscored)
    assert (sample.kind, sample.state) == (kind, "env_error")
    assert said in sample.reason
    assert "\n" not in sample.reason
    assert len(judge_server.calls()) == calls
    assert judge.missing([question()]) == 1, "a failure must be asked again, not remembered as an answer"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("model", ["test-429-then-ok", "test-500-then-ok", "test-529-then-ok"])
def test_what_may_be_retried_is_retried(judge_server: JudgeServer, provider: str, model: str) -> None:
    [sample] = open_judge(judge_server.spec(model, provider), None).ask(question())
    assert isinstance(sample, Scored)
    assert sample.value.score == 0.8
    assert len(judge_server.calls()) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_short_wait_is_waited_for(judge_server: JudgeServer, provider: str) -> None:
    begun = time.monotonic()
    [sample] = open_judge(judge_server.spec("test-429-ra-2-then-ok", provider), None).ask(question())
    assert isinstance(sample, Scored)
    assert time.monotonic() - begun >= 2


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("wait", ["3600", "61", "inf", "1e300"])
def test_a_long_wait_ends_the_run_and_says_until_when(judge_server: JudgeServer, provider: str, wait: str) -> None:
    judge = open_judge(judge_server.spec(f"test-429-ra-{wait}", provider), None, concurrency=1)
    [first], [second] = judge.ask_many([question(1), question(2)])
    assert isinstance(first, Unscored)
    assert isinstance(second, Unscored)
    assert first.until is not None
    assert first.until.endswith("Z")
    assert f"asks to wait until {first.until}" in first.reason
    assert second.kind == "rate_limited"
    assert second.until == first.until
    assert second.reason.startswith("not asked: ")
    assert len(judge_server.calls()) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_that_hangs_is_a_time_out(judge_server: JudgeServer, provider: str) -> None:
    spec = judge_server.spec("test-hang", provider, timeout_s=0.3, max_retries=0)
    [sample] = open_judge(spec, None).ask(question())
    assert isinstance(sample, Unscored)
    assert (sample.kind, sample.state) == ("timeout", "env_error")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_judge_that_is_not_there_is_unreachable(provider: str) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, and nobody listens
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        spec = JudgeSpec.model_validate({"provider": provider, "model": "m", "base_url": url, "max_retries": 0})
        [sample] = open_judge(spec, None).ask(question())
    assert isinstance(sample, Unscored)
    assert (sample.kind, sample.state) == ("unreachable", "env_error")
    assert url in sample.reason


@pytest.mark.parametrize(("provider", "variable"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")])
def test_without_a_key_nobody_is_asked_and_the_variable_is_named(provider: str, variable: str) -> None:
    spec = JudgeSpec.model_validate({"provider": provider, "model": "m"})
    samples = [sample for many in open_judge(spec, None).ask_many([question(1), question(2)]) for sample in many]
    assert {sample.kind for sample in samples if isinstance(sample, Unscored)} == {"no_key"}
    assert all(variable in sample.reason for sample in samples if isinstance(sample, Unscored))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("parameter", "more", "note"),
    [
        ("temperature", {"temperature": 0.6}, "temperature 0.6 was not sent"),
        ("structured", {}, "no structured output"),
        ("effort", {"effort": "low"}, "effort low was not sent"),
    ],
)
def test_a_parameter_the_server_refuses_is_left_out_and_said(
    judge_server: JudgeServer, provider: str, parameter: str, more: dict[str, object], note: str
) -> None:
    judge = open_judge(judge_server.spec(f"test-no-{parameter}", provider, **more), None, concurrency=1)
    first, second = judge.ask(question(samples=2))
    assert isinstance(first, Scored)
    assert isinstance(second, Scored)
    assert note in first.note
    assert note in second.note
    assert len(judge_server.calls()) == 3, "the refusal is learnt once"


def test_a_model_known_to_take_no_temperature_is_not_asked_with_one(judge_server: JudgeServer) -> None:
    judge = open_judge(judge_server.spec("claude-opus-5-5", temperature=0.6), None)
    [sample] = judge.ask(question())
    [call] = judge_server.calls()
    assert "temperature" not in call["body"]
    assert isinstance(sample, Scored)
    assert "temperature 0.6 was not sent" in sample.note


def test_an_openai_server_that_wants_the_newer_limit_gets_it(judge_server: JudgeServer) -> None:
    [sample] = open_judge(judge_server.spec("test-no-old-max-tokens", "openai"), None).ask(question())
    assert isinstance(sample, Scored)
    old, new = (call["body"] for call in judge_server.calls())
    assert (old["max_tokens"], new["max_completion_tokens"]) == (1024, 1024)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_unusable_reply_is_asked_again_and_the_good_one_counts(judge_server: JudgeServer, provider: str) -> None:
    request = echo("I think 4/5", '{"score": 85}', '{"score": 0.6, "reasoning": "third"}')
    [sample] = open_judge(judge_server.spec("test-echo", provider), None).ask(request)
    assert isinstance(sample, Scored)
    assert (sample.value.score, sample.reasoning) == (0.6, "third")
    assert sample.discarded == ("I think 4/5", '{"score": 85}')
    assert "2 unusable replies before this one" in sample.note
    assert sample.usage.calls == 3


@pytest.mark.parametrize("provider", PROVIDERS)
def test_three_unusable_replies_are_no_score_and_all_are_kept(judge_server: JudgeServer, provider: str) -> None:
    [sample] = open_judge(judge_server.spec("test-echo", provider), None).ask(
        echo('{"score": 85}', '{"score": "80%"}', '{"score": NaN}', '{"score": 0.9}')
    )
    assert isinstance(sample, Unscored)
    assert sample.kind == "bad_reply"
    assert sample.raws == ('{"score": 85}', '{"score": "80%"}', '{"score": NaN}')
    assert len(judge_server.calls()) == 3


@pytest.mark.parametrize("provider", PROVIDERS)
def test_thinking_is_kept_and_never_read_as_the_answer(judge_server: JudgeServer, provider: str) -> None:
    [sample] = open_judge(judge_server.spec("test-think", provider), None).ask(question())
    assert isinstance(sample, Scored)
    assert sample.value.score == 0.8
    assert '<think>\nA draft: {"score": 0.1}. No, better.\n</think>' in sample.raw


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_sent_holds_structure_parameters_and_pictures(judge_server: JudgeServer, provider: str) -> None:
    from core.judge import Image

    picture = Image("page 1, original", b"\x89PNG not really", "image/png")
    spec = judge_server.spec("test-ok", provider, temperature=0.6, max_tokens=300, effort="low")
    open_judge(spec, None).ask(question(images=(picture,)))
    [call] = judge_server.calls()
    body = call["body"]
    assert body["temperature"] == 0.6
    if provider == "anthropic":
        assert body["max_tokens"] == 300
        assert body["output_config"]["effort"] == "low"
        assert body["output_config"]["format"]["schema"]["required"] == ["score"]
        assert [block["type"] for block in body["messages"][0]["content"]] == ["text", "image"]
        assert "Score how faithfully" in body["system"]
    else:
        assert body["max_tokens"] == 300
        assert body["reasoning_effort"] == "low"
        assert body["response_format"]["json_schema"]["strict"] is True
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert [block["type"] for block in body["messages"][1]["content"]] == ["text", "image_url"]
