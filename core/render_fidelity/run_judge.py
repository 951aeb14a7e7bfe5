"""Asking a model for scores and writing what it said: the work behind ``render score --judge`` and ``crosscheck``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from core.decisions import open_log
from core.errors import Conflict
from core.judge import Judge, open_judge, spec_of
from core.people import Person, require
from core.render_fidelity import scoring, verifier
from core.render_fidelity.changes import pictures_of
from core.render_fidelity.crosscheck import family
from core.render_fidelity.standing import Standing, read_standing
from core.workspace import Workspace

MODELS = {"anthropic": "claude-sonnet-4-6", "openai": "gpt-5.6-sol"}
_REPLY_TOKENS = 4096

Options = Mapping[str, str | None]


def _judge(workspace: Workspace, options: Options, provider: str) -> Judge:
    given = {key: value for key, value in options.items() if value is not None}
    model = given.get("model") or MODELS[given.get("provider", provider)]
    settings = {"provider": provider, "max_tokens": _REPLY_TOKENS} | given | {"model": model}
    return open_judge(spec_of(settings, "the judge"), workspace)


def score(
    workspace: Workspace, slug: str, person: Person, options: Options, now: datetime, judge: Judge | None = None
) -> Standing:
    """Let a model score a pack and write its deliverable; where the pack stands afterwards.

    Raises before anybody is asked Conflict while a check fails and what `scoring.check_writable` raises; Unavailable
    when the model cannot be asked (nothing is written then: no score, no 0); NotAllowed.
    """
    require(person, workspace, "decide")
    standing = read_standing(workspace, slug, now)
    scoring.check_writable(workspace, standing)
    seen = verifier.view(standing, pictures_of(workspace))
    scores = verifier.ask(judge or _judge(workspace, options, "anthropic"), seen)
    draft = verifier.draft_of(scores, seen)
    scoring.save(open_log(workspace), person, slug, draft, now, reviewer=scores.model)
    return read_standing(workspace, slug, now)


def crosscheck(
    workspace: Workspace, slug: str, person: Person, options: Options, now: datetime, judge: Judge | None = None
) -> Standing:
    """Let a second verifier score a pack and write its block; where the pack stands afterwards.

    The default is another family than the author's. Raises as `score` does, and Conflict for a model of the author's or
    the first verifier's family, before it is asked, or when there is no first verifier yet.
    """
    require(person, workspace, "decide")
    standing = read_standing(workspace, slug, now)
    deliverable = standing.deliverable
    if deliverable is None:
        raise Conflict(f"{slug} has no first verifier yet: there is nothing to cross-check")
    chosen = judge or _judge(workspace, options, "anthropic" if family(standing.pack.author) == "openai" else "openai")
    verifier.refuse_family(chosen.spec.model, "author", standing.pack.author)
    verifier.refuse_family(chosen.spec.model, "first verifier", deliverable.reviewer)
    scores = verifier.ask(chosen, verifier.view(standing, pictures_of(workspace)))
    scoring.add_second(open_log(workspace), person, slug, verifier.second_of(scores, standing), now)
    return read_standing(workspace, slug, now)
