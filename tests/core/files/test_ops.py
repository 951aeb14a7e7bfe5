"""File changes that survive a kill: from every state a kill can leave, rolling forward ends in the same bytes."""

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput, Conflict
from core.files import steps
from core.files.ops import AppendBlock, Cut, InsertBlock, InsertBlocks, Op, RemoveBlocks, ReplaceFile, prepare
from core.files.steps import from_dict, roll, sweep, to_dict, untouched
from core.files.write import swap

BLOCKS = [f"### {name}\n- about {name}\n\n".encode() for name in ("a", "b", "c", "d", "e")]
FILE = b"# Title\n\n" + b"".join(BLOCKS)


def put(folder: Path, content: bytes | None) -> Path:
    path = folder / "list.md"
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_bytes(content)
    return path


def do(op: Op) -> bytes | None:
    """What the op makes of the file when nothing goes wrong."""
    one = prepare(op, op.path.name)
    assert roll(one.step, one.path, one.known).changed
    return op.path.read_bytes() if op.path.exists() else None


@st.composite
def files(draw: st.DrawFn) -> bytes:
    chosen = draw(st.lists(st.sampled_from(BLOCKS), unique=True))
    newline = draw(st.sampled_from([b"\n", b"\r\n"]))
    content = (
        draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + draw(st.sampled_from([b"", b"# Title\n\n"])) + b"".join(chosen)
    )
    content = content.replace(b"\n", newline)
    return content.rstrip(b"\r\n") if draw(st.booleans()) else content


# ---- appending


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b"# Head\n### x\n"),
        (b"", b"# Head\n### x\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf# Head\n### x\n"),
        (b"\n", b"\n# Head\n### x\n"),
        (b"# Head\n", b"# Head\n### x\n"),
        (b"no ending", b"no ending\n### x\n"),
        (b"one\r\ntwo", b"one\r\ntwo\r\n### x\n"),
    ],
)
def test_a_block_starts_on_a_new_line_and_an_empty_file_gets_its_opening(tmp_path, before, after):
    path = put(tmp_path, before)
    assert do(AppendBlock(path, b"### x\n", b"# Head\n")) == after


def test_an_append_does_not_write_a_byte_that_was_there(tmp_path):
    path = put(tmp_path, FILE)
    inode = path.stat().st_ino
    do(AppendBlock(path, b"### x\n"))
    assert path.stat().st_ino == inode


@given(before=files(), data=st.data())
def test_an_append_torn_at_any_byte_is_completed_once(tmp_path_factory, before, data):
    folder = tmp_path_factory.mktemp("torn")
    path = put(folder, before)
    one = prepare(AppendBlock(path, b"### x\n- new\n", b"# Head\n"), "list.md")
    whole = one.step.lead + one.step.block
    kept = from_dict(to_dict(one.step))
    torn = data.draw(st.integers(0, len(whole)))
    path.write_bytes(before + whole[:torn])
    for _ in range(2):
        roll(kept, path)
        assert path.read_bytes() == before + whole


@given(before=files(), written=st.booleans(), foreign=st.sampled_from([b"### theirs\n- y\n", b"\n", b"x"]))
def test_what_somebody_else_appended_meanwhile_stays_and_ours_comes_once(tmp_path_factory, before, written, foreign):
    folder = tmp_path_factory.mktemp("foreign")
    path = put(folder, before)
    one = prepare(AppendBlock(path, b"### x\n- new\n"), "list.md")
    path.write_bytes(before + (one.step.lead + one.step.block if written else b"") + foreign)
    for _ in range(2):
        roll(one.step, path)
    content = path.read_bytes()
    assert content.startswith(before)
    assert content.count(b"### x\n- new\n") == 1
    assert foreign.strip() in content
    assert content.replace(b"### x\n- new\n", b"").replace(b"\r", b"").replace(b"\n", b"") == (
        before + foreign
    ).replace(b"\r", b"").replace(b"\n", b"")


def test_a_rewritten_file_gets_the_block_once(tmp_path):
    path = put(tmp_path, FILE)
    one = prepare(AppendBlock(path, b"### x\n"), "list.md")
    path.write_bytes(b"quite another file")
    for _ in range(2):
        roll(one.step, path)
    assert path.read_bytes() == b"quite another file\n### x\n"


def test_a_full_disk_leaves_nothing_of_the_block_behind(tmp_path, monkeypatch):
    path = put(tmp_path, FILE)
    one = prepare(AppendBlock(path, b"### x\n- long enough\n"), "list.md")
    really = os.write
    calls = []

    def half(handle: int, data: memoryview) -> int:
        calls.append(data)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return really(handle, data[:5])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(OSError, match="No space"):
        roll(one.step, path)
    assert len(calls) == 2
    assert path.read_bytes() == FILE
    assert untouched(one.step, path)


# ---- removing and inserting


@given(before=files(), data=st.data())
def test_a_removal_leaves_every_other_byte(tmp_path_factory, before, data):
    spots = [before.find(block.replace(b"\n", b"\r\n") if b"\r\n" in before else block) for block in BLOCKS]
    chosen = data.draw(st.sets(st.sampled_from(range(len(BLOCKS)))))
    cuts = []
    for index in chosen:
        block = BLOCKS[index].replace(b"\n", b"\r\n") if b"\r\n" in before else BLOCKS[index]
        if spots[index] >= 0:
            cuts.append(Cut(spots[index], block))
    if not cuts:
        return
    folder = tmp_path_factory.mktemp("cut")
    path = put(folder, before)
    expected = before
    for cut in cuts:
        expected = expected.replace(cut.data, b"")
    assert do(RemoveBlocks(path, cuts)) == expected
    put(folder, before)
    assert do(RemoveBlocks(path, [cut.data for cut in cuts])) == expected


OPS = {
    "remove": lambda path: RemoveBlocks(path, [BLOCKS[1], BLOCKS[3]]),
    "remove the last": lambda path: RemoveBlocks(path, [BLOCKS[4]]),
    "remove all": lambda path: RemoveBlocks(path, BLOCKS),
    "insert": lambda path: InsertBlock(path, b"### x\n- new\n\n", FILE.index(BLOCKS[2])),
    "insert first": lambda path: InsertBlock(path, b"### x\n- new\n\n", 0),
    "insert last": lambda path: InsertBlock(path, b"### x\n- new\n\n", len(FILE)),
    "insert two": lambda path: InsertBlocks(path, [Cut(FILE.index(BLOCKS[3]), b"### y\n"), Cut(9, b"### x\n- new\n")]),
    "replace": lambda path: ReplaceFile(path, FILE, b"new"),
    "delete": lambda path: ReplaceFile(path, FILE, None),
}


@pytest.mark.parametrize("name", OPS)
def test_from_before_and_from_after_it_ends_in_the_same_bytes(tmp_path, name):
    path = put(tmp_path, FILE)
    after = do(OPS[name](path))
    assert after != FILE
    put(tmp_path, FILE)
    kept = from_dict(to_dict(prepare(OPS[name](path), "list.md").step))
    assert roll(kept, path).changed
    assert (path.read_bytes() if path.exists() else None) == after
    again = roll(kept, path)
    assert (again.changed, again.refused) == (False, None)
    assert (path.read_bytes() if path.exists() else None) == after


@pytest.mark.parametrize("written", [False, True], ids=["killed before", "killed after"])
@pytest.mark.parametrize("name", [name for name in OPS if name.startswith(("remove", "insert"))])
@pytest.mark.parametrize("foreign", [b"### theirs\n- y\n", b"x"])
def test_what_was_appended_between_kill_and_healing_is_kept(tmp_path, name, written, foreign):
    path = put(tmp_path, FILE)
    after = do(OPS[name](path))
    put(tmp_path, FILE)
    kept = prepare(OPS[name](path), "list.md").step
    put(tmp_path, (after if written else FILE) + foreign)
    for _ in range(2):
        assert roll(kept, path).refused is None
        assert path.read_bytes() == after + foreign


@pytest.mark.parametrize("blocks", [[b"### x\n- new"], [b"### x\n", b"### y\n- new"]], ids=["one", "two"])
@pytest.mark.parametrize(
    ("before", "foreign", "kept"),
    [
        (b"# T\n- a\n", b"", b"# T\n- a\n%s"),
        (b"# T\n- a\n", b"### theirs\n", b"# T\n- a\n%s\n### theirs\n"),
        (b"# T\n- a", b"", b"# T\n- a\n%s"),
        (b"# T\n- a", b" goes on\n", b"# T\n- a goes on\n%s"),
        (b"# T\r\n- a", b" goes on", b"# T\r\n- a goes on\r\n%s"),
    ],
)
def test_blocks_for_the_end_stay_whole_lines_whatever_was_appended(tmp_path, before, foreign, kept, blocks):
    path = put(tmp_path, before)
    step = prepare(InsertBlocks(path, [Cut(len(before), block) for block in blocks]), "list.md").step
    put(tmp_path, before + foreign)
    for _ in range(2):
        roll(step, path)
        assert path.read_bytes() == kept % b"".join(blocks)


@pytest.mark.parametrize("written", [False, True], ids=["killed before", "killed after"])
def test_a_file_edited_in_the_middle_is_changed_by_what_stands_there(tmp_path, written):
    path = put(tmp_path, FILE)
    after = do(OPS["remove"](path))
    put(tmp_path, FILE)
    kept = prepare(OPS["remove"](path), "list.md").step
    edited = (after if written else FILE).replace(b"# Title\n", b"# Another title, longer\n")
    put(tmp_path, edited)
    for _ in range(2):
        assert roll(kept, path).refused is None
        assert path.read_bytes() == after.replace(b"# Title\n", b"# Another title, longer\n")


@pytest.mark.parametrize("written", [False, True], ids=["killed before", "killed after"])
@pytest.mark.parametrize("name", ["insert", "insert two"])
def test_an_insertion_into_an_edited_file_comes_once(tmp_path, name, written):
    path = put(tmp_path, FILE)
    after = do(OPS[name](path))
    put(tmp_path, FILE)
    kept = prepare(OPS[name](path), "list.md").step
    put(tmp_path, b"before all\n" + (after if written else FILE) + b"behind all")
    for _ in range(2):
        roll(kept, path)
    content = path.read_bytes()
    assert content.count(b"### x\n") == 1
    assert content.startswith(b"before all\n")
    assert all(block in content for block in BLOCKS)
    assert b"behind all" in content


def test_an_entry_that_grew_between_kill_and_healing_is_left_and_said(tmp_path):
    path = put(tmp_path, FILE)
    kept = prepare(RemoveBlocks(path, [BLOCKS[0].rstrip(b"\n") + b"\n"]), "list.md").step
    grown = FILE.replace(b"- about a\n", b"- about a\n- and one line more\n")
    put(tmp_path, grown)
    outcome = roll(kept, path)
    assert not outcome.changed
    assert outcome.refused == "1 of 1 places were changed by somebody else meanwhile and left as is"
    assert path.read_bytes() == grown


def test_two_identical_blocks_both_go_from_an_edited_file(tmp_path):
    twice = b"# T\n" + BLOCKS[0] + BLOCKS[1] + BLOCKS[0] + BLOCKS[1]
    path = put(tmp_path, twice)
    kept = prepare(RemoveBlocks(path, [BLOCKS[0], BLOCKS[0]]), "list.md").step
    put(tmp_path, b"more\n" + twice)
    assert roll(kept, path).refused is None
    assert path.read_bytes() == b"more\n# T\n" + BLOCKS[1] * 2


@pytest.mark.parametrize("new", [b"new", None])
def test_a_replacement_never_overwrites_what_was_not_read(tmp_path, new):
    path = put(tmp_path, b"old")
    kept = prepare(ReplaceFile(path, b"old", new), "list.md").step
    path.write_bytes(b"somebody's own words")
    outcome = roll(kept, path)
    assert (outcome.changed, outcome.refused) == (
        False, "was changed by somebody else meanwhile, so it was not written",
    )  # fmt: skip
    assert path.read_bytes() == b"somebody's own words"


def test_a_replacement_can_create(tmp_path):
    assert do(ReplaceFile(tmp_path / "deep" / "new.md", None, b"made")) == b"made"


@given(common=st.binary(max_size=40), before=st.binary(max_size=40), after=st.binary(max_size=40))
def test_digests_read_in_one_pass_are_the_digests(common, before, after):
    both = steps.digests(common + before, common + after, len(common))
    assert both == (steps.digest(common + before), steps.digest(common + after))


# ---- what a planner got wrong, or read too early


def test_a_block_that_is_not_there_is_a_conflict(tmp_path):
    path = put(tmp_path, FILE)
    with pytest.raises(Conflict, match=r"list.md was changed by somebody else meanwhile"):
        prepare(RemoveBlocks(path, [Cut(10, BLOCKS[0])]), "list.md")
    with pytest.raises(Conflict):
        prepare(RemoveBlocks(path, [b"### a\n"[1:]]), "list.md")
    with pytest.raises(Conflict):
        prepare(RemoveBlocks(tmp_path / "none.md", [BLOCKS[0]]), "none.md")
    with pytest.raises(Conflict):
        prepare(ReplaceFile(path, b"what I read", b"new"), "list.md")


@pytest.mark.parametrize(
    "op",
    [
        lambda path: AppendBlock(path, b""),
        lambda path: RemoveBlocks(path, [b""]),
        lambda path: RemoveBlocks(path, [Cut(9, BLOCKS[0]), Cut(9 + 6, BLOCKS[0][6:])]),
        lambda path: InsertBlock(path, b"### x\n", 3),
        lambda path: InsertBlock(path, b"### x", 9),
        lambda path: InsertBlock(path, b"", 9),
    ],
)
def test_an_op_without_sense_is_refused(tmp_path, op):
    with pytest.raises(ValueError):
        prepare(op(put(tmp_path, FILE)), "list.md")


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for op in (AppendBlock(tmp_path / "pipe", b"x\n"), ReplaceFile(tmp_path / "pipe", None, b"x")):
        with pytest.raises(BadInput, match="not a regular file"):
            prepare(op, "pipe")


def test_an_unknown_kind_of_change_is_refused():
    with pytest.raises(ValueError, match="unknown kind 'Teleport'"):
        from_dict({"step": "Teleport"})


# ---- others who write without asking


@pytest.mark.parametrize("name", ["remove", "insert"])
def test_an_append_while_our_temp_file_is_being_written_is_not_lost(tmp_path, monkeypatch, name):
    path = put(tmp_path, FILE)
    after = do(OPS[name](path))
    put(tmp_path, FILE)
    one = prepare(OPS[name](path), "list.md")
    really = os.fsync
    intrusions = iter([b"### theirs\n"])

    def fsync(handle: int) -> None:
        really(handle)
        with path.open("ab") as opened:
            opened.write(next(intrusions, b""))

    monkeypatch.setattr(os, "fsync", fsync)
    assert roll(one.step, one.path, one.known).changed
    assert path.read_bytes() == after + b"### theirs\n"
    assert os.listdir(tmp_path) == ["list.md"]


def test_somebody_who_never_stops_writing_is_a_conflict(tmp_path, monkeypatch):
    path = put(tmp_path, FILE)
    one = prepare(OPS["remove"](path), "list.md")
    really = os.fsync

    def fsync(handle: int) -> None:
        really(handle)
        with path.open("ab") as opened:
            opened.write(b"again\n")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(Conflict, match="all the time"):
        roll(one.step, one.path, one.known)
    assert path.read_bytes() == FILE + b"again\n" * steps._TRIES


# ---- what a killed writer leaves beside the file


def test_sweep_takes_only_our_own_temporary_files(tmp_path):
    path = put(tmp_path, FILE)
    (tmp_path / ".list.md.0123456789ab.tmp").write_bytes(b"half")
    others = [".list.md.tmp", ".other.md.0123456789ab.tmp", "list.md.0123456789ab.tmp", ".list.md.0123456789AB.tmp"]
    for name in others:
        (tmp_path / name).write_bytes(b"not ours")
    sweep(path)
    assert sorted(os.listdir(tmp_path)) == sorted(["list.md", *others])
    sweep(tmp_path / "no folder" / "list.md")


def test_a_rewrite_keeps_mode_and_link(tmp_path):
    real = put(tmp_path, FILE)
    real.chmod(0o664)
    link = tmp_path / "link.md"
    link.symlink_to("list.md")
    do(RemoveBlocks(link, [BLOCKS[0]]))
    assert link.is_symlink()
    assert real.read_bytes() == FILE.replace(BLOCKS[0], b"")
    assert real.stat().st_mode & 0o777 == 0o664


def test_what_is_found_done_already_is_made_to_last(tmp_path, monkeypatch):
    """A writer killed between its write and its fsync: the healer must not record what a power cut could still undo."""
    path = put(tmp_path, FILE)
    one = prepare(AppendBlock(path, b"### x\n"), "list.md")
    path.write_bytes(FILE + b"### x\n")
    synced: list[str] = []
    really = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (synced.append(os.readlink(f"/proc/self/fd/{handle}")), really(handle))
    )
    assert not roll(one.step, path).changed
    assert synced == [str(path), str(tmp_path)]


def test_swap_looks_once_more_before_the_rename(tmp_path):
    path = put(tmp_path, FILE)
    from core.files.read import stamp

    seen = stamp(path)
    path.write_bytes(FILE + b"more")
    with pytest.raises(Conflict):
        swap(path, b"new", seen)
    assert path.read_bytes() == FILE + b"more"
    assert os.listdir(tmp_path) == ["list.md"]


def test_the_second_copy_of_a_removed_block_outlives_the_healing(tmp_path):
    same = b"### same\n" + b"- what stands behind both copies, for longer than anybody looks\n" * 2
    twice = b"# T\n" + BLOCKS[0] + same + BLOCKS[0] + same
    path = put(tmp_path, twice)
    kept = prepare(RemoveBlocks(path, [Cut(4, BLOCKS[0])]), "list.md").step
    after = b"# T\n" + same + BLOCKS[0] + same
    for state in (twice, after):
        put(tmp_path, state)
        roll(kept, path)
        assert path.read_bytes() == after
