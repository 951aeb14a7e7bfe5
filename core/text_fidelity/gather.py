"""The text under test: gathered once per case per run, then judged n times (text-fidelity contract, Gather)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput, UnsafePath
from core.files import read_text
from core.text_fidelity import command
from core.text_fidelity.config import Case, FileSource
from core.text_fidelity.place import inside


class GatherFailed(Exception):
    """A text could not be gathered: never an empty text, never a score. ``case`` and a one-line ``reason``."""

    def __init__(self, case: str, reason: str) -> None:
        super().__init__(f"case {case!r}: {reason}")
        self.case, self.reason = case, reason


@dataclass(frozen=True, slots=True)
class Gathered:
    """One text under test. ``sha256`` (hex) is over its UTF-8; ``note`` is what the command said on standard error."""

    case: str
    text: str
    sha256: str
    note: str = ""
    held: bool = False


def gather(case: Case, folder: Path, *, cancelled: Callable[[], bool] = lambda: False) -> Gathered:
    """The text of one case, read or run under the eval folder. Raises GatherFailed, naming the case and the cause."""
    if isinstance(case.source, FileSource):
        return _made(case.id, _file(case.id, case.source.path, folder))
    try:
        output = command.run(case.source.run, folder, cancelled=cancelled)
    except command.CommandFailed as error:
        raise GatherFailed(case.id, str(error)) from None
    return _made(case.id, output.text, output.note)


def _file(case: str, relative: str, folder: Path) -> str:
    try:
        read = read_text(inside(folder, relative), relative)
    except (BadInput, UnsafePath) as error:
        raise GatherFailed(case, str(error)) from None
    if not read.complete:
        raise GatherFailed(case, str(read.problems[0]))
    if len(read.raw) > command.LARGEST:
        raise GatherFailed(case, f"{relative}: larger than {command.LARGEST} bytes")
    if not read.text.strip():
        raise GatherFailed(case, f"{relative}: empty")
    return read.text


def _made(case: str, text: str, note: str = "") -> Gathered:
    return Gathered(case, text, hashlib.sha256(text.encode()).hexdigest(), note)


def gather_all(
    cases: tuple[Case, ...],
    folder: Path,
    *,
    held: Callable[[str], Gathered] | None = None,
    permit: Callable[[], None] = lambda: None,
    on_case: Callable[[str], None] = lambda case: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Gathered]:
    """The text of every case, in order, one after another: generators share a folder and may share files in it.

    ``held`` gives the text of a command case again instead of running the command (``--hold-artifacts``). ``permit`` is
    asked before each command that is run, since files change while another one runs, and may raise what it likes.
    Raises GatherFailed for the first case without a text.
    """
    texts: list[Gathered] = []
    for case in cases:
        if cancelled():
            raise GatherFailed(case.id, "stopped")
        on_case(case.id)
        if case.command and held is not None:
            texts.append(held(case.id))
            continue
        if case.command:
            permit()
        texts.append(gather(case, folder, cancelled=cancelled))
    return texts
