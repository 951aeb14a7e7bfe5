"""Which judge, and which key it may see."""

import pytest
from pydantic import ValidationError

from core.errors import BadInput
from core.judge import JudgeSpec, open_judge, spec_of
from core.judge.api import address_of
from core.judge.practice import practice_spec


@pytest.mark.parametrize(
    "settings",
    [
        {"model": ""},
        {"model": "m", "temperature": 2.1},
        {"model": "m", "max_tokens": 0},
        {"model": "m", "transport": "cli", "provider": "openai"},
        {"model": "m", "transport": "codex"},
        {"model": "m", "practice": True},
        {"model": "practice-judge", "practice": False},
        {"model": "practice-judge", "base_url": "https://api.example.org"},
        {"model": "practice-judge", "transport": "cli"},
        {"model": "m", "api_key": "sk-1"},
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        JudgeSpec.model_validate(settings)


def test_settings_from_a_file_name_the_file_and_the_setting_and_never_the_value() -> None:
    with pytest.raises(BadInput) as error:
        spec_of({"model": "m", "api_key": "sk-live-123456"}, "touchstone.toml")
    assert "touchstone.toml" in str(error.value)
    assert "api_key" in str(error.value)
    assert "sk-live" not in str(error.value)


def test_a_practice_model_makes_a_practice_spec_and_it_is_on_this_machine() -> None:
    spec = JudgeSpec(model="practice-judge")
    assert spec.practice
    assert spec == practice_spec()
    assert address_of(spec, {}).base_url == "http://127.0.0.1:8599"
    assert address_of(practice_spec("openai"), {}).base_url == "http://127.0.0.1:8599/v1"
    told = {"TOUCHSTONE_PRACTICE_URL": "http://localhost:9000"}
    assert address_of(spec, told).base_url == "http://localhost:9000"
    elsewhere = {"TOUCHSTONE_PRACTICE_URL": "https://elsewhere.example"}
    assert address_of(spec, elsewhere).base_url == "http://127.0.0.1:8599"


ENV = {"ANTHROPIC_API_KEY": "provider-key", "OPENAI_API_KEY": "other-key"}


@pytest.mark.parametrize(
    ("more", "environ", "key", "endpoint"),
    [
        ({}, ENV, "provider-key", None),
        ({}, {}, None, None),
        ({}, {"ANTHROPIC_AUTH_TOKEN": "token"}, "token", None),
        ({"provider": "openai"}, ENV, "other-key", None),
        ({"base_url": "https://api.anthropic.com"}, ENV, "provider-key", None),
        ({}, ENV | {"ANTHROPIC_BASE_URL": "https://gw.example"}, "provider-key", "https://gw.example"),
        ({}, {"ANTHROPIC_BASE_URL": "http://localhost:11434"}, "no-key", "http://localhost:11434"),
        # An address that stands in a file never sees the provider's key.
        ({"base_url": "https://evil.example"}, ENV, "no-key", "https://evil.example"),
        ({"base_url": "http://api.anthropic.com"}, ENV, "no-key", "http://api.anthropic.com"),
        (
            {"base_url": "https://gw.example"},
            ENV | {"TOUCHSTONE_JUDGE_KEY": "its-own"},
            "its-own",
            "https://gw.example",
        ),
        ({"model": "practice-judge"}, ENV, "practice", "http://127.0.0.1:8599"),
    ],
)
def test_which_key_goes_where(
    more: dict[str, object], environ: dict[str, str], key: str | None, endpoint: str | None
) -> None:
    address = address_of(JudgeSpec.model_validate({"model": "m"} | more), environ)
    assert (address.key, address.endpoint) == (key, endpoint)
    assert "key" not in repr(address).lower()


def test_concurrency_has_limits() -> None:
    with pytest.raises(ValueError):
        open_judge(JudgeSpec(model="m"), None, concurrency=0)
    with pytest.raises(ValueError):
        open_judge(JudgeSpec(model="m"), None, concurrency=65)
