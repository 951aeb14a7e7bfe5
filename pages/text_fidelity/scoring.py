"""Score now: what it would run and cost, progress with the cost so far, stop."""

from __future__ import annotations

import streamlit as st

from core import numbers, people, times
from core.judge import Budget, Judge, JudgeSpec, Progress, open_judge
from core.text_fidelity import approval, score, trust
from core.text_fidelity.approval import FreezeState
from core.text_fidelity.config import Policy
from core.text_fidelity.place import EvalFolder
from core.text_fidelity.score import Done, Failed, Permit, Watch
from core.text_fidelity.trust import Trust
from core.text_fidelity.view import Book
from pages.shared import jobs, notices, text, widgets
from pages.shared.frame import Context
from pages.text_fidelity import keys, load


def button(ctx: Context, made: Book, frozen: FreezeState) -> None:
    """The way to a new run; while one runs, nothing (its panel stands on the page)."""
    job = jobs.current(ctx.workspace, keys.job(made.folder.label))
    if job is not None and job.running:
        return
    with st.popover("Score now", icon=":material/play_arrow:", key="tf_score", width="content"):
        _form(ctx, made, frozen)


def progress(ctx: Context, folder: EvalFolder) -> None:
    """The panel of a run under way, or a word on how the last one ended."""
    kind = keys.job(folder.label)
    job = jobs.current(ctx.workspace, kind)
    if job is None:
        return
    if job.running:
        jobs.panel(job, key="tf_job")
        return
    jobs.clear(ctx.workspace, kind)
    if job.state == "failed":
        notices.add("error", job.error)
    elif isinstance(job.result, Failed):
        notices.add("error", f"No score: {job.result.outcome} — {job.result.reason}")
    elif isinstance(job.result, Done):
        keys.RUN.clear()
        notices.add("done", f"{folder.name} scored {numbers.composite(job.result.composite)}")
    st.rerun()


def _form(ctx: Context, made: Book, frozen: FreezeState) -> None:
    policy = made.policy
    why = _why_not(ctx, frozen, load.standing(ctx, made))
    if policy is not None:
        calls = len(policy.cases) * policy.samples.n
        text.show(
            text.grey(
                f"{len(policy.cases)} cases × {policy.samples.n} samples = {calls} calls to {policy.judge.model}."
            )
        )
        if any(case.command for case in policy.cases):
            st.checkbox("Hold the texts of command cases (reuse the last ones)", key=keys.HOLD.id)
    keys.BUDGET.get()
    st.number_input(
        "Budget in $", 0.0, 10_000.0, value=None, key=keys.BUDGET.id, step=0.5, format="%.2f", placeholder="no limit",
        help="The run stops before it would cost more. A model whose price is not known needs an empty budget.",
    )  # fmt: skip
    if why:
        text.show(text.chips(text.verdict("stale", "not now"), note=why))
    widgets.action(
        "Score", key="tf_score_start", icon="play_arrow", kind="primary", disabled=bool(why), why=why,
        on_click=_start, args=(ctx, made.folder),
    )  # fmt: skip


def _why_not(ctx: Context, frozen: FreezeState, standing: Trust) -> str:
    if not people.may(ctx.person, ctx.workspace, "decide"):
        return "You may look here, not decide."
    if frozen.reasons:
        return frozen.reasons[0]
    if not standing.may_run:
        return "its commands are not trusted: see Freeze"
    return ""


def _start(ctx: Context, folder: EvalFolder) -> None:
    hold, budget = keys.HOLD.get(), Budget(max_cost_usd=keys.BUDGET.get())

    def permit(policy: Policy) -> None:
        trust.require(folder, policy, ctx.log)

    def deed() -> None:
        people.require(ctx.person, ctx.workspace, "decide")
        permit(approval.state(folder).require().usable())  # said at once; the run asks again about what it reads
        jobs.start(
            ctx.workspace, keys.job(folder.label), f"Scoring {folder.name}", ctx.person.name,
            lambda job: _work(folder, hold, budget, permit, job),
        )  # fmt: skip

    notices.attempt(deed)


def _work(folder: EvalFolder, hold: bool, budget: Budget, permit: Permit, job: jobs.Job) -> Done | Failed:
    """What the thread does."""

    def gathering(case: str) -> None:
        job.tell(0, 0, f"gathering {case}")

    def judging(told: Progress) -> None:
        kept = f", {told.cached} kept from before" if told.cached else ""
        job.tell(told.done, told.total, f"judging {told.key}, {numbers.money(told.cost_usd)} so far{kept}")

    def opened(spec: JudgeSpec) -> Judge:
        return open_judge(spec, folder.workspace, budget=budget)

    watch = Watch(gathering, judging, job.stopped)
    return score.score(folder, opened, times.now, hold_artifacts=hold, watch=watch, permit=permit)
