"""A run folder as it stands on disk: everything readable, and a problem for everything that is not.

`read_run` never raises for what a file holds; a damaged file is shown as such and the rest still loads (report-loop
contract, A run folder).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core import files
from core.errors import BadInput, Problem
from core.report_loop import inputs
from core.report_loop.a11y import A11y, unreadable
from core.report_loop.feedback import document
from core.report_loop.feedback.model import Feedback
from core.report_loop.journal import EDIT_COUNTS, RECORDS, RECORDS_AS_LIST
from core.report_loop.named import named_receipt, receipt_of
from core.report_loop.receipt import Receipt, plain
from core.report_loop.stop import in_order
from core.times import Instant, parse_instant
from core.workspace import Workspace

META, MANIFEST, ONE_RECEIPT, RECEIPTS = "run.json", "manifest.json", "receipt.json", "receipts"
_RECEIPT_END = ".receipt.json"
_FILE_NAME = re.compile(r"(?!\.)[^/\\\x00-\x1f]{1,255}")  # no hidden file: `stamps` sees none change


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """One receipt of a run: its name in the folder, what it says (None: unreadable, or gone), the gate beside it."""

    name: str
    receipt: Receipt | None
    a11y: A11y | None

    def goes_by(self, named: str) -> bool:
        """True when this is the file that a record names, with its folder or without."""
        return named in (self.name, self.name.removeprefix(f"{RECEIPTS}/"))


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
    """What a list says about a run: its records and the receipt of the draft that stands, or else all receipts.

    No manifest, budget, accessibility gate or feedback; ``problems`` are those of what was read.
    """
    return _read(workspace, folder, whole=False)


def _read(workspace: Workspace, folder: Path, *, whole: bool) -> RunFiles:
    reader = _Reader(workspace, folder)
    meta = reader.mapping(META)
    records, missing, unreadable = reader.records()
    ordered, _ = in_order(records)
    named = named_receipt(ordered)
    receipts = reader.receipts(ordered) if whole or named is None else (reader.receipt(named, with_gate=False),)
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
        self.root, self.folder = workspace.root, folder
        self.prefix = workspace.label(folder)
        self.problems: list[Problem] = []
        self.evidence = ""
        self.incomplete = False

    def label(self, name: str) -> str:
        return f"{self.prefix}/{name}"

    def at(self, name: str) -> Path | None:
        """Where a file is, None when it is not there. Raises BadInput where a link leads out of the workspace."""
        return inputs.locate(self.root, self.folder, name, self.label(name))

    def json(self, name: str) -> Any:
        """The JSON of a file; None when it is not there, or cannot be read (then with a problem)."""
        try:
            path = self.at(name)
            return None if path is None else files.read_json(path, self.label(name))
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
        try:
            present = [name for name in (RECORDS, RECORDS_AS_LIST) if self.at(name) is not None]
            if not present:
                return (), True, False
            if len(present) == 2:
                reason = f"{RECORDS} is there too, and is the one that is read"
                self.problems.append(Problem(self.label(RECORDS_AS_LIST), reason))
            name = present[0]
            raw = files.read_bytes(self.folder / name, self.label(name))
            self.evidence = evidence_hash(raw)
            found = inputs.parse_iterations(raw, self.label(name), lines=name == RECORDS)
        except BadInput as error:
            self.problems.append(error.problem)
            return (), False, True
        self.problems += found.problems
        self.incomplete = bool(found.problems)
        return found.items, False, False

    def receipts(self, records: Sequence[Mapping[str, Any]]) -> tuple[ReceiptFile, ...]:
        """Every receipt in the folder, and every one that a record names: it may have another name, or be gone."""
        found = [self.receipt(name, with_gate=True) for name in self._lying_there()]
        for name in dict.fromkeys(filter(None, map(receipt_of, records))):
            if not any(file.goes_by(name) for file in found):
                found.append(self.receipt(name, with_gate=True))
        return tuple(found)

    def _lying_there(self) -> list[str]:
        names = [ONE_RECEIPT] if os.path.lexists(self.folder / ONE_RECEIPT) else []
        try:
            if self.at(RECEIPTS) is not None:
                found = sorted(entry for entry in os.listdir(self.folder / RECEIPTS) if entry.endswith(_RECEIPT_END))
                names += [f"{RECEIPTS}/{name}" for name in found if not name.startswith(".")]
        except BadInput as error:
            self.problems.append(error.problem)
        except NotADirectoryError:
            self.problems.append(Problem(self.label(RECEIPTS), "is not a folder"))
        except OSError as error:
            self.problems.append(Problem(self.label(RECEIPTS), f"cannot be opened: {error.strerror}"))
        return names

    def receipt(self, named: str, *, with_gate: bool) -> ReceiptFile:
        """A receipt by the name that a record or the folder gives it; with a problem where it cannot be read."""
        name, gate = named, None
        try:
            name, path = self._named(named)
            gate = self._gate(name) if with_gate else None
            receipt = inputs.load_receipt(path, self.label(name))
        except BadInput as error:
            self.problems.append(error.problem)
            return ReceiptFile(name, None, gate)
        self.problems += receipt.problems
        return ReceiptFile(name, receipt, gate)

    def _named(self, named: str) -> tuple[str, Path]:
        """Name in the run folder and place of a receipt. Raises BadInput for one that is not there or not allowed."""
        file = named.removeprefix(f"{RECEIPTS}/")
        if not _FILE_NAME.fullmatch(file):
            reason = f"a receipt lies in the run folder or its {RECEIPTS}/, and its name begins with no dot"
            raise BadInput.of(self.label(plain(named)[:120]), reason)
        for name in dict.fromkeys((named, f"{RECEIPTS}/{file}")):
            path = self.at(name)
            if path is not None:
                return name, path
        raise BadInput.of(self.label(named), "no such file, and an iteration names it as its receipt")

    def _gate(self, receipt: str) -> A11y | None:
        beside = inputs.beside(self.folder / receipt).relative_to(self.folder).as_posix()
        try:
            path = self.at(beside)
        except BadInput as error:
            gate: A11y | None = unreadable(self.label(beside), error.problem)
        else:
            gate = None if path is None else inputs.load_a11y(path, self.label(beside))
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
            return document.current(self.folder, self.root)
        except BadInput as error:
            self.problems.append(replace(error.problem, file=self.label(error.problem.file)))
            return None


def evidence_hash(records: bytes) -> str:
    """The digest of an iterations file: a decision holds for the iterations it was taken on, and no others."""
    return hashlib.sha256(records).hexdigest()[:16]
