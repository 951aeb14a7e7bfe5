"""Which command sources a reviewer has trusted (text-fidelity contract, Gather: a command source is code).

Trust is given for the commands as they stand, with the files inside the eval folder that their arguments name, and
lapses when any of that changes. The command line runs commands as any tool of the project would; only the dashboard
asks for trust.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from core.decisions import Log, Record, undone
from core.errors import BadInput, Conflict, NotAllowed, UnsafePath
from core.files import read_bytes
from core.people import Person
from core.text_fidelity.config import Policy
from core.text_fidelity.place import EvalFolder, inside

TRUST = "trust_commands"
DISTRUST = "distrust_commands"


@dataclass(frozen=True, slots=True)
class Command:
    """One command source as it stands: its argv, and the hash of each file in the eval folder that it names."""

    case: str
    argv: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Trust:
    """``none_needed``: no command-backed case. ``lapsed``: trusted once, and ``changed`` says what is different now."""

    state: Literal["none_needed", "never", "trusted", "lapsed"]
    commands: tuple[Command, ...]
    by: str | None = None
    at: str | None = None
    changed: tuple[str, ...] = ()

    @property
    def may_run(self) -> bool:
        """True when the dashboard may run what there is to run."""
        return self.state in ("none_needed", "trusted")

    @property
    def token(self) -> str:
        """What a person confirms when they trust these commands."""
        return _token(self.commands)


def commands(folder: EvalFolder, policy: Policy) -> tuple[Command, ...]:
    """The command sources of an eval, in order."""
    return tuple(
        Command(case.id, case.command, tuple(_named_files(folder, case.command)))
        for case in policy.cases
        if case.command is not None
    )


def _named_files(folder: EvalFolder, argv: tuple[str, ...]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for argument in argv:
        try:
            path = inside(folder.path, argument)
            if path.is_file():
                found.append((argument, hashlib.sha256(read_bytes(path, argument)).hexdigest()))
        except (UnsafePath, BadInput, OSError, ValueError):
            continue  # not a file of this folder: the argument itself is what is trusted
    return found


def _plain(given: tuple[Command, ...]) -> list[dict[str, object]]:
    return [{"case": one.case, "run": list(one.argv), "files": dict(one.files)} for one in given]


def _token(given: tuple[Command, ...]) -> str:
    return hashlib.sha256(json.dumps(_plain(given), sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def standing(folder: EvalFolder, policy: Policy, log: Log) -> Trust:
    """Whether the dashboard may run this eval's commands now, by what the log says."""
    now = commands(folder, policy)
    if not now:
        return Trust("none_needed", ())
    last = _last(log, folder.label)
    if last is None or last.action == DISTRUST:
        return Trust("never", now)
    if last.payload.get("token") == _token(now):
        return Trust("trusted", now, last.reviewer, last.at)
    return Trust("lapsed", now, last.reviewer, last.at, tuple(_changed(last.payload.get("commands"), now)))


def _last(log: Log, subject: str) -> Record | None:
    records = log.records(subject=subject)
    taken_back = undone(records)
    kept = [record for record in records if record.action in (TRUST, DISTRUST) and record.seq not in taken_back]
    return kept[-1] if kept else None


def _changed(before: object, now: tuple[Command, ...]) -> list[str]:
    old: Mapping[str, Mapping[str, object]] = {}
    if isinstance(before, list):
        old = {str(one.get("case")): one for one in before if isinstance(one, dict)}
    found = [f"case {name!r}: no longer runs a command" for name in old if name not in {one.case for one in now}]
    for one in now:
        was = old.get(one.case)
        if was is None:
            found.append(f"case {one.case!r}: a new command")
        elif was.get("run") != list(one.argv):
            found.append(f"case {one.case!r}: another command")
        elif was.get("files") != dict(one.files):
            found.append(f"case {one.case!r}: a file it runs changed")
    return found


def trust(folder: EvalFolder, policy: Policy, person: Person, log: Log, now: datetime, token: str) -> Record:
    """Trust the commands that were shown (``token``). Raises Conflict when they are others by now, NotAllowed."""
    current = commands(folder, policy)
    if _token(current) != token:
        raise Conflict(f"{folder.label}: the commands changed since they were shown")
    return log.append(person, TRUST, folder.label, {"token": token, "commands": _plain(current)}, at=now)


def distrust(folder: EvalFolder, person: Person, log: Log, now: datetime) -> Record:
    """Take trust back: the dashboard runs nothing here until somebody trusts it again. Raises NotAllowed."""
    return log.append(person, DISTRUST, folder.label, {}, at=now)


def require(folder: EvalFolder, policy: Policy, log: Log) -> None:
    """Raises NotAllowed unless the dashboard may run this eval's commands."""
    found = standing(folder, policy, log)
    if not found.may_run:
        why = "the commands changed since they were trusted" if found.state == "lapsed" else "nobody trusts them yet"
        raise NotAllowed(f"{folder.label}: the command sources may not be run from here: {why}")
