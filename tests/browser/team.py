"""Several reviewers in several browsers who clear one inbox by keyboard, at the same time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from playwright.sync_api import Page

from core.decisions import open_log
from core.workspace import Workspace
from tests.browser.settle import settle

_ROUNDS = 200


def open_items(workspace: Workspace, total: int) -> int:
    """How many of ``total`` have not been resolved."""
    return total - len({record.subject for record in open_log(workspace).records(action="triage.resolve")})


def clear(pages: Sequence[Page], workspace: Workspace, total: int) -> None:
    """Everybody claims what they see and ends it, all keys going down before anybody's answer is awaited."""
    for turn in range(_ROUNDS):
        if not open_items(workspace, total):
            return
        # Down the list and up again: what somebody claimed and passed by, only they can end when they come back to it.
        for key in ("e", "a", "j" if turn % 12 < 6 else "k"):
            for page in pages:
                page.keyboard.press(key)
            for page in pages:
                settle(page, quiet=0, timeout=60_000)
    seen = "\n\n".join(f"{page.url}\n{page.get_by_test_id('stMain').inner_text()[:900]}" for page in pages)
    raise AssertionError(f"{open_items(workspace, total)} of {total} are left after {_ROUNDS} rounds; they see\n{seen}")


def check(workspace: Workspace, total: int, reviewers: set[str]) -> Counter[str]:
    """None twice, none lost, the log whole; who ended how many."""
    log = open_log(workspace)
    assert log.verify().broken == ()
    assert log.half_done() == []
    resolved = log.records(action="triage.resolve")
    assert len(resolved) == len({record.subject for record in resolved}) == total
    held: dict[str, str] = {}
    for record in log.records():
        if record.action in ("triage.claim", "triage.resolve", "triage.release"):
            assert held.get(record.subject, record.reviewer) == record.reviewer, record
            held[record.subject] = record.reviewer
            if record.action != "triage.claim":
                held.pop(record.subject)
    for folder in workspace.runs():
        assert len(json.loads((folder / "decision.json").read_text())["decisions"]) == 1
    done = Counter(record.reviewer for record in resolved)
    assert set(done) == reviewers, f"somebody ended nothing: {done}"
    return done
