"""The state of a freeze, what approving one would change, and approving it (text-fidelity contract, Freeze)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from core.decisions import Log, Plan, Record
from core.errors import BadInput, Conflict, Problem, Stale, UnsafePath
from core.files import jsontext, read_bytes, read_json
from core.files.ops import Op, ReplaceFile
from core.people import Person
from core.text_fidelity import changes, config, freeze
from core.text_fidelity.changes import Change
from core.text_fidelity.config import Checked
from core.text_fidelity.place import EvalFolder, inside
from core.times import Instant, iso, parse_instant

APPROVE = "approve_freeze"


@dataclass(frozen=True)
class FreezeState:
    """Whether the eval may be scored, and every reason why not.

    ``definition_hash`` is the definition's as it stands, None where config.json cannot be read. ``errors`` are faults
    of the config itself, ``stale`` where it differs from what was frozen.
    """

    definition_hash: str | None
    errors: tuple[Problem, ...]
    stale: tuple[str, ...]
    warnings: tuple[str, ...]
    checked: Checked | None
    freeze_id: str | None
    approved_at: str | None

    @property
    def fresh(self) -> bool:
        """True when nothing is wrong: the run would not be refused."""
        return not self.errors and not self.stale

    @property
    def approved(self) -> Instant | None:
        """When it was frozen; None where nobody says so, or what stands there is no time."""
        try:
            return parse_instant(self.approved_at) if self.approved_at else None
        except ValueError:
            return None

    @property
    def reasons(self) -> list[str]:
        """Everything that is wrong, in words."""
        return [str(problem) for problem in self.errors] + list(self.stale)

    def require(self) -> Checked:
        """The usable config. Raises BadInput for a faulty config, Stale for one that is not what was frozen."""
        if self.checked is None:
            raise BadInput(self.errors[0])
        self.checked.usable()
        if self.stale:
            raise Stale("; ".join(self.stale))
        return self.checked


def state(folder: EvalFolder) -> FreezeState:
    """Read config.json, the references and the frozen files and compare. Never raises for what they hold."""
    try:
        checked = config.check(folder)
    except BadInput as error:
        return FreezeState(None, (error.problem,), (), (), None, None, None)
    data = checked.file.data
    files = {path: _frozen_file(folder.path, path) for path in freeze.frozen_paths(data)}
    stale = freeze.stale_reasons(data, files)
    return FreezeState(
        freeze.definition_hash(data), checked.errors, tuple(_explained(data, stale)), checked.warnings, checked,
        _freeze_id(data), data["approved_at"] if isinstance(data.get("approved_at"), str) else None,
    )  # fmt: skip


def _frozen_file(base: Path, relative: str) -> bytes | None:
    try:
        return read_bytes(inside(base, relative), relative)
    except (BadInput, UnsafePath):
        return None


def _freeze_id(data: Mapping[str, Any]) -> str | None:
    approved, frozen = data.get("approved_content_hash"), data.get("hashes")
    return freeze.freeze_id(approved, frozen) if isinstance(approved, str) and isinstance(frozen, dict) else None


def _explained(data: Mapping[str, Any], stale: list[str]) -> list[str]:
    """The reasons, with a changed definition told apart from numbers that are only spelled differently."""
    approved = data.get("approved_content_hash")
    if not isinstance(approved, str) or not any("definition changed" in reason for reason in stale):
        return stale
    spelled = changes.respelled(freeze.definition(data), approved)
    if not spelled:
        return stale
    why = f"only the spelling of a number changed since the freeze, and the hash covers it: {', '.join(spelled)}"
    return [why if "definition changed" in reason else reason for reason in stale]


@dataclass(frozen=True)
class Review:
    """What approving a freeze now would pin: shown to a person, and refused if anything changes after.

    ``known`` is false where the last freeze left no snapshot (servo keeps hashes only): the changes then say which
    parts differ, not how.
    """

    token: str
    definition_hash: str
    hashes: Mapping[str, str]
    changes: tuple[Change, ...]
    first: bool
    known: bool


@dataclass(frozen=True)
class _Pinned:
    """All that a freeze is made from, read once."""

    checked: Checked
    texts: Mapping[str, str]
    definition: Mapping[str, Any]
    definition_hash: str
    hashes: Mapping[str, str]

    @property
    def token(self) -> str:
        return hashlib.sha256(self.checked.file.raw + freeze.canonical(dict(self.hashes)).encode()).hexdigest()


def _pin(folder: EvalFolder) -> _Pinned:
    checked = config.check(folder)
    policy = checked.usable()
    files = {ref.path: read_bytes(inside(folder.path, ref.path)) for ref in checked.references.values() if ref.path}
    texts = {"rubric": policy.rubric} | {ref.path: ref.text for ref in checked.references.values() if ref.path}
    data = checked.file.data
    return _Pinned(
        checked, texts, freeze.definition(data), freeze.definition_hash(data), freeze.hashes(policy.rubric, files)
    )


def review(folder: EvalFolder) -> Review:
    """What would be frozen and what changed since the last freeze. Raises BadInput for a config that is refused."""
    pinned = _pin(folder)
    data = pinned.checked.file.data
    before = snapshot(folder, _freeze_id(data))
    first = not isinstance(data.get("approved_content_hash"), str)
    if before is not None:
        found = changes.between(before["definition"], pinned.definition, before["texts"], pinned.texts)
    else:
        found = [] if first else _by_hash(data, pinned)
    return Review(pinned.token, pinned.definition_hash, pinned.hashes, tuple(found), first, before is not None)


def _by_hash(data: Mapping[str, Any], pinned: _Pinned) -> list[Change]:
    """Which parts differ from a freeze of which only the hashes are known."""
    old = data["hashes"] if isinstance(data.get("hashes"), dict) else {}
    pairs = {"definition": (data.get("approved_content_hash"), pinned.definition_hash)}
    pairs |= {name: (old.get(name), pinned.hashes.get(name)) for name in dict.fromkeys([*old, *pinned.hashes])}
    return [
        Change(name, "changed" if was and now else "added" if now else "removed", str(was or ""), str(now or ""))
        for name, (was, now) in pairs.items()
        if was != now
    ]


def snapshot(folder: EvalFolder, freeze_id: str | None) -> Mapping[str, Any] | None:
    """``definition`` and ``texts`` of an earlier freeze; None where it left none, or one that is not its own."""
    if freeze_id is None:
        return None
    try:
        path = folder.snapshot(freeze_id)
        held = read_json(path, folder.file_label(path))
        texts = dict(held["texts"])
        fits = freeze.freeze_id(
            freeze.sha256_tag(freeze.canonical(held["definition"]).encode()), held["hashes"]
        ) == freeze_id and held["hashes"]["rubric"] == freeze.sha256_tag(str(texts["rubric"]).encode())
    except (BadInput, UnsafePath, KeyError, TypeError, ValueError, AttributeError):
        return None
    return {"definition": held["definition"], "texts": texts} if fits else None


def snapshot_bytes(pinned: _Pinned) -> bytes:
    """What is kept of a freeze, so that a later one can be compared with it."""
    held = {"definition": pinned.definition, "texts": dict(pinned.texts), "hashes": dict(pinned.hashes)}
    return (json.dumps(held, ensure_ascii=True, indent=1) + "\n").encode()


def approve(folder: EvalFolder, person: Person, log: Log, now: datetime, token: str | None = None) -> Record:
    """Freeze the eval as it stands; ``token`` is the `Review` that the person confirmed.

    Only the four keys of a freeze change in config.json. Raises BadInput for a refused config, Conflict when anything
    changed since the review, NotAllowed.
    """
    at = iso(now.replace(microsecond=0))

    def plan() -> Plan:
        pinned = _pin(folder)
        if token is not None and token != pinned.token:
            raise Conflict(f"{folder.label}: the config or a reference changed since the difference was shown")
        data = pinned.checked.file.data
        shown = review(folder)
        raw = pinned.checked.file.raw
        members = freeze.frozen_members(pinned.definition_hash, pinned.hashes, at)
        new = jsontext.set_members(raw.decode(), members).encode()
        freeze_id = freeze.freeze_id(pinned.definition_hash, pinned.hashes)
        ops: list[Op] = [ReplaceFile(folder.config, raw, new)]
        path = folder.snapshot(freeze_id)
        if not path.exists():
            ops.append(ReplaceFile(path, None, snapshot_bytes(pinned)))
        payload = {
            "definition_hash": pinned.definition_hash, "hashes": dict(pinned.hashes), "freeze": freeze_id,
            "before": data.get("approved_content_hash"), "changes": [change.short for change in shown.changes],
        }  # fmt: skip
        return Plan(ops, payload)

    return log.decide(person, APPROVE, folder.label, plan, lock_on=folder.config, at=now)


def keep_snapshot(folder: EvalFolder) -> tuple[str, bytes] | None:
    """(freeze id, bytes) of the snapshot a fresh eval should have and has not: a freeze that servo made left none."""
    pinned = _pin(folder)
    freeze_id = freeze.freeze_id(pinned.definition_hash, pinned.hashes)
    return None if folder.snapshot(freeze_id).exists() else (freeze_id, snapshot_bytes(pinned))
