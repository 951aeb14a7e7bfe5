"""`rubric_blocklist.md` changes by a person's yes and by nothing else (suggestions contract, Maintain)."""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decisions import open_log
from core.errors import BadInput, Conflict, NotAllowed
from core.files import decode
from core.people import Person
from core.suggestions import bullets, confirm
from core.suggestions.blocklist import alternatives, fold, parse
from core.workspace import Workspace

TEXT = (
    "# Rubric Blocklist\n\n> Hard-veto patterns.\n\n## Topic Blocks\n- Add your topic blocks here\n"
    "- Blockchain / Web3 / NFT (not a field of ours)\n  still the same bullet\n\nprose between\n\n"
    "## Ambiguity Blocklist\n- 研究看看\n- 了解一下\n"
)


def text_of(workspace: Workspace) -> str:
    path: Path = workspace.suggestions.blocklist
    return path.read_bytes().decode()


def topics(workspace: Workspace) -> list[str]:
    return [one.text for one in confirm.current(workspace).of("topic")]


def test_a_yes_goes_behind_the_last_bullet_of_its_section(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(rubric_blocklist=TEXT)
    record = confirm.block(workspace, ann, "量子 / Quantum (later)", now=now, because={"rejected": ["a", "b", "c"]})
    bullet = "  still the same bullet\n"
    assert text_of(workspace) == TEXT.replace(bullet, bullet + "- 量子 / Quantum (later)\n")
    assert topics(workspace) == ["Blockchain", "Web3", "NFT", "量子", "Quantum"]
    assert (record.action, record.payload["because"]) == ("block", {"rejected": ["a", "b", "c"]})


def test_undone_the_file_is_byte_for_byte_what_it_was(make: Any, ann: Person, now: datetime) -> None:
    for raw in (TEXT, TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, TEXT.rstrip("\n"), "# only a heading", "", "\n\n"):
        workspace = make(rubric_blocklist=raw)
        record = confirm.block(workspace, ann, "Quantum", now=now)
        assert "Quantum" in topics(workspace)
        assert ("\r\n" in raw) == ("\r\n" in text_of(workspace))
        confirm.undo(workspace, ann, record, now=now)
        assert text_of(workspace) == raw, repr(raw)


def test_a_file_that_was_made_is_taken_away_again(make: Any, ann: Person, now: datetime) -> None:
    workspace = make()
    record = confirm.block(workspace, ann, "Quantum", now=now)
    assert text_of(workspace) == "# Rubric Blocklist\n\n## Topic Blocks\n\n- Quantum\n\n## Ambiguity Blocklist\n"
    confirm.undo(workspace, ann, record, now=now)
    assert not workspace.suggestions.blocklist.exists()


def test_an_unblock_takes_one_alternative_and_comes_back(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(rubric_blocklist=TEXT)
    one = confirm.unblock(workspace, ann, "ｗｅｂ3", now=now)
    assert "- Blockchain / NFT (not a field of ours)\n" in text_of(workspace)
    two = confirm.unblock(workspace, ann, "研究看看", now=now)
    assert "研究看看" not in text_of(workspace)
    confirm.undo(workspace, ann, two, now=now)
    confirm.undo(workspace, ann, one, now=now)
    assert text_of(workspace) == TEXT


def test_a_whole_bullet_can_be_named(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(rubric_blocklist=TEXT)
    confirm.unblock(workspace, ann, "Blockchain / Web3 / NFT (not a field of ours)", now=now)
    assert topics(workspace) == []


def test_what_is_blocked_is_not_blocked_twice(make: Any, ann: Person, ben: Person, now: datetime) -> None:
    workspace = make(rubric_blocklist=TEXT)
    confirm.block(workspace, ann, "Quantum", now=now)
    before = text_of(workspace)
    for topic in ("quantum", "ＱＵＡＮＴＵＭ", "NFT / Web3"):
        with pytest.raises(Conflict, match="is blocked already"):
            confirm.block(workspace, ben, topic, now=now)
    assert text_of(workspace) == before


@pytest.mark.parametrize("topic", ["", "  ", "(only a note)", "Add your topic blocks here", "\u200b", "…"])
def test_a_topic_without_a_pattern_is_refused(make: Any, ann: Person, now: datetime, topic: str) -> None:
    workspace = make(rubric_blocklist=TEXT)
    with pytest.raises(BadInput, match="holds no pattern"):
        confirm.block(workspace, ann, topic, now=now)


@pytest.mark.parametrize("topic", ["<!-- x", "``` y", "~~~ z"])
def test_a_topic_that_would_hide_or_change_others_is_refused(make: Any, ann: Person, now: datetime, topic: str) -> None:
    workspace = make(rubric_blocklist=TEXT)
    with pytest.raises(BadInput, match="would not be read back"):
        confirm.block(workspace, ann, topic, now=now)
    assert text_of(workspace) == TEXT


def test_line_ends_in_a_topic_make_no_second_bullet(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(rubric_blocklist=TEXT)
    confirm.block(workspace, ann, "a\n- b\n## Ambiguity Blocklist\n- c", now=now)
    assert topics(workspace)[-1] == "a - b ## Ambiguity Blocklist - c"


def test_what_somebody_changed_since_is_not_undone_blindly(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(rubric_blocklist=TEXT)
    record = confirm.block(workspace, ann, "Quantum", now=now)
    path = workspace.suggestions.blocklist
    path.write_text("# note\n" + path.read_text())
    confirm.undo(workspace, ann, record, now=now)
    assert text_of(workspace) == "# note\n" + TEXT
    again = confirm.block(workspace, ann, "Quantum", now=now)
    path.write_text(path.read_text().replace("- Quantum", "- Quantum / Qubit"))
    with pytest.raises(Conflict, match="was changed at that place since"):
        confirm.undo(workspace, ann, again, now=now)


def test_a_damaged_file_and_a_looker_change_nothing(make: Any, ann: Person, now: datetime) -> None:
    raw = TEXT.encode() + "- 量".encode("big5")
    workspace = make(rubric_blocklist=raw)
    with pytest.raises(BadInput, match="is not UTF-8"):
        confirm.block(workspace, ann, "Quantum", now=now)
    with pytest.raises(NotAllowed):
        confirm.block(workspace, Person("Eve", "looker"), "Quantum", now=now)
    assert workspace.suggestions.blocklist.read_bytes() == raw
    assert topics(workspace) == ["Blockchain", "Web3", "NFT"]


def test_a_record_about_something_else_is_not_undone_here(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(rubric_blocklist=TEXT)
    other = open_log(workspace).append(ann, "note", "x", {}, at=now)
    with pytest.raises(BadInput, match="no decision about the blocklist"):
        confirm.undo(workspace, ann, other, now=now)
    with pytest.raises(BadInput, match="no pattern 'nothing'"):
        confirm.unblock(workspace, ann, "nothing", now=now)


EDITED = "# 說明文字\n\n## Topic Blocks\n- 區塊鏈\n- NFT (why)\n\n## Ambiguity Blocklist\n- 研究看看\n- 了解一下\n"


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ("# 說明文字", "# 說明", ""), ("- 區塊鏈\n", "", ""), ("- 研究看看\n", "", ""),
        ("- 了解一下\n", "- 了解\n", ""),
        ("\n## Ambiguity Blocklist\n- 研究看看\n- 了解一下\n", "", ""),
        ("## Topic Blocks\n- 區塊鏈\n", "", "\n## Topic Blocks\n\n- NFT (why)\n"),
    ],
)  # fmt: skip
def test_what_was_taken_out_comes_back_whole_wherever_the_file_was_edited(
    make: Any, ann: Person, now: datetime, old: str, new: str, moved: str
) -> None:
    """Its byte offset of then means nothing any more. ``moved``: its section was gone, so it is made at the end."""
    workspace = make(rubric_blocklist=EDITED)
    record = confirm.unblock(workspace, ann, "NFT", now=now)
    path = workspace.suggestions.blocklist
    path.write_text(text_of(workspace).replace(old, new), "utf-8")
    confirm.undo(workspace, ann, record, now=now)
    edited = EDITED.replace(old, new)
    assert text_of(workspace) == (edited.replace("- NFT (why)\n", "") + moved if moved else edited)


def test_what_was_taken_out_comes_back_beside_the_line_it_stood_next_to(make: Any, ann: Person, now: datetime) -> None:
    text = "## Topic Blocks\n### Crypto\n* Web3\n* NFT\n### AI\n- LLM\n\n## Ambiguity Blocklist\n- v\n"
    for topic, kept in (("NFT", "* Web3\n"), ("Web3", "* NFT\n")):
        workspace = make(rubric_blocklist=text)
        record = confirm.unblock(workspace, ann, topic, now=now)
        path = workspace.suggestions.blocklist
        for old, new in (("## Topic Blocks\n", "## Topic Blocks\n- Quantum\n"), ("### Crypto", "### Coins")):
            path.write_text(text_of(workspace).replace(old, new))
        assert kept in text_of(workspace)
        confirm.undo(workspace, ann, record, now=now)
        assert text_of(workspace) == text.replace("Blocks\n", "Blocks\n- Quantum\n").replace("Crypto", "Coins")


def test_what_was_taken_out_keeps_its_spelling_where_only_its_section_is_left(
    make: Any, ann: Person, now: datetime
) -> None:
    workspace = make(rubric_blocklist="## Topic Blocks\n- a\n* **NFT** (no)\n- b\n")
    record = confirm.unblock(workspace, ann, "NFT", now=now)
    workspace.suggestions.blocklist.write_text("## Topic Blocks\n- c\n")
    confirm.undo(workspace, ann, record, now=now)
    assert text_of(workspace) == "## Topic Blocks\n- c\n* **NFT** (no)\n"


@pytest.mark.parametrize(
    ("text", "since", "left"),
    [
        ("## Topic Blocks", "a note by hand\n", "## Topic Blocks\na note by hand\n"),
        ("## Topic Blocks\r\n- a", "- b\r\n", "## Topic Blocks\r\n- a\r\n- b\r\n"),
        ("# only a heading", "more\n", "# only a heading\nmore\n"),
        ("## Topic Blocks\n- a", "", "## Topic Blocks\n- a"), ("x\n", "more\n", "x\nmore\n"),
    ],
)  # fmt: skip
def test_a_yes_taken_back_glues_no_lines_together(
    make: Any, ann: Person, now: datetime, text: str, since: str, left: str
) -> None:
    workspace = make(rubric_blocklist=text)
    record = confirm.block(workspace, ann, "X1", now=now)
    workspace.suggestions.blocklist.write_bytes((text_of(workspace) + since).encode())
    confirm.undo(workspace, ann, record, now=now)
    assert text_of(workspace) == left


def test_two_yeses_behind_an_unended_line_are_taken_back_in_either_order(make: Any, ann: Person, now: datetime) -> None:
    for order in ((0, 1), (1, 0)):
        workspace = make(rubric_blocklist="## Topic Blocks\n- last")
        records = [confirm.block(workspace, ann, topic, now=now) for topic in ("X1", "Y1")]
        for one in order:
            confirm.undo(workspace, ann, records[one], now=now)
        assert text_of(workspace).rstrip() == "## Topic Blocks\n- last"


def _older(workspace: Workspace, ann: Person, action: str, offset: int, old: str, new: str, now: datetime) -> Any:
    """A record as it was kept before changes told the bytes around them and the patterns they take and bring."""
    change = {"offset": offset, "old": old, "new": new, "creates": False, "deletes": False}
    return open_log(workspace).append(ann, action, "topic:x", {"topic": "x", "change": change}, at=now)


@pytest.mark.parametrize(
    ("text", "old", "new", "offset", "left"),
    [
        ("## Topic Blocks\n- a\n- x\n- b\n", "", "- x\n", 20, "## Topic Blocks\n- a\n- b\n"),
        ("more\n## Topic Blocks\n- a\n- x\n- b\n", "", "- x\n", 20, "more\n## Topic Blocks\n- a\n- b\n"),
        ("## Topic Blocks\n- a\n- b\n", "- x\n", "", 20, "## Topic Blocks\n- a\n- x\n- b\n"),
        ("## Topic Blocks\n- a\n", "- a / x\n", "- a\n", 16, "## Topic Blocks\n- a / x\n"),
        ("## Topic Blocks\n- a\n- x", "", "\n- x", 19, "## Topic Blocks\n- a"),
        ("## Topic Blocks\n- aa\n- b\n", "- x\n", "", 20, None),
        ("## Topic Blocks\n- x\n- x y\n- x\n", "", "- x\n", 17, None),
    ],
)  # fmt: skip
def test_what_an_older_record_tells_is_taken_back_at_whole_lines_alone(
    make: Any, ann: Person, now: datetime, text: str, old: str, new: str, offset: int, left: str | None
) -> None:
    workspace = make(rubric_blocklist=text)
    record = _older(workspace, ann, "unblock" if old else "block", offset, old, new, now)
    if left is None:
        with pytest.raises(Conflict, match="was changed at that place since"):
            confirm.undo(workspace, ann, record, now=now)
    else:
        confirm.undo(workspace, ann, record, now=now)
    assert text_of(workspace) == (text if left is None else left)


@pytest.mark.parametrize(
    ("bullet", "topic"), [("C (the language) / Rust", "Rust"), ("None / Foo", "Foo"), ("C（語言） / 鏽", "鏽")]
)
def test_a_pattern_does_not_go_where_the_rest_would_block_something_else(
    make: Any, ann: Person, now: datetime, bullet: str, topic: str
) -> None:
    text = f"## Topic Blocks\n- {bullet}\n- keep\n"
    workspace = make(rubric_blocklist=text)
    with pytest.raises(BadInput, match="edit it by hand"):
        confirm.unblock(workspace, ann, topic, now=now)
    assert text_of(workspace) == text
    confirm.unblock(workspace, ann, bullet, now=now)
    assert topics(workspace) == ["keep"]


@pytest.mark.parametrize("topic", ["a\x00b", "a\ud800"])
def test_a_topic_that_neither_file_nor_log_can_keep_is_refused(
    make: Any, ann: Person, now: datetime, topic: str
) -> None:
    workspace = make(rubric_blocklist=TEXT)
    for deed in (confirm.block, confirm.unblock):
        with pytest.raises(BadInput, match="neither the file nor the log"):
            deed(workspace, ann, topic, now=now)
    assert text_of(workspace) == TEXT


def test_one_of_thousands_of_patterns_is_found_at_once() -> None:
    source = decode(b"## Topic Blocks\n" + b"".join(b"- topic %d\n" % one for one in range(20_000)), "b")
    started = time.process_time()
    assert [one.old for one in bullets.removed(source, "topic 7")] == ["- topic 7\n"]
    assert time.process_time() - started < 2


def test_two_unblocks_come_back_in_either_order(make: Any, ann: Person, now: datetime) -> None:
    text = "## Topic Blocks\n- Alpha\n- Beta / Gamma\n- Web3 (no)\n\n## Ambiguity Blocklist\n- look into\n"
    for order in ((0, 1), (1, 0)):
        workspace = make(rubric_blocklist=text)
        records = [confirm.unblock(workspace, ann, topic, now=now) for topic in ("Web3", "Alpha")]
        for one in order:
            confirm.undo(workspace, ann, records[one], now=now)
        assert sorted(topics(workspace)) == ["Alpha", "Beta", "Gamma", "Web3"]
        assert sorted(text_of(workspace).splitlines()) == sorted(text.splitlines())


def test_a_pattern_is_taken_out_wherever_it_stands_and_comes_back(make: Any, ann: Person, now: datetime) -> None:
    text = (
        "## Topic Blocks\n- Web3 (no)\n- NFT / ｗｅｂ3 / web3\n- Web3 wallets\n\n## Ambiguity Blocklist\n- web3\n- b\n"
    )
    workspace = make(rubric_blocklist=text)
    record = confirm.unblock(workspace, ann, "Web3", now=now)
    assert text_of(workspace) == "## Topic Blocks\n- NFT\n- Web3 wallets\n\n## Ambiguity Blocklist\n- b\n"
    assert confirm.still_blocked(workspace, "Web3") is None
    confirm.undo(workspace, ann, record, now=now)
    assert text_of(workspace) == text


def test_what_still_vetoes_a_topic_that_was_taken_out_is_told(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(rubric_blocklist="## Topic Blocks\n- 區塊鏈\n- 区块链\n")
    confirm.unblock(workspace, ann, "區塊鏈", now=now)
    left = confirm.still_blocked(workspace, "區塊鏈")
    assert left is not None
    assert (left.pattern.text, left.pattern.line, left.variant) == ("区块链", 2, True)


def test_a_blocklist_read_in_part_is_not_complete(make: Any) -> None:
    workspace = make(rubric_blocklist=TEXT.encode() + "- 量".encode("big5"))
    assert not confirm.current(workspace).complete
    with pytest.raises(BadInput, match="is not UTF-8"):
        confirm.whole(workspace)


LINES = st.sampled_from([
    "## Topic Blocks\n", "## Ambiguity Blocklist\n", "# x\n", "- a\n", "* b / c (note)\n", "  more\n", "\n", "text\n",
    "- Add your topic blocks here\n", "<!--\n", "-->\n", "```\n", "- a\r\n", "## Other\n",
])  # fmt: skip


@given(st.lists(LINES, max_size=12).map("".join), st.sampled_from(["topic", "ambiguity"]))
def test_in_any_file_a_bullet_is_added_and_taken_out_again(text: str, section: Any) -> None:
    source = decode(text.encode(), "b")
    before = parse(source.text, "b")
    if before.problems:
        return
    change = bullets.added(source, section, "Quantum / 量子 (why)")
    after = change.apply(source.raw)
    found = parse(decode(after, "b").text, "b")
    assert sorted((one.section, one.text) for one in found.patterns) == sorted(
        [(one.section, one.text) for one in before.patterns] + [(section, "Quantum"), (section, "量子")]
    )
    assert change.reversed().apply(after) == source.raw
    removed = bullets.removed(decode(after, "b"), "quantum")
    assert len(removed) == 1
    left = parse(decode(removed[0].apply(after), "b").text, "b")
    assert [fold(one.text) for one in left.patterns].count("quantum") == 0
    assert len(left.patterns) == len(found.patterns) - 1


@given(st.lists(LINES, max_size=12).map("".join), st.lists(LINES, max_size=2).map("".join), st.data())
def test_a_take_back_restores_just_what_was_taken_out_or_is_refused(text: str, put: str, data: st.DataObject) -> None:
    """Whatever was edited meanwhile: the patterns are those of now and the restored ones, every other line is whole."""
    raw = text.encode()
    patterns = parse(text, "b").patterns
    if not patterns:
        return
    change = bullets.removed(decode(raw, "b"), data.draw(st.sampled_from(patterns)).text)[-1]
    change = bullets.Change.of(bullets.seen_in(raw, change).as_dict())
    lines = decode(change.apply(raw), "b").text.splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines)))
    cut = data.draw(st.integers(0, 2))
    edited = "".join([*lines[:at], put, *lines[at + cut :]]).encode()
    back = change.reversed().found_in(edited)
    if not (put or lines[at : at + cut]):
        assert back is not None
        assert back.apply(edited) == raw
    if back is None:
        return
    after = back.apply(edited)
    named = sorted((one.section, one.text) for one in parse(edited.decode(), "b").patterns)
    assert sorted((one.section, one.text) for one in parse(after.decode(), "b").patterns) == sorted(
        [*named, *(back.come or ())]
    )
    if not back.old:
        rest = after[: back.offset] + after[back.offset + len(back.new.encode()) :]
        assert rest == edited
        assert after[: back.offset][-1:] in (b"", b"\n") or back.new[:1] in "\r\n"


def test_alternatives_of_what_is_added() -> None:
    assert alternatives("Quantum / 量子 (why)") == ("Quantum", "量子")
