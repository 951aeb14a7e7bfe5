"""A run folder as it stands on disk: everything readable, and a problem for everything that is not.

`read_run` never raises for what a file holds; a damaged file is shown as such and the rest still loads (report-loop
contract, A run folder).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core import files
from core.errors import BadInput, Problem
from core.report_loop import inputs
from core.report_loop.a11y import A11y
from core.report_loop.feedback import document
from core.report_loop.feedback.model import Feedback
from core.report_loop.journal import EDIT_COUNTS, RECORDS, RECORDS_AS_LIST
from core.report_loop.receipt import Receipt
from core.times import Instant, parse_instant
from core.workspace import Workspace

META, MANIFEST, ONE_RECEIPT, RECEIPTS = "run.json", "manifest.json", "receipt.json", "receipts"


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """One receipt of a run: its name in the folder, what it says (None: unreadable), the gate beside it."""

    name: str
    receipt: Receipt | None
    a11y: A11y | None


@dataclass(frozen=True, slots=True)
class RunFiles:
    """What a run folder holds. ``records`` are as written, in the file's order; ``path`` is its path in the workspace.

    ``missing`` is True where there is no iterations file at all, ``unreadable`` where there is one that cannot be read,
    ``incomplete`` where some of its records cannot.
    """

    run: str
    path: str
    title: str = ""
    format: str = ""
    started: Instant | None = None
    environment: str = ""
    records: tuple[Any, ...] = ()
    missing: bool = False
    unreadable: bool = False
    incomplete: bool = False
    receipts: tuple[ReceiptFile, ...] = ()
    edit_counts: Mapping[str, int] | None = None
    node_names: Mapping[str, str] = field(default_factory=dict)
    feedback: Feedback | None = None
    evidence: str = ""
    problems: tuple[Problem, ...] = ()


def read_run(workspace: Workspace, folder: Path) -> RunFiles:
    """Everything in one run folder."""
    return _read(workspace, folder, whole=True)


def read_head(workspace: Workspace, folder: Path) -> RunFiles:
    """What a list says about a run: its records and the receipt that the latest of them names, or else all receipts.

    No manifest, budget, accessibility gate or feedback; ``problems`` are those of what was read.
    """
    return _read(workspace, folder, whole=False)


def _read(workspace: Workspace, folder: Path, *, whole: bool) -> RunFiles:
    reader = _Reader(workspace, folder)
    meta = reader.mapping(META)
    records, missing, unreadable = reader.records()
    named = None if whole else named_receipt(records)
    receipts = reader.receipts(named, with_gate=whole)
    return RunFiles(
        run=folder.name,
        path=workspace.label(folder),
        title=reader.text(meta, "title") or folder.name,
        format=reader.text(meta, "format"),
        started=reader.instant(meta, "started_at"),
        environment=reader.text(meta, "env_fingerprint"),
        records=records,
        missing=missing,
        unreadable=unreadable,
        incomplete=reader.incomplete,
        receipts=receipts,
        edit_counts=reader.edit_counts() if whole else None,
        node_names=reader.node_names() if whole else {},
        feedback=reader.feedback() if whole else None,
        evidence=reader.evidence,
        problems=tuple(reader.problems),
    )


def named_receipt(records: Sequence[Any]) -> str | None:
    """The receipt that the latest record which names one names: a file of the run folder, or None."""
    for record in reversed(records):
        name = record.get("receipt") if isinstance(record, Mapping) else None
        if isinstance(name, str) and (name == ONE_RECEIPT or name.startswith(f"{RECEIPTS}/")) and ".." not in name:
            return name
    return None


def stamps(folder: Path) -> tuple[Any, ...]:
    """What the run's files are now, cheaply: changes whenever one of them was added, removed or rewritten."""
    found: list[tuple[str, int, int]] = []
    _scan(str(folder), "", found)
    return tuple(sorted(found))


def _scan(folder: str, prefix: str, found: list[tuple[str, int, int]]) -> None:
    """Thousands of runs are looked at every few seconds: names as texts, and no folder opened that is not there."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_file():
                    status = entry.stat()
                    found.append((prefix + entry.name, status.st_mtime_ns, status.st_size))
                elif entry.name == RECEIPTS and not prefix:
                    _scan(entry.path, f"{RECEIPTS}/", found)
    except OSError:
        return  # not ours to read: no stamp, so that its coming is a change


class _Reader:
    """Reads the files of one folder and keeps what went wrong."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.folder = folder
        self.prefix = workspace.label(folder)
        self.problems: list[Problem] = []
        self.evidence = ""
        self.incomplete = False

    def label(self, name: str) -> str:
        return f"{self.prefix}/{name}"

    def json(self, name: str) -> Any:
        """The JSON of a file; None when it is not there, or cannot be read (then with a problem)."""
        path = self.folder / name
        if files.stamp(path) is None:
            return None
        try:
            return files.read_json(path, self.label(name))
        except BadInput as error:
            self.problems.append(error.problem)
            return None

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self.json(name)
        if value is None or isinstance(value, Mapping):
            return value or {}
        self.problems.append(Problem(self.label(name), "must be an object"))
        return {}

    def text(self, meta: Mapping[str, Any], key: str) -> str:
        value = meta.get(key)
        if value is not None and not isinstance(value, str):
            self.problems.append(Problem(self.label(META), "must be a text", position=key))
            return ""
        return value or ""

    def instant(self, meta: Mapping[str, Any], key: str) -> Instant | None:
        text = self.text(meta, key)
        if not text:
            return None
        try:
            return parse_instant(text)
        except ValueError as error:
            self.problems.append(Problem(self.label(META), str(error), position=key))
            return None

    def records(self) -> tuple[tuple[Any, ...], bool, bool]:
        """The records, whether there is no such file, whether it cannot be read."""
        present = [name for name in (RECORDS, RECORDS_AS_LIST) if files.stamp(self.folder / name) is not None]
        if not present:
            return (), True, False
        if len(present) == 2:
            reason = f"{RECORDS} is there too, and is the one that is read"
            self.problems.append(Problem(self.label(RECORDS_AS_LIST), reason))
        name = present[0]
        try:
            raw = files.read_bytes(self.folder / name, self.label(name))
            self.evidence = evidence_hash(raw)
            found = inputs.parse_iterations(raw, self.label(name), lines=name == RECORDS)
        except BadInput as error:
            self.problems.append(error.problem)
            return (), False, True
        self.problems += found.problems
        self.incomplete = bool(found.problems)
        return found.items, False, False

    def receipts(self, named: str | None, *, with_gate: bool) -> tuple[ReceiptFile, ...]:
        if named is not None and files.stamp(self.folder / named) is not None:
            return (self._receipt(named, with_gate),)
        names = [ONE_RECEIPT] if files.stamp(self.folder / ONE_RECEIPT) is not None else []
        if (self.folder / RECEIPTS).is_dir():
            found = sorted((self.folder / RECEIPTS).glob("*.receipt.json"))
            names += [f"{RECEIPTS}/{path.name}" for path in found]
        return tuple(self._receipt(name, with_gate) for name in names)

    def _receipt(self, name: str, with_gate: bool) -> ReceiptFile:
        path = self.folder / name
        gate = self._gate(path) if with_gate else None
        try:
            receipt = inputs.load_receipt(path, self.label(name))
        except BadInput as error:
            self.problems.append(error.problem)
            return ReceiptFile(name, None, gate)
        self.problems += receipt.problems
        return ReceiptFile(name, receipt, gate)

    def _gate(self, receipt: Path) -> A11y | None:
        path = inputs.beside(receipt)
        gate = inputs.load_a11y(path, self.label(path.relative_to(self.folder).as_posix()))
        if gate is not None:
            self.problems += gate.problems
        return gate

    def edit_counts(self) -> Mapping[str, int] | None:
        counts = self.mapping(EDIT_COUNTS)
        good = {node: count for node, count in counts.items() if type(count) is int and count >= 0}
        for node in sorted(counts.keys() - good.keys()):
            self.problems.append(Problem(self.label(EDIT_COUNTS), "must be a whole number from 0 on", position=node))
        return good or None

    def node_names(self) -> Mapping[str, str]:
        """Names of nodes out of the manifest's bindings, as far as they are there."""
        bindings = self.mapping(MANIFEST).get("bindings")
        if isinstance(bindings, Mapping):
            entries = list(bindings.items())
        else:
            entries = list(enumerate(bindings)) if isinstance(bindings, list) else []
        names: dict[str, str] = {}
        for key, binding in entries:
            fields = binding if isinstance(binding, Mapping) else {"name": binding}
            node = fields.get("node_id", fields.get("node", fields.get("id", key)))
            name = fields.get("name", fields.get("label", fields.get("title")))
            if isinstance(node, str) and isinstance(name, str):
                names[node] = name
        return names

    def feedback(self) -> Feedback | None:
        try:
            return document.current(self.folder)
        except BadInput as error:
            self.problems.append(replace(error.problem, file=self.label(error.problem.file)))
            return None


def evidence_hash(records: bytes) -> str:
    """The digest of an iterations file: a decision holds for the iterations it was taken on, and no others."""
    return hashlib.sha256(records).hexdigest()[:16]
