"""Options that several of the report loop's commands take."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import click

from core import times

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
