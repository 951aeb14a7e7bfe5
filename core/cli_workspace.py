"""``python -m core workspace``: what was found where (triage contract, Command line)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from core.cli_support import emit, json_option, workspace_option
from core.errors import BadInput, Problem, TouchstoneError
from core.workspace import SETTINGS, Workspace


@click.group()
def group() -> None:
    """What was found where, and every problem."""


@group.command()
@workspace_option
@json_option
def show(workspace: Workspace, as_json: bool) -> None:
    """List the four systems' places, what is there, and every problem in touchstone.toml."""
    data = describe(workspace)
    emit(data, as_json, _lines(data))


def describe(workspace: Workspace) -> dict[str, Any]:
    """``root``, ``settings`` (file name or null), ``systems`` {name: [{``place``, ``found``}]}, ``problems``."""
    places = workspace.suggestions
    files = {name: getattr(places, name) for name in places.__slots__}
    problems = list(workspace.problems)

    def listed(list_: Callable[[], list[Path]]) -> list[Path]:
        try:
            return list_()
        except TouchstoneError as error:  # the other places are shown all the same
            problems.append(error.problem if isinstance(error, BadInput) else Problem("workspace", str(error)))
            return []

    folders = {
        "report_loop": listed(workspace.runs),
        "text_fidelity": listed(workspace.evals),
        "render_fidelity": [*listed(workspace.packs), *listed(workspace.batches)],
    }
    return {
        "root": str(workspace.root),
        "settings": SETTINGS if (workspace.root / SETTINGS).exists() else None,
        "systems": {
            "suggestions": [
                {"name": name, "place": workspace.label(path), "found": path.exists()} for name, path in files.items()
            ],
            **{
                system: [{"name": path.name, "place": workspace.label(path), "found": True} for path in paths]
                for system, paths in folders.items()
            },
        },
        "problems": [problem.as_dict() for problem in problems],
    }


def _lines(data: dict[str, Any]) -> list[str]:
    lines = [f"workspace {data['root']}", f"settings  {data['settings'] or 'none: the default places'}"]
    for system, found in data["systems"].items():
        there = sum(entry["found"] for entry in found)
        lines.append(f"{system}: {there} found" if there else f"{system}: nothing found")
        lines += [f"  {'+' if entry['found'] else '-'} {entry['place']}" for entry in found]
    return lines + [f"problem: {problem['file']}: {problem['reason']}" for problem in data["problems"]]
