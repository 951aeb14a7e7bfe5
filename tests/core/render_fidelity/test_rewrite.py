"""Verdict files that other tools write too: what stays the same keeps its bytes, what cannot be read is left alone."""

import json
import os
from datetime import UTC, datetime

import pytest

from core.decisions import open_log
from core.errors import BadInput, Conflict, UnsafePath
from core.people import local_person
from core.render_fidelity import run_judge, scoring
from core.render_fidelity.draft import Draft
from core.render_fidelity.rewrite import rewritten
from core.render_fidelity.rubric import AXES
from core.render_fidelity.standing import read_standing
from core.workspace import Workspace
from tests.core.render_fidelity.build_pack import build, verdict_file

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN = local_person("Ann")
SLUG = "ppt-good"
BOUNDARY = [3, 3, 3, 3, 3, 4, 4]  # 23 lies inside 22–24: a person decides
SECOND = {"verifier": "gpt-5.6-sol", "total": 24, "delta": 1}


@pytest.fixture
def place(tmp_path):
    folder = build(tmp_path)
    workspace = Workspace.open(tmp_path)
    return folder, workspace, open_log(workspace)


def draft(values=(4, 4, 3, 3, 3, 4, 4), seen=(1, 2, 3), **more):
    return Draft(dict(zip(AXES, values, strict=True)), frozenset(seen), **more)


def decide(log, note="Looked at it."):
    return scoring.decide_human(log, ANN, SLUG, "pass", note, NOW)


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        # number, escape, order and spacing of what stays are the writer's; a new key goes last
        ('{"v": 3.10, "n": 1E2, "a": 1}', {"v": 3.1, "n": 100.0, "a": 2}, '{"v": 3.10, "n": 1E2, "a": 2}'),
        ('{"v":3.10}', {"v": 3.1, "a": "ü"}, '{"v":3.10, "a": "ü"}'),
        ('{"a": 1, "v": 3.10}', {"v": 3.1}, '{"v": 3.10}'),
        ('{\r\n "v": 3.10\r\n}\r\n', {"v": 3.1, "a": [1]}, '{\r\n "v": 3.10,\r\n "a": [\r\n  1\r\n ]\r\n}\r\n'),
        ('\ufeff{"v": 3.10}', {"v": 3.1, "a": 1}, '\ufeff{"v": 3.10, "a": 1}'),
        # inside an object and a list, too
        ('{"c": {"t": 0.70, "d": 3}}', {"c": {"t": 0.7, "d": 1}}, '{"c": {"t": 0.70, "d": 1}}'),
        ('{"r": [{"x": 0.10}]}', {"r": [{"x": 0.1}, 2]}, '{"r": [{"x": 0.10}, 2]}'),
        ('{"r": [1.0, 0.10, 3.0]}', {"r": [0.1, 3.0]}, '{"r": [0.10, 3.0]}'),
        ('{"r": [1.50, 2.50]}', {"r": [2.5, 1.5]}, '{"r": [2.50, 1.5]}'),
        # 1 is neither true nor 1.0
        ('{"a": 1}', {"a": True}, '{"a": true}'),
        ('{"a": 1.0}', {"a": 1}, '{"a": 1}'),
        # half a pair has no UTF-8, but an escape
        ('{"a": 1}', {"a": "\ud83d"}, '{"a": "\\ud83d"}'),
    ],
)
def test_what_stays_keeps_its_bytes(old, new, after):
    before = json.loads(old.removeprefix("\ufeff"))
    made = rewritten(old.encode(), before, new)
    assert made == after.encode()
    assert json.loads(made.decode("utf-8-sig")) == new


@pytest.mark.parametrize("raw", [b'{"slug": "ppt-good", "axes": {"F1"', b'{"slug": "\xff"}', b"", b"[]", b"\xff\xfe{"])
def test_a_file_that_cannot_be_read_is_not_written_over(place, raw):
    folder, workspace, log = place
    path = verdict_file(folder, [4] * 7)
    path.write_bytes(raw)
    with pytest.raises(BadInput, match=r"b1/fidelity_qa/ppt-good\.json"):
        scoring.save(log, ANN, SLUG, draft(), NOW)
    assert path.read_bytes() == raw
    assert log.records() == []
    with pytest.raises(BadInput):  # and no model is paid for scores that could not be kept
        run_judge.score(workspace, SLUG, ANN, {}, NOW, judge=None)


def test_nor_is_a_file_of_another_pack(place):
    folder, _, log = place
    path = verdict_file(folder, [4] * 7, slug="ppt-other")
    before = path.read_bytes()
    with pytest.raises(BadInput, match="slug 'ppt-other' is another pack's"):
        scoring.save(log, ANN, SLUG, draft(), NOW)
    assert path.read_bytes() == before


def test_nor_one_that_lies_outside_of_the_workspace(place, tmp_path_factory):
    folder, _, log = place
    path, outside = verdict_file(folder, [4] * 7), tmp_path_factory.mktemp("outside")
    path.unlink()
    path.parent.rmdir()
    os.symlink(outside, path.parent)
    with pytest.raises(UnsafePath, match="through a link"):
        scoring.save(log, ANN, SLUG, draft(), NOW)
    assert list(outside.iterdir()) == []


def agent(path, monkeypatch, at):
    """An agent that appends its request after Touchstone has read the file for the ``at``-th time."""
    read, calls = scoring.read_standing, []

    def then_write(*args):
        found = read(*args)
        calls.append(args)
        if len(calls) == at:
            value = json.loads(path.read_text())
            path.write_text(json.dumps(value | {"repair_requests": [{"text": "FROM THE AGENT"}]}))
        return found

    monkeypatch.setattr(scoring, "read_standing", then_write)


@pytest.mark.parametrize(
    "deed",
    [
        lambda log: scoring.save(log, ANN, SLUG, draft(), NOW),
        decide,
        lambda log: scoring.add_second(log, ANN, SLUG, SECOND, NOW),
    ],
    ids=["save", "decide", "second"],
)
def test_what_is_written_while_a_decision_is_made_is_not_replaced(place, monkeypatch, deed):
    folder, _, log = place
    path = verdict_file(folder, BOUNDARY, cross_check=SECOND)
    agent(path, monkeypatch, 2)  # the second reading is the plan's, under the lock
    with pytest.raises(Conflict, match="changed by somebody else"):
        deed(log)
    assert "FROM THE AGENT" in path.read_text()
    assert log.records() == []


def test_the_file_whose_lock_is_held_must_be_the_one_that_counts(place, monkeypatch):
    folder, _, log = place
    verdict_file(folder, BOUNDARY, cross_check=SECOND)
    read, calls = scoring.read_standing, []

    def then_a_later_one(*args):
        found = read(*args)
        calls.append(args)
        if len(calls) == 1:
            verdict_file(folder, BOUNDARY, batch="b2", cross_check=SECOND, scored_at="2026-11-01T09:00:00Z")
        return found

    monkeypatch.setattr(scoring, "read_standing", then_a_later_one)
    with pytest.raises(Conflict, match="another verdict file of ppt-good counts"):
        decide(log)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_persons_verdict_changes_nothing_else(place, bom, newline):
    folder, _, log = place
    path = verdict_file(folder, BOUNDARY, cross_check=SECOND)
    value = json.loads(path.read_text())
    text = json.dumps(value, indent=1)[:-2] + ',\n "tool": 3.10,\n "big": 12345678901234567890.123\n}\n'
    path.write_bytes((bom + text.replace("\n", newline)).encode())
    before = path.read_bytes()
    record = decide(log)
    after = path.read_bytes()
    kept = before[: -len(newline + "}" + newline)]
    assert after.startswith(kept + f',{newline} "human_verdict": {{'.encode())
    assert after.count(b"\n") == after.count(newline.encode())
    assert json.loads(after.decode("utf-8-sig"))["human_verdict"]["note"] == "Looked at it."
    scoring.undo_human(log, ANN, record.seq, NOW)
    assert path.read_bytes() == before


def test_saved_scores_change_only_what_they_say(place):
    folder, _, log = place
    mine = {"page": 2, "text": "47.2", "confidence": 0.70}
    path = verdict_file(folder, [4] * 7, value_errors=[mine], repair_requests=[{"text": "x", "weight": 0.10}])
    text = path.read_text().replace("0.7}", "0.70}").replace("0.1}", "0.10}")
    path.write_text(text.replace('"F7": 4', '"F7": 4, "F9": 3.50'))
    scoring.save(log, ANN, SLUG, draft(value_errors=("47.2 (page 2)", "42 became 24")), NOW)
    text = path.read_text()
    for kept in ('"confidence": 0.70}', '"F9": 3.50', '{"text": "x", "weight": 0.10}'):
        assert kept in text
    assert json.loads(text)["value_errors"] == [mine, "42 became 24"]
    assert json.loads(text)["axes"]["F3"] == 3


@pytest.mark.parametrize("who", ["decide", "second"])
def test_an_axis_that_stands_twice_keeps_both_values(place, who):
    # official_system: F5 is not active, so that what it holds decides nothing. 4+4+3+3+3+4 = 21 lies inside 19–21.
    folder, workspace, log = place
    meta = folder / "meta.yaml"
    meta.write_text(meta.read_text().replace("exact_document", "official_system"))
    path = verdict_file(
        folder, [4, 4, 3, 3, 0, 3, 4], reference_mode="official_system", total=21, cross_check=SECOND | {"total": 21}
    )
    path.write_text(path.read_text().replace('"F5": 0', '"F5": 1, "F5": 2'))
    assert read_standing(workspace, SLUG, NOW).computed == "needs_human"
    if who == "decide":
        decide(log)
        assert read_standing(workspace, SLUG, NOW).verdict == "pass"
    else:
        scoring.add_second(log, ANN, SLUG, {"verifier": "gpt-5.6-sol", "total": 20}, NOW)
    assert '"F5": 1, "F5": 2' in path.read_text()
    assert "repeated key" not in path.read_text()


def test_scores_take_the_place_of_an_axis_that_stands_twice(place):
    folder, _, log = place
    path = verdict_file(folder, [4] * 7)
    path.write_text(path.read_text().replace('"F1": 4', '"F1": 1, "F1": 2'))
    scoring.save(log, ANN, SLUG, draft(), NOW)
    assert json.loads(path.read_text())["axes"]["F1"] == 4
    assert "repeated key" not in path.read_text()


def test_two_values_that_a_rewrite_would_lose_are_refused(place):
    folder, _, log = place
    path = verdict_file(folder, [4] * 7, cross_check=SECOND)
    path.write_text(path.read_text().replace('"delta": 1', '"F1": 1, "F1": 2, "delta": 9'))  # no axes: a stray key
    before = path.read_bytes()
    with pytest.raises(BadInput, match="a key stands twice"):
        scoring.save(log, ANN, SLUG, draft(), NOW)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("values", "delta"),
    [
        ((4, 4, 3, 3, 3, 4, 4), 1),  # |25 - 24|
        ((4, 4, 4, 4, 4, 4, 4), 4),  # |28 - 24|
        ((4, 4, 3, 3, 3, 4, None), None),  # 25 has an axis without a score: no total, no Δ
    ],
)
def test_new_scores_have_their_own_delta(place, values, delta):
    folder, _, log = place
    path = verdict_file(folder, BOUNDARY, cross_check=SECOND | {"delta": 17})
    scoring.save(log, ANN, SLUG, draft(values), NOW)
    assert json.loads(path.read_text())["cross_check"] == SECOND | {"delta": delta}


def test_a_second_verifier_is_compared_with_the_scores_that_lie_there(place):
    folder, _, log = place
    path = verdict_file(folder, [4] * 7)
    scoring.add_second(log, ANN, SLUG, SECOND | {"delta": 0}, NOW)
    assert json.loads(path.read_text())["cross_check"]["delta"] == 4  # |28 - 24|


def test_undo_leaves_what_was_written_since(place):
    folder, _, log = place
    path = verdict_file(folder, BOUNDARY, cross_check=SECOND)
    decide(log)
    value = json.loads(path.read_text()) | {"repair_requests": [{"text": "since"}]}
    path.write_text(json.dumps(value))
    scoring.undo_last(log, ANN, SLUG)
    after = json.loads(path.read_text())
    assert (after["repair_requests"], "human_verdict" in after) == ([{"text": "since"}], False)
    scoring.save(log, ANN, SLUG, draft(), NOW)
    saved = json.loads(path.read_text()) | {"repair_requests": [{"text": "since then"}]}
    path.write_text(json.dumps(saved))
    with pytest.raises(Conflict, match="written again since"):
        scoring.undo_last(log, ANN, SLUG)
    assert json.loads(path.read_text()) == saved


def test_undo_puts_back_the_verdict_that_another_one_replaced(place):
    folder, _, log = place
    older = {"verdict": "reject", "note": "of the render before", "reviewer": "Bo", "at": "x", "render_hashes": {}}
    path = verdict_file(folder, BOUNDARY, cross_check=SECOND, human_verdict=older)
    before = path.read_bytes()
    record = decide(log)
    assert json.loads(path.read_text())["human_verdict"]["reviewer"] == "Ann"
    scoring.undo_human(log, ANN, record.seq, NOW)
    assert path.read_bytes() == before
