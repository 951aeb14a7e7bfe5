"""What people decide about runs, through the decision log, and what the folder and the driver learn of it."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.decisions import open_log
from core.errors import BadInput, Conflict, NotAllowed, UnsafePath
from core.people import Person, local_person
from core.report_loop import decide
from core.report_loop.decisions import NONE, all_decisions
from core.report_loop.feedback import document
from core.report_loop.feedback.model import Ruling
from core.report_loop.grants import granted_edits
from core.report_loop.residue import Item
from core.report_loop.runs import read_run
from core.report_loop.view import view_run
from core.workspace import Workspace

DEMO = Path(__file__).resolve().parents[3] / "data" / "demo"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
ANN, BOB = local_person("Ann"), local_person("Bob")
CAP, PASSED = "2026-11-25-cedar-clinics", "2026-11-26-meadow-retail"


@pytest.fixture
def workspace(tmp_path):
    shutil.copytree(DEMO / ".ravenclaude", tmp_path / ".ravenclaude")
    return Workspace.open(tmp_path)


def view(workspace, run=CAP):
    folder = next(folder for folder in workspace.runs() if folder.name == run)
    decided = all_decisions(open_log(workspace)).get(run, NONE)
    return view_run(read_run(workspace, folder), decided, NOW)


def file(workspace, name, run=CAP):
    return workspace.root / ".ravenclaude" / "runs" / run / name


def test_accepting_as_it_stands_is_logged_and_written_beside_the_run(workspace):
    seen = view(workspace)
    record = decide.decide_run(
        workspace, ANN, CAP, "accept_as_it_stands", note="good enough", seen=seen.evidence, now=NOW
    )
    after = view(workspace)
    assert not after.headline.escalated
    assert (after.headline.decided.reviewer, after.headline.decided.note) == ("Ann", "good enough")
    (entry,) = json.loads(file(workspace, "decision.json").read_text())["decisions"]
    assert (entry["decision"], entry["reviewer"], entry["at"]) == ("accept_as_it_stands", "Ann", "2026-11-30T09:00:00Z")
    assert record.subject == f"report_loop/{CAP}"
    assert open_log(workspace).verify().ok


def test_a_decision_holds_for_the_iterations_it_was_taken_on(workspace):
    decide.decide_run(workspace, ANN, CAP, "accept_as_it_stands", now=NOW)
    lines = file(workspace, "iterations.jsonl")
    lines.write_text(
        lines.read_text() + json.dumps({**json.loads(lines.read_text().splitlines()[-1]), "index": 7}) + "\n"
    )
    assert view(workspace).headline.escalated


def test_who_looked_at_something_else_is_told(workspace):
    with pytest.raises(Conflict, match="gone on since"):
        decide.decide_run(workspace, ANN, CAP, "accept_as_it_stands", seen="another", now=NOW)


def test_only_a_run_that_waits_can_be_decided(workspace):
    with pytest.raises(Conflict, match="not waiting"):
        decide.decide_run(workspace, ANN, PASSED, "accept_as_it_stands", now=NOW)


def test_sending_back_needs_instructions_and_a_waiver_names_its_residue(workspace):
    with pytest.raises(BadInput, match="instructions"):
        decide.decide_run(workspace, ANN, CAP, "send_back", note="  ", now=NOW)
    with pytest.raises(BadInput, match="names the residue"):
        decide.decide_run(workspace, ANN, CAP, "waive_residue", now=NOW)
    with pytest.raises(BadInput, match="none of"):
        decide.decide_run(workspace, ANN, CAP, "shrug", now=NOW)
    assert open_log(workspace).records() == []


def test_a_waiver_marks_the_lines_it_names(workspace):
    first = view(workspace).checklist[0].item
    decide.decide_run(workspace, ANN, CAP, "waive_residue", residue=[first], now=NOW)
    after = view(workspace)
    assert [line.waived is not None for line in after.checklist][:2] == [True, False]
    assert json.loads(file(workspace, "decision.json").read_text())["decisions"][0]["residue_text"] == [first.text]


def test_undo_takes_a_decision_back_in_the_log_and_in_the_folder(workspace):
    first = decide.decide_run(workspace, ANN, CAP, "send_back", note="shorten the table", now=NOW)
    assert view(workspace).headline.decided.action == "send_back"
    decide.undo(workspace, ANN, first.seq, now=NOW)
    assert not file(workspace, "decision.json").exists()
    assert view(workspace).headline.escalated
    with pytest.raises(Conflict, match="undone"):
        decide.undo(workspace, ANN, first.seq, now=NOW)


@pytest.mark.parametrize("action", ["accept_as_it_stands", "send_back"])
def test_who_comes_second_is_told_who_was_first(workspace, action):
    first = decide.decide_run(workspace, ANN, CAP, "accept_as_it_stands", now=NOW)
    for person in (ANN, BOB):
        with pytest.raises(Conflict, match=r"Ann decided .* \(accept as it stands, 2026-11-30T09:00:00Z\)"):
            decide.decide_run(workspace, person, CAP, action, note="redo", now=NOW + timedelta(minutes=1))
    assert len(open_log(workspace).records()) == 1
    assert len(json.loads(file(workspace, "decision.json").read_text())["decisions"]) == 1
    decide.undo(workspace, ANN, first.seq, now=NOW)
    decide.decide_run(workspace, BOB, CAP, action, note="redo", now=NOW)
    assert view(workspace).headline.decided.reviewer == "Bob"


def test_equal_decisions_are_two_entries_and_undo_takes_one(workspace):
    first = decide.decide_node(workspace, ANN, CAP, "chart", unfreeze=True, now=NOW)
    file(workspace, "edit_counts.json").write_text('{"chart": 3}')  # the edit that was granted did not do, either
    second = decide.decide_node(workspace, ANN, CAP, "chart", unfreeze=True, now=NOW)
    ids = [entry["id"] for entry in json.loads(file(workspace, "decision.json").read_text())["decisions"]]
    assert ids == [first.payload["entry"], second.payload["entry"]]
    decide.undo(workspace, ANN, second.seq, now=NOW)
    (left,) = json.loads(file(workspace, "decision.json").read_text())["decisions"]
    assert left["id"] == first.payload["entry"]


def test_what_others_wrote_into_the_decision_file_stays(workspace):
    path = file(workspace, "decision.json")
    before = b'\xef\xbb\xbf{"pipeline": 1.50,\r\n "decisions": [\r\n  {"by": "hand", "n": 1e2}\r\n ]}\r\n'
    path.write_bytes(before)
    record = decide.decide_run(workspace, ANN, CAP, "accept_as_it_stands", now=NOW)
    after = path.read_bytes()
    kept, _, _ = before.partition(b"\r\n ]}")
    assert after.startswith(kept)
    assert after.endswith(b"\r\n ]}\r\n")
    assert after.count(b"\r\n") == after.count(b"\n")
    assert json.loads(after.decode("utf-8-sig"))["decisions"][1]["reviewer"] == "Ann"
    decide.undo(workspace, ANN, record.seq, now=NOW)
    assert path.read_bytes() == before


def test_undo_deletes_only_a_file_that_the_decision_made(workspace):
    path = file(workspace, "decision.json")
    path.write_text('{"decisions": []}\n')
    record = decide.decide_run(workspace, ANN, CAP, "accept_as_it_stands", now=NOW)
    decide.undo(workspace, ANN, record.seq, now=NOW)
    assert path.read_text() == '{"decisions": []}\n'


def test_half_a_surrogate_pair_is_decided_on_like_any_text(workspace):
    node, item = "\ud83d", Item("x", "half \ud83d pair", "receipt")
    file(workspace, "edit_counts.json").write_text(json.dumps({node: 2}))
    waived = decide.decide_run(workspace, ANN, CAP, "waive_residue", residue=[item], now=NOW)
    granted = decide.decide_node(workspace, ANN, CAP, node, unfreeze=True, now=NOW)
    entries = json.loads(file(workspace, "decision.json").read_text())["decisions"]
    assert (entries[0]["residue_text"], entries[1]["node"]) == ([item.text], node)
    assert granted_edits(workspace, file(workspace, "")) == {node: 1}
    decide.undo(workspace, ANN, waived.seq, now=NOW)
    decide.undo(workspace, ANN, granted.seq, now=NOW)
    assert granted_edits(workspace, file(workspace, "")) == {}


def test_a_decision_file_that_is_a_link_out_of_the_workspace_is_not_written(workspace, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "decision.json"
    outside.write_text('{"decisions": []}')
    file(workspace, "decision.json").symlink_to(outside)
    with pytest.raises(UnsafePath, match="through a link"):
        decide.decide_run(workspace, ANN, CAP, "accept_as_it_stands", now=NOW)
    assert outside.read_text() == '{"decisions": []}'


def test_a_tick_and_a_waiver_hold_for_the_draft_they_were_made_on(workspace):
    ticked, waived = (line.item for line in view(workspace).checklist[:2])
    decide.tick(workspace, ANN, CAP, ticked, True, draft=view(workspace).draft, now=NOW)
    decide.decide_run(workspace, ANN, CAP, "waive_residue", residue=[waived], now=NOW)
    assert [line.done for line in view(workspace).checklist][:3] == [True, True, False]
    at = view(workspace).draft.iteration
    path = file(workspace, "iterations.jsonl")
    last = json.loads(path.read_text().splitlines()[-1])
    put(path, {**last, "index": 7, "accepted": False, "draft_sha256": "c"})
    assert [line.done for line in view(workspace).checklist][:3] == [True, True, False]  # the draft stands
    put(path, {**last, "index": 8, "accepted": True, "draft_sha256": "d"})
    lines = view(workspace).checklist[:3]
    assert [line.done for line in lines] == [False, False, False]
    assert [(line.earlier.action, line.earlier.iteration) for line in lines[:2]] == [
        ("tick_residue", at), ("waive_residue", at),
    ]  # fmt: skip
    decide.tick(workspace, BOB, CAP, ticked, True, now=NOW)
    line = view(workspace).checklist[0]
    assert (line.done, line.ticked.reviewer, line.ticked.iteration, line.earlier) == (True, "Bob", 8, None)


def put(path, line):
    path.write_text(path.read_text() + json.dumps(line) + "\n")


def test_ticks_are_kept_by_the_log_alone(workspace):
    item = view(workspace).checklist[2].item
    record = decide.tick(workspace, ANN, CAP, item, True, now=NOW)
    assert view(workspace).checklist[2].ticked.reviewer == "Ann"
    decide.tick(workspace, local_person("Bo"), CAP, item, False, now=NOW)
    assert view(workspace).checklist[2].ticked is None
    decide.tick(workspace, ANN, CAP, item, True, now=NOW)
    decide.undo(workspace, ANN, record.seq + 2, now=NOW)
    assert view(workspace).checklist[2].ticked is None


def test_an_unfrozen_node_gets_one_more_edit_from_the_driver(workspace):
    folder = file(workspace, "")
    assert granted_edits(workspace, folder) == {}
    record = decide.decide_node(workspace, ANN, CAP, "chart", unfreeze=True, now=NOW)
    assert granted_edits(workspace, folder) == {"chart": 1}
    node = next(node for node in view(workspace).nodes if node.node == "chart")
    assert (node.allowed, node.frozen) == (3, False)
    decide.undo(workspace, ANN, record.seq, now=NOW)
    assert granted_edits(workspace, folder) == {}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_a_node_that_does_not_wait_is_not_decided_again(workspace, first, second):
    record = decide.decide_node(workspace, ANN, CAP, "chart", unfreeze=first, now=NOW)
    with pytest.raises(Conflict, match=r"not waiting .* last decided by Ann, 2026-11-30T09:00:00Z"):
        decide.decide_node(workspace, BOB, CAP, "chart", unfreeze=second, now=NOW)
    with pytest.raises(Conflict, match="not waiting"):
        decide.decide_node(workspace, BOB, CAP, "nowhere", unfreeze=second, now=NOW)
    decide.undo(workspace, ANN, record.seq, now=NOW)
    decide.decide_node(workspace, BOB, CAP, "chart", unfreeze=second, now=NOW)


def test_an_accepted_node_waits_for_nobody(workspace):
    decide.decide_node(workspace, ANN, CAP, "chart", unfreeze=False, note="fine", now=NOW)
    node = next(node for node in view(workspace).nodes if node.node == "chart")
    assert (node.frozen, node.waiting, node.accepted_by) == (True, False, "Ann")


def test_a_persons_word_on_an_edit_is_final_and_can_be_taken_back(workspace):
    edit = next(one for one in view(workspace).feedback.edits if one.ruling.cls == "undecided")
    record = decide.classify_edit(workspace, ANN, CAP, edit.id, "mechanical", "polished", now=NOW)
    found = next(one for one in view(workspace).feedback.edits if one.id == edit.id)
    assert (found.ruling.cls, found.ruling.dimension, found.ruling.decided_by, found.ruling.reviewer) == (
        "mechanical", "polished", "person", "Ann",
    )  # fmt: skip
    decide.undo(workspace, ANN, record.seq, now=NOW)
    assert next(one for one in view(workspace).feedback.edits if one.id == edit.id).ruling.cls == "undecided"


def ruling(workspace, edit):
    found = next(one.ruling for one in view(workspace).feedback.edits if one.id == edit)
    return found.cls, found.dimension, found.decided_by, found.reviewer


def test_undo_leaves_the_word_that_is_in_force_without_it(workspace):
    edit = next(one.id for one in view(workspace).feedback.edits if one.ruling.cls == "undecided")
    rules = ruling(workspace, edit)
    ann = decide.classify_edit(workspace, ANN, CAP, edit, "mechanical", "dynamic", now=NOW)
    bob = decide.classify_edit(workspace, BOB, CAP, edit, "substantive", now=NOW)
    decide.undo(workspace, BOB, bob.seq, now=NOW)
    assert ruling(workspace, edit) == ("mechanical", "dynamic", "person", "Ann")
    bob = decide.classify_edit(workspace, BOB, CAP, edit, "substantive", now=NOW)
    decide.undo(workspace, ANN, ann.seq, now=NOW)  # the earlier one: the later word stands
    assert ruling(workspace, edit) == ("substantive", None, "person", "Bob")
    decide.undo(workspace, BOB, bob.seq, now=NOW)
    assert ruling(workspace, edit) == rules


def test_undo_gives_a_judges_word_back(workspace):
    edit = next(one.id for one in view(workspace).feedback.edits if one.ruling.cls == "undecided")
    found = document.current(file(workspace, ""))
    judged = document.ruled(found, edit, Ruling("mechanical", "judged so", "polished", "judge"))
    file(workspace, "feedback.json").write_bytes(document.as_bytes(judged))
    ann = decide.classify_edit(workspace, ANN, CAP, edit, "substantive", now=NOW)
    bob = decide.classify_edit(workspace, BOB, CAP, edit, "mechanical", "dynamic", now=NOW)
    decide.undo(workspace, ANN, ann.seq, now=NOW)
    decide.undo(workspace, BOB, bob.seq, now=NOW)
    assert ruling(workspace, edit) == ("mechanical", "polished", "judge", "")
    assert document.current(file(workspace, "")) == judged


def foreign(workspace, edit="e1", **fields):
    """A feedback.json by another tool, the report's two versions not beside it."""
    for side in ("shipped", "reviewed"):
        for path in file(workspace, "").glob(f"{side}.*"):
            path.unlink()
    made = {"id": edit, "class": "substantive", "reason": "theirs", "sort": "words", "before": "a", "after": "b"}
    file(workspace, "feedback.json").write_text(json.dumps({"edits": [{**made, **fields}]}))


@pytest.mark.parametrize("edit", ["p1/e3", "", "e1", "\ud83d", "\0"])
def test_undo_finds_the_edit_whatever_its_id(workspace, edit):
    foreign(workspace, edit)
    record = decide.classify_edit(workspace, ANN, CAP, edit, "mechanical", "accurate", now=NOW)
    assert ruling(workspace, edit) == ("mechanical", "accurate", "person", "Ann")
    decide.undo(workspace, ANN, record.seq, now=NOW)
    assert ruling(workspace, edit) == ("substantive", None, "rule", "")
    assert view(workspace).feedback.edits[0].ruling.reason == "theirs"


CAROL = {"decided_by": "person", "reviewer": "Carol", "at": "2026-11-01T00:00:00Z"}


def test_undo_gives_back_the_word_of_a_person_whom_this_log_does_not_know(workspace):
    foreign(workspace, **CAROL)
    ann = decide.classify_edit(workspace, ANN, CAP, "e1", "mechanical", "accurate", now=NOW)
    bob = decide.classify_edit(workspace, BOB, CAP, "e1", "mechanical", "dynamic", now=NOW)
    decide.undo(workspace, ANN, ann.seq, now=NOW)
    assert ruling(workspace, "e1") == ("mechanical", "dynamic", "person", "Bob")
    decide.undo(workspace, BOB, bob.seq, now=NOW)
    assert ruling(workspace, "e1") == ("substantive", None, "person", "Carol")


def test_undo_leaves_a_word_that_was_given_elsewhere_since(workspace):
    foreign(workspace)
    ann = decide.classify_edit(workspace, ANN, CAP, "e1", "mechanical", "accurate", now=NOW)
    foreign(workspace, **CAROL)
    bob = decide.classify_edit(workspace, BOB, CAP, "e1", "mechanical", "dynamic", now=NOW)
    for person, record in ((BOB, bob), (ANN, ann)):
        decide.undo(workspace, person, record.seq, now=NOW)
        assert ruling(workspace, "e1") == ("substantive", None, "person", "Carol")


@pytest.mark.parametrize(
    ("kept", "back"),
    [({}, ("undecided", None, "nobody", "")),
     ({"judged": {"cls": "mechanical", "reason": "", "dimension": "polished", "decided_by": "judge", "reviewer": "",
                  "at": ""}}, ("mechanical", "polished", "judge", ""))],
)  # fmt: skip
def test_a_record_from_before_the_log_kept_what_it_replaced_is_undone_as_it_was(workspace, kept, back):
    foreign(workspace, "p1/e3", decided_by="person", reviewer="Ann", at="2026-11-30T09:00:00Z")
    payload = {"class": "substantive", "dimension": None, **kept}
    old = open_log(workspace).append(ANN, "classify_edit", f"report_loop/{CAP}/edit/p1/e3", payload, at=NOW)
    decide.undo(workspace, ANN, old.seq, now=NOW)
    assert ruling(workspace, "p1/e3") == back


@pytest.mark.parametrize(("cls", "dimension"), [("mechanical", None), ("substantive", "dynamic"), ("undecided", None)])
def test_a_mechanical_edit_names_its_dimension_and_no_other_does(workspace, cls, dimension):
    with pytest.raises(BadInput):
        decide.classify_edit(workspace, ANN, CAP, "x", cls, dimension, now=NOW)


def test_an_unknown_run_or_edit_is_told(workspace):
    with pytest.raises(BadInput):
        decide.decide_run(workspace, ANN, "nowhere", "accept_as_it_stands", now=NOW)
    with pytest.raises(BadInput, match="no edit"):
        decide.classify_edit(workspace, ANN, CAP, "x", "substantive", now=NOW)


def test_a_damaged_decision_file_is_not_overwritten(workspace):
    file(workspace, "decision.json").write_text("[]")
    with pytest.raises(BadInput, match="not overwritten"):
        decide.decide_run(workspace, ANN, CAP, "accept_as_it_stands", now=NOW)
    assert file(workspace, "decision.json").read_text() == "[]"


def test_a_looker_decides_nothing(workspace):
    looker = Person("Eve", "looker")
    item = view(workspace).checklist[0].item
    with pytest.raises(NotAllowed):
        decide.decide_run(workspace, looker, CAP, "accept_as_it_stands", now=NOW)
    with pytest.raises(NotAllowed):
        decide.tick(workspace, looker, CAP, item, True, now=NOW)
    assert open_log(workspace).records() == []
