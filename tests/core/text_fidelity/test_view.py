"""What the page is drawn from: chart, one run opened, what changed at a break; and the word difference under it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.judge.protocol import Unscored
from core.text_fidelity import view
from core.text_fidelity.chart import MOST_POINTS
from core.text_fidelity.place import EvalFolder, locate
from core.text_fidelity.worddiff import changed, word_diff
from core.workspace import Workspace
from tests.core.text_fidelity.evals import Fixed, case, config, freeze, later, make_eval, run
from tests.core.text_fidelity.test_ledger import day, row

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def ledger(folder: Path, *rows: dict[str, Any]) -> EvalFolder:
    (folder / "ledger.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    (folder / "config.json").write_text("{}")
    return locate(Workspace.open(folder), ".")


def edit(folder: EvalFolder, **values: Any) -> None:
    folder.config.write_text(json.dumps({**json.loads(folder.config.read_text("utf-8")), **values}))
    freeze(folder)


# ---- chart


def test_runs_are_numbered_in_time_and_broken_at_definitions_and_failures(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.5]}), at=later(1))
    run(folder, Fixed({"a": [0.6]}), at=later(2))
    run(folder, Fixed({"a": [Unscored("down", "unreachable")]}), at=later(3))
    run(folder, Fixed({"a": [Unscored("still down", "unreachable")]}), at=later(4))
    run(folder, Fixed({"a": [0.7]}), at=later(5))
    edit(folder, samples={"n": 2, "k": 1.0, "delta": 0.03})
    run(folder, Fixed({"a": [0.8]}), at=later(6))
    made = view.book(folder, NOW)
    chart, lines = view.drawn(made)
    assert [(point.run, point.composite, point.segment, point.series, point.change) for point in chart.points] == [
        (1, 0.5, 0, 0, "first"), (2, 0.6, 0, 0, "improved"), (3, 0.7, 1, 0, "improved"), (4, 0.8, 2, 1, "first"),
    ]  # fmt: skip
    assert [(gap.x, gap.count, gap.last.reason) for gap in chart.gaps] == [(2.5, 2, "case 'a': still down")]
    assert [(mark.x, mark.definition, view.what_changed(made, mark.before, mark.after)) for mark in chart.breaks] == [
        (3.5, True, ["n 3 → 2"])
    ]
    [line] = lines
    assert (line.case, line.weight, line.bounds[-1], len(line.samples)) == ("a", 1.0, (4, 0.8, 2), 3 * 3 + 2)


def test_a_window_keeps_numbers_marks_and_gaps(tmp_path: Path) -> None:
    rows = [row(day(1 + i), 0.5, "A" if i < 8 else "B") for i in range(12)]
    made = view.book(ledger(tmp_path, *rows), NOW)
    chart, _ = view.drawn(made, 6)
    assert ([point.run for point in chart.points], chart.first, chart.total) == ([7, 8, 9, 10, 11, 12], 7, 12)
    assert [mark.x for mark in chart.breaks] == [8.5]
    assert view.drawn(made, 3)[0].breaks == ()


def test_what_is_off_the_axis_is_listed_and_not_drawn(tmp_path: Path) -> None:
    made = view.book(ledger(tmp_path, row(day(1), 0.5), row(day(2), 1.5), row(day(3), 0.5, None)), NOW)
    chart, _ = view.drawn(made)
    assert ([point.run for point in chart.points], chart.off_axis) == ([1], (1, 2))


def test_any_number_of_runs_gives_few_points_with_every_extreme(tmp_path: Path) -> None:
    """20,000 runs with one spike, one dip and one break: all of them are among the points drawn."""
    start = datetime(2020, 1, 1, tzinfo=UTC)
    rows = [row((start + timedelta(hours=i)).isoformat(), 0.5, "A" if i < 9_000 else "B", n=i) for i in range(20_000)]
    rows[4_321]["composite"], rows[14_321]["composite"] = 0.9, 0.1
    made = view.book(ledger(tmp_path, *rows), NOW)
    chart, lines = view.drawn(made)
    assert chart.thinned
    assert len(chart.points) <= MOST_POINTS + 10
    values = [point.composite for point in chart.points]
    assert (max(values), min(values)) == (0.9, 0.1)
    runs = {point.run for point in chart.points}
    assert all({int(mark.x - 0.5), int(mark.x + 0.5)} <= runs for mark in chart.breaks if mark.definition)
    assert len(lines[0].samples) <= 1_600


def test_nothing_is_drawn_of_nothing(tmp_path: Path) -> None:
    made = view.book(ledger(tmp_path), NOW)
    chart, lines = view.drawn(made)
    assert (chart.points, chart.gaps, chart.breaks, lines, made.current) == ((), (), (), [], None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"samples": [0.5] * 2}, ["n 1 → 2"]), ({"model": "other"}, ["judge m/api → other/api"]),
        ({"threshold": 0.7}, ["threshold not recorded → 0.7"]), ({}, ["something the records do not show"]),
        ({"id": "b"}, ["case 'a' removed", "case 'b' added"]),
        ({"weight": 2.0}, ["case 'a': weight not recorded → 2"]),
    ],
)  # fmt: skip
def test_a_break_without_snapshots_says_what_the_records_show(
    tmp_path: Path, change: dict[str, Any], said: list[str]
) -> None:
    one = {"id": "a", "samples": [0.5], "lower_bound": 0.5}
    one |= {key: value for key, value in change.items() if key in ("samples", "id", "weight")}
    top = {key: value for key, value in change.items() if key in ("model", "threshold")}
    made = view.book(ledger(tmp_path, row(day(1), 0.5, "A"), {**row(day(2), 0.5, "B", cases=[one]), **top}), NOW)
    assert view.what_changed(made, 0, 1) == said


# ---- one run


def test_a_run_opens_with_its_reference_its_text_and_the_text_before(tmp_path: Path) -> None:
    """The reference is the one it was scored under, not the one that stands there now."""
    folder = make_eval(tmp_path, given=config(case("a", reference="ref.txt"), case("b")), frozen=False)
    (folder.path / "ref.txt").write_text("Old reference.")
    freeze(folder)
    run(folder, Fixed({"a": [0.5], "b": [0.5]}))
    (folder.path / "generated/a.txt").write_text("Hello from b.\n")
    run(folder, Fixed({"a": [0.6], "b": [0.5]}), at=later(1))
    (folder.path / "ref.txt").write_text("New reference.")
    freeze(folder)
    made = view.book(folder, NOW)
    first, second = view.opened(made, 0), view.opened(made, 1)
    a, b = second.cases
    assert (a.reference, a.reference_name, a.text, a.before) == (
        "Old reference.", "ref.txt", "Hello from b.\n", "Hello from a.\n",
    )  # fmt: skip
    assert (a.before_run, a.same_text, a.reasons) == (0, False, ("because 0.6",) * 3)
    assert a.diff is not None
    assert [(piece.kind, piece.text) for piece in a.diff] == [
        ("same", "Hello from "), ("gone", "a"), ("new", "b"), ("same", ".\n"),
    ]  # fmt: skip
    assert (b.reference, b.reference_name, b.same_text) == ("Warm and short.", "inline", True)
    assert (first.cases[0].before, first.cases[0].diff, first.practice) == (None, None, False)


def test_servo_s_record_opens_with_what_it_has(tmp_path: Path) -> None:
    made = view.book(ledger(tmp_path, row(day(1), 0.5)), NOW)
    [one] = view.opened(made, 0).cases
    assert (one.text, one.missing, one.samples, one.reasons) == (None, "this record does not name its text", (0.5,), ())
    assert (one.reference, one.reference_name) == (None, "the freeze this run was scored under was not kept")


def test_a_text_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.5]}))
    [path] = (folder.path / "artifacts").iterdir()
    path.unlink()
    assert view.opened(view.book(folder, NOW), 0).cases[0].missing == "its text was not kept"


def test_a_rewritten_ledger_is_noticed_when_a_run_is_opened(tmp_path: Path) -> None:
    made = view.book(ledger(tmp_path, row(day(1), 0.5), row(day(2), 0.5)), NOW)
    (tmp_path / "ledger.jsonl").write_text("{}\n")
    with pytest.raises(BadInput, match=r"ledger\.jsonl"):
        view.opened(made, 1)


def test_an_address_names_a_run_by_its_line(tmp_path: Path) -> None:
    made = view.book(ledger(tmp_path, row(day(2), 0.5), row(day(1), 0.6)), NOW)
    assert [view.find_row(made, line) for line in ("1", "2", "3", "x", None, "²", "-1")] == [
        0,
        1,
        None,
        None,
        None,
        None,
        None,
    ]


# ---- word difference

TEXT = st.text(st.sampled_from("ab \n。文字.,x"), max_size=30)


@given(TEXT, TEXT)
def test_the_pieces_spell_both_texts(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "new") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "gone") == after
    assert all(piece.text for piece in pieces)
    assert (before == after) == all(piece.kind == "same" for piece in pieces)


def test_words_not_letters_and_one_character_where_there_are_no_spaces() -> None:
    assert [(p.kind, p.text) for p in word_diff("the old house", "the new house")] == [
        ("same", "the "), ("gone", "old"), ("new", "new"), ("same", " house"),
    ]  # fmt: skip
    assert [(p.kind, p.text) for p in word_diff("回覆此信", "回覆本信")] == [
        ("same", "回覆"), ("gone", "此"), ("new", "本"), ("same", "信"),
    ]  # fmt: skip
    assert changed(word_diff("a b c", "a x y c")) == (1, 2)


def test_a_rewritten_phrase_reads_as_one() -> None:
    assert [(p.kind, p.text) for p in word_diff("see one two end", "see three four end")] == [
        ("same", "see "), ("gone", "one two"), ("new", "three four"), ("same", " end"),
    ]  # fmt: skip


def test_very_long_texts_are_compared_by_line() -> None:
    before = "".join(f"line {i} of it\n" for i in range(10_000))
    pieces = word_diff(before, before.replace("line 5000 of", "line 5000 off"))
    assert [(p.kind, p.text) for p in pieces[1:3]] == [("gone", "line 5000 of it\n"), ("new", "line 5000 off it\n")]
