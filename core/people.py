"""Who is there and what they may do: the one place that asks (triage contract, "Who is reviewing").

Every page and every write goes through `may`. Alone on a machine everybody who has given a name is a reviewer; a person
who signed in has the role that the workspace's ``touchstone.toml`` gives their address at this moment, for as long as
their sign-in lasts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from core import times
from core.errors import NotAllowed
from core.workspace import Workspace

Role = Literal["administrator", "reviewer", "looker", "stranger"]
Deed = Literal["look", "decide", "administer"]

SIGN_IN_LASTS = timedelta(hours=12)
"""How long a sign-in opens anything: a day's work. Whoever has left the team's directory is out by the next morning."""

_MAY: dict[Role, frozenset[Deed]] = {
    "administrator": frozenset({"look", "decide", "administer"}),
    "reviewer": frozenset({"look", "decide"}),
    "looker": frozenset({"look"}),
    "stranger": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody using Touchstone; ``name`` is what the decision log records.

    Who signed in has an ``email`` and ``until``, when the sign-in ends (aware, UTC); their name is the address, because
    two people may share a name.
    """

    name: str
    role: Role
    email: str | None = None
    until: datetime | None = None


def local_person(name: str) -> Person:
    """The person at this machine. Raises NotAllowed when the name is empty: a decision has an author."""
    cleaned = " ".join(name.split())
    if not cleaned:
        raise NotAllowed("a reviewer's name is needed before anything is decided")
    return Person(cleaned, "reviewer")


def signed_in_person(claims: Mapping[str, Any], workspace: Workspace) -> Person:
    """The person whom an identity provider's claims name, with their role in this workspace.

    Raises NotAllowed when the claims name no address, say that it is not verified, or do not say when they were made.
    """
    address = claims.get("email")
    if not isinstance(address, str) or not address.strip():
        raise NotAllowed("the identity provider gave no e-mail address, and touchstone.toml names people by address")
    if claims.get("email_verified") in (False, "false"):
        raise NotAllowed("the identity provider has not verified this e-mail address")
    made = claims.get("iat")
    if isinstance(made, bool) or not isinstance(made, (int, float)) or not 0 < made < 1e11:
        raise NotAllowed("the identity provider does not say when this sign-in was made (iat)")
    email = address.strip().casefold()
    until = datetime.fromtimestamp(made, UTC) + SIGN_IN_LASTS
    return Person(email, role_of(email, workspace), email, until)


def role_of(email: str, workspace: Workspace) -> Role:
    """The highest role that ``[people]`` in touchstone.toml gives this address; "stranger" when it is not listed."""
    listed = {role: {entry.strip().casefold() for entry in entries} for role, entries in workspace.people.items()}
    address = email.strip().casefold()
    for role, key in (("administrator", "administrators"), ("reviewer", "reviewers"), ("looker", "lookers")):
        if address and address in listed.get(key, set()):
            return role  # type: ignore[return-value]  # the three are Roles
    return "stranger"


def expired(person: Person, now: datetime) -> bool:
    """True when this person's sign-in has ended; a person at this machine did not sign in."""
    return person.email is not None and (person.until is None or now >= person.until)


def may(person: Person, workspace: Workspace, deed: Deed, now: datetime | None = None) -> bool:
    """True when this person may do that here at ``now`` (default: this moment), by the settings as they stand now.

    The settings are read afresh: whoever was taken out of touchstone.toml is out with their next step.
    """
    if person.email is None:
        return deed in _MAY[person.role]
    if expired(person, now or times.now()):
        return False
    return deed in _MAY[role_of(person.email, Workspace.open(workspace.root))]


def require(person: Person, workspace: Workspace, deed: Deed, now: datetime | None = None) -> None:
    """Raises NotAllowed, with who and why, unless the person may do that."""
    if may(person, workspace, deed, now):
        return
    who = person.name or "somebody without a name"
    if expired(person, now or times.now()):
        raise NotAllowed(f"the sign-in of {who} has ended: sign in again")
    role = person.role if person.email is None else role_of(person.email, Workspace.open(workspace.root))
    raise NotAllowed(f"{who} ({role}) may not {deed} in this workspace")
