"""Documents kept while their files stay the same; after a change only what changed is read again."""

import os
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.suggestions import entries, store
from core.suggestions.entries import parse

PIECES = st.sampled_from([
    "### 2026-05-07 | N | [T](https://e.example/a)\n", "### x\n", "- 📋 建議：a\n", "- **Feedback**: ✅ Accept\n", "\n",
    "---\n", "```\n", "~~~\n", "<!-- c -->\n", "<!--\n", "-->\n", "  ```\n", "- ```\n", "text\n", "\r\n", "- b\r\n",
    "a\r", "### 2026-01-01 | S | plain\r\n", "##", "#", " ", "做",
    "### 2026-05-08 | N | [U](https://e.example/b)\n- 📋 建議：做\n",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=20).map(lambda pieces: "".join(pieces).encode())
ENTRIES = [
    f"### 2026-05-{day:02d} | N | [T{day}](https://e.example/{day})\n- 📋 建議：做 {day}\n\n---\n\n"
    for day in range(1, 29)
]


@given(TEXTS, st.integers(0, 400), st.sampled_from([0, 0, 1, 3, 10, 40]), TEXTS)
def test_what_is_read_again_is_what_a_fresh_reading_gives(raw: bytes, at: int, cut: int, put: bytes) -> None:
    old = parse(raw, "f.md")
    new = raw[:at] + put[:60] + raw[at + cut :]
    again = store.reparse(old, new)
    assert again is None or again == parse(new, "f.md")


@given(st.lists(st.sampled_from(ENTRIES), min_size=3, max_size=12), st.data())
def test_a_removed_an_added_and_a_changed_entry_take_the_short_way(blocks: list[str], data: st.DataObject) -> None:
    raw = ("# 📋 Pending Suggestions\n\n---\n\n" + "".join(blocks)).encode()
    at = data.draw(st.integers(1, len(blocks) - 1))
    changes = {"removed": [], "changed": ["### 2026-06-01 | N | new\n"], "added": [ENTRIES[0], blocks[at]]}
    changed = changes[data.draw(st.sampled_from(sorted(changes)))]
    new = ("# 📋 Pending Suggestions\n\n---\n\n" + "".join([*blocks[:at], *changed, *blocks[at + 1 :]])).encode()
    again = store.reparse(parse(raw, "f.md"), new)
    assert again is not None
    assert again == parse(new, "f.md")


@given(st.binary(max_size=300), st.binary(max_size=300), st.binary(max_size=300))
def test_common_ends(shared: bytes, one: bytes, other: bytes) -> None:
    def same(first: bytes, second: bytes) -> int:
        return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))))

    assert store.common_start(shared + one, shared + other) == same(shared + one, shared + other)
    assert store.common_end(one + shared, other + shared) == same((one + shared)[::-1], (other + shared)[::-1])


def test_common_ends_across_chunks() -> None:
    long = bytes(range(256)) * 1000
    assert store.common_start(long, long[:200_000] + b"\xff" + long[200_001:]) == 200_000
    assert store.common_end(long, long[:100_000] + b"\xff" + long[100_001:]) == len(long) - 100_001
    assert store.common_start(long, long) == store.common_end(long, long) == len(long)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many entries were parsed and how many bytes read."""
    counts = {"entries": 0, "reads": 0}
    read_pieces, read_bytes = entries.read_pieces, store.read_bytes

    def counting(text: str, plain: str, places: list[int], *rest: object) -> object:
        counts["entries"] += len(places)
        return read_pieces(text, plain, places, *rest)  # type: ignore[arg-type]

    def reading(*given: object) -> bytes:
        counts["reads"] += 1
        return read_bytes(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(entries, "read_pieces", counting)
    monkeypatch.setattr(store, "read_bytes", reading)
    return counts


def test_an_unchanged_file_is_not_read_again_and_a_changed_one_only_in_part(
    tmp_path: Path, counted: dict[str, int]
) -> None:
    path = tmp_path / "f.md"
    path.write_text("".join(ENTRIES * 20))
    store.forget()
    first = store.load(path, "f.md")
    assert store.load(path, "f.md") is first
    assert counted == {"entries": 560, "reads": 1}

    path.write_text("".join(ENTRIES * 10 + ENTRIES[1:] + ENTRIES * 9))
    second = store.load(path, "f.md")
    assert len(second.entries) == 559
    assert counted["reads"] == 2
    assert counted["entries"] < 560 + 10


def test_a_missing_file_is_an_empty_document_and_appears_when_it_is_made(tmp_path: Path) -> None:
    path = tmp_path / "f.md"
    assert (store.load(path, "f.md").exists, store.load(path, "f.md").entries) == (False, ())
    path.write_text(ENTRIES[0])
    assert len(store.load(path, "f.md").entries) == 1
    path.unlink()
    assert store.load(path, "f.md").entries == ()


def test_a_pipe_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.md")
    with pytest.raises(BadInput, match="not a regular file"):
        store.load(tmp_path / "f.md", "f.md")
