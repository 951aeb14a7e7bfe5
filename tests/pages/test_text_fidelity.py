"""The page of text fidelity, without a browser: what it says of each state, and what a looker may not do."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.decisions import open_log
from core.judge.protocol import Unscored
from core.text_fidelity import approval, trust, view
from core.text_fidelity.config import check
from core.text_fidelity.place import EvalFolder, locate
from core.workspace import Workspace
from pages.shared import charts, jobs
from pages.text_fidelity import keys, picture, scoring
from tests.core.text_fidelity.evals import Fixed, case, config, freeze, later, make_eval, run
from tests.pages.conftest import RunPage, shown

INTEROP = Path(__file__).parents[1] / "cases" / "interop-text-fidelity"


def interop(root: Path) -> Path:
    shutil.copytree(INTEROP, root / ".servo" / "content-fidelity")
    return root


def test_servo_s_own_eval_opens_with_its_verdict_its_break_and_its_last_run(run_page: RunPage, tmp_path: Path) -> None:
    said = shown(run_page("text_fidelity", interop(tmp_path)))
    for words in ("0.8732 ≥ 0.80", "frozen 30 Nov 2026", "plateau: 11 runs", "scores with confidence on 3 cases",
                  "it proves nothing else", "Run 36", "flat +0.0026", "This record does not name its text",
                  "no reasons were recorded", "weight 2 (config)"):  # fmt: skip
        assert words in said, words


def test_no_eval_says_how_one_is_made(run_page: RunPage, tmp_path: Path) -> None:
    assert "core text init" in shown(run_page("text_fidelity", tmp_path))


def test_an_eval_without_a_run_is_no_zero(run_page: RunPage, tmp_path: Path) -> None:
    make_eval(tmp_path)
    said = shown(run_page("text_fidelity", tmp_path))
    assert "nothing scored yet" in said
    assert "Nothing scored yet" in said
    assert "0.0000" not in said


def test_a_score_is_green_only_for_the_freeze_it_was_given_under(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.9]}))
    green = '<span class="ts-chip ts-green">'

    def said() -> str:
        return shown(run_page("text_fidelity", tmp_path)).partition("scores with confidence")[0]

    assert green in said()
    run(folder, Fixed({"a": [Unscored("no connection", "unreachable")]}), at=later(1))
    assert green not in said()
    assert "and a run without a score since" in said()
    assert "env_error: the last run gave no score" in said()
    run(folder, Fixed({"a": [0.9]}), at=later(2))
    assert green in said()
    folder.config.write_text(folder.config.read_text("utf-8").replace("faithfully", "freely"))
    assert "0.9000 ≥ 0.80, before it went stale" in said()
    assert green not in said()


def test_under_another_freeze_the_old_score_is_no_verdict(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.9]}))
    folder.config.write_text(folder.config.read_text("utf-8").replace("faithfully", "freely"))
    freeze(folder)
    assert "0.9000 ≥ 0.80, before it was frozen again" in shown(run_page("text_fidelity", tmp_path))
    folder.config.write_text(folder.config.read_text("utf-8").replace('"threshold": 0.8', '"threshold": 0.7'))
    freeze(folder)
    assert "0.9000 ≥ 0.70, under an earlier definition" in shown(run_page("text_fidelity", tmp_path))


def test_failed_runs_stand_under_the_chart_with_their_reason(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.9]}))
    for hour in (1, 2):
        run(folder, Fixed({"a": [Unscored("no <b>connection</b>", "unreachable")]}), at=later(hour))
    said = shown(run_page("text_fidelity", tmp_path))
    assert "after run 1 · 2 runs" in said
    assert "no &lt;b&gt;connection&lt;/b&gt;" in said


def test_damage_is_listed_with_file_and_line(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.9]}))
    with folder.ledger.open("a") as opened:
        opened.write('{"composite": NaN}\n' + json.dumps({"at": "2026-11-02T00:00:00Z", "composite": 1.5}) + "\n")
    said = shown(run_page("text_fidelity", tmp_path))
    assert "ledger.jsonl:2" in said
    assert "1 record not on the axis" in said
    assert "line 3 (1.5)" in said


def test_an_address_opens_its_run_its_case_and_its_view(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path, given=config(case("a"), case("b")))
    for hour in range(3):
        (folder.path / "generated/b.txt").write_text(f"Text {hour}.\n")
        run(folder, Fixed({"a": [0.9], "b": [0.5 + hour / 10]}), at=later(hour))
    said = shown(run_page("text_fidelity", tmp_path, eval=folder.label, run="2", case="b"))
    assert "Run 2" in said
    assert "<del>0</del><ins>1</ins>" in said
    assert "What changed since the last freeze" in shown(
        run_page("text_fidelity", tmp_path, eval=folder.label, tab="freeze")
    )


def test_an_odd_record_leaves_the_page_standing(run_page: RunPage, tmp_path: Path) -> None:
    """A null where a sample stands, no time where the freeze's stands, a failure from the future."""
    folder = make_eval(tmp_path)
    run(folder, Fixed({"a": [0.9]}))
    [record] = [json.loads(line) for line in folder.ledger.read_text("utf-8").splitlines()]
    record |= {"at": "2026-11-02T00:00:00Z", "usage": {"cost_usd": 10**399}}
    record["cases"][0]["samples"][1] = None
    with folder.ledger.open("a") as opened:
        opened.write(json.dumps(record) + "\n")
    folder.config.write_text(json.dumps(json.loads(folder.config.read_text("utf-8")) | {"approved_at": "yesterday"}))
    run(folder, Fixed({"a": [Unscored("a clock", "unreachable")]}), at=later(1_000_000))
    said = shown(run_page("text_fidelity", tmp_path, eval=folder.label, run="2"))
    for words in ("frozen at an unknown time", "a sample is no number in [0, 1]", "no spread: 1 sample of this record",
                  "1 run without a score in the future", "0.9000 ≥ 0.80"):  # fmt: skip
        assert words in said, words
    assert "and a run without a score since" not in said
    assert "frozen at an unknown time" in shown(run_page("text_fidelity", tmp_path, eval=folder.label, tab="freeze"))
    run_page("text_fidelity", tmp_path, eval=folder.label, tab="runs")


# ---- freezing and trusting


def seen_box(app: AppTest) -> str:
    return next(box.key for box in app.checkbox if box.key and box.key.startswith("tf_seen_"))


def test_a_freeze_is_approved_by_confirming_the_shown_difference(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    folder.config.write_text(folder.config.read_text("utf-8").replace("faithfully", "freely"))
    app = run_page("text_fidelity", tmp_path, eval=folder.label, tab="freeze")
    assert "<del>faithfully</del><ins>freely</ins>" in shown(app)
    assert app.button(key="tf_freeze").disabled
    app.checkbox(key=seen_box(app)).check().run()
    app.button(key="tf_freeze").click().run()
    assert approval.state(folder).fresh
    [*_, record] = open_log(folder.workspace).records(action=approval.APPROVE)
    assert (record.reviewer, record.payload["changes"]) == ("Ann", ["rubric changed"])
    assert "Nothing: definition, rubric and references are what was frozen" in shown(app)


def test_what_changed_after_it_was_shown_is_not_frozen(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    folder.config.write_text(folder.config.read_text("utf-8").replace("faithfully", "freely"))
    app = run_page("text_fidelity", tmp_path, eval=folder.label, tab="freeze")
    app.checkbox(key=seen_box(app)).check().run()
    folder.config.write_text(folder.config.read_text("utf-8").replace("freely", "loosely"))
    before = folder.config.read_bytes()
    app.button(key="tf_freeze").click().run()
    assert folder.config.read_bytes() == before
    assert "changed since the difference was shown" in shown(app)


def test_a_refused_config_cannot_be_frozen_and_says_why(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path, given=config(case("a", weight=-1)), frozen=False)
    app = run_page("text_fidelity", tmp_path, eval=folder.label, tab="freeze")
    assert "weight" in shown(app)
    assert not [button for button in app.button if button.key == "tf_freeze"]


def test_commands_are_shown_and_trusted_before_they_may_run(run_page: RunPage, tmp_path: Path) -> None:
    folder = make_eval(tmp_path, source={"type": "command", "run": ["python3", "make.py"]})
    (folder.path / "make.py").write_text("print('hi')")
    app = run_page("text_fidelity", tmp_path, eval=folder.label, tab="freeze")
    assert app.button(key="tf_score_start").disabled
    assert "python3 make.py" in [one.value for one in app.code]
    app.button(key="tf_trust").click().run()
    log, policy = open_log(folder.workspace), check(folder).usable()
    assert trust.standing(folder, policy, log).by == "Ann"
    assert not app.button(key="tf_score_start").disabled
    (folder.path / "make.py").write_text("print('other')")
    app.run()
    assert "a file it runs changed" in shown(app)
    assert app.button(key="tf_score_start").disabled


def command_eval(root: Path) -> EvalFolder:
    folder = make_eval(root, source={"type": "command", "run": ["python3", "ok.py"]})
    (folder.path / "ok.py").write_text("print('hi')")
    (folder.path / "other.py").write_text("open('RAN', 'w'); print('hi')")
    return folder


def put_another_command(folder: EvalFolder) -> None:
    """As an agent or a colleague would, with a freeze of their own: everything about it is fresh but the trust."""
    folder.config.write_text(folder.config.read_text("utf-8").replace("ok.py", "other.py"))
    freeze(folder)


def test_a_command_that_was_put_there_after_the_page_was_drawn_does_not_run(run_page: RunPage, tmp_path: Path) -> None:
    folder = command_eval(tmp_path)
    app = run_page("text_fidelity", tmp_path, eval=folder.label, tab="freeze")
    app.button(key="tf_trust").click().run()
    put_another_command(folder)
    app.button(key="tf_score_start").click().run()
    assert "the commands changed since they were trusted" in shown(app)
    assert jobs.current(folder.workspace, keys.job(folder.label)) is None
    assert not (folder.path / "RAN").exists()


def test_a_run_asks_for_trust_of_what_it_reads_itself(
    run_page: RunPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the press and the run's own reading of the config another command may come to stand there."""
    folder = command_eval(tmp_path)
    app = run_page("text_fidelity", tmp_path, eval=folder.label, tab="freeze")
    app.button(key="tf_trust").click().run()
    work, ended = scoring._work, threading.Event()

    def late(*given: Any) -> Any:
        try:
            put_another_command(folder)
            return work(*given)
        finally:
            ended.set()

    monkeypatch.setattr(scoring, "_work", late)
    monkeypatch.setattr(scoring, "open_judge", lambda *_given, **_more: Fixed({"a": [0.5]}))
    app.button(key="tf_score_start").click().run()
    assert ended.wait(30)
    [attempt] = [json.loads(line) for line in folder.attempts.read_text("utf-8").splitlines()]
    assert (attempt["outcome"], attempt["kind"]) == ("env_error", "not_permitted")
    assert not (folder.path / "RAN").exists()
    assert not folder.ledger.exists()


# ---- pictures


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_chart_is_a_valid_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    monkeypatch.setattr(charts, "mode", lambda: theme)
    made = view.book(locate(Workspace.open(interop(tmp_path)), "."), later(10_000))
    chart, lines = view.drawn(made)
    rows = picture.rows_of(made, chart)
    breaks = picture.break_rows(made, chart)
    spec = picture.ledger(made, chart, rows, breaks, picture.gap_rows(chart), 36, height=200)
    charts.validate({**spec, "data": {"values": rows}})
    assert [row["words"] for row in breaks] == ["re-frozen: n 4 → 6"]
    assert rows[0] == {
        "run": 1, "composite": 0.6255, "shown": "0.6255", "segment": 0, "change": "first", "drift": "",
        "at": "2026-10-01 20:37Z", "line": 1,
    }  # fmt: skip
    for line in lines:
        charts.validate({**picture.case(1, 36, low=0.2), "data": {"values": picture.case_rows(line)}})


@pytest.mark.parametrize(
    ("values", "low", "high", "form"),
    [
        ([0.61, 0.87], 0.5, 1.0, ".1f"),
        ([0.8, 0.83], 0.75, 0.85, ".2f"),
        ([0.0, 1.0], 0.0, 1.0, ".1f"),
        ([], 0.0, 1.0, ".1f"),
    ],
)
def test_an_axis_holds_all_of_it_and_says_each_tick_once(
    values: list[float], low: float, high: float, form: str
) -> None:
    made = picture.axis(values)
    assert (round(made["low"], 3), round(made["high"], 3), made["format"]) == (low, high, form)
    printed = [format(tick, form) for tick in made["ticks"]]
    assert len(set(printed)) == len(printed) <= 7
