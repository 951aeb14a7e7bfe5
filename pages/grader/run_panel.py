"""Starting a backtest: the sample, the judge, what it may cost; progress and stop while it runs."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core import numbers, people, times
from core.errors import TouchstoneError
from core.judge import Budget, JudgeSpec, Progress, open_judge
from core.suggestions import backtest_run, runs
from core.suggestions.backtest_report import PLACE, write_report
from core.suggestions.maintain import decided_reviews
from core.suggestions.runs import Run
from core.suggestions.scoring import expected_cost, read_rubric, requests
from core.workspace import Workspace
from pages.grader import keys
from pages.shared import jobs, judges, notices, text, widgets
from pages.shared.frame import Context


def settle(ctx: Context) -> None:
    """Say how a backtest that has ended ended, and go to it: before the chooser of runs is drawn."""
    job = jobs.current(ctx.workspace, keys.KIND)
    if job is not None and not job.running:
        _ended(ctx, job)


def running(ctx: Context) -> bool:
    """Draw the progress of a backtest that runs; True while one does."""
    job = jobs.current(ctx.workspace, keys.KIND)
    if job is None or not job.running:
        return False
    jobs.panel(job, key="grader_job")
    return True


def _ended(ctx: Context, job: jobs.Job) -> None:
    """Say how the last run ended, once, and go to it."""
    jobs.clear(ctx.workspace, keys.KIND)
    if job.state == "failed":
        notices.add("error", job.error)
    elif isinstance(job.result, Run):
        keys.RUN.set(job.result.id)
        notices.add("done", f"Backtest of {numbers.count(len(job.result.rows), 'entry', 'entries')} is stored")
    st.rerun()


def form(ctx: Context) -> None:
    """The sample, the judge and the budget of a new backtest."""
    try:
        reviewed = decided_reviews(ctx.workspace, ctx.now)
    except TouchstoneError as error:
        text.show(text.chips(text.verdict("PARTIAL", "no backtest"), note=str(error)), key="grader_no_backtest")
        return
    left, middle, right = st.columns(3)
    with left:
        usual = backtest_run.DEFAULT_PER_SIDE
        per_side = st.number_input("Of each decision", 1, 100_000, usual, key=keys.form("n"), step=5)
    with middle:
        seed = st.number_input("Seed", 0, 2**31, 0, key=keys.form("seed"), help="The same seed draws the same sample.")
    with right:
        budget = st.number_input("Budget in $", 0.0, 10_000.0, 1.0, key=keys.form("budget"), step=0.5, format="%.2f")
    spec = judges.choose(ctx.workspace, keys.judge())
    afresh = st.checkbox("Ask again what the workspace has an answer to", key=keys.form("afresh"))
    entries = backtest_run.sample(reviewed, int(per_side or 1), int(seed or 0))
    if spec is not None and entries:
        cost = expected_cost(spec, requests(entries, read_rubric(ctx.workspace)))
        text.show(text.grey(
            f"{numbers.count(len(entries), 'entry', 'entries')} of {len(reviewed):,} decided ones; about "
            f"{numbers.money(cost)} at most. Vetoed entries and unchanged questions cost nothing."
        ))  # fmt: skip
    may = people.may(ctx.person, ctx.workspace, "decide")
    why = "" if may and entries and spec else "You may look here, not decide." if not may else (
        "No decided suggestion to hold the rubric against." if not entries else "The settings make no judge."
    )  # fmt: skip
    widgets.action(
        "Run the backtest", key="grader_start", icon="play_arrow", kind="primary", disabled=bool(why), why=why,
        on_click=_start, args=(ctx, spec, int(per_side or 1), int(seed or 0), float(budget or 0), afresh),
    )  # fmt: skip


def _start(ctx: Context, spec: JudgeSpec, per_side: int, seed: int, budget: float, afresh: bool) -> None:
    def deed() -> None:
        people.require(ctx.person, ctx.workspace, "decide")
        limit = keys.THRESHOLD.get()
        work = partial(_work, ctx.workspace, spec, per_side, seed, limit, Budget(max_cost_usd=budget), afresh)
        jobs.start(ctx.workspace, keys.KIND, f"Backtest with {spec.model}", ctx.person.name, work)

    if notices.attempt(deed):
        keys.FORM.set(keys.FORM.get() + 1)


def _work(
    workspace: Workspace, spec: JudgeSpec, per_side: int, seed: int, limit: int, budget: Budget, afresh: bool,
    job: jobs.Job,
) -> Run:  # fmt: skip
    """What the thread does: run, keep, write the report. A stopped run is kept too, and says so."""

    def told(progress: Progress) -> None:
        job.tell(progress.done, progress.total, f"{progress.unscored} without a score" if progress.unscored else "")

    run = backtest_run.run(
        workspace, open_judge(spec, workspace, budget=budget), now=times.now(), per_side=per_side, seed=seed,
        threshold=limit, afresh=afresh, on_progress=told, cancel=job.stopped,
    )  # fmt: skip
    runs.store(workspace, run)
    write_report(workspace, run, limit)
    return run


def save_report(ctx: Context, run: Run, limit: int) -> None:
    """Write the report of a stored run at the chosen threshold (a callback)."""

    def deed() -> None:
        people.require(ctx.person, ctx.workspace, "decide")
        write_report(ctx.workspace, run, limit)

    notices.attempt(deed, f"Written to {PLACE}")
