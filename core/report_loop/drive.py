"""`report loop`: the driver on a run folder with two outside commands, and with a judge where one is asked for.

What the commands get and give is in docs/report-loop.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from core import files, times
from core.decisions import open_log
from core.errors import BadInput
from core.report_loop import inputs
from core.report_loop.a11y import read_a11y
from core.report_loop.commands import Command
from core.report_loop.journal import EDIT_COUNTS, RECORDS, RECORDS_AS_LIST, WORK, FolderJournal
from core.report_loop.loop import LoopResult, Record, Revision, Scoring, Task, run_loop
from core.report_loop.receipt import read_receipt
from core.report_loop.scoring import Evidence, read_samples, read_signals, record_extra, score_evidence
from core.report_loop.signals import format_consistency, kind_of, read_blocks, read_deltas, sign_consistency
from core.report_loop.words import DEFAULT_BAR, ITERATION_CAP
from core.workspace import Workspace, safe_path

DRAFT_SUFFIXES = (".html", ".htm", ".md", ".markdown", ".txt")
DELTAS = "deltas.json"


class Judging(Protocol):
    """Adds judge samples to the evidence of one iteration (`judging.LoopJudge`)."""

    def __call__(self, evidence: Evidence, draft: str, bar: float) -> Evidence:
        """The evidence with samples, fingerprint and notes."""
        ...


@dataclass(frozen=True)
class Drive:
    """One run folder with the two commands that drive it.

    ``bar`` lies in [0, 1], ``clock`` gives an aware time, ``more_edits`` are edits granted to frozen nodes; ``judge``
    makes the judge of one iteration, given the iteration's name (its samples are not another one's).
    """

    workspace: Workspace
    folder: Path
    score_command: Command
    revise_command: Command
    clock: Callable[[], datetime]
    bar: float = DEFAULT_BAR
    cap: int = ITERATION_CAP
    own_signals: bool = True
    judge: Callable[[str], Judging] | None = None
    more_edits: Mapping[str, int] = field(default_factory=dict)

    def run(self, on_iteration: Callable[[Record], None] | None = None) -> LoopResult[bytes]:
        """Start or resume the run, to its end.

        Raises BadInput (also for a link out of the workspace), Conflict and Unavailable with every finished iteration
        on disk; run it again to go on.
        """
        for name in (RECORDS, RECORDS_AS_LIST, EDIT_COUNTS, DELTAS, "drafts", "receipts", WORK):
            inputs.locate(self.workspace.root, self.folder, name, self.workspace.label(self.folder / name))
        with self.workspace.lock(self.folder / "loop"):
            draft = find_draft(self.folder)
            inputs.locate(self.workspace.root, self.folder, draft.name, self.workspace.label(draft))
            journal = FolderJournal(self.folder, draft, open_log(self.workspace).lock)
            journal.tidy()

            def score(content: bytes) -> Scoring:
                return self._score(journal, content)

            def revise(content: bytes, target: str, task: Task) -> Revision[bytes]:
                return self._revise(journal, content, task)

            result = run_loop(
                files.read_bytes(draft), score, revise, cap=self.cap, journal=journal, clock=self.clock,
                more_edits=self.more_edits, on_iteration=on_iteration,
            )  # fmt: skip
            journal.tidy()
            return result

    def _score(self, journal: FolderJournal, content: bytes) -> Scoring:
        index = len(journal.records()) + 1
        path = journal.keep(index, content)
        question = {
            "task": "score", "run": self.folder.name, "iteration": index, "draft": str(path),
            "folder": str(self.folder), "bar": self.bar, "now": times.iso(self.clock()),
        }  # fmt: skip
        answer = self.score_command.ask(question)
        evidence = self._evidence(answer, path, content)
        text = files.decode(content, path.name)
        if self.judge is not None and text.complete:
            evidence = self.judge(f"{self.folder.name}/{index}")(evidence, text.text, self.bar)
        documents = {suffix: answer[suffix] for suffix in ("receipt", "a11y") if isinstance(answer.get(suffix), dict)}
        return Scoring(score_evidence(evidence, self.bar), record_extra(evidence, self.clock()), documents)

    def _evidence(self, answer: Mapping[str, Any], path: Path, content: bytes) -> Evidence:
        name = f"answer of {self.score_command.name}"
        if not isinstance(answer.get("receipt"), Mapping):
            raise BadInput.of(name, "must hold a receipt object", position="receipt")
        gate = answer.get("a11y")
        evidence = Evidence(
            receipt=read_receipt(answer["receipt"], name),
            a11y=None if gate is None else read_a11y(gate, name),
            signals=read_signals(answer.get("signals"), name),
            samples=read_samples(answer.get("samples"), name),
            judge_fingerprint=str(answer.get("judge_fingerprint") or ""),
        )
        text = files.decode(content, path.name)
        if self.own_signals and text.complete:
            evidence = replace(evidence, signals={**self._measured(path, text.text), **_given(evidence.signals)})
        return evidence

    def _measured(self, path: Path, text: str) -> dict[str, bool | None]:
        """Touchstone's own signals, for what the score command does not supply."""
        blocks = read_blocks(text, kind_of(path.name))
        found: dict[str, bool | None] = {"format_consistency": format_consistency(blocks).passed}
        deltas = self.folder / DELTAS
        if deltas.exists():
            found["sign_consistency"] = sign_consistency(blocks, read_deltas(files.read_json(deltas, DELTAS))).passed
        return found

    def _revise(self, journal: FolderJournal, content: bytes, task: Task) -> Revision[bytes]:
        path = journal.candidate(content)
        question = {
            "task": "revise", "run": self.folder.name, "iteration": task.index, "draft": str(path),
            "folder": str(self.folder), "target_dim": task.target_dim, "scores": dict(task.scores),
            "frozen": list(task.frozen), "edit_counts": dict(task.edit_counts), "bar": self.bar,
            "now": times.iso(self.clock()),
        }  # fmt: skip
        answer = self.revise_command.ask(question)
        node = answer.get("node_id")
        if node is not None and not isinstance(node, str):
            raise BadInput.of(f"answer of {self.revise_command.name}", "node_id must be a text", position="node_id")
        return Revision(files.read_bytes(path, path.name), node)


def _given(signals: Mapping[str, bool | None]) -> dict[str, bool | None]:
    return {name: value for name, value in signals.items() if value is not None}


def find_draft(folder: Path) -> Path:
    """The draft of a run: the one ``draft.<suffix>`` in it. Raises BadInput when there is none or more than one."""
    found = [folder / f"draft{suffix}" for suffix in DRAFT_SUFFIXES if (folder / f"draft{suffix}").exists()]
    if len(found) != 1:
        what = (
            " and ".join(path.name for path in found) or f"no draft ({', '.join(f'draft{s}' for s in DRAFT_SUFFIXES)})"
        )
        raise BadInput.of(folder.name, f"one draft is needed, found {what}")
    return found[0]


def find_run(workspace: Workspace, text: str) -> Path:
    """A run folder by its name, or by its path in the workspace. Raises BadInput, UnsafePath."""
    for folder in workspace.runs():
        if folder.name == text:
            return folder
    path = Path(text)
    relative = path.resolve().relative_to(workspace.root).as_posix() if _inside(path, workspace) else text
    folder = safe_path(workspace.root, relative.rstrip("/"), kind="folder")
    if not folder.is_dir():
        raise BadInput.of(text, "is neither a run of this workspace nor a folder in it")
    return folder


def _inside(path: Path, workspace: Workspace) -> bool:
    return path.exists() and path.resolve().is_relative_to(workspace.root)
