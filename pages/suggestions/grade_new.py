"""Grade new suggestions: pasted, uploaded, or left over from a run that was stopped; progress and stop."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from core import numbers, people, times
from core.decisions import open_log
from core.errors import BadInput, TouchstoneError
from core.judge import Budget, JudgeSpec, open_judge
from core.suggestions import incoming, threshold
from core.suggestions.entries import parse
from core.suggestions.grade import Graded, Result, Step, grade
from core.suggestions.incoming import Batch
from core.suggestions.scoring import expected_cost, read_rubric, requests
from core.workspace import Workspace
from pages.shared import data, jobs, judges, notices, text, widgets
from pages.shared.frame import Context
from pages.suggestions import keys

_LIMIT = 10_000_000
_KEPT = "What was pasted and not graded yet"


def offer(ctx: Context) -> None:
    """The button; while a grading runs, nothing (its progress is drawn by `progress`)."""
    job = jobs.current(ctx.workspace, keys.GRADING)
    if job is None or not job.running:
        box = st.popover("Grade new", icon=":material/rule:", width="content", key=keys.form("box"),
                         on_change="rerun")  # fmt: skip
        with box:
            if box.open:  # its content costs a rerun of the queue nothing while it is closed
                _form(ctx)


def progress(ctx: Context) -> None:
    """Progress while a grading runs, and what became of the last one until it is closed."""
    job = jobs.current(ctx.workspace, keys.GRADING)
    if job is None:
        return
    if job.running:
        jobs.panel(job, key="grade_job")
    elif job.state == "failed":
        jobs.clear(ctx.workspace, keys.GRADING)
        notices.add("error", job.error)
        st.rerun()
    else:
        _told(ctx, job.result)


def _told(ctx: Context, done: Graded) -> None:
    vetoed, below = done.count("hard_veto", "ambiguity"), done.count("below_threshold")
    marks = [
        text.chip(f"{done.count('passed'):,} to pending", "green", "check_circle"),
        text.chip(f"{vetoed + below:,} to filtered", "orange", "filter_alt"),
    ]
    if done.count("ungraded"):
        marks.append(text.chip(f"{done.count('ungraded'):,} ungraded", "outline", "error"))
    if done.count("known"):
        marks.append(text.chip(f"{done.count('known'):,} known already", "gray"))
    if done.practice:
        marks.append(text.chip("practice judge: no model graded this", "orange", "school"))
    note = f"{numbers.count(done.asked, 'entry', 'entries')} asked, {numbers.money(done.cost_usd)}"
    with st.container(border=True, key="graded"):
        text.show(text.chips(*marks, note=note))
        with st.expander("Each of them", expanded=bool(done.count("ungraded")), key="graded_each"):
            lines = [text.tag("li", text.esc(_line(one))) for one in done.results[:200]]
            text.show(text.tag("ul", *lines, cls="ts-advice"))
        st.button("Close", key="graded_close", type="tertiary", on_click=jobs.clear, args=(ctx.workspace, keys.GRADING))


def _line(one: Result) -> str:
    score = f" {one.score.total}/6 (A:{one.score.a} P:{one.score.p} G:{one.score.g})" if one.score else ""
    why = one.reason or one.reasoning
    return f"{one.entry.title}: {one.outcome.replace('_', ' ')}{score}" + (f". {why}" if why else "")


def _form(ctx: Context) -> None:
    waiting = {str(one.path): one for one in data.cached(
        incoming.waiting, ctx.workspace, paths=_paths(ctx.workspace), extra=_names(ctx.workspace),
    )}  # fmt: skip
    pasted = st.text_area("Paste suggestions as they would stand in the file", key=keys.form("pasted"), height=140,
                          placeholder="### 2026-11-30 | Newsletter | [Title](https://…)\n- 📋 建議：…")  # fmt: skip
    given = st.file_uploader("or upload a Markdown file", type=["md", "txt"], key=keys.form("upload"),
                             max_upload_size=_LIMIT // 1_000_000)  # fmt: skip
    batch = st.selectbox(_KEPT, list(waiting), index=None, key=keys.form("batch"), placeholder="Choose a batch",
                         format_func=lambda one: _batch_words(waiting[one])) if waiting else None  # fmt: skip
    raw = given.getvalue() if given is not None else (pasted or "").encode("utf-8", "replace")
    if batch is not None and not raw.strip():
        raw = waiting[batch].document.raw
    spec = judges.choose(ctx.workspace, keys.judge())
    budget = st.number_input("Budget in $", 0.0, 10_000.0, 1.0, key=keys.form("budget"), step=0.5, format="%.2f")
    why = _why_not(ctx, raw, spec)
    if not why and spec is not None:
        _expected(ctx.workspace, raw, spec)
    widgets.action("Grade", key="grade_start", icon="play_arrow", kind="primary", disabled=bool(why), why=why,
                   on_click=_start, args=(ctx, raw, spec, float(budget or 0.0)))  # fmt: skip


def _paths(workspace: Workspace) -> list[Path]:
    places = workspace.suggestions
    return [places.pending, places.reviewed, places.filtered]


def _names(workspace: Workspace) -> tuple[str, ...]:
    return tuple(path.name for path in incoming.kept(workspace))


def _batch_words(batch: Batch) -> str:
    words = f"{batch.path.name}: {batch.waiting:,} of {numbers.count(len(batch.document.entries), 'entry', 'entries')}"
    return words + (f", {batch.reviewed:,} reviewed already" if batch.reviewed else "")


def _why_not(ctx: Context, raw: bytes, spec: JudgeSpec | None) -> str:
    """Why grading cannot start; empty when it can."""
    if not people.may(ctx.person, ctx.workspace, "decide"):
        return "You may look here, not decide."
    if not raw.strip():
        return "Paste or upload suggestions first."
    if len(raw) > _LIMIT:
        return f"More than {numbers.size(_LIMIT)}."
    if not parse(raw, "pasted text").entries:
        return "No entry in it: an entry starts with “### ”."
    return "" if spec is not None else "The settings make no judge."


def _expected(workspace: Workspace, raw: bytes, spec: JudgeSpec) -> None:
    entries = parse(raw, "pasted text").entries
    reviewed = sum(entry.decision is not None for entry in entries)
    try:
        cost = expected_cost(spec, requests(entries, read_rubric(workspace)))
    except TouchstoneError as error:
        text.show(text.grey(str(error)))
        return
    told = f"{numbers.count(len(entries), 'entry', 'entries')}; about {numbers.money(cost)} at most."
    left_out = f" {reviewed:,} carry a review and are left out." if reviewed else ""
    text.show(text.grey(f"{told} Known entries and vetoes cost nothing.{left_out}"))


def _start(ctx: Context, raw: bytes, spec: JudgeSpec, budget: float) -> None:
    def deed() -> None:
        people.require(ctx.person, ctx.workspace, "decide")
        path = incoming.keep(ctx.workspace, raw)
        work = partial(_work, ctx.workspace, path, spec, Budget(max_cost_usd=budget))
        jobs.start(ctx.workspace, keys.GRADING, f"Grading with {spec.model}", ctx.person.name, work)

    if notices.attempt(deed):
        keys.FORM.set(keys.FORM.get() + 1)


def _work(workspace: Workspace, path: Path, spec: JudgeSpec, budget: Budget, job: jobs.Job) -> Graded:
    """What the thread does. What the judge failed on stays in the kept batch and is offered again."""
    document = incoming.batch(workspace, path).document
    if not document.complete:
        raise BadInput(document.problems[0])
    log = open_log(workspace)

    def told(step: Step) -> None:
        unscored = step.judge.unscored if step.judge else 0
        job.tell(step.done, step.total, f"{unscored} without a score" if unscored else "")

    return grade(
        workspace, log, document, lambda: open_judge(spec, workspace, budget=budget), now=times.now(),
        threshold=threshold.in_force(workspace, log).value, on_step=told, cancel=job.stopped,
    )  # fmt: skip
