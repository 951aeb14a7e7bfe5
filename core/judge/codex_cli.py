"""Headless `codex exec`: a judge of another model family, with pictures, in a read-only sandbox."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from openai.lib._pydantic import to_strict_json_schema

from core.errors import BadInput
from core.files import parse_jsonl, read_text
from core.files.scratch import keep
from core.judge.claude_cli import find, start
from core.judge.prices import Tokens
from core.judge.process import Finished
from core.judge.prompt import Prompt
from core.judge.protocol import JudgeSpec
from core.judge.redact import one_line
from core.judge.transport import Answer, CallFailed, Transport

BIN = "TOUCHSTONE_CODEX_BIN"
IGNORED = "codex exec takes no decoding parameters: temperature and max_tokens were ignored"
_OWN_VARIABLES = ("CODEX_HOME", "CODEX_API_KEY")
_SUFFIX = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}


def arguments(program: str, spec: JudgeSpec, folder: Path, pictures: list[Path], *, structured: bool) -> list[str]:
    """The command line; the prompt follows on standard input.

    `-` stands last and not after `-i`, which would take it for one more picture.
    """
    argv = [program, "exec", "-m", spec.model, "--sandbox", "read-only", "--skip-git-repo-check", "--json"]
    if spec.effort:
        argv += ["-c", f"model_reasoning_effort={spec.effort}"]
    for picture in pictures:
        argv += ["-i", str(picture)]
    if structured:
        argv += ["--output-schema", str(folder / "schema.json")]
    return [*argv, "-o", str(folder / "reply.txt"), "-"]


class CodexCli(Transport):
    """One run's way to `codex exec`."""

    overhead_tokens = 40_000  # the command line's own prompt, at most

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec = spec

    async def call(self, prompt: Prompt) -> Answer:
        """Ask once. Raises CallFailed."""
        program = find(os.environ.get(BIN), "codex", BIN)
        with tempfile.TemporaryDirectory(prefix="judge-") as made:
            folder = Path(made)
            pictures = _laid_out(prompt, folder, structured=self._spec.structured)
            argv = arguments(program, self._spec, folder, pictures, structured=self._spec.structured)
            finished = await start(argv, prompt, folder, self._spec, _OWN_VARIABLES)
            events = parse_jsonl(finished.stdout, "codex exec").records
            _must_have_succeeded(finished, [event.value for event in events])
            text = _reply(folder / "reply.txt")
        return Answer(
            text=text,
            model=self._spec.model,
            tokens=_tokens([event.value for event in events]),
            note=IGNORED,
        )

    async def close(self) -> None:
        """Nothing is kept between calls."""


def _laid_out(prompt: Prompt, folder: Path, *, structured: bool) -> list[Path]:
    """Put pictures and schema where the program can read them; returns the pictures' paths in order."""
    files = {
        folder / f"picture-{number}.{_SUFFIX[image.media_type]}": image.data
        for number, image in enumerate(prompt.images, 1)
    }
    pictures = list(files)
    if structured:
        files[folder / "schema.json"] = json.dumps(to_strict_json_schema(prompt.reply)).encode()
    if not all(keep(path, content) for path, content in files.items()):
        raise CallFailed("cli_error", "no room in the temporary folder for what codex is to look at")
    return pictures


def _must_have_succeeded(finished: Finished, events: list[Any]) -> None:
    told = [_trouble(event) for event in events if isinstance(event, dict)]
    trouble = next((text for text in reversed(told) if text), "")
    if finished.code != 0:
        said = trouble or finished.last_words or "it said nothing"
        raise _failed(f"codex exited with {finished.code}: {said}")
    if any(isinstance(event, dict) and event.get("type") == "turn.failed" for event in events):
        raise _failed(f"codex reports an error: {trouble}")


def _trouble(event: dict[str, Any]) -> str:
    if event.get("type") not in ("error", "turn.failed"):
        return ""
    error = event.get("error")
    said = error.get("message") if isinstance(error, dict) else event.get("message")
    return one_line(str(said)) if said else "no reason given"


def _failed(reason: str) -> CallFailed:
    denied = any(sign in reason for sign in ("401", "403 Forbidden", "not logged in", "Not logged in"))
    return CallFailed("unauthorized" if denied else "cli_error", one_line(reason), unbilled=denied)


def _reply(path: Path) -> str:
    try:
        reply = read_text(path, "codex's reply")
    except BadInput as error:
        raise CallFailed("cli_error", f"codex ended without a reply: {error}", unbilled=False) from None
    if not reply.complete or not reply.text.strip():
        said = "an empty reply" if reply.complete else f"a reply that is not UTF-8: {reply.problems[0]}"
        raise CallFailed("cli_error", f"codex gave {said}", unbilled=False)
    return reply.text


def _tokens(events: list[Any]) -> Tokens | None:
    """The usage of the last turn, in which codex counts all of them."""
    for event in reversed(events):
        usage = event.get("usage") if isinstance(event, dict) and event.get("type") == "turn.completed" else None
        if isinstance(usage, dict):
            given, made, cached = (usage.get(name) for name in ("input_tokens", "output_tokens", "cached_input_tokens"))
            if isinstance(given, int) and isinstance(made, int):
                return Tokens(given, made, cached if isinstance(cached, int) else 0)
    return None
