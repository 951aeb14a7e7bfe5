"""The one way to a judge: a spec, a workspace that keeps its samples, and what may be spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import ValidationError

from core.errors import BadInput
from core.judge.api import address_of
from core.judge.budget import Budget
from core.judge.cache import SampleCache
from core.judge.judge import WorkspaceJudge
from core.judge.protocol import JudgeSpec
from core.judge.transport import Transport
from core.workspace import Workspace

DEFAULT_CONCURRENCY = 16


def spec_of(settings: Mapping[str, object], file: str) -> JudgeSpec:
    """A spec from settings that stand in a file. Raises BadInput, which says what is wrong with which setting."""
    try:
        return JudgeSpec.model_validate(dict(settings))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        raise BadInput.of(file, f"judge{'.' if place else ''}{place}: {said}") from None


def open_judge(
    spec: JudgeSpec,
    workspace: Workspace | None,
    *,
    budget: Budget | None = None,
    concurrency: int = DEFAULT_CONCURRENCY,
) -> WorkspaceJudge:
    """A judge that keeps its samples in the workspace (None: nowhere). Reads the environment, asks nobody yet.

    Raises ValueError for a concurrency outside 1…64.
    """
    return WorkspaceJudge(
        spec,
        transport=_transport(spec),
        cache=SampleCache.of(workspace) if workspace else None,
        budget=budget or Budget(),
        concurrency=concurrency,
    )


def _transport(spec: JudgeSpec) -> Callable[[], Transport]:
    """Makes the transport at the start of a run; an SDK takes a second to import, so it is imported only then."""

    def make() -> Transport:
        if spec.transport == "cli":
            from core.judge.claude_cli import ClaudeCli

            return ClaudeCli(spec)
        if spec.transport == "codex":
            from core.judge.codex_cli import CodexCli

            return CodexCli(spec)
        if spec.provider == "openai":
            from core.judge.openai_api import OpenAiApi

            return OpenAiApi(spec, address_of(spec))
        from core.judge.anthropic_api import AnthropicApi

        return AnthropicApi(spec, address_of(spec))

    return make
