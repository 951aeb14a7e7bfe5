"""Several blocks put back into a file in one rewrite."""

from pathlib import Path

import pytest

from core.files.ops import Cut, InsertBlocks, prepare
from core.files.steps import roll


def done(path: Path, *blocks: Cut, opening: bytes = b"") -> bytes:
    prepared = prepare(InsertBlocks(path, list(blocks), opening), "f")
    roll(prepared.step, path, prepared.known)
    again = path.read_bytes()
    roll(prepared.step, path)  # as a healer would, from the step alone
    assert path.read_bytes() == again
    return again


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f.md"


def test_each_goes_where_it_stood_and_equal_places_keep_their_order(path: Path) -> None:
    path.write_bytes(b"a\nd\n")
    assert done(path, Cut(4, b"e\n"), Cut(2, b"b\n"), Cut(2, b"c\n")) == b"a\nb\nc\nd\ne\n"


def test_an_empty_file_gets_its_opening(path: Path) -> None:
    assert done(path, Cut(0, b"b\n"), Cut(0, b"c\n"), opening=b"# H\n") == b"# H\nb\nc\n"


def test_a_last_line_without_its_ending_is_ended_first(path: Path) -> None:
    path.write_bytes(b"a\nb")
    assert done(path, Cut(2, b"x\n"), Cut(3, b"c\n"), Cut(3, b"d")) == b"a\nx\nb\nc\nd"


@pytest.mark.parametrize(
    "blocks", [[], [Cut(0, b"")], [Cut(1, b"x\n"), Cut(9, b"y\n")], [Cut(0, b"x"), Cut(9, b"y\n")]]
)
def test_what_makes_no_sense_is_refused(path: Path, blocks: list[Cut]) -> None:
    path.write_bytes(b"aa\nb\n")
    with pytest.raises(ValueError, match="block"):
        prepare(InsertBlocks(path, blocks), "f")
    assert path.read_bytes() == b"aa\nb\n"
