"""`rubric_blocklist.md` changes by a person's confirmation and by nothing else (suggestions contract, Maintain).

Every public function of core and every command is called on a workspace whose reviews propose topics, with the best
arguments its signature lets us make; the file must be the same file, byte for byte and not even rewritten.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import signal
import types
import typing
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import core
from core.cli import main
from core.decisions import Log, Record, open_log
from core.people import Person, local_person
from core.suggestions import answers, confirm, store
from core.suggestions.entries import Document
from core.suggestions.maintain import maintain
from core.suggestions.proposals import History, Proposal
from core.workspace import Workspace
from tests.core.suggestions.making import NOW, entry, workspace

ROOT = Path(core.__file__).parent

CONFIRMATIONS = {
    "core.suggestions.confirm.block",
    "core.suggestions.confirm.unblock",
    "core.suggestions.confirm.undo",
    "core.suggestions.answers.yes",
}
"""The functions by which a person's yes reaches the file: each asks for the person, and for the topic by its name."""

COMMANDS = {("suggestions", "block"), ("suggestions", "unblock")}
"""The same at the prompt."""

SERVERS = {"core.judge.practice.__main__", "core.__main__"}
"""Modules that only start a process."""

_SECONDS = 5.0
_LISTS = ("Sequence", "Iterable", "Collection")


class _TooLong(BaseException):
    """A call that waits for something this test does not have."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with topics to propose, a pattern, a block in the log, and nothing to reach a judge with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_REVIEWER", "Ann")
    monkeypatch.setenv("PATH", "")
    reviewed = [entry(f"Astrology {word}", decision="reject", comment="no") for word in ("one", "two", "three", "four")]
    made = workspace(
        tmp_path, pending=(entry("Astrology now"),), reviewed=(*reviewed, entry("Search", decision="accept")),
        topics=("NFT (not ours)", "Web3"), phrases=("研究看看",),
    )  # fmt: skip
    confirm.block(made, local_person("Ann"), "crypto", now=NOW)
    store.forget()
    return made


@dataclasses.dataclass
class _Arguments:
    """Arguments by their annotations, for this workspace."""

    place: Workspace
    log: Log
    person: Person

    def __post_init__(self) -> None:
        pending = store.of_workspace(self.place, "pending")
        kept = maintain(self.place, self.log, NOW)
        self.known: dict[Any, Any] = {
            Workspace: self.place, Log: self.log, Person: self.person, Record: self.log.records()[0],
            Document: pending, type(pending.entries[0]): pending.entries[0], History: kept.history,
            Proposal: kept.proposals[0], datetime: datetime.now(UTC),
            Path: self.place.root / "other.md", str: kept.proposals[0].topic,
            int: 1, float: 0.5, bool: True, bytes: b"- Web3\n", object: None, Any: None, type(None): None,
        }  # fmt: skip

    def make(self, wanted: Any, depth: int = 0) -> Any:
        """A value for an annotation. Raises TypeError where there is none."""
        if wanted in self.known:
            return self.known[wanted]
        origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
        if origin is typing.Literal:
            return inner[0]
        if origin is typing.Annotated:
            return self.make(inner[0], depth)
        if origin in (typing.Union, types.UnionType):
            return self.make(inner[0], depth)
        if origin is not None and inspect.isclass(origin):
            return self._collection(origin, inner, depth)
        if inspect.isclass(wanted) and depth < 4:
            return self._instance(wanted, depth)
        raise TypeError(f"no {wanted}")

    def _collection(self, origin: type, inner: tuple[Any, ...], depth: int) -> Any:
        if issubclass(origin, typing.cast(type, Callable)):
            return lambda *_args, **_named: None
        if origin is tuple:
            return tuple(self.make(one, depth + 1) for one in inner if one is not Ellipsis)
        if issubclass(origin, dict) or origin.__name__ in ("Mapping", "MutableMapping"):
            return {self.make(inner[0], depth + 1): self.make(inner[1], depth + 1)}
        if not issubclass(origin, (list, set, frozenset)) and origin.__name__ not in _LISTS:
            raise TypeError(f"no {origin}")
        return [self.make(inner[0], depth + 1)]

    def _instance(self, wanted: type, depth: int) -> Any:
        if getattr(wanted, "_is_protocol", False):
            return lambda *_args, **_named: None
        return wanted(**self.of(wanted, depth + 1))

    def of(self, called: Any, depth: int = 0) -> dict[str, Any]:
        """The required arguments of something that can be called."""
        hints = typing.get_type_hints(called.__init__ if inspect.isclass(called) else called)
        found: dict[str, Any] = {}
        for name, parameter in inspect.signature(called).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if parameter.default is parameter.empty:
                found[name] = self.make(hints[name], depth)
        return found


def _modules() -> Iterator[types.ModuleType]:
    for found in pkgutil.walk_packages(core.__path__, "core."):
        if found.name not in SERVERS:
            yield importlib.import_module(found.name)


def _functions() -> dict[str, Callable[..., Any]]:
    """Every public function and public method of core, by its full name."""
    found: dict[str, Callable[..., Any]] = {}
    for module in _modules():
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
                continue
            if inspect.isfunction(value):
                found[f"{module.__name__}.{name}"] = value
    return found


def _methods(arguments: _Arguments) -> dict[str, Callable[..., Any]]:
    """The public methods of the objects that know a workspace."""
    found: dict[str, Callable[..., Any]] = {}
    for value in arguments.known.values():
        if type(value).__module__.startswith("core."):
            for name, method in inspect.getmembers(value, inspect.ismethod):
                if not name.startswith("_"):
                    found[f"{type(value).__module__}.{type(value).__name__}.{name}"] = method
    return found


def _call(called: Callable[..., Any], arguments: _Arguments) -> str:
    """Call it, and all that it yields; what happened, in one word."""

    def late(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        given = arguments.of(called)
        result = called(**given)
        if isinstance(result, AbstractContextManager) and not isinstance(result, Path):
            with result:
                return "returned"
        if isinstance(result, Iterator):
            for _ in zip(range(1000), result, strict=False):
                pass
        if inspect.iscoroutine(result):
            result.close()
        return "returned"
    except _TooLong:
        return "too long"
    except (Exception, SystemExit) as error:
        return type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _state(path: Path) -> tuple[bytes, int, int]:
    about = path.stat()
    return path.read_bytes(), about.st_mtime_ns, about.st_ino


@pytest.mark.slow
def test_no_public_function_but_the_confirmation_touches_the_file(place: Workspace) -> None:
    path = place.suggestions.blocklist
    before = _state(path)
    arguments = _Arguments(place, open_log(place), local_person("Ann"))
    functions = {**_functions(), **_methods(arguments)}
    assert functions.keys() >= CONFIRMATIONS
    outcomes: dict[str, str] = {}
    for name, called in sorted(functions.items()):
        if name not in CONFIRMATIONS:
            outcomes[name] = _call(called, arguments)
            assert _state(path) == before, f"{name} touched rubric_blocklist.md"
    returned = [name for name, outcome in outcomes.items() if outcome == "returned"]
    assert len(outcomes) > 300
    assert len(returned) > len(outcomes) // 2, "the walk has become a walk past the functions"
    for name in ("core.suggestions.maintain.maintain", "core.suggestions.findings.findings"):
        assert outcomes[name] == "returned", (name, outcomes[name])


@pytest.mark.slow
def test_no_command_but_block_and_unblock_touches_the_file(place: Workspace) -> None:
    path = place.suggestions.blocklist
    before = _state(path)
    seen: set[tuple[str, str]] = set()
    for group, name, command in _commands():
        if (group, name) in COMMANDS:
            continue
        values = ["1" if isinstance(one.type, click.types.IntParamType) else _choice(one) for one in command.params
                  if isinstance(one, click.Argument)]  # fmt: skip
        CliRunner().invoke(main, [group, name, *values])
        seen.add((group, name))
        assert _state(path) == before, f"{group} {name} touched rubric_blocklist.md"
    assert {("suggestions", "grade"), ("suggestions", "backtest"), ("suggestions", "maintain")} <= seen


def _choice(parameter: click.Parameter) -> str:
    if isinstance(parameter.type, click.Choice):
        return str(parameter.type.choices[0])
    return "data/suggestions_pending.md" if parameter.name == "file" else "Web3"


def _commands() -> Iterator[tuple[str, str, click.Command]]:
    context = click.Context(main)
    for group in main.list_commands(context):
        commands = main.get_command(context, group)
        assert isinstance(commands, click.Group)
        for name in commands.list_commands(context):
            command = commands.get_command(context, name)
            assert command is not None
            yield group, name, command


def test_a_confirmation_does_change_it(place: Workspace) -> None:
    """The walk would notice: the confirmation, called the same way, is seen."""
    before = _state(place.suggestions.blocklist)
    arguments = _Arguments(place, open_log(place), local_person("Ann"))
    assert _call(answers.yes, arguments) == "returned"
    assert _state(place.suggestions.blocklist) != before


def test_every_confirmation_asks_for_a_person() -> None:
    for name in CONFIRMATIONS:
        module, _, function = name.rpartition(".")
        hints = typing.get_type_hints(getattr(importlib.import_module(module), function))
        assert hints["person"] is Person, name


def test_only_the_confirmation_names_the_file_to_a_writer() -> None:
    """In the source, no other module that makes file changes mentions the blocklist's place."""
    ops = {"ReplaceFile", "AppendBlock", "RemoveBlocks", "InsertBlock", "InsertBlocks"}
    writers = ops | {"replace", "write_new", "swap"}
    for path in ROOT.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        writes = any(isinstance(node, ast.Name) and node.id in writers for node in nodes)
        if writes and any(_names_the_place(node) for node in nodes):
            assert path.relative_to(ROOT).as_posix() == "suggestions/confirm.py", path


def _names_the_place(node: ast.AST) -> bool:
    """``….suggestions.blocklist`` or ``places.blocklist``."""
    if not isinstance(node, ast.Attribute) or node.attr != "blocklist":
        return False
    holder = node.value
    return (isinstance(holder, ast.Attribute) and holder.attr == "suggestions") or (
        isinstance(holder, ast.Name) and holder.id in ("places", "place")
    )
