"""What a page says about a run, as a pure function of its files: the demo's eight runs, and runs gone wrong."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.report_loop.decisions import NONE
from core.report_loop.findings import findings, run_findings
from core.report_loop.index import RunsIndex
from core.report_loop.runs import read_run
from core.report_loop.view import row_of, view_run
from core.workspace import Workspace
from tests.core.report_loop.build import receipt, record, scores

DEMO = Path(__file__).resolve().parents[3] / "data" / "demo"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.fixture
def demo(tmp_path):
    shutil.copytree(DEMO / ".ravenclaude", tmp_path / ".ravenclaude")
    return Workspace.open(tmp_path)


@pytest.fixture
def make(tmp_path):
    """``make(records, receipts={name: value}, **files)``: one run of a fresh workspace, viewed."""

    def run(records=None, receipts=None, raw=None, now=NOW, **documents):
        folder = tmp_path / ".ravenclaude" / "runs" / "r1"
        folder.mkdir(parents=True, exist_ok=True)
        if records is not None:
            (folder / "iterations.json").write_text(json.dumps(records))
        for name, value in (receipts or {}).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(json.dumps(value))
        for name, text in (raw or {}).items():
            (folder / name).write_text(text)
        for name, value in documents.items():
            (folder / f"{name}.json").write_text(json.dumps(value))
        return view_run(read_run(Workspace.open(tmp_path), folder), NONE, now)

    return run


def fresh(**fields):
    return receipt(generated_at="2026-11-30T08:30:00Z", **fields)


def views(workspace):
    return {folder.name[11:]: view_run(read_run(workspace, folder), NONE, NOW) for folder in workspace.runs()}


def test_the_demos_eight_runs(demo):
    found = {name: (view.headline.words, view.headline.escalated) for name, view in views(demo).items()}
    assert found == {
        "harbour-logistics": ("PASS at 1", False), "meadow-retail": ("PASS at 4", False),
        "alder-energy": ("plateau at 3", True), "cedar-clinics": ("cap at 6", True),
        "birch-insurance": ("plateau at 3", True), "fjord-seafood": ("fail", False),
        "larch-hotels": ("stale", False), "oak-publishing": ("unverified", False),
    }  # fmt: skip


def test_the_demos_findings(demo):
    found = findings(demo, NOW)
    assert [(one.kind, one.subject[11:]) for one in found] == [
        ("receipt_stale", "larch-hotels/receipts/002.receipt.json"), ("feedback_undecided", "larch-hotels"),
        ("accurate_unverified", "oak-publishing"),
        *[("unreadable", one_file(found, end)[11:]) for end in ("iterations.jsonl", "002.receipt.json", "/iterations")],
        ("feedback_undecided", "harbour-logistics"),
        ("loop_escalated", "cedar-clinics"), ("node_frozen", "cedar-clinics/chart"),
        ("feedback_undecided", "cedar-clinics"),
        ("loop_escalated", "alder-energy"), ("node_frozen", "alder-energy/chart"),
        ("loop_escalated", "birch-insurance"), ("accurate_unverified", "birch-insurance"),
        ("accurate_unverified", "fjord-seafood"), ("overclaim", "fjord-seafood/receipts/002.receipt.json"),
    ]  # fmt: skip
    assert len({one.id for one in found}) == len(found)
    assert all(one.link.startswith("/report_loop?run=2026-11-") for one in found)
    escalated = next(one for one in found if one.kind == "loop_escalated" and "cedar" in one.subject)
    assert escalated.link == "/report_loop?run=2026-11-25-cedar-clinics&iteration=6"
    assert escalated.evidence["held_back_by"] == ["inclusive", "polished"]
    assert escalated.evidence["frozen"] == ["chart"]


def one_file(found, end):
    return next(one.subject for one in found if one.kind == "unreadable" and one.subject.endswith(end))


def test_evidence_does_not_change_with_the_clock_alone(demo):
    early, late = ({one.id: one.evidence_hash for one in findings(demo, NOW + timedelta(days=days))} for days in (0, 1))
    assert early == late


def test_the_timeline_of_a_driven_run(demo):
    view = views(demo)["meadow-retail"]
    assert [(column.move, column.target, column.node, column.diff) for column in view.columns] == [
        ("baseline", "", "", 0), ("accepted", "dynamic", "summary", 1), ("reverted", "inclusive", "chart", 1),
        ("accepted", "inclusive", "chart", 1),
    ]  # fmt: skip
    assert [column.cell("dynamic").words for column in view.columns] == ["anchor red", "0.97", "0.97", "0.97"]
    assert view.columns[2].cell("polished").samples == (0.83, 0.81, 0.84)
    assert view.columns[2].short == "Polished −0.09"
    assert view.columns[2].why == "polished fell (0.92 → 0.83)"
    assert [column.cell("inclusive").target for column in view.columns] == [False, False, True, True]
    assert view.receipt_of(view.columns[1]).name == "receipts/002.receipt.json"
    assert [(node.node, node.edits, node.frozen) for node in view.nodes] == [("chart", 1, False), ("summary", 0, False)]


def test_a_pass_at_one_with_a_diff_is_a_violation(make):
    view = make([record(1, None, scores=scores(), content_diff_count=2)], {"receipt.json": fresh()})
    assert "do no harm" in view.headline.violation
    assert make([record(1, None, scores=scores(), content_diff_count=0)]).headline.violation == ""


def test_a_pass_is_only_shown_on_a_fresh_receipt_that_says_the_same(make):
    good = [record(1, None, scores=scores(), content_diff_count=0)]
    assert make(good).headline.word == "unverified"
    assert make(good, {"receipt.json": fresh()}).headline.word == "PASS"
    assert make(good, {"receipt.json": fresh()}, now=NOW + timedelta(hours=2)).headline.word == "stale"
    assert make(good, {"receipt.json": receipt(generated_at="2026-12-01T00:00:00Z")}).headline.word == "stale"
    assert make(good, {"receipt.json": fresh(verdicts={"V5": "not_captured"})}).headline.word == "unverified"
    assert make(good, {"receipt.json": fresh(verdicts={"V4": "fail"})}).headline.word == "fail"
    assert make(good, raw={"receipt.json": "{"}).headline.word == "unverified"


def test_the_latest_receipt_is_the_one_named_then_the_newest_that_is_not_from_the_future(make):
    receipts = {
        "receipts/a.receipt.json": receipt(generated_at="2026-11-30T08:00:00Z"),
        "receipts/b.receipt.json": receipt(generated_at="2026-11-30T15:30:00+09:00"),
        "receipts/c.receipt.json": receipt(generated_at="2027-01-01T00:00:00Z"),
    }
    assert make([record(1)], receipts).latest_receipt == "receipts/a.receipt.json"
    assert make([record(1, receipt="receipts/b.receipt.json")]).latest_receipt == "receipts/b.receipt.json"


def the_run(tmp_path):
    """What list, page and inbox say about the one run of a workspace: they must not differ."""
    workspace = Workspace.open(tmp_path)
    index = RunsIndex(workspace)
    index.refresh()
    (row,) = index.rows({}, NOW)
    view = view_run(read_run(workspace, workspace.runs()[0]), NONE, NOW)
    assert (row.word, row.overclaim) == (view.headline.word, latest_overclaims(view))
    return view, row, [one.kind for one in findings(workspace, NOW)]


def latest_overclaims(view):
    found = view.receipts.get(view.latest_receipt)
    return found is not None and found.overclaim


@pytest.mark.parametrize("name", ["receipts/002.receipt.json", "002.receipt.json", "elsewhere/2.json", "../r.json",
                                  "/etc/passwd", "receipts/../../x", "a\u0000b", "\ud800", ["x"], {}])  # fmt: skip
def test_a_named_receipt_that_is_not_there_is_no_other_receipt(make, tmp_path, name):
    """Iteration 1 has a good receipt of its own; 2 passes and names one that nobody can read: nothing verifies 2."""
    make([record(1, receipt="receipts/001.receipt.json"), record(2, True, scores=scores(), receipt=name)],
         {"receipts/001.receipt.json": fresh()})  # fmt: skip
    view, row, kinds = the_run(tmp_path)
    assert view.headline.word == "unverified"
    assert len(view.problems) == 1
    assert "unreadable" in kinds
    assert row.damaged
    assert not view.receipt_of(view.columns[1]).readable
    assert view.receipt_of(view.columns[0]).gate == "PASS"


@pytest.mark.parametrize("name", ["receipts/002.json", "002.json"])
def test_a_named_receipt_counts_whatever_its_name(make, tmp_path, name):
    receipts = {"receipts/001.receipt.json": fresh(), "receipts/002.json": fresh(verdicts={"V4": "fail"})}
    make([record(1, receipt="receipts/001.receipt.json"), record(2, True, scores=scores(), receipt=name)], receipts)
    view, _, _ = the_run(tmp_path)
    assert (view.headline.word, view.latest_receipt) == ("fail", "receipts/002.json")
    assert view.receipt_of(view.columns[1]).gate == "FAIL"


@pytest.mark.parametrize("name", [".r.json", "receipts/.r.json"])
def test_a_hidden_receipt_is_refused_since_nobody_would_see_it_change(make, tmp_path, name):
    make([record(1, True, scores=scores(), receipt=name)], {name: fresh()})
    view, _, kinds = the_run(tmp_path)
    assert view.headline.word == "unverified"
    assert "unreadable" in kinds
    assert "begins with no dot" in view.problems[0].reason


def test_the_receipt_of_an_earlier_draft_verifies_no_later_one(make, tmp_path):
    records = [record(1, receipt="receipts/001.receipt.json"), record(2, True, scores=scores())]
    make(records, {"receipts/001.receipt.json": fresh()})
    assert the_run(tmp_path)[0].headline.word == "unverified"


def test_a_reverted_candidates_receipt_says_nothing_about_the_draft(make, tmp_path):
    own = fresh(verdicts={"V4": "fail"}, manual_residue=["of the candidate"])
    reverted = [record(n, False, accepted=False, receipt=f"receipts/00{n}.receipt.json") for n in (2, 3)]
    receipts = {f"receipts/00{n}.receipt.json": own for n in (2, 3)}
    make([record(1, None, receipt="receipts/001.receipt.json"), *reverted],
         {"receipts/001.receipt.json": fresh(manual_residue=["of the draft"]), **receipts})  # fmt: skip
    view, row, kinds = the_run(tmp_path)
    assert (view.headline.word, view.latest_receipt) == ("plateau", "receipts/001.receipt.json")
    assert view.checklist[0].item.text == "of the draft"
    assert view.standing.cell("accurate").state == "pass"
    assert row.word == "plateau"
    assert kinds == ["loop_escalated"]
    assert view.receipt_of(view.columns[2]).overclaim  # in its own column it stays what it is


def accurate(view):
    return [(cell.state, cell.claimed) for cell in (column.cell("accurate") for column in view.columns)]


def test_a_record_that_says_pass_is_shown_as_its_receipt_says(make):
    """Each iteration against its own receipt, the one that stands without a name against the run's newest."""
    passes = [record(n, None if n == 1 else True, scores=scores()) for n in (1, 2, 3, 4)]
    for entry, name in zip(passes, ("001", "002", "003", None), strict=True):
        if name:
            entry["receipt"] = f"receipts/{name}.receipt.json"
    receipts = {
        "receipts/001.receipt.json": fresh(), "receipts/002.receipt.json": fresh(verdicts={"V3": "disabled"}),
        "receipts/004.receipt.json": fresh(verdicts={"V5": "not_captured"}),
    }  # fmt: skip
    view = make(passes, receipts)
    assert accurate(view) == [("pass", ""), ("fail", "pass"), ("unverified", "pass"), ("unverified", "pass")]
    assert view.columns[1].cell("accurate").reason == "by its receipt: V3 (re-inference isomorphism) is disabled"
    assert view.columns[2].cell("accurate").reason == "receipts/003.receipt.json cannot be read"  # it is not there


def test_a_record_that_says_less_than_its_receipt_stays(make):
    low = [record(1, None, scores=scores(verdicts={"V2": "fail"}), receipt="receipts/001.receipt.json")]
    assert accurate(make(low, {"receipts/001.receipt.json": fresh()})) == [("fail", "")]


def test_an_earlier_iteration_without_a_receipt_has_only_its_record(make):
    assert accurate(make([record(1), record(2, True)], {"receipt.json": fresh(verdicts={"V2": "fail"})})) == [
        ("pass", ""), ("fail", "pass"),
    ]  # fmt: skip


BAD_SCORE = {**scores(), "dynamic": {**scores()["dynamic"], "judged_score": 10**350}}


@pytest.mark.parametrize(
    ("records", "files", "problems"),
    [
        ([record(1, None, scores=scores())], {"receipt": fresh(ttl_seconds=9e11)}, 0),  # its end: year 30 521
        ([record(1, None, scores=scores())], {"receipt": receipt(generated_at="9999-12-31T23:59:59Z")}, 0),
        ([record(1, None, scores=scores())], {"receipt": receipt(generated_at="0001-01-01T00:00:00Z")}, 0),
        ([record(1, None)], {"receipt": fresh(), "receipt.a11y": {"schema": ["x"], "gate": "PASS"}}, 1),
        ([record(1, None)], {"receipt": fresh(), "receipt.a11y": {"schema": {}, "gate": "PASS"}}, 1),
        ([record(1, None), record(2, True, node_id="n", target_dim=["dynamic"])], {}, 1),
        ([record(1, None), record(2, True, node_id="n", target_dim={})], {}, 1),
        ([record(1, None), record(2, True, scores=BAD_SCORE)], {}, 1),
        ([record(1, None, at="9999-12-31T23:59:59Z")], {"run": {"started_at": "0001-01-01T00:00:00Z"}}, 0),
    ],
)
def test_one_odd_file_takes_nothing_else_down(make, tmp_path, records, files, problems):
    make(records, **files)
    view, _, kinds = the_run(tmp_path)
    assert len(view.problems) == problems
    assert ("unreadable" in kinds) == bool(problems)
    assert len(view.columns) == len(records)


def test_a_judged_score_that_is_no_score_clears_no_bar(make):
    view = make([record(1, None, scores=BAD_SCORE, content_diff_count=0)], {"receipt.json": fresh()})
    assert view.headline.word == "running"
    assert view.headline.held_back == ("dynamic",)
    assert (view.columns[0].cell("dynamic").state, view.columns[0].cell("dynamic").words) == (
        "unreadable", "unreadable score",
    )  # fmt: skip
    assert [(one.position, one.reason) for one in view.problems] == [
        ("record 1", "judged_score of dynamic is no number from 0 to 1")
    ]


@pytest.mark.parametrize("name", ["receipt.json", "receipts/001.receipt.json", "receipts", "iterations.json",
                                  "receipt.a11y.json", "run.json", "edit_counts.json"])  # fmt: skip
def test_a_link_out_of_the_workspace_is_not_followed(tmp_path, name):
    outside, workspace = tmp_path / "outside", tmp_path / "ws"
    folder = workspace / ".ravenclaude" / "runs" / "r1"
    (folder / "receipts").mkdir(parents=True)
    outside.mkdir()
    good = [record(1, None, scores=scores(), content_diff_count=0)]
    given = {"iterations.json": good, "receipt.json": fresh(), "run.json": {"title": "Ours"}}
    for file, value in given.items():
        (folder / file).write_text(json.dumps(value))
    assert the_run(workspace)[0].headline.word == "PASS"
    (outside / "it").write_text(
        json.dumps({"iterations.json": good, "run.json": {"title": "Stolen"}}.get(name, fresh()))
    )
    path = folder / name
    if name == "receipts":
        (folder / "receipts").rmdir()
        path.symlink_to(outside)
    else:
        path.unlink(missing_ok=True)
        path.symlink_to(outside / "it")
    view, row, kinds = the_run(workspace)
    assert [problem.file for problem in view.problems] == [f".ravenclaude/runs/r1/{name}"]
    assert "through a link" in view.problems[0].reason
    assert "unreadable" in kinds
    assert (view.headline.word == "PASS") is (name not in ("receipt.json", "iterations.json"))
    assert "Stolen" not in (view.title, row.title)


def test_a_link_inside_the_workspace_is_as_good_as_a_file(make, tmp_path):
    make([record(1, None, scores=scores(), content_diff_count=0)])
    (tmp_path / "shared.json").write_text(json.dumps(fresh()))
    (tmp_path / ".ravenclaude" / "runs" / "r1" / "receipt.json").symlink_to(tmp_path / "shared.json")
    assert the_run(tmp_path)[0].headline.word == "PASS"


def test_a_run_dated_in_the_future_is_neither_first_nor_latest(tmp_path):
    times = {"old": "2020-01-01T00:00:00Z", "new": "2026-11-30T08:00:00Z", "skewed": "2099-01-01T00:00:00Z",
             "half": "2099-01-01T00:00:00Z"}  # fmt: skip
    for name, at in times.items():
        folder = tmp_path / ".ravenclaude" / "runs" / name
        folder.mkdir(parents=True)
        before = [record(1, None, at="2026-11-30T07:00:00Z")] if name == "half" else []
        records = [*before, record(len(before) + 1, True, at=at)]
        (folder / "iterations.json").write_text(json.dumps(records))
    index = RunsIndex(Workspace.open(tmp_path))
    index.refresh()
    assert [(row.run, row.skewed) for row in index.rows({}, NOW)] == [
        ("new", False), ("half", True), ("old", False), ("skewed", True),
    ]  # fmt: skip
    assert [row.run for row in index.rows({}, datetime(2099, 1, 2, tzinfo=UTC))][:2] == ["half", "skewed"]


@pytest.mark.parametrize(
    ("raw", "word", "problems"),
    [
        ({}, "no iterations yet", 0),
        ({"iterations.json": "[]"}, "no iterations yet", 0),
        ({"iterations.json": "[{"}, "unreadable", 1),
        ({"iterations.jsonl": '{"index": NaN}\n'}, "unreadable", 1),
        ({"iterations.jsonl": '{"index": 1'}, "unreadable", 1),
        ({"iterations.json": "{}"}, "unreadable", 1),
        ({"iterations.jsonl": '{"index": 1, "scores": {}}\n{"index":'}, "running", 1),
        ({"iterations.json": '[1, null, {"index": "x"}]'}, "running", 6),
    ],
)
def test_damaged_iterations_are_shown_and_never_a_pass(make, raw, word, problems):
    view = make(raw=raw)
    assert view.headline.word == word
    assert len(view.problems) == problems
    assert len(view.checklist) == 9


def test_every_file_of_a_run_may_be_damaged_and_the_rest_still_loads(make, tmp_path):
    bad = dict.fromkeys(("run.json", "manifest.json", "edit_counts.json", "feedback.json", "receipt.json",
                         "receipt.a11y.json"), "{nonsense")  # fmt: skip
    view = make([record(1)], raw=bad)
    assert {Path(problem.file).name for problem in view.problems} == set(bad)
    assert view.columns[0].cell("inclusive").words == "0.95"
    odd = {"run": [1], "manifest": {"bindings": 3}, "edit_counts": {"n": -1, "m": 2, "o": "x"}}
    view = make([record(1)], **odd, raw={"receipt.json": "[]", "feedback.json": "{}", "receipt.a11y.json": "[]"})
    assert [node.node for node in view.nodes] == ["m"]


def test_records_of_another_tool_are_shown_as_they_are(make):
    strange = {**scores(), "dynamic": {"status": "splendid"}, "inclusive": None, "polished": {"status": "pass"}}
    view = make([record(1, None, scores=strange), record(2, True), record(3, False), record(4, None)])
    assert [column.move for column in view.columns] == ["baseline", "improved", "not improved", "unknown"]
    assert [(cell.state, cell.words) for cell in view.columns[0].cells] == [
        ("pass", "pass"), ("unreadable", "'splendid' is no status"), ("unreadable", "not in the record"),
        ("pass", "pass, no score"),
    ]  # fmt: skip


def test_few_samples_are_shown_as_such_and_found(make, tmp_path):
    few = record(1, None, scores=scores(), samples={"dynamic": [0.9, 0.95]})
    view = make([few], {"receipt.json": fresh()})
    cell = view.columns[0].cell("dynamic")
    assert (cell.state, cell.words) == ("undersampled", "0.95, 2 of 3 samples")
    assert view.headline.word == "running"
    workspace = Workspace.open(tmp_path)
    found = run_findings(read_run(workspace, workspace.runs()[0]), NONE, NOW)
    assert "judge_undersampled" in [one.kind for one in found]


def test_an_awaiting_judge_is_neither_pass_nor_zero(make):
    view = make([record(1, None, scores=scores(dynamic=None))])
    cell = view.columns[0].cell("dynamic")
    assert (cell.state, cell.words, cell.median) == ("awaiting_judge", "awaiting judge", None)


def test_the_list_reads_a_run_again_only_when_it_changed(demo):
    seconds = iter(range(0, 1000, 6)).__next__
    index = RunsIndex(demo, clock=seconds)
    first = index.refresh()
    assert (index.reads, first) == (8, 1)
    assert index.refresh() == first
    rows = {row.run: row for row in index.rows({}, NOW)}
    whole = {folder.name: row_of(read_run(demo, folder), NONE, NOW) for folder in demo.runs()}
    for run, row in rows.items():
        assert (row.word, row.held_back, row.escalated, row.overclaim) == (
            whole[run].word, whole[run].held_back, whole[run].escalated, whole[run].overclaim,
        )  # fmt: skip
    folder = demo.runs()[0]
    (folder / "run.json").write_text('{"title": "Renamed", "started_at": "2026-11-20T11:00:00Z"}')
    index.refresh()  # rewritten in place: seen at the next whole look, at most ten seconds later
    assert index.refresh() == 2
    assert index.reads == 9
    lines = (folder / "iterations.jsonl").read_text()
    (folder / "iterations.jsonl").write_text(lines + lines)
    assert index.refresh() == 3
    assert index.rows({}, NOW)[-1].title == "Renamed"
    shutil.rmtree(folder)
    index.refresh()
    assert len(index.rows({}, NOW)) == 7


def test_a_row_grows_stale_with_the_clock(demo):
    index = RunsIndex(demo)
    index.refresh()
    harbour = [next(row.word for row in index.rows({}, NOW + timedelta(days=days)) if "harbour" in row.run)
               for days in (0, 20, 25, 400)]  # fmt: skip
    assert harbour == ["PASS", "PASS", "stale", "stale"]


def test_the_trend_over_the_demos_reports(demo):
    index = RunsIndex(demo)
    index.refresh()
    found = index.trend()
    assert [(point.mechanical, point.substantive, point.undecided) for point in found.points] == [
        (1, 1, 2), (1, 2, 1), (2, 2, 1), (1, 3, 0),
    ]  # fmt: skip
    assert [one.dimension for one in found.tighten] == ["polished"]
