"""The inbox over real files and the real log (triage contract)."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from core.decisions import open_log
from core.decisions.sightings import Sightings
from core.errors import BadInput, Conflict, NotAllowed, Unavailable
from core.people import Person, local_person
from core.report_loop import decide as loop
from core.triage import inbox
from core.triage.inbox import open_inbox
from core.workspace import Workspace
from tests.core.triage.workspaces import escalated_run, workspace_of_runs

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ADA, BEN = local_person("Ada"), local_person("Ben")


@pytest.fixture
def workspace(tmp_path):
    return Workspace.open(workspace_of_runs(tmp_path, 3))


def escalated(workspace, run="run-0000", now=NOW):
    found = open_inbox(workspace, now)
    return next(i for i in found.items if i.finding.kind == "loop_escalated" and i.finding.subject == run)


def test_a_claim_is_held_by_one_and_seen_by_the_other(workspace):
    inbox.claim(workspace, ADA, escalated(workspace), NOW)
    with pytest.raises(Conflict, match=r"Ada holds this until 2026-11-30T12:30:00Z"):
        inbox.claim(workspace, BEN, escalated(workspace), NOW + timedelta(minutes=5))
    with pytest.raises(Conflict, match="Ada holds this"):
        inbox.resolve(workspace, BEN, escalated(workspace), "accept", now=NOW + timedelta(minutes=5))
    inbox.claim(workspace, BEN, escalated(workspace), NOW + timedelta(minutes=30))
    assert escalated(workspace, now=NOW + timedelta(minutes=31)).claimed_by == "Ben"


def test_an_escalated_run_is_sent_back_and_the_pipeline_can_read_it(workspace):
    record = inbox.resolve(workspace, ADA, escalated(workspace), "send_back", note="mend the alt texts", now=NOW)
    item = escalated(workspace)
    assert (item.state, item.resolution.decision, item.resolution.reviewer) == ("resolved", "send_back", "Ada")
    written = json.loads((workspace.runs()[0] / "decision.json").read_text())["decisions"][0]
    assert (written["decision"], written["note"], written["reviewer"]) == ("send_back", "mend the alt texts", "Ada")
    assert open_log(workspace).record(record.payload["effect"]).action == "send_back"


def test_an_undo_takes_back_what_was_written_elsewhere_too(workspace):
    record = inbox.resolve(workspace, ADA, escalated(workspace), "accept", now=NOW)
    inbox.undo(workspace, BEN, record.seq, NOW + timedelta(minutes=1))
    assert escalated(workspace).state == "open"
    assert not (workspace.runs()[0] / "decision.json").exists()
    with pytest.raises(Conflict, match="undone by Ben"):
        inbox.undo(workspace, ADA, record.seq, NOW + timedelta(minutes=2))
    assert open_log(workspace).verify().broken == ()


def test_what_is_undone_where_it_was_written_waits_again(workspace):
    """An undo on the run's own page: the resolution holds no longer, and nobody is stuck on it."""
    item = escalated(workspace)
    record = inbox.resolve(workspace, ADA, item, "accept", now=NOW)
    loop.undo(workspace, ADA, record.payload["effect"], now=NOW + timedelta(minutes=1))
    again = escalated(workspace, now=NOW + timedelta(minutes=2))
    assert (again.state, again.resolution) == ("open", None)
    inbox.resolve(workspace, BEN, again, "send_back", note="mend the alt texts", now=NOW + timedelta(minutes=3))
    assert escalated(workspace, now=NOW + timedelta(minutes=4)).resolution.reviewer == "Ben"
    inbox.undo(workspace, ADA, record.seq, NOW + timedelta(minutes=5))  # its effect is gone already: nothing else is
    assert escalated(workspace, now=NOW + timedelta(minutes=6)).resolution.reviewer == "Ben"
    decided = json.loads((workspace.runs()[0] / "decision.json").read_text())["decisions"]
    assert [entry["decision"] for entry in decided] == ["send_back"]
    assert open_log(workspace).verify().broken == ()


def test_a_resolution_is_not_put_to_sleep(workspace):
    item = escalated(workspace)
    inbox.resolve(workspace, ADA, item, "accept", now=NOW)
    with pytest.raises(Conflict, match="Ada resolved this"):
        inbox.snooze(workspace, BEN, item, NOW + timedelta(days=1), NOW)


def test_what_has_gone_cannot_be_decided(workspace):
    escalated(workspace)
    escalated_run(workspace.runs()[0], inclusive=0.95)
    item = escalated(workspace, now=NOW + timedelta(hours=2))
    with pytest.raises(Conflict, match="its cause was gone at 2026-11-30T14:00:00Z"):
        inbox.resolve(workspace, ADA, item, "accept", now=NOW + timedelta(hours=3))
    assert open_log(workspace).records() == []


def test_an_undo_goes_round_nobodys_claim(workspace):
    item = escalated(workspace)
    claimed = inbox.claim(workspace, ADA, item, NOW)
    with pytest.raises(Conflict, match="Ada holds this"):
        inbox.undo(workspace, BEN, claimed.seq, NOW)
    given_back = inbox.release(workspace, ADA, item, NOW)
    inbox.claim(workspace, BEN, item, NOW)
    with pytest.raises(Conflict, match="Ben holds this"):
        inbox.undo(workspace, ADA, given_back.seq, NOW)
    inbox.release(workspace, BEN, item, NOW)
    with pytest.raises(Conflict, match="was followed by Ben's release"):
        inbox.undo(workspace, ADA, given_back.seq, NOW)
    with pytest.raises(Conflict, match="is Ada's"):
        inbox.undo(workspace, BEN, claimed.seq, NOW)
    mine = inbox.claim(workspace, ADA, item, NOW)
    inbox.undo(workspace, ADA, mine.seq, NOW)
    assert escalated(workspace).state == "open"


def test_a_workspace_that_may_only_be_read_is_listed(workspace, monkeypatch):
    def refused(*_):
        raise Unavailable("the decision log cannot be made: read-only file system")

    monkeypatch.setattr(Sightings, "look", refused)
    found = open_inbox(workspace, NOW)
    assert len(found.waiting) == 3
    assert "how long findings wait is not kept" in str(found.problems[-1])


def test_a_decision_is_taken_once(workspace):
    seen = escalated(workspace)
    inbox.resolve(workspace, ADA, seen, "accept", now=NOW)
    with pytest.raises(Conflict, match="Ada resolved this"):
        inbox.resolve(workspace, BEN, seen, "send_back", note="again", now=NOW)


def test_what_a_kind_does_not_offer_or_explain_is_refused(workspace):
    with pytest.raises(BadInput, match="no decision about loop_escalated"):
        inbox.resolve(workspace, ADA, escalated(workspace), "pass", now=NOW)
    with pytest.raises(BadInput, match="say why"):
        inbox.resolve(workspace, ADA, escalated(workspace), "send_back", now=NOW)
    with pytest.raises(NotAllowed):
        inbox.claim(workspace, Person("Eve", "looker"), escalated(workspace), NOW)
    assert open_log(workspace).records() == []


def test_a_waiver_names_lines_of_the_checklist(workspace):
    from core.triage.effects import residue

    line = residue(workspace, "run-0000", NOW)[0]
    inbox.resolve(
        workspace, ADA, escalated(workspace), "waive", note="checked by hand", now=NOW, given={"residue": [line.id]}
    )
    written = json.loads((workspace.runs()[0] / "decision.json").read_text())["decisions"][0]
    assert written["residue_text"] == [line.text]
    with pytest.raises(BadInput, match="not on its checklist"):
        inbox.resolve(
            workspace, ADA, escalated(workspace, "run-0001"), "waive", note="x", now=NOW, given={"residue": ["?"]}
        )


def test_a_resolved_finding_reopens_exactly_when_its_evidence_changes(workspace, tmp_path):
    path = tmp_path / "broken" / "data"
    path.mkdir(parents=True)
    (path / "suggestions_pending.md").write_text(
        "# 📋 Pending Suggestions\n\n---\n\n### no heading of ours\n- 📋 建議：x\n"
    )
    other = Workspace.open(path.parent)
    (item,) = open_inbox(other, NOW).waiting
    inbox.resolve(other, ADA, item, "acknowledged", now=NOW)
    assert open_inbox(other, NOW).waiting == []
    with open(path / "suggestions_pending.md", "a") as opened:  # another entry: not this one's evidence
        opened.write("\n---\n\n### 2026-11-29 | Blog | Fine\n- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n- 📋 建議：Try it\n")
    assert open_inbox(other, NOW).waiting == []
    text = (path / "suggestions_pending.md").read_text().replace("建議：x", "建議：y")
    (path / "suggestions_pending.md").write_text(text)
    later = open_inbox(other, NOW + timedelta(hours=1))
    states = {item.finding.evidence["text"][-1]: item.state for item in later.items}
    assert states == {"x": "resolved", "y": "open"}  # with another next step it is another suggestion


def test_what_has_gone_closes_by_itself_and_is_kept(workspace):
    assert escalated(workspace).state == "open"
    escalated_run(workspace.runs()[0], inclusive=0.95)
    later = NOW + timedelta(hours=2)
    item = escalated(workspace, now=later)
    assert (item.state, item.ended_at, item.seen_first) == ("closed", later, NOW)
    escalated_run(workspace.runs()[0])
    again = escalated(workspace, now=later + timedelta(hours=1))
    assert (again.state, again.seen_first, again.open_since) == ("open", NOW, later + timedelta(hours=1))


def test_snoozed_items_come_back_at_their_time(workspace):
    until = NOW + timedelta(days=1)
    inbox.snooze(workspace, ADA, escalated(workspace), until, NOW)
    assert escalated(workspace).state == "snoozed"
    assert escalated(workspace, now=until).state == "open"
    with pytest.raises(BadInput, match="has passed"):
        inbox.snooze(workspace, ADA, escalated(workspace, now=until), NOW, until)


def test_looking_again_writes_nothing_and_keeps_the_ids(workspace):
    first = open_inbox(workspace, NOW)
    database = workspace.root / ".touchstone" / "touchstone.db"
    before = database.stat().st_mtime_ns
    second = open_inbox(workspace, NOW + timedelta(minutes=5))
    assert [i.finding.id for i in first.items] == [i.finding.id for i in second.items]
    assert database.stat().st_mtime_ns == before
    assert {i.seen_first for i in second.items} == {NOW}


def test_a_damaged_system_ends_nothing_that_was_open(workspace, monkeypatch):
    from core.errors import Unavailable
    from core.report_loop import findings as of_the_loop

    open_inbox(workspace, NOW)

    def fail(*_):
        raise Unavailable("the disk is gone")

    monkeypatch.setattr(of_the_loop, "findings", fail)
    found = open_inbox(workspace, NOW + timedelta(hours=1))
    assert [problem.reason for problem in found.problems] == ["the disk is gone"]
    assert {item.state for item in found.items} == {"open"}


def test_what_cannot_be_read_ends_nothing_and_is_told(workspace, monkeypatch):
    """A system whose place refuses, and a name that is no UTF-8: the rest of the inbox stands."""
    assert len(open_inbox(workspace, NOW).waiting) == 3
    named = workspace.root / ".ravenclaude" / "runs" / os.fsdecode(b"r\xff")
    escalated_run(named)
    assert len(open_inbox(workspace, NOW).waiting) == 4
    real = os.scandir

    def refused(place):
        if str(place).endswith("/runs"):
            raise PermissionError(13, "Permission denied", str(place))
        return real(place)

    monkeypatch.setattr(os, "scandir", refused)
    found = open_inbox(workspace, NOW + timedelta(minutes=1))
    assert len(found.waiting) == 4
    assert [str(problem) for problem in found.problems] == [".ravenclaude/runs: cannot be read: Permission denied"]
