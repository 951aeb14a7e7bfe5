"""The grader's page: figures that move with the slider and ask nobody, calibration, comparison, valid charts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.decisions import open_log
from core.suggestions import runs, store, threshold
from core.suggestions.backtest import at_every_threshold, at_threshold, dimensions, tally
from core.suggestions.backtest_report import PLACE
from core.suggestions.backtest_run import run
from core.suggestions.calibration import by_month, calibrate
from core.workspace import Workspace
from pages.grader import pictures, run_panel
from pages.shared import charts, jobs
from tests.core.suggestions.judging import Answer, ByTitle
from tests.core.suggestions.making import NOW, entry, suggestions, workspace
from tests.pages.conftest import RunPage, shown


def _reviewed() -> tuple[str, ...]:
    """12 accepted, 10 rejected; totals 4 to 6 among the accepted, 3 to 5 among the rejected."""
    return (
        *(entry(f"A{n}", f"Add {n}", decision="accept", score=(2, 2, n % 3)) for n in range(12)),
        *(entry(f"R{n}", f"Read {n}", decision="reject", score=(1, 1, 2), comment=f"no {n}") for n in range(10)),
    )


def _answers(text: str) -> Answer:
    number = int(text.partition("[")[2].partition("]")[0][1:])
    return (2, 2, number % 3) if "[A" in text else (1, 1, number % 3)


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    made = workspace(tmp_path, reviewed=_reviewed())
    for minutes, judge in ((0, ByTitle(lambda _: (1, 1, 1))), (5, ByTitle(_answers))):
        runs.store(made, run(made, judge, now=NOW + timedelta(minutes=minutes)))
    return made


@pytest.fixture(autouse=True)
def _nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object, **__: object) -> None:
        raise AssertionError("a judge was opened")

    monkeypatch.setattr(run_panel, "open_judge", asked)


def _figures(app: AppTest) -> str:
    return shown(app).partition("ts-gauges")[2]


def test_a_workspace_without_runs_says_what_a_backtest_is(run_page: RunPage, tmp_path: Path) -> None:
    workspace(tmp_path)
    app = run_page("grader", tmp_path)
    assert "No backtest has been run here" in shown(app)
    button = app.button(key="grader_start")
    assert (button.disabled, button.help) == (True, r"No decided suggestion to hold the rubric against\.")


def test_the_figures_of_the_newest_run(run_page: RunPage, place: Workspace) -> None:
    at = at_threshold(tally(runs.stored(place)[0][0].rows), 4)
    app = run_page("grader", place.root)
    assert f"{at.table.tp + at.table.tn} of {at.table.n} · 95%" in _figures(app)
    assert "12 accepted + 10 rejected, seed 0 · test-judge" in shown(app)


def test_the_slider_moves_every_figure_and_asks_nobody(run_page: RunPage, place: Workspace) -> None:
    """Asking would fail: no judge can be opened in this test."""
    counted = tally(runs.stored(place)[0][0].rows)
    app = run_page("grader", place.root)
    before = runs.paths(place)
    for limit in range(7):
        app.slider(key="grader_threshold").set_value(limit).run()
        assert not app.exception
        at = at_threshold(counted, limit)
        figures = _figures(app)
        value = at.figures.precision.value
        assert ("n/a" if value is None else f"{value:.2f}") in figures
        assert f"{at.table.tp} of {at.table.tp + at.table.fn} · 95%" in figures
    assert runs.paths(place) == before


def test_disagreements_come_first_and_can_be_looked_at_alone(run_page: RunPage, place: Workspace) -> None:
    app = run_page("grader", place.root)
    grid = app.dataframe[0].value
    kinds = list(grid["kind"])
    assert kinds == sorted(kinds, key=["leak", "miss", "excluded", "agree"].index)
    assert "leak" in kinds
    app.button_group(key="grader_only").set_value("leak").run()
    assert set(app.dataframe[0].value["kind"]) == {"leak"}


def test_the_report_is_written_at_the_chosen_threshold(run_page: RunPage, place: Workspace) -> None:
    app = run_page("grader", place.root)
    app.slider(key="grader_threshold").set_value(5).run()
    app.button(key="grader_write").click().run()
    assert not app.exception
    assert "pass at total ≥ 5" in (place.root / PLACE).read_text("utf-8")


def test_a_run_and_a_view_have_an_address(run_page: RunPage, place: Workspace) -> None:
    older = runs.stored(place)[0][1]
    app = run_page("grader", place.root, run=older.id)
    assert app.selectbox(key="grader_run").value == older.id
    app = run_page("grader", place.root, view="calibration")
    assert app.segmented_control(key="grader_view").value == "calibration"


def test_a_damaged_run_is_named_and_the_others_stand(run_page: RunPage, place: Workspace) -> None:
    (runs.folder(place) / "20990101T000000-bad.json").write_text("{", "utf-8")
    app = run_page("grader", place.root)
    assert "20990101T000000-bad.json" in shown(app)
    assert "ts-gauges" in shown(app)


def test_under_thirty_the_line_is_exactly_the_contracts(run_page: RunPage, place: Workspace) -> None:
    app = run_page("grader", place.root, view="calibration")
    assert "📊 Rubric calibration: 22/30 — collecting more data." in shown(app)


@pytest.fixture
def calibrated(tmp_path: Path) -> Workspace:
    low = [entry(f"L{n}", decision="accept" if n < 5 else "reject", score=(2, 1, 1)) for n in range(30)]
    return workspace(tmp_path, reviewed=(*low, *(entry(f"H{n}", decision="accept", score=(2, 2, 2)) for n in range(9))))


def test_advice_is_followed_by_a_person_and_taken_back(run_page: RunPage, calibrated: Workspace) -> None:
    app = run_page("grader", calibrated.root, view="calibration")
    assert "Raise to 5: 16.7% is below 60%, and 30 reviews exclude 60% (interval 7.3–33.6%)." in shown(app)
    assert "supported by the interval" in shown(app)
    app.button(key="grader_raise").click().run()
    assert not app.exception
    log = open_log(calibrated)
    assert threshold.in_force(calibrated, log).value == 5
    assert (log.records()[-1].reviewer, log.records()[-1].payload["from"]) == ("Ann", 4)
    assert [one.key for one in app.button if one.key == "grader_raise"] == []
    app.button(key="grader_undo_threshold").click().run()
    assert threshold.in_force(calibrated, log).value == 4


def test_a_threshold_in_force_is_not_recommended(run_page: RunPage, calibrated: Workspace) -> None:
    (calibrated.root / "touchstone.toml").write_text("[suggestions]\nthreshold = 6\n", "utf-8")
    app = run_page("grader", calibrated.root, view="calibration")
    assert "The threshold is 6 already: 16.7% is below 60%, and 30 reviews exclude 60%" in shown(app)
    assert "no change" in shown(app)
    assert [one.key for one in app.button if one.key == "grader_raise"] == []


def test_half_of_the_reviews_start_no_backtest(run_page: RunPage, tmp_path: Path) -> None:
    made = workspace(tmp_path, reviewed=_reviewed())
    path = made.suggestions.reviewed
    path.write_bytes(path.read_bytes() + b"### 2026-05-07 | N | cut \xff\n")
    store.forget()
    app = run_page("grader", tmp_path)
    assert "no backtest" in shown(app)
    assert "is not UTF-8" in shown(app)
    assert [one.key for one in app.button if one.key == "grader_start"] == []


def test_two_runs_side_by_side(run_page: RunPage, place: Workspace) -> None:
    app = run_page("grader", place.root, view="compare")
    assert "Of 22 entries in both" in shown(app)
    after, before = runs.stored(place)[0]
    assert app.selectbox(key="grader_first").value == before.id
    assert app.selectbox(key="grader_second").value == after.id
    app.selectbox(key="grader_second").set_value(before.id).run()
    assert "The same decision on all 22 entries both could judge" in shown(app)


def test_a_backtest_that_has_ended_is_gone_to(run_page: RunPage, place: Workspace) -> None:
    """Also when another run was chosen before."""
    newest, older = runs.stored(place)[0]
    made = newest.model_copy(update={"id": "20991231T000000-madeup", "at": "2099-12-31T00:00:00Z"})
    runs.store(place, made)
    job = jobs.start(place, "backtest", "Backtest", "Ann", lambda _: made)
    while job.running:
        pass
    app = run_page("grader", place.root, run=older.id)
    assert app.selectbox(key="grader_run").value == made.id
    assert jobs.current(place, "backtest") is None


def test_the_practice_judge_is_marked(run_page: RunPage, place: Workspace) -> None:
    newest = runs.stored(place)[0][0]
    judge = newest.judge.model_copy(update={"practice": True, "model": "practice-judge"})
    runs.store(place, newest.model_copy(update={"judge": judge, "id": "20991231T000000-practi"}))
    assert "practice judge: no model judged this" in shown(run_page("grader", place.root))


def _specs() -> dict[str, Callable[[], charts.Spec]]:
    rows = [*_reviewed(), *(entry(f"X{n}", decision="accept", score=(2, 1, 1)) for n in range(12))]
    reviewed = suggestions("reviewed", *rows)
    counted = tally([])
    every = pictures.threshold_rows(at_every_threshold(counted))
    found = dimensions(counted)
    return {
        "matrix": pictures.matrix,
        "thresholds": lambda: pictures.thresholds(every, 4),
        "dimensions": lambda: pictures.dimensions(pictures.dimension_rows(found)),
        "parts": lambda: pictures.parts(pictures.part_rows(found)),
        "buckets": lambda: pictures.buckets(pictures.bucket_rows(calibrate(reviewed))),
        "drift": pictures.drift,
        "totals": pictures.totals,
        "months": lambda: {"mark": "point", "data": {"values": pictures.month_rows(by_month(list(reviewed), NOW))}},
    }


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", list(_specs()))
def test_every_chart_is_a_valid_one(name: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Altair's own check; the rows of a run without any entry included."""
    monkeypatch.setattr(charts, "mode", lambda: mode)
    charts.validate(charts.themed(_specs()[name]()))
    store.forget()
