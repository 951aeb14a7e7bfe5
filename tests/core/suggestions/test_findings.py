"""What of the suggestions needs a human (triage contract, Findings)."""

import os
from datetime import datetime
from typing import Any

from core.findings import Finding
from core.suggestions.findings import findings

GOOD = "### 2026-11-01 | N | [T](https://e.example/t)\n- 📋 建議：x\n"
BAD = "### no heading at all\n- 📋 建議：x\n"


def of(workspace: Any, now: datetime, kind: str) -> list[Finding]:
    return [one for one in findings(workspace, now) if one.kind == kind]


def test_an_empty_workspace_needs_nobody(make: Any, now: datetime) -> None:
    workspace = make()
    assert findings(workspace, now) == []
    assert os.listdir(workspace.root) == ["data"], "looking writes nothing"


def test_entries_that_say_nothing_are_findings_with_their_place(make: Any, now: datetime) -> None:
    undecided = "### 2026-11-02 | N | [U](https://e.example/u)\n- **Feedback**: ⏸ Defer\n"
    found = of(make(pending=GOOD + BAD, reviewed=undecided), now, "suggestion_unreadable")
    assert [one.summary for one in found] == [
        "data/suggestions_pending.md:3: the heading is not `date | source | [title](url)`",
        "data/suggestions_reviewed.md:1: Feedback has neither ✅ nor ❌: '⏸ Defer'",
    ]
    assert found[0].severity == "attention"
    assert found[0].evidence["text"] == BAD.strip()


def test_an_entry_that_only_moves_is_the_same_finding_with_the_same_evidence(make: Any, now: datetime) -> None:
    before = of(make(pending=BAD), now, "suggestion_unreadable")[0]
    after = of(make(pending=GOOD + BAD), now, "suggestion_unreadable")[0]
    assert (before.id, before.evidence_hash) == (after.id, after.evidence_hash)
    changed = of(make(pending=BAD + "- 🏷️ new\n"), now, "suggestion_unreadable")[0]
    assert changed.id == before.id
    assert changed.evidence_hash != before.evidence_hash


def test_files_that_cannot_be_read_to_their_end_block(make: Any, now: datetime) -> None:
    broken = GOOD.encode() + "- 做".encode("big5")
    found = of(make(pending=broken, goals=b"\xff\xfe", rubric_blocklist="## Topic Blocks\n- (x)\n"), now, "unreadable")
    assert [(one.severity, one.summary.partition(":")[0]) for one in found] == [
        ("blocking", "data/suggestions_pending.md"), ("attention", "data/rubric_blocklist.md"),
        ("attention", "data/goals.md"),
    ]  # fmt: skip


def test_a_pipe_in_place_of_a_file_is_a_finding(make: Any, now: datetime) -> None:
    workspace = make()
    os.mkfifo(workspace.suggestions.reviewed)
    assert [one.summary for one in findings(workspace, now)] == [
        "data/suggestions_reviewed.md: is not a regular file"
    ]  # fmt: skip
