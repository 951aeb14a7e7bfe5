"""``python -m core``: one command group a system, each loaded only when it is asked for."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import click

from core import __version__
from core.cli_support import one_line_errors

_GROUPS = {
    "workspace": ("core.cli_workspace", "What was found where, and every problem."),
    "suggestions": ("core.suggestions.cli", "The suggestion queue, its blocklist, its grader."),
    "report": ("core.report_loop.cli", "Receipts, four dimensions, ratchet and stop."),
    "text": ("core.text_fidelity.cli", "Freeze, score and read a text-fidelity eval."),
    "render": ("core.render_fidelity.cli", "Deterministic checks and the seven-axis verdict."),
    "triage": ("core.triage.cli", "Everything that needs a human."),
    "log": ("core.decisions.cli", "The decision log: verify, export."),
}


class _Lazy(click.Group):
    """A group whose subcommands are imported on use, so that `--help` and every command start quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_GROUPS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _GROUPS:
            return None
        group: click.Command = importlib.import_module(_GROUPS[cmd_name][0]).group
        return group

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _GROUPS.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        return one_line_errors(super().main)(*args, **kwargs)


@click.command(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="touchstone")
def main() -> None:
    """Touchstone reads what AI pipelines wrote, applies their rules exactly and records what people decide.

    Exit codes: 0 done and the answer is yes, 1 done and the answer is no, 2 could not be done (one line on standard
    error says what and where).
    """
