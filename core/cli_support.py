"""What every command shares: the workspace, the person, JSON output, exit codes (contract README, "Exit codes")."""

from __future__ import annotations

import functools
import getpass
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from core.errors import BadInput, Problem, TouchstoneError
from core.people import local_person
from core.workspace import Workspace

# Whether this command has printed its one JSON object already.
_printed: ContextVar[bool] = ContextVar("printed", default=False)

F = TypeVar("F", bound=Callable[..., Any])

YES, NO, COULD_NOT = 0, 1, 2
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")


def workspace_option(command: F) -> F:
    """``--workspace DIR``; the command gets an opened ``workspace``."""

    def opened(_context: click.Context, _parameter: click.Parameter, value: str) -> Workspace:
        return Workspace.open(value)

    return click.option(
        "--workspace", envvar="TOUCHSTONE_WORKSPACE", default=".", show_default="the current folder",
        metavar="DIR", callback=opened, help="The folder that holds the files.",
    )(command)  # fmt: skip


def json_option(command: F) -> F:
    """``--json``; the command gets ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")(command)


def person_option(command: F) -> F:
    """``--reviewer NAME``; the command gets a ``person`` whose name the decision log records."""

    def named(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
        return local_person(value if value is not None else getpass.getuser())

    return click.option(
        "--reviewer", "person", envvar="TOUCHSTONE_REVIEWER", default=None, show_default="the system's user name",
        metavar="NAME", callback=named, help="Who decides; the decision log records it.",
    )(command)  # fmt: skip


def emit(data: dict[str, Any], as_json: bool, lines: Iterable[str]) -> None:
    """Print ``data`` as one JSON object, or the lines for people. Text that cannot be encoded is escaped, not lost."""
    if as_json:
        _printed.set(True)
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, default=_plain)
        click.echo(text.encode("utf-8", "backslashreplace"))
        return
    for line in lines:
        click.echo(_visible(line).encode("utf-8", "backslashreplace"))


def _plain(value: Any) -> Any:
    if isinstance(value, Problem):
        return value.as_dict()
    if isinstance(value, Path):
        return value.as_posix()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _visible(line: str) -> str:
    """Control characters from untrusted text must not drive the terminal."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", line)


def answer(yes: bool) -> None:
    """End the command: exit 0 when the answer is yes, 1 when it is no."""
    sys.exit(YES if yes else NO)


def one_line_errors(run: Callable[..., Any]) -> Callable[..., Any]:
    """The one boundary: whatever kept a command from an answer becomes one line on standard error and exit 2.

    Never 1: that is an answer, and a pipeline acts on it. With ``--json`` standard output still gets one object, the
    command's own or ``error`` (the line) and ``problems``. ``TOUCHSTONE_DEBUG=1`` adds where a fault of ours arose.
    """

    @functools.wraps(run)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.get("args") or (args[0] if args else None) or sys.argv[1:]
        kwargs["standalone_mode"] = False  # click would print several lines for a wrong option, and end with 1
        _printed.set(False)
        try:
            code = run(*args, **kwargs)
        except click.exceptions.NoArgsIsHelpError as help_wanted:
            help_wanted.show()
            sys.exit(COULD_NOT)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(COULD_NOT)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no answer
            _could_not(given, _why(error), [error.problem] if isinstance(error, BadInput) else [])
        sys.exit(code if isinstance(code, int) else YES)

    return guarded


def _why(error: Exception) -> str:
    """What kept a command from an answer, in one line."""
    if isinstance(error, TouchstoneError):
        return str(error)
    if isinstance(error, click.Abort):
        return "stopped before it was done"
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "touchstone"
        return f"{error.format_message().rstrip('.')} ({command} --help tells what there is)"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if os.environ.get("TOUCHSTONE_DEBUG"):
        traceback.print_exception(error)
    return f"a fault of ours, {type(error).__name__}: {error} (TOUCHSTONE_DEBUG=1 shows where)"


def _could_not(given: Iterable[str], why: str, problems: Iterable[Problem] = ()) -> NoReturn:
    click.echo(_visible(f"touchstone: {why}").encode("utf-8", "backslashreplace"), err=True)
    if "--json" in given and not _printed.get():
        emit({"error": why, "problems": [problem.as_dict() for problem in problems]}, True, [])
    sys.exit(COULD_NOT)
