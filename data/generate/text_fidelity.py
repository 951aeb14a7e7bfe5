"""Three text-fidelity evals with their histories, written by the real scorer against the practice judge.

- onboarding-emails climbs to its threshold and passes; n goes from 4 to 6 on the way.
- support-replies wobbles within δ; a program drafts one of its texts, which drifts; some runs could not score.
- release-notes is stale: its rubric was edited after the last freeze.

The judge is `practice-skim` on this machine: no model, and said so in every record.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.decisions import open_log
from core.judge import JudgeSpec, open_judge
from core.people import local_person
from core.text_fidelity import approval
from core.text_fidelity.place import EvalFolder, at
from core.text_fidelity.score import Done, Failed, score
from core.workspace import Workspace

AUTHORED = Path(__file__).parent / "authored" / "text_fidelity"
EVALS = ("onboarding-emails", "support-replies", "release-notes")
MODEL = "practice-skim"
NOWHERE = "http://127.0.0.1:9"


def build(root: Path) -> None:
    """Write ``root/evals/…`` anew."""
    target = root / "evals"
    with tempfile.TemporaryDirectory() as place, practice_judge() as address:
        workspace = Workspace.open(place)
        for name in EVALS:
            Path(place, "evals", name).mkdir(parents=True)
        for name, write in zip(EVALS, (onboarding, support, release), strict=True):
            write(Writer(at(workspace, Path(place, "evals", name)), authored(name), address))
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(Path(place, "evals"), target)


def authored(name: str) -> dict[str, Any]:
    return tomllib.loads((AUTHORED / f"{name}.toml").read_text("utf-8"))


@contextmanager
def practice_judge() -> Iterator[str]:
    """A practice judge of its own on a free port, and its address."""
    command = [sys.executable, "-m", "core.judge.practice", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[0]
    finally:
        process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@dataclass
class Writer:
    """Writes one eval's files and scores it as time goes by. ``levels``: how far each case's slots have come."""

    folder: EvalFolder
    text: dict[str, Any]
    judge: str
    now: datetime = datetime(2026, 9, 1, 7, 30, tzinfo=UTC)
    levels: dict[str, list[int]] = field(default_factory=dict)
    runs: int = 0

    def setup(self, *, n: int, threshold: float, start: str) -> None:
        """References and config, frozen; every slot at its first sentence."""
        self.now = datetime.fromisoformat(start)
        for case in self.text["case"]:
            self.put(f"refs/{case['id']}.txt", case["reference"].lstrip("\n"))
            self.levels[case["id"]] = [0] * len(case["slots"])
            self.draft(case["id"])
        cases = [self.case(case, {"type": "file", "path": f"generated/{case['id']}.txt"}) for case in self.text["case"]]
        command = self.text.get("command")
        if command:
            self.put(f"refs/{command['id']}.txt", command["reference"].lstrip("\n"))
            self.put(command["program"], (AUTHORED / command["program"]).read_text("utf-8"))
            self.put(command["reads"], command["notes"][0])
            cases.append(self.case(command, {"type": "command", "run": ["python3", command["program"]]}))
        self.config({
            "schema_version": 1, "approval_status": "draft",
            "judge": {"model": MODEL, "transport": "api", "temperature": 0.6, "max_tokens": 512},
            "samples": {"n": n, "k": 1.0, "delta": self.text.get("delta", 0.03)}, "threshold": threshold,
            "rubric": " ".join(self.text["rubric"].split()), "cases": cases,
        })  # fmt: skip
        self.freeze("Ines")

    def case(self, given: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
        return {"id": given["id"], "weight": given["weight"], "reference": f"refs/{given['id']}.txt", "source": source}

    def put(self, name: str, text: str) -> None:
        path = self.folder.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def config(self, values: dict[str, Any]) -> None:
        old = json.loads(self.folder.config.read_text("utf-8")) if self.folder.config.exists() else {}
        self.put("config.json", json.dumps(old | values, indent=2, ensure_ascii=False) + "\n")

    def freeze(self, who: str) -> None:
        approval.approve(self.folder, local_person(who), open_log(self.folder.workspace), self.now)

    def draft(self, case: str) -> None:
        """The text under test: each slot's sentence at the level it has come to."""
        slots = next(one["slots"] for one in self.text["case"] if one["id"] == case)
        chosen = [slot[min(level, len(slot) - 1)] for slot, level in zip(slots, self.levels[case], strict=True)]
        self.put(f"generated/{case}.txt", "\n\n".join(sentence for sentence in chosen if sentence) + "\n")

    def move(self, case: str, slot: int, level: int) -> None:
        self.levels[case][slot] = level
        self.draft(case)

    def run(self, *, hours: float = 20.0, address: str | None = None, hold: bool = False) -> Done | Failed:
        """Score once, some hours later; at ``address`` nobody may be listening."""
        self.now += timedelta(hours=hours, minutes=(self.runs * 37) % 90)
        self.runs += 1

        def opened(spec: JudgeSpec) -> Any:
            there = {"base_url": address or self.judge, "max_retries": 0}
            return open_judge(spec.model_copy(update=there), self.folder.workspace, concurrency=1)

        return score(self.folder, opened, lambda: self.now, hold_artifacts=hold)


def steps(writer: Writer) -> list[tuple[str, int, int]]:
    """Every improvement there is, case by case in turn, from the worst sentences on."""
    found = []
    for level in range(1, 4):
        for case in writer.text["case"]:
            found += [(case["id"], slot, level) for slot, texts in enumerate(case["slots"]) if level < len(texts)]
    return found


def onboarding(writer: Writer) -> None:
    """87 runs: every third one finds a sentence or two better; n from 4 to 6 on the way; a pass at the end."""
    writer.setup(n=4, threshold=0.7, start="2026-09-01T07:30:00+00:00")
    improvements = steps(writer)
    for number in range(87):
        if number % 3 == 1:
            for _ in range(1 + number % 2):
                if improvements:
                    writer.move(*improvements.pop(0))
        if number in (26, 50):  # a rewrite that made it worse, taken back two runs later
            writer.move("welcome_email", 4, 0)
        if number in (28, 52):
            writer.move("welcome_email", 4, 2)
        if number == 36:
            writer.config({"samples": {"n": 6, "k": 1.0, "delta": writer.text["delta"]}})
            writer.freeze("Dana")
        expect(writer.run(hours=23.5), Done)


def support(writer: Writer) -> None:
    """96 runs of replies that are done: the judge wobbles, the desk's notes drift, and some runs could not score."""
    writer.setup(n=5, threshold=0.65, start="2026-08-28T15:10:00+00:00")
    command, cases = writer.text["command"], writer.text["case"]
    notes = {18: 1, 31: 0, 52: 1, 60: 2, 71: 3, 91: 1}
    for number in range(96):
        if number % 8 == 5:  # greeting and signature, by turns: words that change next to nothing
            case = cases[number // 8 % 2]
            writer.move(case["id"], 0 if number % 16 == 5 else len(case["slots"]) - 1, number // 16 % 2)
        if number in notes:
            writer.put(command["reads"], command["notes"][notes[number]])
        failures_of(writer, number, command["reads"])
        expect(writer.run(hours=22.0, hold=number in (61, 62)), Done)


def failures_of(writer: Writer, number: int, notes: str) -> None:
    """What went wrong before this run: the desk's notes not there, no judge listening, a rubric nobody had frozen."""
    if number == 40:
        kept = (writer.folder.path / notes).read_text("utf-8")
        (writer.folder.path / notes).unlink()
        expect(writer.run(hours=2.0), Failed)
        expect(writer.run(hours=1.0), Failed)
        writer.put(notes, kept)
    if number == 66:
        expect(writer.run(hours=3.0, address=NOWHERE), Failed)
    if number == 80:
        writer.config({"rubric": " ".join(writer.text["rubric"].split()) + " Names are spelled as the customer does."})
        expect(writer.run(hours=4.0), Failed)
        writer.freeze("Ines")


def release(writer: Writer) -> None:
    """64 runs, then a rubric that nobody froze: three runs refused as stale."""
    writer.setup(n=5, threshold=0.75, start="2026-09-14T10:00:00+00:00")
    improvements = steps(writer)
    for number in range(64):
        if number % 4 == 1:
            for _ in range(2):
                if improvements:
                    writer.move(*improvements.pop(0))
        expect(writer.run(hours=25.0), Done)
    writer.config({"rubric": " ".join(writer.text["edited_rubric"].split())})
    for _ in range(3):
        expect(writer.run(hours=24.0), Failed)


def expect(outcome: Done | Failed, wanted: type[Done] | type[Failed]) -> None:
    """The history is planned; a run that goes another way would tell another story."""
    if not isinstance(outcome, wanted):
        raise SystemExit(f"expected {wanted.__name__}, got {outcome}")
