"""Headless `claude -p`: a judge on a subscription, without an API key.

Text fidelity contract, "Judge": found on PATH or by SERVO_CONTENT_FIDELITY_CLAUDE_BIN; exit 0 with an error inside its
JSON is an error; decoding parameters are ignored there, and said so.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files import parse_json
from core.judge.prices import Tokens
from core.judge.process import Finished, TooMuchOutput, run_child
from core.judge.prompt import Prompt
from core.judge.protocol import FailureKind, JudgeSpec
from core.judge.redact import one_line, scrubbed_environment
from core.judge.transport import Answer, CallFailed, Transport

BIN = "SERVO_CONTENT_FIDELITY_CLAUDE_BIN"
IGNORED = "claude -p takes no decoding parameters: temperature and max_tokens were ignored"
_OWN_VARIABLES = ("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN")
_PERSONA = "You are a careful judge. You use no tools. You answer with exactly one JSON object, as the user asks."


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a successful envelope holds."""

    result: str
    tokens: Tokens | None
    cost_usd: float | None
    model: str


def read_envelope(finished: Finished) -> Envelope:
    """The result in the JSON that `claude -p --output-format json` prints.

    Raises CallFailed for everything that is not plainly a success: a non-zero exit (whatever the body says), no JSON or
    JSON with text around it, a list, `is_error`, a subtype other than success, a result that is empty or no text.
    """
    if finished.code != 0:
        raise _failed(f"claude exited with {finished.code}: {finished.last_words or 'it said nothing'}", None)
    try:
        body = parse_json(finished.stdout, "claude -p")
    except BadInput as error:
        raise _failed(f"claude printed something other than its JSON: {error.problem.reason}", None) from None
    if not isinstance(body, dict):
        raise _failed(f"claude printed a JSON {type(body).__name__}, not its result object", None)
    result, subtype = body.get("result"), body.get("subtype")
    if body.get("is_error") is not False:
        raise _failed(f"claude reports an error: {_told(body)}", body.get("api_error_status"))
    if subtype not in (None, "success"):
        raise _failed(f"claude ended with {subtype}: {_told(body)}", None)
    if not isinstance(result, str) or not result.strip():
        raise _failed(f"claude gave no result ({type(result).__name__ if result is not None else 'null'})", None)
    return Envelope(result, _tokens(body.get("usage")), _cost(body), _model(body))


def _told(body: Mapping[str, Any]) -> str:
    parts = [body.get("subtype"), body.get("api_error_status"), body.get("result")]
    return one_line(", ".join(str(part) for part in parts if part not in (None, "", "success"))) or "no reason given"


_STATUS: dict[int, FailureKind] = {
    401: "unauthorized",
    403: "unauthorized",
    404: "no_model",
    429: "rate_limited",
    503: "overloaded",
    529: "overloaded",
}
_NOT_LOGGED_IN = re.compile(r"not logged in|/login|failed to authenticate|invalid api key|authentication_error", re.I)


def _failed(reason: str, status: object) -> CallFailed:
    kind: FailureKind = _STATUS.get(status, "cli_error") if isinstance(status, int) else "cli_error"
    if kind == "cli_error" and _NOT_LOGGED_IN.search(reason):
        kind = "unauthorized"
    word = " (401 authentication)" if kind == "unauthorized" and status == 401 else ""
    return CallFailed(kind, one_line(reason + word), unbilled=kind == "unauthorized")


def _tokens(usage: object) -> Tokens | None:
    if not isinstance(usage, Mapping):
        return None
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    given, cached, written, made = (_whole(usage.get(name)) for name in names)
    if given is None or made is None:
        return None
    return Tokens(given + (cached or 0) + (written or 0), made, cached or 0, written or 0)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _cost(body: Mapping[str, Any]) -> float | None:
    cost = body.get("total_cost_usd")
    return float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0 else None


def _model(body: Mapping[str, Any]) -> str:
    used = body.get("modelUsage")
    return ", ".join(sorted(str(name) for name in used)) if isinstance(used, Mapping) else ""


class ClaudeCli(Transport):
    """One run's way to `claude -p`."""

    overhead_tokens = 40_000  # the command line's own prompt, at most

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec = spec

    async def call(self, prompt: Prompt) -> Answer:
        """Ask once. Raises CallFailed. It runs in an empty folder and without tools: what is judged is untrusted."""
        if prompt.images:
            raise CallFailed("bad_request", "claude -p takes no pictures; use transport api or codex")
        program = find(os.environ.get(BIN), "claude", BIN)
        argv = [
            program, "-p", "--output-format", "json", "--model", self._spec.model, "--system-prompt", _PERSONA,
            "--tools", "", "--strict-mcp-config", "--max-turns", "1",
        ]  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="judge-") as folder:
            finished = await start(argv, prompt, Path(folder), self._spec, _OWN_VARIABLES)
        envelope = read_envelope(finished)
        return Answer(
            text=envelope.result,
            model=envelope.model or self._spec.model,
            tokens=envelope.tokens,
            cost_usd=envelope.cost_usd,
            note=IGNORED,
        )

    async def close(self) -> None:
        """Nothing is kept between calls."""


def find(named: str | None, name: str, variable: str) -> str:
    """The path of a command-line judge. Raises CallFailed where it is not installed."""
    found = shutil.which(named or name)
    if found is None:
        where = f"{variable} names {named}, which is no program" if named else f"{name} is not on PATH"
        raise CallFailed("not_installed", f"{where}; install it or set {variable}")
    return found


async def start(argv: list[str], prompt: Prompt, folder: Path, spec: JudgeSpec, variables: tuple[str, ...]) -> Finished:
    """Run a command-line judge with the prompt on standard input. Raises CallFailed."""
    name = Path(argv[0]).name
    try:
        return await run_child(
            argv,
            given=prompt.as_one_text.encode(),
            environment=scrubbed_environment(variables),
            folder=folder,
            seconds=spec.timeout_s,
        )
    except TimeoutError:
        raise CallFailed("timeout", f"{name} gave no answer within {spec.timeout_s:g} s", unbilled=False) from None
    except ExceptionGroup as error:
        if error.subgroup(TooMuchOutput):
            raise CallFailed("cli_error", f"{name} wrote more than 4 MiB and was stopped", unbilled=False) from None
        raise
    except OSError as error:
        raise CallFailed("not_installed", f"{name} cannot be started: {error.strerror}") from None
