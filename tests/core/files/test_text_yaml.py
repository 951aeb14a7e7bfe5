"""Text keeps its bytes, YAML keeps its words (contract README)."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.files import decode, parse_yaml, read_text, stamp


def test_bom_and_crlf_are_accepted_and_kept():
    read = decode(b"\xef\xbb\xbfone\r\ntwo\r\n", "a.md")
    assert (read.text, read.bom, read.newline, read.complete) == ("one\r\ntwo\r\n", True, "\r\n", True)


def test_a_file_that_stops_being_utf8_is_read_to_the_line_before_and_marked():
    read = decode("好\nfine\n".encode() + b"bad \xff here\nmore\n", "a.md")
    assert (read.text, read.complete) == ("好\nfine\n", False)
    assert (read.problems[0].file, read.problems[0].line) == ("a.md", 3)


@given(st.binary())
def test_decoding_never_raises_and_never_invents(raw):
    read = decode(raw, "a.md")
    prefix = (b"\xef\xbb\xbf" if read.bom else b"") + read.text.encode()
    assert raw.startswith(prefix)
    assert read.complete == (prefix == raw)


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="not a regular file"):
        read_text(tmp_path / "pipe")


def test_a_device_a_folder_and_nothing_are_refused(tmp_path):
    from pathlib import Path

    for path in (Path("/dev/null"), tmp_path, tmp_path / "absent"):
        with pytest.raises(BadInput):
            read_text(path)
    assert stamp(tmp_path / "absent") is None


def test_scalars_are_taken_as_written():
    doc = parse_yaml(
        b"ratio: 16:9\nversion: 3.10\nmode: no\nday: 2026-11-30\noct: 0o17\nempty:\nquoted: ''\n", "m.yaml"
    )
    assert doc.value == {
        "ratio": "16:9", "version": "3.10", "mode": "no", "day": "2026-11-30", "oct": "0o17", "empty": None,
        "quoted": "",
    }  # fmt: skip
    assert doc.problems == []


def test_text_that_vanished_behind_a_hash_is_pointed_out():
    doc = parse_yaml(b"title: Plan #3 of 4\nplain: a#b\nquoted: 'x # y'\n", "m.yaml")
    assert doc.value == {"title": "Plan", "plain": "a#b", "quoted": "x # y"}
    assert [(problem.line, "#3 of 4" in problem.reason) for problem in doc.problems] == [(1, True)]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "stands twice"),
        ("a: &x {k: v}\nb: *x\n", 1, "alias"),
        ("a: 1\n---\nb: 2\n", 3, "more than one"),
        ("a: [1, 2\n", 2, "not YAML"),
        ("a: {b: {<<: {c: d}}}\n", 1, "merge key"),
    ],
)
def test_what_hides_or_doubles_a_value_is_refused(text, line, words):
    with pytest.raises(BadInput) as caught:
        parse_yaml(text.encode(), "m.yaml")
    assert (caught.value.problem.line, words in str(caught.value)) == (line, True)
