"""Everything the page shows of one eval, read once and shared: the ledger understood, the chart, one run opened."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from core.errors import BadInput
from core.judge.protocol import PRACTICE_PREFIX
from core.text_fidelity import approval, changes, freeze
from core.text_fidelity.artifacts import artifact_text
from core.text_fidelity.chart import CaseLine, Chart, case_lines, chart
from core.text_fidelity.columns import micros
from core.text_fidelity.config import Policy
from core.text_fidelity.history import History, reader, record_at
from core.text_fidelity.ledger import Reading, breaks, refreezes
from core.text_fidelity.noise import CaseNoise, judge_noise
from core.text_fidelity.place import EvalFolder
from core.text_fidelity.report import policy_of, reading_of
from core.text_fidelity.runs import Failure, Runs
from core.text_fidelity.worddiff import Piece, word_diff
from core.times import parse_instant

_FURTHEST = 200
"""How many runs back the text before is looked for."""


@dataclass(frozen=True)
class Book:
    """One eval's history as understood at a moment, with what the config says about it."""

    folder: EvalFolder
    history: History
    reading: Reading
    policy: Policy | None
    now_us: int

    @property
    def current(self) -> int | None:
        """The row that the page opens with: the latest trusted run, else the last in time."""
        if self.reading.latest is not None:
            return self.reading.latest
        return int(self.reading.order[-1]) if len(self.reading.order) else None

    @property
    def failures(self) -> list[Failure]:
        """The runs without a score up to now; one that a clock put into the future is no gap yet."""
        return [failure for failure in self.history.failures if failure.at <= self.now_us]

    @property
    def failed_since(self) -> Failure | None:
        """The newest run without a score, if it came after the latest scored one; at a time that can be trusted."""
        known = [failure for failure in self.failures if failure.zone_known]
        last = max(known, key=lambda failure: failure.at, default=None)
        row = self.reading.latest
        return last if last is not None and (row is None or last.at > int(self.reading.runs.at[row])) else None

    @property
    def practice(self) -> bool:
        """True when the latest score came from the practice judge."""
        row = self.reading.latest
        judge = self.reading.runs.judge.word(row) if row is not None else None
        return judge is not None and judge.startswith(PRACTICE_PREFIX)


def book(folder: EvalFolder, now: datetime) -> Book:
    """Read what is new of an eval and understand it. Raises BadInput when its ledger is no regular file."""
    history = reader(folder).history()
    now_us = micros(now.timestamp(), now.microsecond)
    return Book(folder, history, reading_of(folder, history, now), policy_of(folder), now_us)


def version(folder: EvalFolder) -> tuple[Any, ...]:
    """Something that differs whenever `book` would: a few stats, and the bytes that were appended."""
    return reader(folder).refresh()


def drawn(made: Book, window: int | None = None) -> tuple[Chart, list[CaseLine]]:
    """The chart and its cases for the last ``window`` runs."""
    marks = [(before, after, True) for before, after in breaks(made.reading)]
    marks += [(before, after, False) for before, after in refreezes(made.reading)]
    picture = chart(made.reading, made.failures, marks, window=window)
    return picture, case_lines(made.reading, picture)


def what_changed(made: Book, before: int, after: int) -> list[str]:
    """What a change of definition (or of frozen texts) between two runs was, in a few words each.

    By the two freezes' snapshots where both are kept; else by what the two records themselves show.
    """
    runs = made.reading.runs
    old = approval.snapshot(made.folder, runs.freeze.word(before))
    new = approval.snapshot(made.folder, runs.freeze.word(after))
    if old is not None and new is not None:
        found = changes.between(old["definition"], new["definition"], old["texts"], new["texts"])
        return [change.short for change in found]
    return _by_records(runs, before, after)


def _by_records(runs: Runs, before: int, after: int) -> list[str]:
    old, new = _shape(runs, before), _shape(runs, after)
    found = [f"{name} {old[name]} → {new[name]}" for name in ("judge", "n", "threshold", "δ") if old[name] != new[name]]
    gone, added = old["cases"].keys() - new["cases"].keys(), new["cases"].keys() - old["cases"].keys()
    found += [f"case {name!r} removed" for name in sorted(gone)] + [f"case {name!r} added" for name in sorted(added)]
    found += [
        f"case {name!r}: weight {weight} → {new['cases'][name]}"
        for name, weight in old["cases"].items()
        if name in new["cases"] and new["cases"][name] != weight
    ]
    return found or ["something the records do not show"]


def _shape(runs: Runs, row: int) -> dict[str, Any]:
    cases = runs.cases_of(np.array([row]))
    start, end = cases.of(row)
    counts = sorted({int(cases.starts[i + 1] - cases.starts[i]) for i in range(start, end)})
    return {
        "judge": runs.judge.word(row), "n": "/".join(map(str, counts)), "threshold": _plain(runs.threshold[row]),
        "δ": _plain(runs.delta[row]),
        "cases": {cases.case.word(i) or "": _plain(cases.weight[i]) for i in range(start, end)},
    }  # fmt: skip


def _plain(value: float) -> str:
    return "not recorded" if value != value else f"{value:g}"


def noise(made: Book, row: int) -> list[CaseNoise]:
    """The judge's noise over the series of a run; empty where the config, which has k and δ, cannot be used."""
    series = made.reading.series_of(row)
    if made.policy is None or series is None:
        return []
    return judge_noise(made.reading.runs, series, k=made.policy.samples.k, delta=made.policy.samples.delta)


@dataclass(frozen=True)
class OpenedCase:
    """One case of one run. A text that was not kept is None, with the reason in ``missing``; so is a sample that is
    no number, in its place among the others and their reasons.
    """

    case: str
    weight: float | None
    bound: float | None
    samples: tuple[float | None, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    reference: str | None
    reference_name: str
    text: str | None
    missing: str
    before: str | None
    before_run: int | None
    same_text: bool
    held: bool

    @property
    def diff(self) -> list[Piece] | None:
        """What changed since the previous run's text; None where one of the two was not kept."""
        return None if self.text is None or self.before is None else word_diff(self.before, self.text)


@dataclass(frozen=True)
class Opened:
    """One run, whole: its record as it stands in the ledger, and its cases with their texts."""

    row: int
    record: Mapping[str, Any]
    cases: tuple[OpenedCase, ...]

    @property
    def practice(self) -> bool:
        """True when the practice judge gave these scores: no model stands behind them."""
        return self.record.get("practice") is True


def opened(made: Book, row: int) -> Opened:
    """Open one run. Raises BadInput when the ledger no longer holds it there."""
    runs = made.reading.runs
    record = record_at(made.folder, int(runs.start[row]), int(runs.length[row]))
    if not _is_time(record.get("at")):
        label = made.folder.file_label(made.folder.ledger)
        raise BadInput.of(label, "the record is no longer where it stood", line=int(runs.line[row]))
    held = approval.snapshot(made.folder, runs.freeze.word(row)) or _current(made, runs.definition.word(row))
    cases = record.get("cases") if isinstance(record.get("cases"), list) else []
    return Opened(row, record, tuple(_case(made, row, one, held) for one in cases or [] if isinstance(one, dict)))


def _current(made: Book, definition: str | None) -> Mapping[str, Any] | None:
    """Definition and texts as they stand now, if this is the definition of the run."""
    found = approval.state(made.folder)
    if found.checked is None or definition is None or found.definition_hash != definition or not found.fresh:
        return None
    texts = {ref.path: ref.text for ref in found.checked.references.values() if ref.path}
    return {"definition": freeze.definition(found.checked.file.data), "texts": texts}


def _case(made: Book, row: int, one: Mapping[str, Any], held: Mapping[str, Any] | None) -> OpenedCase:
    name = str(one.get("id"))
    sha256 = one.get("artifact_sha256")
    text = artifact_text(made.folder, sha256) if isinstance(sha256, str) else None
    reference, reference_name = _reference(name, held)
    before_run, before_sha = _previous(made, row, name)
    missing = (
        "" if text is not None else "this record does not name its text" if sha256 is None else "its text was not kept"
    )
    return OpenedCase(
        name, number(one.get("weight")), number(one.get("lower_bound")), _numbers(one.get("samples")),
        _texts(one.get("reasons")), (*_texts(one.get("notes")), *_texts([one.get("stderr")])), reference,
        reference_name, text, missing, artifact_text(made.folder, before_sha) if before_sha else None, before_run,
        before_sha is not None and before_sha == sha256, one.get("held") is True,
    )  # fmt: skip


def _reference(case: str, held: Mapping[str, Any] | None) -> tuple[str | None, str]:
    if held is None:
        return None, "the freeze this run was scored under was not kept"
    for pinned in held["definition"]["cases"]:
        if pinned.get("id") == case:
            written = str(pinned.get("reference"))
            return held["texts"].get(written, written), written if written in held["texts"] else "inline"
    return None, "no such case in the freeze"


def _previous(made: Book, row: int, case: str) -> tuple[int | None, str | None]:
    """The run before this one in time that names its text of the case, and that text's hash."""
    reading = made.reading
    place = int((reading.order == row).argmax())
    before = reading.order[max(0, place - _FURTHEST) : place][::-1]
    cases = reading.runs.cases_of(before)
    for earlier in before:
        start, end = cases.of(int(earlier))
        for i in range(start, end):
            if cases.case.word(i) == case and cases.artifact.word(i) is not None:
                return int(earlier), cases.artifact.word(i)
    return None, None


def _is_time(value: Any) -> bool:
    try:
        parse_instant(str(value))
    except ValueError:
        return False
    return True


def number(value: Any) -> float | None:
    """A number from a record; None for anything else, and for one that is larger than a float can be."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if abs(value) <= sys.float_info.max else None


def _numbers(value: Any) -> tuple[float | None, ...]:
    return tuple(number(x) for x in value) if isinstance(value, list) else ()


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(x) for x in value if isinstance(x, str) and x) if isinstance(value, list) else ()


def find_row(made: Book, line: str | None) -> int | None:
    """The run that an address names by its line in the ledger; None for one that is not there."""
    if line is None or not line.isascii() or not line.isdigit():
        return None
    rows = (made.reading.runs.line == int(line)).nonzero()[0]
    return int(rows[0]) if len(rows) else None


def try_opened(made: Book, row: int) -> Opened | BadInput:
    """`opened`, with the failure as a value for the page to show."""
    try:
        return opened(made, row)
    except BadInput as error:
        return error
