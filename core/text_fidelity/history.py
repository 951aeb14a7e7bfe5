"""ledger.jsonl and attempts.jsonl as read: every record or the reason it is none (text contract, Aggregate)."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from core.errors import BadInput, Problem
from core.files import JsonlTail, parse_json, stamp
from core.files.column_tail import ColumnTail
from core.files.columns import LINE, fitted
from core.text_fidelity.columns import CASES, KEPT, SCHEMA, case_problems, case_rows, micros, runs_of
from core.text_fidelity.place import EvalFolder
from core.text_fidelity.runs import CaseRows, Failure, Runs
from core.times import parse_instant


@dataclass(frozen=True, slots=True)
class History:
    """All that happened to an eval, as far as it can be read; ``problems`` holds the rest with file and line."""

    runs: Runs
    failures: tuple[Failure, ...]
    problems: tuple[Problem, ...]
    duplicates: int
    torn: bool


class _Cases:
    """Reads the cases of a ledger's runs: all of them as columns, or a few by their places."""

    def __init__(self, path: Path, file: str) -> None:
        self._tail = ColumnTail(path, SCHEMA, "at", file, keep=["at", "cases"])

    def __call__(self, runs: Runs, rows: np.ndarray | None) -> CaseRows:
        if rows is None:
            return case_rows(self._all(runs), np.arange(len(runs)))
        return case_rows(self._some(runs, rows), rows)

    def _all(self, runs: Runs) -> pa.Array:
        """By line; a line that is no longer there has no cases."""
        self._tail.refresh()
        table = self._tail.columns().table
        lines = table[LINE].to_numpy()
        if not len(lines):
            return pa.nulls(len(runs), CASES)
        found = np.minimum(np.searchsorted(lines, runs.line), len(lines) - 1)
        places = pa.array(found, mask=lines[found] != runs.line)
        return table["cases"].combine_chunks().take(places)

    def _some(self, runs: Runs, rows: np.ndarray) -> pa.Array:
        try:
            with self._tail.path.open("rb") as opened:
                bodies = [os.pread(opened.fileno(), int(runs.length[row]), int(runs.start[row])) for row in rows]
        except OSError:
            return pa.nulls(len(rows), CASES)
        cases = [_cases_in(body) for body in bodies]
        try:
            return pa.array(cases, CASES)
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # another file by now: each record is looked at by itself
            return pa.array([_fitting(one) for one in cases], CASES)


def _cases_in(body: bytes) -> Any:
    """The cases of one record, held to the strict reader when its run was read; None where it is no longer there."""
    try:
        return orjson.loads(body).get("cases")
    except (ValueError, AttributeError):
        return None


def _fitting(cases: Any) -> Any:
    try:
        return fitted(cases, CASES)
    except ValueError:
        return None


class Reader:
    """One eval's history, kept while the program runs: a refresh reads what is new and nothing else."""

    def __init__(self, folder: EvalFolder) -> None:
        self._folder = folder
        label = folder.file_label(folder.ledger)
        self._ledger = ColumnTail(folder.ledger, SCHEMA, "at", label, keep=KEPT)
        self._cases = _Cases(folder.ledger, label)
        self._attempts = JsonlTail(folder.attempts, folder.file_label(folder.attempts))
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._history: History | None = None

    @property
    def bytes_read(self) -> int:
        """Bytes of the ledger read so far."""
        return self._ledger.bytes_read

    def refresh(self) -> tuple[int, int]:
        """Take in what was appended; the version of (ledger, attempts). Raises BadInput for no regular file."""
        return self._ledger.refresh(), self._attempts.refresh()

    def history(self) -> History:
        """What both files hold now; the same object while nothing changed."""
        with self._lock:
            version = self.refresh()
            if self._history is None or version != self._version:
                self._history, self._version = self._made(), version
            return self._history

    def _made(self) -> History:
        columns = self._ledger.columns()
        runs, problems = runs_of(columns, self._ledger.file, self._cases)
        problems += case_problems(runs, self._ledger.file) if runs.few else []
        failures, unread = failures_of(self._attempts)
        return History(runs, failures, (*problems, *unread), columns.duplicates, columns.torn)


def failures_of(tail: JsonlTail) -> tuple[tuple[Failure, ...], list[Problem]]:
    """The failed runs, and a problem for each line that is none."""
    found = tail.lines()
    failures: list[Failure] = []
    problems = list(found.problems)
    for record in found.records:
        try:
            failures.append(_failure(record.line, record.value))
        except (ValueError, TypeError, AttributeError, KeyError):
            problems.append(Problem(tail.file, "not an attempt record (at, outcome, case, reason)", line=record.line))
    return tuple(failures), problems


def _failure(line: int, value: Any) -> Failure:
    when = parse_instant(value["at"])
    outcome, case, reason, kind = value["outcome"], value.get("case"), value["reason"], value.get("kind")
    if outcome not in ("stale", "env_error") or not isinstance(reason, str):
        raise ValueError("another form")
    if not all(one is None or isinstance(one, str) for one in (case, kind)):
        raise ValueError("a case or a kind that is no text")
    f"{case}{reason}{kind}".encode()  # half a surrogate pair is no text either: nothing that shows it could
    at = micros(when.utc.timestamp(), when.utc.microsecond)
    return Failure(line, at, value["at"], outcome, case, reason, kind, when.zone_known)


def record_at(folder: EvalFolder, start: int, length: int) -> dict[str, Any]:
    """One whole ledger record by its place. Raises BadInput when the file no longer holds it there."""
    label = folder.file_label(folder.ledger)
    try:
        with folder.ledger.open("rb") as opened:
            opened.seek(start)
            value = parse_json(opened.read(length), label)
    except OSError as error:
        raise BadInput.of(label, f"cannot be read: {error.strerror}") from None
    if not isinstance(value, dict):
        raise BadInput.of(label, "the record is no longer where it stood")
    return value


_READERS: OrderedDict[Path, Reader] = OrderedDict()
_READERS_LOCK = threading.Lock()
_MOST_READERS = 16


def reader(folder: EvalFolder) -> Reader:
    """The shared reader of an eval, so that every visitor and every rerun reads a ledger once."""
    with _READERS_LOCK:
        found = _READERS.pop(folder.path, None) or Reader(folder)
        _READERS[folder.path] = found
        while len(_READERS) > _MOST_READERS:
            _READERS.popitem(last=False)
        return found


def exists(folder: EvalFolder) -> bool:
    """Whether anything was ever scored or tried here."""
    return stamp(folder.ledger) is not None or stamp(folder.attempts) is not None
