"""The journal of a run on disk: every iteration is there before the next begins (report-loop contract, The driver).

One iteration is kept in this order, so that a kill at any instant leaves either all of it or a try that is made again:

1. the draft it is about, ``drafts/NNN.<suffix>`` (kept for good, accepted or not);
2. its receipt and accessibility gate in ``receipts/``;
3. its record, appended to the iterations file: from here on the iteration has happened;
4. where it was accepted, ``draft.<suffix>`` takes over the new content; `heal` does it after a kill in between.

A reverted candidate never touches ``draft.<suffix>``, which is why it is the same byte for byte afterwards.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core import files
from core.errors import BadInput, Conflict, Unavailable, UnsafePath
from core.files import Lock, jsontext, scratch
from core.files.steps import sweep
from core.report_loop import inputs
from core.report_loop.loop import Record, Scoring, edit_counts

RECORDS = "iterations.jsonl"
RECORDS_AS_LIST = "iterations.json"
EDIT_COUNTS = "edit_counts.json"
WORK = ".work"


class FolderJournal:
    """A run folder as a `Journal` of bytes. ``draft`` is the file that holds the draft in force."""

    def __init__(self, folder: Path, draft: Path, lock: Lock) -> None:
        """Open a run. Raises BadInput for records that cannot be read; Conflict as `heal` does."""
        self.folder, self.draft, self._lock = folder, draft, lock
        self._as_list = (folder / RECORDS_AS_LIST).exists() and not (folder / RECORDS).exists()
        self.heal()

    def records(self) -> list[Record]:
        """The iterations on disk, in order. Raises BadInput for a line that is no record (a torn last line is none)."""
        path = self.folder / (RECORDS_AS_LIST if self._as_list else RECORDS)
        if files.stamp(path) is None:
            return []
        read = inputs.load_iterations(path, str(path))
        if read.damaged is not None and not self._were_torn(read.problems):
            raise BadInput(read.damaged)
        found = list(read.items)
        for number, record in enumerate(found, start=1):
            if not isinstance(record, dict) or record.get("index") != number:
                raise BadInput.of(
                    str(self.folder), f"iteration {number} is not in its place: the loop cannot go on from it"
                )
        return found

    def _were_torn(self, problems: Sequence[files.Problem]) -> bool:
        """Lines that a crash cut short stay where they are, and what followed them is whole: no reason to stop."""
        return all("cut" in problem.reason for problem in problems)

    def standing(self) -> bytes | None:
        """The draft in force; None before the first iteration."""
        return files.read_bytes(self.draft) if self.records() else None

    def heal(self) -> None:
        """Finish an iteration that was recorded and not yet put in force.

        Raises Conflict when the draft holds what no iteration left there: somebody edited it, and the scores on disk
        are not about it.
        """
        for path in (self.draft, self.folder / RECORDS_AS_LIST, self.folder / EDIT_COUNTS):
            sweep(path)
        records = self.records()
        self._heal_draft(records)
        if any(isinstance(record.get("draft_sha256"), str) for record in records):
            self._count(records)

    def _heal_draft(self, records: list[Record]) -> None:
        expected = self._in_force(records)
        if expected is None:
            return
        current = files.read_bytes(self.draft)
        if digest(current) == expected:
            return
        replaced = [before for before in (self._in_force(records[:-1]),) if before]
        copy = self._copy_of(expected)
        if digest(current) in replaced and copy is not None:
            files.replace(self.draft, copy, expected=current, lock=self._lock)
            return
        raise Conflict(
            f"{self.draft.name} is not what iteration {len(records)} left there; put drafts/ back or start a new run"
        )

    def _in_force(self, records: list[Record]) -> str | None:
        """The digest of the draft that stands after these records, where they say so."""
        for record in reversed(records):
            if record.get("accepted") is not False:
                digest_ = record.get("draft_sha256")
                return digest_ if isinstance(digest_, str) else None
        return None

    def _copy_of(self, wanted: str) -> bytes | None:
        for path in sorted((self.folder / "drafts").glob("*")):
            content = files.read_bytes(path)
            if digest(content) == wanted:
                return content
        return None

    def commit(self, record: Record, draft: bytes, scoring: Scoring | None) -> None:
        """Keep one iteration for good, in the order that stands above."""
        name = f"{record['index']:03d}"
        for suffix in ("receipt", "a11y"):
            if scoring is None or suffix not in scoring.files:
                self._set_aside(self.folder / "receipts" / f"{name}.{suffix}.json")
        if scoring is not None:
            self._put(self.draft_copy(record["index"]), draft)
            for suffix, document in scoring.files.items():
                self._put(self.folder / "receipts" / f"{name}.{suffix}.json", _json(document))
            if "receipt" in scoring.files:
                record["receipt"] = f"receipts/{name}.receipt.json"
        record["draft_sha256"] = digest(draft)
        self._append(record)
        if record.get("accepted") is True:
            files.replace(self.draft, draft, expected=files.read_bytes(self.draft), lock=self._lock)
        self._count(self.records())

    def _set_aside(self, path: Path) -> None:
        """What another attempt left at this place says nothing about this iteration and must not lie beside it."""
        if path.exists():
            kept = self.folder / WORK / f"{path.name.removesuffix('.json')}-{secrets.token_hex(4)}.json"
            if not scratch.keep(kept, files.read_bytes(path)):
                raise Unavailable(f"{kept.parent} cannot be written")
            scratch.drop(path)

    def _count(self, records: list[Record]) -> None:
        """The edits of each node, made out of the records, so that a kill in between costs nothing."""
        counts = edit_counts(records)
        if counts:
            self._put(self.folder / EDIT_COUNTS, _json(counts))

    def draft_copy(self, index: int) -> Path:
        """Where the draft of one iteration is kept."""
        return self.folder / "drafts" / f"{index:03d}{self.draft.suffix}"

    def candidate(self, draft: bytes) -> Path:
        """A file with the draft in it for the reviser to edit; it is not the draft.

        Each try has its own: a reviser that outlived a killed loop still writes into the old one.
        """
        path = self.folder / WORK / f"candidate-{secrets.token_hex(4)}{self.draft.suffix}"
        if not scratch.keep(path, draft):
            raise Unavailable(f"{path.parent} cannot be written")
        return path

    def tidy(self) -> None:
        """Remove the candidates of earlier tries."""
        for path in (self.folder / WORK).glob("candidate-*"):
            scratch.drop(path)

    def keep(self, index: int, draft: bytes) -> Path:
        """Put a candidate where it will be kept, so that it can be scored there."""
        path = self.draft_copy(index)
        self._put(path, draft)
        return path

    def _append(self, record: Mapping[str, Any]) -> None:
        if not self._as_list:
            files.append_jsonl(self.folder / RECORDS, record, self._lock)
            return
        path = self.folder / RECORDS_AS_LIST
        before = files.read_bytes(path)
        text = before.decode("utf-8")  # it was read strictly
        start = jsontext.outermost(text)
        if text[start] == "{":
            start = next(member.value_start for member in jsontext.members(text) if member.name == "iterations")
        after = jsontext.append_element(text, start, dict(record))
        files.replace(path, jsontext.encoded(after), expected=before, lock=self._lock)

    def _put(self, path: Path, content: bytes) -> None:
        """Write what only this loop writes; the same content is not written again, and what a kill left is removed."""
        if path.is_symlink():
            raise UnsafePath(f"{path.parent.name}/{path.name} is a link; the loop writes its own files through none")
        sweep(path)
        before = files.read_bytes(path) if path.exists() else None
        if before != content:
            files.replace(path, content, expected=before, lock=self._lock)


def digest(content: bytes) -> str:
    """The sha256 of a draft, in hex."""
    return hashlib.sha256(content).hexdigest()


def _json(value: Any) -> bytes:
    return jsontext.encoded(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
