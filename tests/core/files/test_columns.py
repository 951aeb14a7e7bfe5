"""The columnar reader gives the strict reader's answer, whatever the damage, and reads only what is new."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import BadInput
from core.files import parse_jsonl
from core.files.column_tail import Columns, ColumnTail
from core.files.columns import LENGTH, LINE, START, fitted
from core.files.shapes import Shapes

INNER = pa.struct([("id", pa.string()), ("samples", pa.list_(pa.float64()))])
SCHEMA = pa.schema([("at", pa.string()), ("composite", pa.float64()), ("cases", pa.list_(INNER))])

WHOLE = [
    b'{"at": "2026-01-01T00:00:00Z", "composite": 0.5, "cases": [{"id": "a", "samples": [0.1, 1, 0]}]}',
    b'{"at": "2026-01-01T00:00:00Z", "composite": 0.5, "cases": [{"id": "a", "samples": [0.1, 1, 0]}], "u": 1}',
    b'{"at": "2026-01-01T00:00:01Z", "composite": 1, "cases": []}',
    b'{"composite": null, "at": null}',
    '{"at": "é😀", "composite": 1e-3, "note": "NaN, Infinity: NaN"}'.encode(),
    b'{"at": "\\u0061", "u": {"v": [1, {"w": null}]}}',
    b'{"at": "x", "composite": -0.0, "cases": [{"id": null, "samples": null, "more": true}]}',
    b"{}",
]
ODD = [
    b'{"at": 5}', b'{"composite": "0.8"}', b'{"composite": true}', b'{"cases": {}}', b'{"cases": [{"samples": ["1"]}]}',
    b"[1]", b"3", b'"text"', b"null", b'{"u": 123456789012345678901234567890}', b'{"at": "\\ud800"}',
    b'{"composite": ' + b"9" * 350 + b"}",
]  # fmt: skip
DAMAGED = [
    b'{"at": "a", "at": "b"}', b'{"at": "a", "\\u0061t": "b"}', b'{"u": {"v": 1, "v": 2}}',
    b'{"cases": [{"id": "a", "id": "b"}]}',
    b'{"composite": NaN}', b'{"composite":-Infinity}', b'{"u": [NaN]}',
    b'{"u":\tInfinity}', b'{"composite": 1e999}',
    b'{"at": "a"}{"at": "b"}', b'{"at": "a"} {"at": "b"}', b'{"at": "a"} text', b'{"at": "a"', b'"at": "a"}', b'{"at":',
    b'{"at": "a\x00b"}', b'{"at": "a\tb"}', b'{"at": "\xff"}', b'{"composite": 01}', b'{"composite": .5}',
    b"{}}", b"{", b"}",
    b'{"at": "a",}', b"\xef\xbb\xbf{}", b" {} ", b"\x0b", b'{"u": ' + b"[" * 150 + b"]" * 150 + b"}",
    b'{"u": ' + b"[" * 900 + b"]" * 900 + b"}", b'{"u": ' + b'{"v":' * 300 + b"1" + b"}" * 300 + b"}",
]  # fmt: skip
LINES = st.sampled_from(WHOLE * 3 + ODD + DAMAGED + [b"", b"  "])
ENDINGS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\n\n"])


def strict(raw: bytes) -> dict[str, Any]:
    """The strict reader's answer in the columnar reader's terms."""
    read = parse_jsonl(raw, "f")
    rows, odd = [], []
    for record in read.records:
        try:
            if not isinstance(record.value, dict):
                raise ValueError
            row = {item.name: fitted(record.value.get(item.name), item.type) for item in SCHEMA}
            rows.append((record.line, row))
        except ValueError:
            odd.append((record.line, record.value))
    return {
        "rows": rows, "odd": odd, "torn": read.torn, "duplicates": read.duplicates,
        "problems": [problem.as_dict() for problem in read.problems],
    }  # fmt: skip


SLIM = ["at", "composite"]


def slim(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with the two kept columns only: every line is held to the whole schema all the same."""
    rows = [(line, {name: row[name] for name in SLIM}) for line, row in answer["rows"]]
    return answer | {"rows": rows}


def columnar(columns: Columns) -> dict[str, Any]:
    rows = [(row.pop(LINE), {k: v for k, v in row.items() if k in SCHEMA.names}) for row in columns.table.to_pylist()]
    return {
        "rows": rows, "odd": [(line.line, line.value) for line in columns.odd], "torn": columns.torn,
        "duplicates": columns.duplicates, "problems": [problem.as_dict() for problem in columns.problems],
    }  # fmt: skip


def read(path: Path, keep: list[str] | None = None) -> ColumnTail:
    tail = ColumnTail(path, SCHEMA, "at", "f", keep)
    tail.refresh()
    return tail


def both(path: Path, raw: bytes) -> None:
    """The file read whole and with two columns kept, both against the strict reader."""
    path.write_bytes(raw)
    expected = strict(raw)
    assert columnar(read(path).columns()) == expected
    assert columnar(read(path, SLIM).columns()) == slim(expected)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.tuples(LINES, ENDINGS), max_size=12),
    bulk=st.integers(0, 90),
    last=st.sampled_from([b"", WHOLE[0], DAMAGED[14], b"  "]),
    bom=st.booleans(),
    data=st.data(),
)
def test_both_readers_agree_on_any_mixture(
    tmp_path: Path, lines: Any, bulk: int, last: bytes, bom: bool, data: Any
) -> None:
    """Whole, odd, damaged, blank and repeated lines, in bulk enough that pyarrow reads most of them."""
    whole = [(b'{"at": "%d", "composite": 0.%d}' % (i, i), b"\n") for i in range(bulk)]
    mixed = data.draw(st.permutations(whole + lines)) if len(lines) < 4 else whole + lines
    raw = (b"\xef\xbb\xbf" if bom else b"") + b"".join(body + ending for body, ending in mixed) + last
    both(tmp_path / "l.jsonl", raw)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damage=st.lists(st.tuples(st.integers(0, 6000), st.binary(max_size=2), st.booleans()), max_size=4))
def test_both_readers_agree_on_random_bytes(tmp_path: Path, damage: list[tuple[int, bytes, bool]]) -> None:
    """Bytes put into or over a ledger anywhere."""
    raw = bytearray(b"".join(WHOLE[i % 4].replace(b"00Z", b"%02dZ" % i) + b"\n" for i in range(60)))
    for at, new, insert in damage:
        raw[at : at if insert else at + len(new)] = new
    both(tmp_path / "l.jsonl", bytes(raw))


@pytest.mark.parametrize("body", [*WHOLE, *ODD, *DAMAGED])
def test_a_line_among_many_plain_ones_is_read_strictly(tmp_path: Path, body: bytes) -> None:
    """One such line in the middle of a block that pyarrow would take as a whole."""
    plain = [b'{"at": "%d", "composite": 0.5}' % i for i in range(100)]
    raw = b"\n".join([*plain[:50], body, *plain[50:]]) + b"\n"
    both(tmp_path / "l.jsonl", raw)


ALIKE = [
    # template, and a line of the same shape that the strict reader answers otherwise
    (b'{"at": "t", "u": {"x1": 1, "x2": 2}}', b'{"at": "t", "u": {"x1": 1, "x1": 2}}'),
    (b'{"at": "t", "u": {"be": 1, "b": 2}}', b'{"at": "t", "u": {"b": 1, "b": 2}}'),
    (b'{"at": "t", "u": [1, 2]}', b'{"at": "t", "u": [1, ' + b"9" * 450 + b"]}"),
    (b'{"at": "t", "cases": [{"samples": [1]}]}', b'{"at": "t", "cases": [{"samples": [' + b"9" * 350 + b"]}]}"),
    (b'{"at": "t", "u": 1}', b'{"at": "t", "u": 1e999}'),
    (b'{"at": "t", "u": 10}', b'{"at": "t", "u": 01}'),
    (b'{"at": "t", "u": 1.5}', b'{"at": "t", "u": 1.}'),
    (b'{"at": "t", "u": "1"}', b'{"at": "t", "u": ""}'),
    (b'{"at": "t", "cases1": "no list"}', b'{"at": "t", "cases": "no list"}'),
    (b'{"at": "t", "cases": [{"samples9": "no list"}]}', b'{"at": "t", "cases": [{"samples": "no list"}]}'),
    (b'{"at": "t", "cases": [{"id": "a"}]}', b'{"at": "t", "cases": [{"i": 1, "i": 2}]}'),
    (b'{"at": "t", "u": [1]}', b'{"at": "t", "u": []}'),
    (b'{"at": "t", "u": true}', b'{"at": "t", "u": tru}'),
    (b'{"at": "t", "u": "\\u0041"}', b'{"at": "t", "u": "\\u004"}'),
    (b'{"at": "t", "u\\u0041": 1, "uB": 1}', b'{"at": "t", "u\\u0041": 1, "uA": 1}'),
    (b'{"at": "t", "u": NaN}', b'{"at": "t", "u": aNaN}'),
    (b'{"at": "t", "u": 1}', b'{"at": "t", "u": -}'),
]


@pytest.mark.parametrize(("template", "line"), ALIKE)
@pytest.mark.parametrize("first", [True, False])
def test_no_line_hides_behind_another_of_its_shape(tmp_path: Path, template: bytes, line: bytes, first: bool) -> None:
    """Among a hundred good lines of the same shape, before and after the one in question."""
    good = [template.replace(b'"t"', b'"%d"' % number) for number in range(100)]
    lines = [line, *good] if first else [*good, line]
    both(tmp_path / "l.jsonl", b"\n".join(lines) + b"\n")


KEYS = st.sampled_from(["at", "a", "t", "id", "i", "i1", "cases", "cases1", "samples", "e", "E", "1", "", "x", "xe"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(0, 1) | st.sampled_from(["", "1", "ab", "{", '"']),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=4),
    max_leaves=8,
)


def spelled(value: Any) -> str:
    """JSON in which an object may have a key twice: lists of pairs are written as objects."""
    if isinstance(value, list) and value and all(isinstance(item, tuple) for item in value):
        return "{" + ", ".join(f"{json.dumps(key)}: {spelled(item)}" for key, item in value) + "}"
    return f"[{', '.join(map(spelled, value))}]" if isinstance(value, list) else json.dumps(value)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4), min_size=1, max_size=6), st.integers(0, 3))
def test_records_of_few_shapes_with_keys_that_look_alike(tmp_path: Path, records: list[Any], digit: int) -> None:
    """Each record a dozen times with other digits, so that its shape becomes a template, good or not."""
    lines = [
        spelled(record).replace("1", str((copy + digit) % 10)).encode() for copy in range(12) for record in records
    ]
    both(tmp_path / "l.jsonl", b"\n".join(lines) + b"\n")


def test_hostile_nesting_is_a_damaged_line_and_no_crash(tmp_path: Path) -> None:
    """A line nested a million deep ends pyarrow's process; in a process of its own here, it is one problem."""
    path = tmp_path / "l.jsonl"
    path.write_bytes(b'{"u": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}\n" + b'{"at": "a"}\n' * 100)
    code = (
        "import sys; from pathlib import Path; from tests.core.files.test_columns import read, columnar\n"
        "got = columnar(read(Path(sys.argv[1])).columns()); print(len(got['rows']), len(got['problems']))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, cwd=os.getcwd())
    assert done.stdout.split() == ["1", "1"], done.stderr


def test_each_row_says_where_it_stands(tmp_path: Path) -> None:
    """The three places lead back to the record's own bytes, CRLF and BOM or not."""
    raw = b"\xef\xbb\xbf" + b"\r\n".join(b'{"at": "%d"}' % i for i in range(80)) + b"\r\n"
    path = tmp_path / "l.jsonl"
    path.write_bytes(raw)
    for row in read(path).columns().table.to_pylist():
        assert json.loads(raw[row[START] : row[START] + row[LENGTH]]) == {"at": str(row[LINE] - 1)}


def test_a_refresh_reads_only_the_tail(tmp_path: Path) -> None:
    """New bytes are read, with two short looks at what must not have changed; an unchanged file is not opened."""
    path = tmp_path / "l.jsonl"
    path.write_bytes(b"".join(b'{"at": "%d", "composite": 0.5}\n' % i for i in range(50_000)))
    tail = read(path)
    before, version = tail.bytes_read, tail.version
    assert before >= path.stat().st_size
    assert tail.refresh() == version
    assert tail.bytes_read == before
    with path.open("ab") as opened:
        opened.write(b'{"at": "new", "composite": 0.25}\n')
    assert tail.refresh() == version + 1
    assert tail.bytes_read - before < 2_000
    assert tail.columns().table.num_rows == 50_001
    assert tail.columns().table["at"][-1].as_py() == "new"


def test_a_line_that_grows_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    path.write_bytes(WHOLE[0] + b"\n" + WHOLE[2][:20])
    tail = read(path)
    assert (tail.columns().table.num_rows, tail.columns().torn) == (1, True)
    with path.open("ab") as opened:
        opened.write(WHOLE[2][20:])
    tail.refresh()
    assert (tail.columns().table.num_rows, tail.columns().torn) == (2, False)
    with path.open("ab") as opened:
        opened.write(b"\n" + WHOLE[0] + b"\n")
    tail.refresh()
    assert (tail.columns().table.num_rows, tail.columns().duplicates) == (2, 1)


@pytest.mark.parametrize("change", ["shrink", "replace", "edit", "remove"])
def test_a_rewritten_file_is_read_again(tmp_path: Path, change: str) -> None:
    path = tmp_path / "l.jsonl"
    path.write_bytes(b"".join(b'{"at": "%03d"}\n' % i for i in range(200)))
    tail = read(path)
    raw = path.read_bytes()
    if change == "shrink":
        path.write_bytes(raw[: len(raw) // 2])
    elif change == "replace":
        other = tmp_path / "other"
        other.write_bytes(b'{"at": "other"}\n' * 2 + raw)
        other.replace(path)
    elif change == "edit":
        path.write_bytes(raw.replace(b'"199"', b'"xyz"') + b'{"at": "more"}\n')
    else:
        path.unlink()
    tail.refresh()
    expected = strict(path.read_bytes() if path.exists() else b"")
    assert columnar(tail.columns()) == expected


def test_lines_longer_than_a_block(tmp_path: Path) -> None:
    """A record of six megabytes between small ones."""
    raw = b'{"at": "a"}\n{"at": "' + b"x" * (6 << 20) + b'"}\n{"at": "c"}\n'
    path = tmp_path / "l.jsonl"
    path.write_bytes(raw)
    assert [len(row["at"]) for row in read(path).columns().table.to_pylist()] == [1, 6 << 20, 1]


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="not a regular file"):
        read(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("line", "same"),
    [
        (b'{"at": "u", "composite": 0.25, "cases": []}', True),
        (b'{"at": "u", "composite": 0.25, "cases": [{"id": "a"}, {"id": "b"}]}', True),
        (b'{"at": "u", "composite": NaN}', False),
        (b'{"at": "u", "w": 1, "w": 2}', False),
        (b'{"at": "u", "w1": 1, "w2": 2}', False),
        (b'{"at": "u\\\\n"}', False),
        (b'{"at": "u", "w": ' + b"1" * 300 + b"}", False),
        (b'{"at": "u", "cases": "no list"}', False),
    ],
)
def test_when_a_template_answers_for_its_shape(line: bytes, same: bool) -> None:
    """The short cut is taken for plain logs, and for nothing that needs a look at each line."""

    def fits(value: Any) -> bool:
        return strict(json.dumps(value).encode() + b"\n")["odd"] == []

    shapes = Shapes(SCHEMA, fits)
    plain = b"\n".join(b'{"at": "u", "composite": 0.%d, "cases": []}' % number for number in range(50))
    assert shapes.same(plain)
    assert shapes.same(plain + b"\n" + line) is same
