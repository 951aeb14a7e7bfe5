"""A remembered no: the topic is not offered again until it has gathered three new rejections (contract, Maintain).

Kept in the decision log and nowhere else; what is remembered is what the log adds up to.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from core.decisions import Log, Record, undone
from core.errors import Conflict
from core.people import Person
from core.suggestions.proposals import Proposal, Refusal

NO = "no"


def subject_of(topic: str) -> str:
    """What the decision log calls a topic."""
    return f"blocklist:{topic}"


def refuse(log: Log, person: Person, proposal: Proposal, *, now: datetime) -> Record:
    """A person's no to a proposal, with the rejections it was made of. Changes no file.

    Raises Conflict when somebody has said no to the same proposal meanwhile; NotAllowed; Unavailable.
    """

    def check(records: list[Record]) -> None:
        gone = undone(records)
        for record in records:
            if record.action == NO and record.seq not in gone and set(_ids(record)) >= set(proposal.rejected):
                raise Conflict(f"{record.reviewer} has said no to “{proposal.topic}” already, at {record.at}")

    payload = {
        "topic": proposal.topic, "spellings": list(proposal.spellings), "rejected": list(proposal.rejected),
        "accepts_lost": list(proposal.cost.accepts_lost),
    }  # fmt: skip
    return log.append(person, NO, subject_of(proposal.topic), payload, check=check, at=now)


def refusals(records: Iterable[Record]) -> list[Refusal]:
    """The noes that stand, in the order they were said; an undone no is forgotten."""
    known = list(records)
    gone = undone(known)
    return [
        Refusal(tuple(map(str, record.payload.get("spellings", ()))), frozenset(_ids(record)))
        for record in known
        if record.action == NO and record.subject.startswith(subject_of("")) and record.seq not in gone
    ]


def _ids(record: Record) -> list[str]:
    return [str(one) for one in record.payload.get("rejected", ())]
