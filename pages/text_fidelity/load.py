"""What the page reads: the evals, and one of them as a book, kept until a file of it changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime

from core.errors import TouchstoneError
from core.text_fidelity import approval, trust, view
from core.text_fidelity.approval import FreezeState
from core.text_fidelity.chart import CaseLine, Chart
from core.text_fidelity.place import EvalFolder, at
from core.text_fidelity.trust import Trust
from core.text_fidelity.view import Book, Opened
from core.workspace import Workspace
from pages.shared import data
from pages.shared.frame import Context


def evals(workspace: Workspace) -> list[EvalFolder]:
    """The evals of a workspace, as touchstone.toml (or the default place) names them."""
    return [at(workspace, path) for path in workspace.evals()]


def version(workspace: Workspace) -> Hashable:
    """What the page is drawn from: a stat or two for each eval, and what was appended."""
    return tuple(_version(folder) for folder in evals(workspace))


def _version(folder: EvalFolder) -> Hashable:
    try:
        return (data.version([folder.config]), view.version(folder))
    except TouchstoneError as error:
        return str(error)


def book(ctx: Context, folder: EvalFolder) -> Book:
    """The ledger understood. Raises BadInput when it is no regular file."""
    hour = ctx.now.replace(minute=0, second=0, microsecond=0)  # only a record from the future depends on the clock
    return data.cached(
        _book, folder.path, paths=[folder.config], extra=(view.version(folder), hour), given=(folder, ctx.clock)
    )  # fmt: skip


def _book(_path: object, folder: EvalFolder, clock: Callable[[], datetime]) -> Book:
    return view.book(folder, clock())  # not the page's own time: a run that ended since would lie in the future


def drawn(made: Book, window: int | None) -> tuple[Chart, list[CaseLine]]:
    """The chart and its cases over the last ``window`` runs."""
    return data.cached(_drawn, made.folder.path, window, extra=id(made), given=(made,))


def _drawn(_path: object, window: int | None, made: Book) -> tuple[Chart, list[CaseLine]]:
    return view.drawn(made, window)


def opened(made: Book, row: int) -> Opened:
    """One run, whole. Raises BadInput."""
    return data.cached(_opened, made.folder.path, row, extra=id(made), given=(made,))


def _opened(_path: object, row: int, made: Book) -> Opened:
    return view.opened(made, row)


def frozen(folder: EvalFolder) -> FreezeState:
    """The state of the freeze: read afresh, since it rests on every reference as well."""
    return approval.state(folder)


def standing(ctx: Context, made: Book) -> Trust:
    """Whether the dashboard may run this eval's commands."""
    if made.policy is None:
        return Trust("none_needed", ())
    return trust.standing(made.folder, made.policy, ctx.log)
