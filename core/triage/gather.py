"""The findings of the four systems, gathered: triage alone knows all four (triage contract, Findings)."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import get_args

from core.errors import BadInput, Problem, TouchstoneError
from core.findings import Finding, System
from core.workspace import Workspace

SYSTEMS: tuple[System, ...] = get_args(System)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found; ``systems`` are those that could be asked, ``problems`` says why the others could not."""

    findings: list[Finding]
    systems: frozenset[System]
    problems: list[Problem]


def gather(workspace: Workspace, now: datetime) -> Gathered:
    """Ask each system for its findings. A system that cannot answer is a problem and ends nothing that was open.

    Each system keeps what it has read by the stamps of its files, so that only changed files are read again.
    """
    findings: list[Finding] = []
    systems: set[System] = set()
    problems: list[Problem] = list(workspace.problems)
    for system in SYSTEMS:
        try:
            found = importlib.import_module(f"core.{system}.findings").findings(workspace, now)
        except TouchstoneError as error:
            problems.append(error.problem if isinstance(error, BadInput) else Problem(system, str(error)))
            continue
        except OSError as error:
            problems.append(Problem(workspace.label(Path(error.filename or system)), f"cannot be read: {error}"))
            continue
        except Exception as fault:  # noqa: BLE001 - one file that nobody thought of must not hide what the other systems found
            problems.append(Problem(system, f"a fault of ours, {type(fault).__name__}: {fault}"))
            continue
        findings += found
        systems.add(system)
    return Gathered(findings, frozenset(systems), problems)
