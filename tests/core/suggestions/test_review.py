"""Accept, reject, restore, undo: what happens to the files and the log (suggestions contract, Review)."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decisions import open_log
from core.errors import BadInput, Conflict, NotAllowed
from core.people import Person
from core.suggestions import edits, review, store
from core.suggestions.entries import Document, parse
from core.suggestions.places import Place, find, places_of
from core.suggestions.review import Wanted
from core.workspace import Workspace

HEADING = "# 📋 Pending Suggestions\n"


def entry(day: int, title: str, tail: str = "") -> str:
    return (
        f"### 2026-11-{day:02d} | Newsletter | [{title}](https://e.example/{title})\n"
        f"- 🏷️ 技術 | 📊 5/6 (A:2 P:1 G:2)\n- 📋 建議：do {title}  \n- 📄 [報告](file:///r.md)\n{tail}"
    )


def pending_file(*entries: str) -> str:
    return HEADING + "".join(f"\n---\n\n{one}" for one in entries)


ABC = pending_file(entry(1, "a"), entry(2, "b"), entry(3, "c"))


def ids(workspace: Workspace, kind: Any = "pending") -> dict[str, str]:
    return {one.title: one.id for one in store.of_workspace(workspace, kind).entries}


def text_of(workspace: Workspace, kind: str = "pending") -> str:
    path: Path = getattr(workspace.suggestions, kind)
    return path.read_bytes().decode()


def test_a_suggestions_own_comment_line_stays_and_the_reviewers_counts(make: Any, ann: Person, now: datetime) -> None:
    own = entry(2, "b", "- **Comment**: urgent, says the editor\n")
    for comment, read in (("agreed", "agreed"), ("", "urgent, says the editor")):
        workspace = make(pending=pending_file(own), reviewed="")
        record = review.decide(workspace, ann, ids(workspace)["b"], "accept", comment=comment, now=now)
        assert own in text_of(workspace, "reviewed")
        assert store.of_workspace(workspace, "reviewed").entries[0].comment == read
        review.undo(workspace, ann, record.seq, now=now)
        assert text_of(workspace) == pending_file(own)


@pytest.mark.parametrize(
    "tail",
    [
        "- Steps:\n  - Feedback: collect ✅ from three users\n  - then ship\n", "  - Feedback: ✅ from three users\n",
        "  - **Feedback**: ask three users\n- plain bullet\n", "- Comment: quantum looks promising\n",
    ],
)  # fmt: skip
def test_points_that_are_called_like_a_review_go_along_and_come_back(
    make: Any, ann: Person, now: datetime, tail: str
) -> None:
    own = entry(2, "b", tail)
    workspace = make(pending=pending_file(own), reviewed="")
    one = store.of_workspace(workspace, "pending").entries[0]
    record = review.decide(workspace, ann, one.id, "reject", now=now)
    assert own in text_of(workspace, "reviewed")
    read = store.of_workspace(workspace, "reviewed").entries[0]
    assert (one.decision, read.decision, read.id, read.comment) == (None, "reject", one.id, "")
    review.undo(workspace, ann, record.seq, now=now)
    assert text_of(workspace) == pending_file(own)


def test_taking_an_old_review_away_makes_no_other_suggestion_of_it(make: Any, ann: Person, now: datetime) -> None:
    text = pending_file("### 2026-11-02 | N | b\n- 📋 建議：do b\n- **Feedback**: ❌ Reject\n- plain bullet\n")
    workspace = make(pending=text, reviewed="")
    one = store.of_workspace(workspace, "pending").entries[0]
    record = review.decide(workspace, ann, one.id, "accept", now=now)
    read = store.of_workspace(workspace, "reviewed").entries[0]
    assert (read.id, read.next_step, read.decision) == (one.id, "do b", "accept")
    assert "do b\n\n- plain bullet\n- **Feedback**: ✅ Accept\n" in read.text
    review.undo(workspace, ann, record.seq, now=now)
    assert text_of(workspace) == text


def test_a_decision_goes_to_reviewed_out_of_pending_and_into_the_log(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(pending=ABC)
    record = review.decide(workspace, ann, ids(workspace)["b"], "reject", comment=" too\n vague ", now=now)
    assert text_of(workspace) == pending_file(entry(1, "a"), entry(3, "c"))
    assert text_of(workspace, "reviewed") == (
        "# ✅ Reviewed Suggestions\n\n---\n\n" + entry(2, "b") + "- **Feedback**: ❌ Reject\n- **Comment**: too vague\n"
        "- **Reviewed**: 2026-11-30T09:00:00+08:00\n"
    )
    assert (record.reviewer, record.action, record.subject) == ("Ann", "reject", f"suggestion:{record.subject[11:]}")
    assert record.payload["comment"] == " too\n vague "
    assert (record.payload["title"], record.payload["score"]) == ("b", [5, 2, 1, 2])
    assert open_log(workspace).verify().broken == ()


def test_appending_touches_no_byte_before(make: Any, ann: Person, now: datetime) -> None:
    old = "# ✅ Reviewed Suggestions\r\n\r\n---\r\n\r\n### 2026-01-01 | N | old\r\n- **Feedback**: ✅ Accept"
    workspace = make(pending=ABC, reviewed=old)
    review.decide(workspace, ann, ids(workspace)["a"], "accept", now=now)
    text = text_of(workspace, "reviewed")
    assert text.startswith(old)
    assert text[len(old) :].count("\n") == text[len(old) :].count("\r\n") == 10
    assert [one.decision for one in store.of_workspace(workspace, "reviewed").entries] == ["accept", "accept"]


@pytest.mark.parametrize("title", ["a", "b", "c"])
def test_undo_restores_both_files(make: Any, ann: Person, ben: Person, now: datetime, title: str) -> None:
    reviewed = "# ✅ Reviewed Suggestions\n"
    workspace = make(pending=ABC, reviewed=reviewed)
    record = review.decide(workspace, ann, ids(workspace)[title], "accept", now=now)
    undo = review.undo(workspace, ben, record.seq, now=now)
    assert (text_of(workspace), text_of(workspace, "reviewed")) == (ABC, reviewed)
    assert (undo.action, undo.undoes, undo.subject, undo.reviewer) == ("undo", record.seq, record.subject, "Ben")


ABCD = pending_file(entry(1, "a"), entry(2, "b"), entry(3, "c"), entry(4, "d"))


@pytest.mark.parametrize("decided", ["abcd", "dcba", "bac", "cab", "bdc"])
@pytest.mark.parametrize("seed", range(3))
def test_undo_in_any_order_ends_where_it_began(make: Any, ann: Person, now: datetime, decided: str, seed: int) -> None:
    workspace = make(pending=ABCD)
    known = ids(workspace)
    records = [review.decide(workspace, ann, known[title], "accept", now=now) for title in decided]
    Random(seed).shuffle(records)
    for record in records:
        review.undo(workspace, ann, record.seq, now=now)
    assert text_of(workspace) == ABCD


def test_decisions_taken_one_by_one_can_be_taken_back_together(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(pending=ABCD)
    known = ids(workspace)
    records = [review.decide(workspace, ann, known[title], "accept", now=now) for title in "cbad"]
    review.undo_many(workspace, ann, [record.seq for record in records], now=now)
    assert text_of(workspace) == ABCD


def test_many_at_once_and_taken_back_at_once(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(pending=ABC)
    known = ids(workspace)
    outcome = review.decide_many(workspace, ann, [Wanted(known[t], "reject", "no") for t in "abc"], now=now)
    assert (len(outcome.records), outcome.refused) == (3, {})
    assert text_of(workspace) == HEADING
    assert [one.title for one in store.of_workspace(workspace, "reviewed").entries] == ["a", "b", "c"]
    review.undo_many(workspace, ann, [one.seq for one in outcome.records], now=now)
    assert text_of(workspace) == ABC
    assert store.of_workspace(workspace, "reviewed").entries == ()


def test_one_of_many_taken_back_by_itself_finds_its_place(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(pending=ABC)
    known = ids(workspace)
    outcome = review.decide_many(workspace, ann, [Wanted(known[t], "reject") for t in "abc"], now=now)
    for number in (1, 0, 2):
        review.undo(workspace, ann, outcome.records[number].seq, now=now)
    assert text_of(workspace) == ABC


def test_the_second_reviewer_is_told_who_and_what(make: Any, ann: Person, ben: Person, now: datetime) -> None:
    workspace = make(pending=ABC)
    known = ids(workspace)
    review.decide(workspace, ann, known["b"], "reject", comment="not ours", now=now)
    before = (text_of(workspace), text_of(workspace, "reviewed"))
    with pytest.raises(Conflict, match=r"^Ann rejected 'b' at 2026-11-30T01:00:00\.000000Z \(not ours\)$"):
        review.decide(workspace, ben, known["b"], "accept", now=now)
    outcome = review.decide_many(workspace, ben, [Wanted(known["b"], "accept"), Wanted(known["c"], "accept")], now=now)
    assert [one.payload["title"] for one in outcome.records] == ["c"]
    assert list(outcome.refused) == [known["b"]]
    assert text_of(workspace, "reviewed").startswith(before[1])


def test_a_decision_made_by_hand_in_the_files_is_told_too(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(pending=ABC)
    known = ids(workspace)
    decided = entry(2, "b", "- **Feedback**: ✅ Accept\n- **Reviewed**: 2026-11-29T09:00:00+08:00\n")
    make(pending=pending_file(entry(1, "a"), entry(3, "c")), reviewed=f"# ✅ Reviewed Suggestions\n\n---\n\n{decided}")
    with pytest.raises(Conflict, match=r"somebody accepted 'b' at 2026-11-29T09:00:00\+08:00 \(data/suggestions_rev"):
        review.decide(workspace, ann, known["b"], "reject", now=now)
    with pytest.raises(Conflict, match=r"0123456789abcdef is not in data/suggestions_pending\.md"):
        review.decide(workspace, ann, "0123456789abcdef", "reject", now=now)


def test_after_an_undo_the_suggestion_can_be_decided_again(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(pending=ABC)
    known = ids(workspace)
    first = review.decide(workspace, ann, known["b"], "reject", now=now)
    review.undo(workspace, ann, first.seq, now=now)
    second = review.decide(workspace, ann, known["b"], "accept", now=now + timedelta(seconds=5))
    last = review.last_decision(workspace, known["b"])
    assert last is not None
    assert last.seq == second.seq
    with pytest.raises(Conflict, match="was undone by Ann already"):
        review.undo(workspace, ann, first.seq, now=now)


def test_what_was_changed_since_is_not_undone(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(pending=ABC)
    record = review.decide(workspace, ann, ids(workspace)["b"], "reject", now=now)
    path = workspace.suggestions.reviewed
    path.write_text(path.read_text() + "- a note that somebody added\n")
    before = (text_of(workspace), text_of(workspace, "reviewed"))
    with pytest.raises(Conflict, match="no longer holds the entry as it was decided"):
        review.undo(workspace, ann, record.seq, now=now)
    assert (text_of(workspace), text_of(workspace, "reviewed")) == before


def test_all_copies_of_a_duplicate_go_and_come_back(make: Any, ann: Person, now: datetime) -> None:
    text = pending_file(entry(1, "a"), entry(2, "b"), entry(1, "a"), entry(3, "c"))
    workspace = make(pending=text)
    record = review.decide(workspace, ann, ids(workspace)["a"], "accept", now=now)
    assert text_of(workspace) == pending_file(entry(2, "b"), entry(3, "c"))
    assert [one.title for one in store.of_workspace(workspace, "reviewed").entries] == ["a"]
    review.undo(workspace, ann, record.seq, now=now)
    assert text_of(workspace) == text


def test_marks_of_an_earlier_review_do_not_become_a_second_mark(make: Any, ann: Person, now: datetime) -> None:
    old = "- **Feedback**: ✅ Accept\n- **Comment**: once\n  more\n- **Reviewed**: 2026-11-02T09:00:00+08:00\n"
    workspace = make(pending=pending_file(entry(1, "a", old), entry(2, "b")))
    record = review.decide(workspace, ann, ids(workspace)["a"], "reject", now=now)
    found = store.of_workspace(workspace, "reviewed").entries[0]
    assert (found.decision, found.comment, found.problems) == ("reject", "", ())
    review.undo(workspace, ann, record.seq, now=now)
    assert text_of(workspace) == pending_file(entry(1, "a", old), entry(2, "b"))


def test_a_person_overrules_the_filter(make: Any, ann: Person, ben: Person, now: datetime) -> None:
    filtered = f"# 🚫 Filtered Suggestions\n\n---\n\n{entry(5, 'z', '- ❌ Filter: Hard-veto: Web3' + chr(10))}"
    workspace = make(pending=ABC, filtered=filtered)
    record = review.restore(workspace, ann, ids(workspace, "filtered")["z"], now=now)
    assert text_of(workspace) == ABC + "\n---\n\n" + entry(5, "z")
    assert text_of(workspace, "filtered") == "# 🚫 Filtered Suggestions\n"
    assert (record.action, record.payload["reason"]) == ("restore", "Hard-veto: Web3")
    with pytest.raises(Conflict, match="is pending already"):
        review.restore(workspace, ben, ids(workspace)["z"], now=now)
    review.undo(workspace, ann, record.seq, now=now)
    assert (text_of(workspace), text_of(workspace, "filtered")) == (ABC, filtered)


def test_a_restored_one_that_was_decided_cannot_be_unrestored(
    make: Any, ann: Person, ben: Person, now: datetime
) -> None:
    filtered = f"# 🚫 Filtered Suggestions\n\n---\n\n{entry(5, 'z')}"
    workspace = make(filtered=filtered)
    restored = review.restore(workspace, ann, ids(workspace, "filtered")["z"], now=now)
    review.decide(workspace, ben, ids(workspace)["z"], "accept", now=now)
    with pytest.raises(Conflict, match="Ben accepted it since"):
        review.undo(workspace, ann, restored.seq, now=now)


def test_bom_and_crlf_are_kept(make: Any, ann: Person, now: datetime) -> None:
    raw = (
        b"\xef\xbb\xbf"
        + (entry(1, "a") + "\n---\n\n" + entry(2, "b") + "\n---\n\n" + entry(3, "c")).replace("\n", "\r\n").encode()
    )
    workspace = make(pending=raw)
    record = review.decide(workspace, ann, ids(workspace)["b"], "accept", now=now)
    left = workspace.suggestions.pending.read_bytes()
    removed = ("\n---\n\n" + entry(2, "b")).replace("\n", "\r\n").encode()
    assert left == raw.replace(removed, b"")
    made = workspace.suggestions.reviewed.read_bytes()
    assert made.count(b"\n") == made.count(b"\r\n") > 0
    review.undo(workspace, ann, record.seq, now=now)
    assert workspace.suggestions.pending.read_bytes() == raw


def test_the_last_entry_without_a_final_line_end_comes_back_as_it_was(make: Any, ann: Person, now: datetime) -> None:
    text = ABC.removesuffix("\n")
    workspace = make(pending=text)
    record = review.decide(workspace, ann, ids(workspace)["c"], "accept", now=now)
    assert text_of(workspace) == pending_file(entry(1, "a"), entry(2, "b"))
    review.undo(workspace, ann, record.seq, now=now)
    assert text_of(workspace) == text


def test_comments_and_sections_behind_an_entry_stay_where_they_are(make: Any, ann: Person, now: datetime) -> None:
    note = "\n<!-- note\n### 2026-11-09 | N | template\n-->\n"
    section = "\n## Older\n\nfrom the old list\n"
    text = pending_file(entry(1, "a")) + note + "\n---\n\n" + entry(2, "b") + section + "\n---\n\n" + entry(3, "c")
    workspace = make(pending=text)
    known = ids(workspace)
    records = [review.decide(workspace, ann, known[title], "accept", now=now) for title in "abc"]
    assert text_of(workspace) == HEADING + note + section
    for record in reversed(records):
        review.undo(workspace, ann, record.seq, now=now)
    assert text_of(workspace) == text


def test_what_touches_an_entry_goes_with_it(make: Any, ann: Person, now: datetime) -> None:
    fenced = entry(1, "a", "\n```\n### 2026-11-09 | N | inner\n```\n<!-- touching -->\n")
    workspace = make(pending=pending_file(fenced, entry(2, "b")))
    review.decide(workspace, ann, ids(workspace)["a"], "accept", now=now)
    assert text_of(workspace) == pending_file(entry(2, "b"))
    assert fenced in text_of(workspace, "reviewed")


def test_a_file_that_is_damaged_half_way_is_never_written(make: Any, ann: Person, now: datetime) -> None:
    raw = ABC.encode() + "\n### 2026-11-04 | N | 做".encode("big5", "replace")
    workspace = make(pending=raw)
    with pytest.raises(BadInput, match="is not UTF-8 from byte"):
        review.decide(workspace, ann, ids(workspace)["a"], "accept", now=now)
    assert workspace.suggestions.pending.read_bytes() == raw
    assert not workspace.suggestions.reviewed.exists()


def test_an_open_fence_in_reviewed_is_not_closed_by_what_is_appended(make: Any, ann: Person, now: datetime) -> None:
    """Else the entries between would vanish from sight."""
    fenced = entry(1, "a", "```\ncode\n```\n")
    workspace = make(pending=pending_file(fenced, entry(2, "b")), reviewed="# ✅ Reviewed Suggestions\n```\n")
    known = ids(workspace)
    with pytest.raises(BadInput, match="code fence is never closed"):
        review.decide(workspace, ann, known["a"], "accept", now=now)
    review.decide(workspace, ann, known["b"], "accept", now=now)
    assert len(store.of_workspace(workspace, "reviewed").entries) == 1


def test_who_may_only_look_changes_nothing(make: Any, now: datetime) -> None:
    workspace = make(pending=ABC)
    with pytest.raises(NotAllowed):
        review.decide(workspace, Person("Eve", "looker"), ids(workspace)["a"], "accept", now=now)
    assert text_of(workspace) == ABC


def test_a_change_by_an_agent_between_two_decisions_is_kept(make: Any, ann: Person, now: datetime) -> None:
    workspace = make(pending=ABC)
    known = ids(workspace)
    first = review.decide(workspace, ann, known["b"], "accept", now=now)
    path = workspace.suggestions.pending
    path.write_text(path.read_text() + "\n---\n\n" + entry(9, "new"))
    review.decide(workspace, ann, known["a"], "accept", now=now)
    review.undo(workspace, ann, first.seq, now=now)
    assert [one.title for one in store.of_workspace(workspace, "pending").entries] == ["b", "c", "new"]


# ---- the same rules for any file


LINES = st.sampled_from([
    "### 2026-05-07 | N | [T](https://e.example/a)\n", "### x\n", "- 📋 建議：a\n", "- **Feedback**: ✅ Accept\n", "\n",
    "\n", "---\n", "---\n", "***\n", "```\n", "<!-- c -->\n", "<!--\n", "-->\n", "text\n", "## S\n", "# H\n", "- b\n",
])  # fmt: skip


def nobody(_: str) -> tuple[None, None]:
    return None, None


def documents() -> st.SearchStrategy[Document]:
    return st.lists(LINES, max_size=24).map(lambda lines: parse("".join(lines).encode(), "f.md", "pending"))


@given(documents(), st.data())
def test_taking_any_entries_out_leaves_the_others_and_putting_them_back_restores_all(
    document: Document, data: st.DataObject
) -> None:
    if not document.entries or document.open_ended:
        return
    numbers = st.sets(st.integers(0, len(document.entries) - 1), min_size=1)
    chosen = sorted(data.draw(numbers))
    units = [(index, edits.unit(document, index)) for index in chosen]
    raw = document.raw
    for _, one in reversed(units):
        assert raw.startswith(one.data, one.offset)
        raw = raw[: one.offset] + raw[one.offset + len(one.data) :]
    left = parse(raw, "f.md", "pending")
    kept = [entry for index, entry in enumerate(document.entries) if index not in chosen]
    assert [edits.own_text(entry) for entry in left.entries] == [edits.own_text(entry) for entry in kept]

    places = [Place.of(place.as_dict()) for place in places_of(document, units)]
    for spot, number in sorted(((find(left, place, "", nobody), n) for n, place in enumerate(places)), reverse=True):
        raw = raw[:spot] + places[number].text.encode() + raw[spot:]
    assert raw == document.raw


@given(documents())
def test_an_entry_moves_without_its_review_marks_and_nothing_else_is_lost(document: Document) -> None:
    for one in document.entries:
        own = edits.own_text(one)
        bare = edits.without_fields(own, frozenset({"feedback"}))
        assert re.sub(r"(?m)^- \*\*Feedback.*\n", "", own) == bare or "```" in own or "<!--" in own
