"""ledger.jsonl and attempts.jsonl as read: every record or the reason it is none (text contract, Aggregate)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.errors import BadInput, Problem
from core.files import JsonlTail, parse_json, stamp
from core.files.column_tail import Columns, ColumnTail
from core.files.columns import LENGTH, LINE, START
from core.text_fidelity.place import EvalFolder
from core.text_fidelity.runs import CaseRows, Coded, Failure, Runs
from core.times import parse_instant

_CASE = pa.struct([
    ("id", pa.string()), ("samples", pa.list_(pa.float64())), ("lower_bound", pa.float64()),
    ("weight", pa.float64()), ("artifact_sha256", pa.string()),
])  # fmt: skip
SCHEMA = pa.schema([
    ("at", pa.string()), ("model", pa.string()), ("transport", pa.string()), ("composite", pa.float64()),
    ("definition_hash", pa.string()), ("threshold", pa.float64()), ("delta", pa.float64()), ("freeze", pa.string()),
    ("cases", pa.list_(_CASE)),
])  # fmt: skip
"""What a chart needs of a record. Reasons and usage stay in the file and are read when one run is opened."""

_ISO_UTC = r"^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?Z$"


@dataclass(frozen=True, slots=True)
class History:
    """All that happened to an eval, as far as it can be read; ``problems`` holds the rest with file and line."""

    runs: Runs
    failures: tuple[Failure, ...]
    problems: tuple[Problem, ...]
    duplicates: int
    torn: bool


def runs_of(columns: Columns, file: str) -> tuple[Runs, list[Problem]]:
    """The records of a ledger as arrays, and a problem for each that is no run (no time, no composite)."""
    table, problems = columns.table, list(columns.problems)
    problems += [Problem(file, _misfit(odd.value), line=odd.line) for odd in columns.odd]
    at, zone_known, unreadable = _instants(table["at"])
    missing = table["composite"].is_null().to_numpy() if table.num_rows else np.zeros(0, bool)
    lines = table[LINE].to_numpy()
    problems += [Problem(file, "a record without a composite", line=int(line)) for line in lines[missing & ~unreadable]]
    problems += [Problem(file, "a record without a readable time", line=int(line)) for line in lines[unreadable]]
    good = ~(unreadable | missing)
    if not good.all():
        table, at, zone_known = table.filter(pa.array(good)), at[good], zone_known[good]
    runs = Runs(
        table[LINE].to_numpy(), table[START].to_numpy(), table[LENGTH].to_numpy(), at, zone_known,
        table["composite"].to_numpy(), coded(table["definition_hash"]), _judges(table), coded(table["freeze"]),
        _numbers(table["threshold"]), _numbers(table["delta"]), _case_rows(table["cases"]),
    )  # fmt: skip
    return runs, sorted(problems, key=lambda problem: problem.line or 0)


def _judges(table: pa.Table) -> Coded:
    """``model/transport`` of each record; the record's own words, servo's ``api`` where it names no transport."""
    model, transport = coded(table["model"]), coded(table["transport"])
    ways = transport.words if "api" in transport.words else (*transport.words, "api")
    words = tuple(f"{name}/{way}" for name in model.words for way in ways)
    way = np.where(transport.codes < 0, ways.index("api"), transport.codes)
    return Coded(np.where(model.codes < 0, -1, model.codes * len(ways) + way), words)


def _misfit(value: Any) -> str:
    if not isinstance(value, dict):
        return "not a JSON object"
    for name, wanted in (("composite", (int, float)), ("at", str), ("definition_hash", str), ("cases", list)):
        found = value.get(name)
        if found is not None and (not isinstance(found, wanted) or isinstance(found, bool)):
            return f"not a ledger record: {name} is {_kind(found)}"
    return "not a ledger record: a value is of another type than the ledger's"


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")


def coded(values: pa.ChunkedArray) -> Coded:
    """A text column as codes. An empty text counts as none."""
    encoded = values.combine_chunks().dictionary_encode()
    words = tuple(encoded.dictionary.to_pylist())
    indices = pc.fill_null(encoded.indices, -1) if encoded.null_count else encoded.indices
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    if "" in words:
        codes = np.where(codes == words.index(""), -1, codes)
    return Coded(codes, words)


def _numbers(values: pa.ChunkedArray | pa.Array) -> np.ndarray:
    filled = pc.fill_null(values, np.nan) if values.null_count else values
    return np.asarray(filled.to_numpy() if isinstance(filled, pa.ChunkedArray) else filled.to_numpy(False), np.float64)


def _instants(values: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """UTC µs, whether the zone is known, and which times cannot be read; the usual spelling is read in bulk."""
    quick = _all_usual(values)
    if quick is not None:
        return quick, np.ones(len(values), bool), np.zeros(len(values), bool)
    usual = pc.and_(pc.fill_null(pc.match_substring_regex(values, _ISO_UTC), False), _real_days(values))
    at = np.zeros(len(values), np.int64)
    zone_known = np.ones(len(values), bool)
    unreadable = np.zeros(len(values), bool)
    mask = usual.to_numpy() if len(values) else np.zeros(0, bool)
    at[mask] = values.filter(usual).cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy()
    for row in np.flatnonzero(~mask):
        try:
            instant = parse_instant(values[int(row)].as_py() or "")
        except ValueError:
            unreadable[row] = True
            continue
        at[row], zone_known[row] = micros(instant.utc.timestamp(), instant.utc.microsecond), instant.zone_known
    return at, zone_known, unreadable


def _all_usual(values: pa.ChunkedArray) -> np.ndarray | None:
    """UTC µs where every time is ``YYYY-MM-DDTHH:MM:SSZ`` of a moment that exists, as servo writes it; else None."""
    lengths = pc.min_max(pc.utf8_length(values)).as_py()
    if values.null_count or lengths != {"min": 20, "max": 20}:
        return None
    try:
        return np.asarray(values.cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy())
    except pa.ArrowInvalid:
        return None


def _real_days(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which times are on a day that exists; there are few days, so each is asked once."""
    days = pc.utf8_slice_codeunits(values, 0, 10)
    real = []
    for day in pc.unique(days).to_pylist():
        try:
            real.append(date.fromisoformat(day or "").isoformat())
        except ValueError:
            continue
    return pc.is_in(days, value_set=pa.array(real, pa.string()))


def micros(seconds: float, microsecond: int) -> int:
    """An aware datetime's timestamp and microsecond as µs since 1970, without a float's rounding."""
    return int(seconds // 1) * 1_000_000 + microsecond


def _case_rows(values: pa.ChunkedArray) -> CaseRows:
    cases = values.combine_chunks()
    flat = cases.flatten()
    run = pc.list_parent_indices(cases).to_numpy(zero_copy_only=False).astype(np.int64)
    present = flat.is_valid()
    if flat.null_count:  # a null among the cases is no case
        run, flat = run[present.to_numpy(zero_copy_only=False)], flat.filter(present)
    samples = flat.field("samples")
    lengths = pc.list_value_length(samples)
    counts = (pc.fill_null(lengths, 0) if lengths.null_count else lengths).to_numpy(zero_copy_only=False)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return CaseRows(
        run, coded(pa.chunked_array([flat.field("id")])), _numbers(flat.field("lower_bound")),
        _numbers(flat.field("weight")), coded(pa.chunked_array([flat.field("artifact_sha256")])),
        starts, _numbers(samples.flatten()),
    )  # fmt: skip


class Reader:
    """One eval's history, kept while the program runs: a refresh reads what is new and nothing else."""

    def __init__(self, folder: EvalFolder) -> None:
        self._folder = folder
        self._ledger = ColumnTail(folder.ledger, SCHEMA, "at", folder.file_label(folder.ledger))
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
        runs, problems = runs_of(columns, self._ledger.file)
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
    return Failure(line, micros(when.utc.timestamp(), when.utc.microsecond), value["at"], outcome, case, reason, kind)


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
