"""No key is ever written, logged or shown: everything a run leaves behind is searched for it."""

import asyncio
import logging
import traceback
from pathlib import Path

import pytest

from core.judge import JudgeSpec, Scored, Unscored, open_judge
from core.judge.anthropic_api import AnthropicApi
from core.judge.api import address_of
from core.judge.openai_api import OpenAiApi
from core.judge.prompt import build
from core.judge.redact import one_line, redact, scrubbed_environment, secrets_of
from core.judge.transport import CallFailed
from core.workspace import Workspace
from tests.core.judge.asking import echo, question
from tests.judge_fixture import JudgeServer

KEY = "s3cret-key-4711-abcdef"


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize("model", ["test-ok", "test-401-key", "test-400-key", "test-500-key", "test-429-key-ra-90"])
def test_no_key_is_left_anywhere(
    judge_server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str], provider: str, model: str,
) -> None:  # fmt: skip
    name = provider.upper()
    monkeypatch.setenv(f"{name}_API_KEY", KEY)
    monkeypatch.setenv(f"{name}_BASE_URL", judge_server.base_url(provider))
    caplog.set_level(logging.DEBUG)  # the SDKs' own debug log included
    spec = judge_server.spec(model, provider, base_url=None)
    judge = open_judge(spec, Workspace.open(tmp_path))
    [sample] = judge.ask(question())
    assert any(KEY in call["key"] for call in judge_server.calls()), "the key did reach the provider"
    if model != "test-ok":
        assert isinstance(sample, Unscored)
        assert "[key removed]" in sample.reason
    shown = [repr(sample), repr(judge.fingerprint(question())), repr(spec), caplog.text, *capfd.readouterr()]
    shown += [repr(address_of(spec)), repr(vars(judge))]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 2
    assert not [text for text in shown if KEY in text]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_reply_that_repeats_a_key_is_kept_without_it(
    judge_server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv("SOME_SERVICE_TOKEN", KEY)
    spec = judge_server.spec("test-echo", provider)
    answered, refused = echo(f'{{"score": 0.5, "reasoning": "{KEY}"}}'), echo(f"no JSON but {KEY}")
    many = open_judge(spec, Workspace.open(tmp_path)).ask_many([answered, refused])
    assert isinstance(many[0][0], Scored)
    assert many[0][0].reasoning == "[key removed]"
    assert KEY not in repr(many)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_an_address_out_of_a_file_sees_neither_key_nor_headers_of_the_provider(
    judge_server: JudgeServer, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", f"x-api-key: {KEY}\nx-org: {KEY}")
    monkeypatch.setenv("OPENAI_ORG_ID", KEY)
    open_judge(judge_server.spec("test-ok", provider), None).ask(question())
    [call] = judge_server.calls()
    assert KEY not in str(call)


def test_a_transport_shows_no_key_in_its_repr_or_in_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    for transport in (AnthropicApi, OpenAiApi):
        provider = "anthropic" if transport is AnthropicApi else "openai"
        spec = JudgeSpec.model_validate({"model": "m", "provider": provider, "max_retries": 0})
        made = transport(spec, address_of(spec))
        with pytest.raises(CallFailed) as failed:
            asyncio.run(made.call(build(question())))
        assert KEY not in "".join(traceback.format_exception(failed.value))
        assert KEY not in repr(made)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Incorrect API key provided: sk-proj-abcdef123456.", "Incorrect API key provided: [key removed]"),
        ("sk-ant-api03-********wxyz is not valid", "[key removed] is not valid"),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [key removed]"),
        ("x-api-key abcdef123456", "x-api-key [key removed]"),
        ("a risk-based pk-constraint of the bearer instrument", "a risk-based pk-constraint of the bearer instrument"),
    ],
)
def test_what_looks_like_a_key_is_taken_out(text: str, clean: str) -> None:
    assert redact(text, ()) == clean


def test_a_secret_of_the_environment_is_taken_out_and_other_variables_are_not() -> None:
    environ = {"MY_TOKEN": "abcdefgh", "SHORT_KEY": "abc", "MONKEY_MODE": "reasoning", "EDITOR": "vim-noxious"}
    assert (
        redact("abcdefgh abc reasoning vim-noxious", secrets_of(environ)) == "[key removed] abc reasoning vim-noxious"
    )


def test_a_line_to_show_is_one_line() -> None:
    assert one_line("a\n b\x1b[31m\t c") == "a b [31m c"
    assert len(one_line("x" * 1000)) == 300


def test_a_child_process_gets_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "DATABASE_URL"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "its own")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    environment = scrubbed_environment(("CLAUDE_CODE_OAUTH_TOKEN",))
    assert KEY not in environment.values()
    assert environment["CLAUDE_CODE_OAUTH_TOKEN"] == "its own"
    assert {"PATH", "LC_ALL"} <= environment.keys()
