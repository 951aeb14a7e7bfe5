"""Ledger records as arrays: the columns they are held to, and what each becomes (text-fidelity contract, Aggregate)."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.errors import Problem
from core.files.column_tail import Columns
from core.files.columns import LENGTH, LINE, START
from core.text_fidelity.runs import CaseRows, Coded, LoadCases, Runs
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
"""What a record is held to. Reasons and usage stay in the file and are read when one run is opened."""

KEPT = [name for name in SCHEMA.names if name != "cases"]
"""What is read of every record; cases follow where they are needed."""

CASES = SCHEMA.field("cases").type
_ISO_UTC = r"^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?Z$"


def runs_of(columns: Columns, file: str, load: LoadCases) -> tuple[Runs, list[Problem]]:
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
        _numbers(table["threshold"]), _numbers(table["delta"]), load,
    )  # fmt: skip
    return runs, sorted(problems, key=lambda problem: problem.line or 0)


def case_problems(runs: Runs, file: str) -> list[Problem]:
    """What the cases of readable records hold that is no sample or no bound: shown, and part of no figure."""
    cases, sound = runs.cases, runs.cases.sound
    bounded = np.isnan(cases.bound) | ((cases.bound >= 0) & (cases.bound <= 1))
    found: list[Problem] = []
    for i in np.flatnonzero(~(sound & bounded)):
        what = f"case {cases.case.word(int(i))!r}: {'the bound' if sound[i] else 'a sample'} is no number in [0, 1]"
        found.append(Problem(file, what, line=int(runs.line[cases.run[i]])))
    return found


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


def case_rows(cases: pa.Array, rows: np.ndarray) -> CaseRows:
    """The cases of the runs ``rows``, one list each, as arrays."""
    flat = cases.flatten()
    run = rows[pc.list_parent_indices(cases).to_numpy(zero_copy_only=False).astype(np.int64)]
    if flat.null_count:  # a null among the cases is no case
        present = flat.is_valid()
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
