"""The errors Touchstone raises on purpose: their message is one line and may be shown to anybody.

Anything else that escapes is a fault of the program. The command line turns every one of these into exit code 2
(contract README, "Exit codes"); a page turns it into one sentence.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, and where: contract README, "Bad input never hides".

    ``file`` is the path as the user knows it (relative to the workspace where there is one), ``line`` counts from 1,
    ``position`` is used where a line says too little (``"line 3 column 7"``, ``"byte 118"``, ``"entry 4"``).
    """

    file: str
    reason: str
    line: int | None = None
    position: str | None = None

    def as_dict(self) -> dict[str, str | int]:
        """The form of a ``problems`` list in JSON output: only the places that are known."""
        return {key: value for key, value in asdict(self).items() if value is not None}

    def __str__(self) -> str:
        place = f":{self.line}" if self.line is not None else f" ({self.position})" if self.position else ""
        return f"{self.file}{place}: {self.reason}"


class TouchstoneError(Exception):
    """Base of all: its message is one line, made to be shown."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class BadInput(TouchstoneError):
    """A file or value that cannot be used; ``problem`` says where."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem

    @classmethod
    def of(cls, file: str, reason: str, *, line: int | None = None, position: str | None = None) -> BadInput:
        """Shorthand for ``BadInput(Problem(...))``."""
        return cls(Problem(file, reason, line, position))


class UnsafePath(TouchstoneError):
    """A path that leaves its folder, or names something that is not a plain file or folder."""


class Conflict(TouchstoneError):
    """Somebody else was first, or the file is no longer what was read: says who and what."""


class Stale(TouchstoneError):
    """A definition, receipt or verdict that no longer fits what it was made from."""


class Unavailable(TouchstoneError):
    """The environment cannot do it: no key, no judge, no database, no binary. Never a score (``env_error``)."""


class NotAllowed(TouchstoneError):
    """This person may not do that here."""
