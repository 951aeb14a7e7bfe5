"""The journal of a run on disk: what it writes beside what is there, and what it refuses."""

import json

import pytest

from core.errors import BadInput, UnsafePath
from core.report_loop.drive import Drive
from core.report_loop.journal import FolderJournal
from core.report_loop.loop import Scoring
from core.workspace import Workspace
from tests.core.report_loop.build import record, scores

GATE = {"gate": "PASS", "violations": []}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / ".ravenclaude" / "runs" / "r1"
    (made / "receipts").mkdir(parents=True)
    (made / "draft.md").write_text("one\n")
    return made


def journal(tmp_path, folder):
    return FolderJournal(folder, folder / "draft.md", Workspace.open(tmp_path).lock)


def commit(tmp_path, folder, index=1, **files):
    opened = journal(tmp_path, folder)
    opened.commit(record(index, None), b"one\n", Scoring(scores(), {}, files))
    return opened


def test_what_another_attempt_left_does_not_join_this_iteration(tmp_path, folder):
    (folder / "receipts" / "001.a11y.json").write_text("{}")
    (folder / "receipts" / "001.receipt.json").write_text("{}")
    commit(tmp_path, folder, receipt={"legs": []})
    assert sorted(path.name for path in (folder / "receipts").iterdir()) == ["001.receipt.json"]
    assert json.loads((folder / "receipts" / "001.receipt.json").read_text()) == {"legs": []}
    (aside,) = (folder / ".work").glob("001.a11y-*.json")
    assert aside.read_text() == "{}"


def test_a_gate_that_the_scoring_gave_takes_the_place_of_what_was_left(tmp_path, folder):
    (folder / "receipts" / "001.a11y.json").write_text("{}")
    commit(tmp_path, folder, receipt={"legs": []}, a11y=GATE)
    assert json.loads((folder / "receipts" / "001.a11y.json").read_text()) == GATE


def test_a_candidate_that_was_not_scored_has_no_receipt(tmp_path, folder):
    commit(tmp_path, folder, receipt={"legs": []})
    (folder / "receipts" / "002.receipt.json").write_text("{}")
    journal(tmp_path, folder).commit({**record(2, False), "accepted": False}, b"two\n", None)
    assert not (folder / "receipts" / "002.receipt.json").exists()


@pytest.mark.parametrize(
    "before",
    [
        "[]",
        "[\r\n  FIRST\r\n]\r\n",
        '{"tool": 1.50, "iterations": [FIRST], "z": 1e2}',
        '{"iterations":\r\n [\r\n  FIRST\r\n ],\r\n "z": "\\u00e9"}',
    ],
)
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_a_list_of_iterations_grows_and_nothing_else_in_it_changes(tmp_path, folder, before, bom):
    """One reader for the loop, the page and `report terminate`: also a list that stands in an object."""
    first = json.dumps(record(1, None)).replace(": 3,", ": 3.0,")  # a spelling that is not ours
    text = bom + before.replace("FIRST", first).encode()
    (folder / "iterations.json").write_bytes(text)
    earlier = len(journal(tmp_path, folder).records())
    opened = commit(tmp_path, folder, earlier + 1)
    after = (folder / "iterations.json").read_bytes()
    assert [one["index"] for one in opened.records()] == list(range(1, earlier + 2))
    if earlier:
        assert first.encode() in after
    assert after.startswith(text[: text.index(b"[") + 1])
    assert after.endswith(text[text.rindex(b"]") :])
    assert (after.count(b"\r\n") == after.count(b"\n")) or b"\r\n" not in text


def test_records_that_cannot_be_read_are_refused(tmp_path, folder):
    (folder / "iterations.json").write_text('{"iterations": 3}')
    with pytest.raises(BadInput, match="list of iterations"):
        journal(tmp_path, folder)


def test_the_loop_follows_no_link_out_of_the_workspace(tmp_path):
    outside, workspace = tmp_path / "outside", tmp_path / "ws"
    folder = workspace / ".ravenclaude" / "runs" / "r1"
    folder.mkdir(parents=True)
    outside.mkdir()
    (outside / "draft.md").write_text("theirs")
    opened = Workspace.open(workspace)
    for name in ("draft.md", "drafts", "receipts", ".work", "iterations.jsonl", "edit_counts.json", "deltas.json"):
        (folder / "draft.md").write_text("ours")
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(outside / "draft.md" if "." in name[1:] else outside)
        with pytest.raises(BadInput, match="through a link"):
            Drive(opened, folder, None, None, None).run()
        (folder / name).unlink()
    assert [path.name for path in outside.iterdir()] == ["draft.md"]
    assert (outside / "draft.md").read_text() == "theirs"


def test_the_loop_writes_its_own_files_through_no_link(tmp_path, folder):
    (tmp_path / "elsewhere").write_text("theirs")
    (folder / "receipts" / "001.receipt.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePath, match="is a link"):
        commit(tmp_path, folder, receipt={"legs": []})
    assert (tmp_path / "elsewhere").read_text() == "theirs"
