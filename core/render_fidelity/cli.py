"""``python -m core render``: deterministic checks, verdict, judge, contact sheet (contract, Command line)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from core import times
from core.cli_support import answer, emit, json_option, person_option, workspace_option
from core.errors import BadInput, Problem, Unavailable
from core.people import Person
from core.render_fidelity.deliverable import read_deliverable
from core.render_fidelity.evidence import Context, Judged, judge_file
from core.render_fidelity.mapping import Coverage
from core.render_fidelity.standing import Standing, context_for, read_standing
from core.workspace import Workspace

_MARKS = {"pass": "✓", "fail": "✗", "unknown": "?"}


@click.group()
def group() -> None:
    """Render fidelity: a pack's render beside its original, seven axes, two verifiers."""


@group.command()
@click.argument("slug")
@workspace_option
@json_option
def check(slug: str, workspace: Workspace, as_json: bool) -> None:
    """Run the deterministic checks of the pack SLUG. Exit 0 when all hold, 1 when one fails or is unknown."""
    standing = read_standing(workspace, slug, times.now())
    data = {
        "slug": slug,
        "checks": [found.as_dict() for found in standing.checks],
        "mapping": standing.mapping.as_dict(),
        "pages": [page.as_dict() for page in standing.pack.pages],
        "problems": [problem.as_dict() for problem in standing.problems],
    }
    emit(data, as_json, _check_lines(standing))
    answer(all(found.outcome == "pass" for found in standing.checks))


def _check_lines(standing: Standing) -> Iterator[str]:
    yield standing.pack.slug
    for found in standing.checks:
        yield f"  {_MARKS[found.outcome]} {found.name}: {found.detail}"
    yield f"  mapping: {_mapping_words(standing.mapping)}"
    for page in standing.pack.pages:
        yield f"  page {page.number} {page.id}: {page.state}{f' ({page.reason})' if page.reason else ''}"
    yield from _problem_lines(standing.problems)


def _mapping_words(mapping: Coverage) -> str:
    if not mapping.total:
        return "n/a, no mirror plan with original_pages"
    left = f", unexplained {list(mapping.unexplained)}" if mapping.unexplained else ""
    return f"{mapping.accounted} of {mapping.total} original pages accounted for, {mapping.mapped} mapped{left}"


def _problem_lines(problems: tuple[Problem, ...]) -> Iterator[str]:
    for problem in problems:
        yield f"  ! {problem}"


@group.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--pages", type=click.IntRange(1, 10_000), help="How many pages the pack has, where it is not at hand.")
@click.option("--batch", help="The batch, for the fixed 20% cross-check sample.")
@click.option("--batch-first", is_flag=True, help="This is the first pack of its batch: a cross-check is due.")
@workspace_option
@json_option
def verdict(
    file: Path, pages: int | None, batch: str | None, batch_first: bool, workspace: Workspace, as_json: bool
) -> None:
    """Compute the verdict of the verdict file FILE. Exit 0 for pass, 1 for any other."""
    path = file if file.is_absolute() or file.exists() else workspace.root / file
    deliverable = read_deliverable(path, workspace.label(path))
    found = context_for(workspace, path, deliverable, times.now())
    context = Context(
        found.pack if found else None, found.material if found else None, found.checks if found else (), pages,
        batch or (found.batch if found else None), batch_first or bool(found and found.batch_first),
    )  # fmt: skip
    judged = judge_file(deliverable, context)
    emit(verdict_data(judged), as_json, _verdict_lines(judged))
    answer(judged.outcome.verdict == "pass")


def verdict_data(judged: Judged) -> dict[str, object]:
    """The contract's object for ``render verdict --json``, with the two verifiers beside it."""
    outcome, evidence = judged.outcome, judged.evidence
    return {
        "slug": judged.deliverable.slug,
        "reference_mode": evidence.mode,
        "verdict": outcome.verdict,
        "reasons": list(outcome.reasons),
        "total": outcome.total,
        "maximum": outcome.maximum,
        "adopted_total": outcome.adopted_total,
        "stated_verdict": evidence.stated.word,
        "stated_total": judged.deliverable.raw.get("total"),
        "crosscheck_due": bool(evidence.due),
        "crosscheck_due_reasons": list(evidence.due.reasons),
        "second_total": evidence.second.total,
        "delta": outcome.delta,
        "coverage": {"reviewed": len(evidence.viewed.reviewed), "pages": evidence.viewed.pages},
        "pages_not_reviewed": list(evidence.viewed.unreviewed),
        "problems": [problem.as_dict() for problem in judged.problems],
    }


def _verdict_lines(judged: Judged) -> Iterator[str]:
    outcome, evidence = judged.outcome, judged.evidence
    total = f"{outcome.total if outcome.total is not None else 'n/a'} of {outcome.maximum or 'n/a'}"
    yield f"{outcome.verdict}  total {total}, stated {evidence.stated.word or 'none'}"
    yield from (f"  {reason}" for reason in outcome.reasons)
    yield f"  coverage: {len(evidence.viewed.reviewed)} of {evidence.viewed.pages} pages reviewed"
    yield f"  cross-check due: {'; '.join(evidence.due.reasons) or 'no'}"
    yield from _problem_lines(judged.problems)


def _judge_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--base-url", help="A server that speaks the provider's protocol."),
        click.option("--transport", type=click.Choice(["api", "cli", "codex"]), default="api", show_default=True),
        click.option("--model", help="The model's name."),
        click.option("--provider", type=click.Choice(["anthropic", "openai"]), help="Whose model is asked."),
    ):
        command = option(command)
    return command


@group.command()
@click.argument("slug")
@click.option("--judge", is_flag=True, help="Let a model score the pages. (People score on the page.)")
@_judge_options
@workspace_option
@person_option
@json_option
def score(slug: str, judge: bool, workspace: Workspace, person: Person, as_json: bool, **options: str | None) -> None:
    """Score the pack SLUG by a model verifier and write its deliverable. Exit 0 for pass, 1 for any other verdict."""
    if not judge:
        raise BadInput.of(slug, "say --judge: people score on the page, where they see the pictures")
    from core.render_fidelity import run_judge

    standing = run_judge.score(workspace, slug, person, options, times.now())
    _emit_standing(standing, as_json)


@group.command()
@click.argument("slug")
@_judge_options
@workspace_option
@person_option
@json_option
def crosscheck(slug: str, workspace: Workspace, person: Person, as_json: bool, **options: str | None) -> None:
    """Ask a second verifier of another family for the pack SLUG. Exit 0 for pass, 1 for any other verdict."""
    from core.render_fidelity import run_judge

    standing = run_judge.crosscheck(workspace, slug, person, options, times.now())
    _emit_standing(standing, as_json)


def _emit_standing(standing: Standing, as_json: bool) -> None:
    if standing.judged is None:
        raise BadInput.of(standing.pack.slug, "no verdict was written")
    emit(verdict_data(standing.judged), as_json, _verdict_lines(standing.judged))
    answer(standing.judged.outcome.verdict == "pass")


@group.command()
@click.argument("slug")
@click.option("-o", "output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The PNG to write.")
@workspace_option
@json_option
def sheet(slug: str, output: Path, workspace: Workspace, as_json: bool) -> None:
    """Draw a contact sheet of the pack SLUG: every original page, every page of the render.

    Nothing is written but the PNG, so that it works on a workspace that may only be read.
    """
    from core.files.write import swap
    from core.render_fidelity.changes import pictures_of
    from core.render_fidelity.imaging.decode import encode_png
    from core.render_fidelity.sheet_of import sheet_of

    standing = read_standing(workspace, slug, times.now())
    if output.exists() and not output.is_file():
        raise Unavailable(f"{output} is no file that can be written over")
    image = sheet_of(standing, pictures_of(workspace, keep=False))
    try:
        swap(output.absolute(), encode_png(image, 6))
    except OSError as error:
        raise Unavailable(f"{output} cannot be written: {error.strerror}") from error
    data = {"file": str(output), "pages": len(standing.pack.pages), "size": list(image.size)}
    emit(data, as_json, [f"{output}: {image.width}×{image.height} px, {len(standing.pack.pages)} pages of the render"])
