"""Options that several of the report loop's commands take."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core import times
from core.workspace import SETTINGS, Workspace

if TYPE_CHECKING:
    from core.judge import Judge

F = TypeVar("F", bound=Callable[..., Any])


class InstantType(click.ParamType[datetime]):
    """An ISO 8601 time; without a zone it is read as UTC."""

    name = "ISO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The aware datetime; anything else is a usage error."""
        if isinstance(value, datetime):
            return value
        try:
            return times.parse_instant(str(value)).utc
        except ValueError as error:
            self.fail(str(error), param, ctx)


def now_option(command: F) -> F:
    """``--now ISO``: the time that counts as now (default: the clock); the command gets ``now`` or None."""
    return click.option("--now", type=InstantType(), default=None, help="The time that counts as now.")(command)


def judge_options(command: F) -> F:
    """``--judge`` and which one; the command gets them as keywords for `judge_of`."""
    options = [
        click.option("--judge/--no-judge", "ask_judge", default=False, show_default=True, help="Ask a model judge."),
        click.option("--model", help="The judge's model. Default: [judge] in touchstone.toml, else a middling one."),
        click.option("--provider", type=click.Choice(["anthropic", "openai"]), help="Whose protocol it speaks."),
        click.option("--transport", type=click.Choice(["api", "cli", "codex"]), help="SDK, claude -p or codex exec."),
        click.option("--base-url", metavar="URL", help="A server that speaks the provider's protocol."),
        click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="Stop before it is spent."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def judge_of(workspace: Workspace, options: dict[str, Any]) -> Judge | None:
    """The judge that the options ask for; None without ``--judge``. Raises BadInput for settings that make none."""
    if not options["ask_judge"]:
        return None
    from core.judge import Budget, open_judge, spec_of  # half a second of imports that most runs do not need
    from core.judge.prices import default_model
    from core.judge.protocol import PRACTICE_PREFIX

    names = ("model", "provider", "transport", "base_url")
    given = {name: options[name] for name in names if options[name] is not None}
    settings: dict[str, Any] = {**workspace.settings.get("judge", {}), **given}
    settings.setdefault("provider", "openai" if settings.get("transport") == "codex" else "anthropic")
    settings.setdefault("model", default_model(settings["provider"]))
    settings.setdefault("practice", str(settings["model"]).startswith(PRACTICE_PREFIX))
    spec = spec_of(settings, "command line" if given else SETTINGS)
    return open_judge(spec, workspace, budget=Budget(max_cost_usd=options["budget"]))
