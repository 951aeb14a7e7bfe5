"""Headless `claude -p`: believed only where its envelope is plainly a success; it gets no keys and leaves nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.judge import Image, JudgeSpec, Scored, Unscored, open_judge
from core.judge.claude_cli import BIN
from tests.core.judge import programs
from tests.core.judge.asking import question
from tests.core.judge.programs import Program, gone


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    program = programs.make(tmp_path / "claude")
    monkeypatch.setenv(BIN, str(program.path))
    return program


def spec(**more: Any) -> JudgeSpec:
    return JudgeSpec.model_validate({"transport": "cli", "model": "claude-sonnet-4-6", "timeout_s": 20.0} | more)


def envelope(result: object = '{"score": 0.7, "reasoning": "close"}', **more: Any) -> str:
    return json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": result} | more)


ENVELOPES = json.loads((Path(__file__).parents[2] / "cases/C-05-cli-envelope-errors/envelopes.json").read_text("utf-8"))
SAID = {
    2: "401",
    3: "error_max_budget_usd",
    4: "null",
    5: "list",
    6: "something other than its JSON",
    7: "error_max_turns",
    8: "something other than its JSON",
    9: "quota exceeded",
}


@pytest.mark.parametrize("case", ENVELOPES, ids=lambda case: str(case["id"]))
def test_case_c05_only_the_plain_success_is_a_sample(claude: Program, case: dict[str, Any]) -> None:
    claude.plan(case["stdout"], rc=case["rc"], stderr=case.get("stderr", ""))
    [sample] = open_judge(spec(), None).ask(question())
    if case["id"] == 1:
        assert isinstance(sample, Scored)
        assert sample.value.score == 0.7
    else:
        assert isinstance(sample, Unscored)
        assert sample.state == "env_error"
        assert SAID[case["id"]] in sample.reason
        assert sample.kind == ("unauthorized" if case["id"] == 2 else "cli_error")
        assert len(claude.calls()) == 1, "a failed call is no unusable reply: it is not asked again"


@pytest.mark.parametrize(
    ("stdout", "kind", "said"),
    [
        (envelope(is_error=True, api_error_status=429, result="rate limited"), "rate_limited", "429"),
        (envelope(is_error=True, api_error_status=529, result="Overloaded"), "overloaded", "Overloaded"),
        (envelope(is_error=True, api_error_status=404, result="no such model"), "no_model", "no such model"),
        (envelope(is_error=True, result="Invalid API key · Please run /login"), "unauthorized", "/login"),
        (json.dumps({"result": '{"score": 1}'}), "cli_error", "reports an error"),
        (envelope(is_error="false"), "cli_error", "reports an error"),
        (envelope(result=0.9), "cli_error", "no result (float)"),
        (envelope(result="   "), "cli_error", "no result (str)"),
        (envelope() + envelope(), "cli_error", "second JSON document"),
        ('{"is_error": false, "is_error": false, "result": "{}"}', "cli_error", "twice"),
        (envelope()[:-5], "cli_error", "cut off"),
    ],
)
def test_an_envelope_that_is_no_success_is_a_failure(claude: Program, stdout: str, kind: str, said: str) -> None:
    claude.plan(stdout)
    [sample] = open_judge(spec(), None).ask(question())
    assert isinstance(sample, Unscored)
    assert (sample.kind, sample.state) == (kind, "env_error")
    assert said in sample.reason


def test_a_reply_inside_a_good_envelope_is_read_as_strictly_as_any(claude: Program) -> None:
    claude.plan(envelope(result='{"score": "80%"}'))
    [sample] = open_judge(spec(), None).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "bad_reply"
    assert len(claude.calls()) == 3


def test_tokens_cost_and_model_are_what_the_program_reports(claude: Program) -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 5, "output_tokens": 7}
    claude.plan(envelope(usage=usage, total_cost_usd=0.0123, modelUsage={"claude-sonnet-4-6": {}}))
    [sample] = open_judge(spec(), None).ask(question())
    assert isinstance(sample, Scored)
    assert (sample.usage.input_tokens, sample.usage.output_tokens) == (1015, 7)
    assert (sample.usage.cost_usd, sample.usage.cost_reported) == (0.0123, True)
    assert sample.model == "claude-sonnet-4-6"


def test_decoding_parameters_are_ignored_and_that_is_said(claude: Program) -> None:
    claude.plan(envelope())
    [sample] = open_judge(spec(temperature=0.6, max_tokens=77), None).ask(question())
    assert isinstance(sample, Scored)
    assert "temperature and max_tokens were ignored" in sample.note
    [call] = claude.calls()
    assert "0.6" not in call["argv"]
    assert "77" not in call["argv"]


def test_how_it_is_called(claude: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shell, no tools, an empty folder, the prompt on standard input, no key in the environment."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-should-not-pass")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "its own token")
    claude.plan(envelope())
    hostile = '"; touch /tmp/owned; echo "$(id)'
    open_judge(spec(), None).ask(question(untrusted={"text": hostile}))
    [call] = claude.calls()
    argv = call["argv"]
    assert argv[:5] == ["-p", "--output-format", "json", "--model", "claude-sonnet-4-6"]
    assert argv[argv.index("--tools") + 1] == ""
    assert hostile in call["stdin"]
    assert not [word for word in argv if hostile in word]
    assert "Score how faithfully" in call["stdin"]
    assert call["listed"] == []
    assert not Path(call["cwd"]).exists(), "its folder is gone afterwards"
    assert "ANTHROPIC_API_KEY" not in call["environment"]
    assert call["environment"]["CLAUDE_CODE_OAUTH_TOKEN"] == "its own token"


@pytest.mark.parametrize("named", [None, "/nowhere/claude"])
def test_where_it_is_not_installed_nobody_is_asked(monkeypatch: pytest.MonkeyPatch, named: str | None) -> None:
    monkeypatch.delenv(BIN, raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    if named:
        monkeypatch.setenv(BIN, named)
    samples = open_judge(spec(), None).ask(question(samples=3))
    assert [sample.kind for sample in samples if isinstance(sample, Unscored)] == ["not_installed"] * 3
    assert all(BIN in sample.reason for sample in samples if isinstance(sample, Unscored))


def test_it_takes_no_pictures(claude: Program) -> None:
    [sample] = open_judge(spec(), None).ask(question(images=(Image("page", b"x", "image/png"),)))
    assert isinstance(sample, Unscored)
    assert sample.kind == "bad_request"
    assert "pictures" in sample.reason
    assert claude.calls() == []


def test_at_the_limit_it_is_killed_with_its_children(claude: Program) -> None:
    claude.plan(envelope(), sleep=600, child="yes")
    [sample] = open_judge(spec(timeout_s=1.0), None).ask(question())
    assert isinstance(sample, Unscored)
    assert (sample.kind, sample.reason) == ("timeout", "judge-cli gave no answer within 1 s")
    [call] = claude.calls()
    assert gone(call["pid"])
    assert gone(call["child"])


def test_a_stop_kills_it_with_its_children(claude: Program) -> None:
    claude.plan(envelope(), sleep=600, child="yes")
    [[sample]] = open_judge(spec(), None).ask_many([question()], cancel=lambda: bool(claude.calls()))
    assert isinstance(sample, Unscored)
    assert sample.kind == "cancelled"
    [call] = claude.calls()
    assert gone(call["pid"])
    assert gone(call["child"])


def test_a_grandchild_that_holds_the_pipe_does_not_hold_the_run(claude: Program) -> None:
    claude.plan(envelope(), child="holds the pipe")
    [sample] = open_judge(spec(), None).ask(question())
    assert isinstance(sample, Scored)
    [call] = claude.calls()
    assert gone(call["child"])


def test_output_without_end_is_cut_off(claude: Program) -> None:
    claude.plan("x" * 1024, times=6 * 1024)
    [sample] = open_judge(spec(), None).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "cli_error"
    assert "more than 4 MiB" in sample.reason
