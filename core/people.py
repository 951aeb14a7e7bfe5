"""Who is there and what they may do: the one place that asks (triage contract, "Who is reviewing").

Every write goes through `require`. Alone on a machine everybody who has given a name is a reviewer; a person who signed
in has the role that the workspace's ``touchstone.toml`` gives their address at this moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.errors import NotAllowed
from core.workspace import Workspace

Role = Literal["administrator", "reviewer", "looker", "stranger"]
Deed = Literal["look", "decide", "administer"]

_MAY: dict[Role, frozenset[Deed]] = {
    "administrator": frozenset({"look", "decide", "administer"}),
    "reviewer": frozenset({"look", "decide"}),
    "looker": frozenset({"look"}),
    "stranger": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody using Touchstone; ``name`` is what the decision log records, ``email`` is set for who signed in."""

    name: str
    role: Role
    email: str | None = None


def local_person(name: str) -> Person:
    """The person at this machine. Raises NotAllowed when the name is empty: a decision has an author."""
    cleaned = " ".join(name.split())
    if not cleaned:
        raise NotAllowed("a reviewer's name is needed before anything is decided")
    return Person(cleaned, "reviewer")


def role_of(email: str, workspace: Workspace) -> Role:
    """The highest role that ``[people]`` in touchstone.toml gives this address; "stranger" when it is not listed."""
    listed = {role: {entry.casefold() for entry in entries} for role, entries in workspace.people.items()}
    address = email.strip().casefold()
    for role, key in (("administrator", "administrators"), ("reviewer", "reviewers"), ("looker", "lookers")):
        if address and address in listed.get(key, set()):
            return role  # type: ignore[return-value]  # the three are Roles
    return "stranger"


def may(person: Person, workspace: Workspace, deed: Deed) -> bool:
    """True when this person may do that here, by the settings as they stand now."""
    role = person.role if person.email is None else role_of(person.email, workspace)
    return deed in _MAY[role]


def require(person: Person, workspace: Workspace, deed: Deed) -> None:
    """Raises NotAllowed, with who and what, unless the person may do that."""
    if not may(person, workspace, deed):
        raise NotAllowed(f"{person.name or 'somebody without a name'} ({person.role}) may not {deed} in this workspace")
