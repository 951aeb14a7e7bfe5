"""Headless `codex exec`: read-only, with pictures, its answer from the file it was told to write."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.judge import Image, JudgeSpec, Scored, Unscored, open_judge
from core.judge.codex_cli import BIN
from tests.core.judge import programs
from tests.core.judge.asking import question
from tests.core.judge.programs import Program, gone

GOOD = '{"score": 0.7, "reasoning": "close"}'
DONE = json.dumps(
    {"type": "turn.completed", "usage": {"input_tokens": 900, "cached_input_tokens": 400, "output_tokens": 30}}
)


@pytest.fixture
def codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    program = programs.make(tmp_path / "codex")
    monkeypatch.setenv(BIN, str(program.path))
    return program


def spec(**more: Any) -> JudgeSpec:
    given = {"provider": "openai", "transport": "codex", "model": "gpt-5.6-sol", "timeout_s": 20.0}
    return JudgeSpec.model_validate(given | more)


def test_how_it_is_called(codex: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-should-not-pass")
    codex.plan(DONE, reply=GOOD)
    pages = (Image("original", b"one", "image/png"), Image("render", b"two", "image/jpeg"))
    [sample] = open_judge(spec(effort="high", temperature=0.6), None).ask(question(images=pages))
    assert isinstance(sample, Scored)
    [call] = codex.calls()
    argv = call["argv"]
    assert argv[:5] == ["exec", "-m", "gpt-5.6-sol", "--sandbox", "read-only"]
    assert argv[argv.index("-c") + 1] == "model_reasoning_effort=high"
    assert [Path(argv[at + 1]).name for at, word in enumerate(argv) if word == "-i"] == [
        "picture-1.png",
        "picture-2.jpg",
    ]
    assert call["pictures"] == [b"one".hex(), b"two".hex()]
    assert argv[-3] == "-o"
    assert argv[-1] == "-", "the prompt comes on standard input, and the last option before it takes one value only"
    assert "Score how faithfully" in call["stdin"]
    assert "Picture 1: original\n\nPicture 2: render" in call["stdin"]
    assert "OPENAI_API_KEY" not in call["environment"]
    assert not Path(call["cwd"]).exists()


def test_the_reply_file_is_the_answer_and_events_tell_the_tokens(codex: Program) -> None:
    codex.plan('{"type": "item.completed"}\n' + DONE + "\n", reply=GOOD)
    [sample] = open_judge(spec(temperature=0.6), None).ask(question())
    assert isinstance(sample, Scored)
    assert (sample.value.score, sample.raw) == (0.7, GOOD)
    assert (sample.usage.input_tokens, sample.usage.output_tokens) == (900, 30)
    assert "temperature and max_tokens were ignored" in sample.note


@pytest.mark.parametrize(
    ("plan", "kind", "said"),
    [
        ({"rc": 1, "stderr": "Error: stream disconnected\n", "reply": GOOD}, "cli_error", "stream disconnected"),
        ({"rc": 1, "stdout": '{"type": "error", "message": "401 Unauthorized"}'}, "unauthorized", "401"),
        (
            {"stdout": '{"type": "turn.failed", "error": {"message": "usage limit reached"}}', "reply": GOOD},
            "cli_error",
            "usage limit reached",
        ),
        ({"stdout": DONE}, "cli_error", "without a reply"),
        ({"stdout": DONE, "reply": "  \n"}, "cli_error", "empty reply"),
    ],
)
def test_what_is_no_success_is_a_failure(codex: Program, plan: dict[str, Any], kind: str, said: str) -> None:
    codex.plan(**plan)
    [sample] = open_judge(spec(), None).ask(question())
    assert isinstance(sample, Unscored)
    assert (sample.kind, sample.state) == (kind, "env_error")
    assert said in sample.reason


def test_a_reply_is_read_as_strictly_as_any(codex: Program) -> None:
    codex.plan(DONE, reply="I would give it 0.8 of 1.")
    [sample] = open_judge(spec(), None).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "bad_reply"
    assert len(codex.calls()) == 3


def test_at_the_limit_it_is_killed_with_its_children(codex: Program) -> None:
    codex.plan(sleep=600, child="yes")
    [sample] = open_judge(spec(timeout_s=1.0), None).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "timeout"
    [call] = codex.calls()
    assert gone(call["pid"])
    assert gone(call["child"])


def test_where_it_is_not_installed_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    [sample] = open_judge(spec(), None).ask(question())
    assert isinstance(sample, Unscored)
    assert sample.kind == "not_installed"
