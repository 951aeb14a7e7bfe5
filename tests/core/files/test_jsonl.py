"""JSON Lines: every damaged line is named, the rest loads, an append is whole or not there (contract README)."""

import json
import multiprocessing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files import JsonlTail, append_jsonl, folder_lock, parse_jsonl, read_jsonl


def test_damaged_lines_are_named_and_the_rest_loads():
    raw = b'\xef\xbb\xbf{"a":1}\r\n\r\n{"a":2} {"a":3}\n{"x":NaN}\n{"a":\n{"a":1}\n{"b":1}\n{"cut":'
    read = parse_jsonl(raw, "l.jsonl")
    assert [(record.line, record.value) for record in read.records] == [(1, {"a": 1}), (7, {"b": 1})]
    assert [problem.line for problem in read.problems] == [3, 4, 5, 8]
    assert (read.torn, read.duplicates) == (True, 1)
    assert "write in progress, or a crash" in read.problems[-1].reason


def test_a_last_line_without_its_ending_counts_when_it_is_whole():
    read = parse_jsonl(b'{"a":1}\n{"a":2}', "l.jsonl")
    assert (len(read.records), read.torn, read.problems) == (2, False, [])


def test_an_append_after_a_torn_line_starts_on_a_new_one(tmp_path):
    path, lock = tmp_path / "l.jsonl", folder_lock(tmp_path / "locks")
    append_jsonl(path, {"a": 1}, lock)
    with open(path, "ab") as opened:
        opened.write(b'{"torn":')
    append_jsonl(path, {"a": 2}, lock)
    assert path.read_bytes() == b'{"a": 1}\n{"torn":\n{"a": 2}\n'


def test_half_a_surrogate_pair_is_written_as_it_is_read(tmp_path):
    """JSON has an escape for it, UTF-8 has nothing."""
    path = tmp_path / "l.jsonl"
    append_jsonl(path, {"\ud83d": "\udc00"}, folder_lock(tmp_path / "locks"))
    assert path.read_bytes() == b'{"\\ud83d": "\\udc00"}\n'
    assert [line.value for line in read_jsonl(path).records] == [{"\ud83d": "\udc00"}]


def test_what_is_not_strict_json_is_not_written(tmp_path):
    with pytest.raises(ValueError):
        append_jsonl(tmp_path / "l.jsonl", {"a": float("nan")}, folder_lock(tmp_path / "locks"))
    assert not (tmp_path / "l.jsonl").exists()


def _append_many(path, locks, who):
    for number in range(200):
        append_jsonl(path, {"who": who, "number": number, "pad": "x" * 300}, folder_lock(locks))


def test_four_processes_append_and_no_line_is_torn_or_lost(tmp_path):
    path = tmp_path / "l.jsonl"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_append_many, args=(path, tmp_path / "locks", who)) for who in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    read = read_jsonl(path)
    assert (len(read.records), read.problems) == (800, [])
    assert {(r.value["who"], r.value["number"]) for r in read.records} == {(w, n) for w in range(4) for n in range(200)}


pieces = st.lists(
    st.one_of(
        st.dictionaries(st.text(max_size=3), st.integers(), max_size=2).map(
            lambda value: json.dumps(value).encode() + b"\n"
        ),
        st.sampled_from([b"\n", b"{broken\n", b'{"a":1}', b"\r\n", b'{"half":', b"1}\n"]),
    ),
    max_size=12,
)


@given(pieces)
def test_a_tail_fed_in_any_pieces_equals_one_whole_read(tmp_path_factory, parts):
    path = tmp_path_factory.mktemp("tail") / "l.jsonl"
    tail = JsonlTail(path, "l.jsonl")
    whole = b""
    for part in parts:
        whole += part
        path.write_bytes(whole)
        tail.refresh()
    assert tail.lines() == parse_jsonl(whole, "l.jsonl")


def test_a_tail_reads_only_what_is_new_and_starts_again_when_the_file_is_replaced(tmp_path):
    path, lock = tmp_path / "l.jsonl", folder_lock(tmp_path / "locks")
    tail = JsonlTail(path)
    for number in range(100):
        append_jsonl(path, {"number": number}, lock)
    first = tail.refresh()
    assert tail.refresh() == first
    before = tail.bytes_read
    append_jsonl(path, {"number": 100}, lock)
    assert tail.refresh() > first
    assert tail.bytes_read - before == len(b'{"number": 100}\n')
    other = tmp_path / "other"
    other.write_bytes(b'{"new": 1}\n')
    other.replace(path)
    tail.refresh()
    assert [record.value for record in tail.lines().records] == [{"new": 1}]
    path.unlink()
    tail.refresh()
    assert tail.lines().records == []
