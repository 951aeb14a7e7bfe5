"""The demo's report runs: eight loops over authored reports, one of them driven by the real `report loop`.

The other seven go through the same driver with measurements that are authored here, so that every record, revert and
stop is what the rules make of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from authored.report_loop import reports
from authored.report_loop.page import report

from core.report_loop.a11y import read_a11y
from core.report_loop.feedback import document
from core.report_loop.journal import FolderJournal
from core.report_loop.loop import Revision, Scoring, run_loop
from core.report_loop.receipt import read_receipt
from core.report_loop.scoring import Evidence, record_extra, score_evidence
from core.report_loop.words import BROKEN, LEGS

REPOSITORY = Path(__file__).resolve().parents[2]
RUNS = ".ravenclaude/runs"
MONTH, HOUR = 30 * 86400, 3600
SAID = {
    "V1": "7 of 7 values landed at their anchors", "V2": "outside bound and editable nodes as in the template",
    "V3": "the same tags in the same order", "V4": "0 of 2 entries survive", "V5": "rendered, no overflow",
    "V6": "every slot has a binding (7)", "period-coherence": "one period everywhere: Q3 2026",
}  # fmt: skip


def build(root: Path) -> None:
    """Write ``.ravenclaude/runs`` under ``root``; the same bytes every time."""
    runs = root / RUNS
    if runs.exists():
        shutil.rmtree(runs)
    for make in (_harbour, _meadow, _alder, _cedar, _birch, _fjord, _larch, _oak):
        make(runs)
    for authored in (reports.HARBOUR, reports.MEADOW, reports.CEDAR, reports.LARCH):
        _review(runs / authored["run"], authored)


def _write(path: Path, content: bytes | str | Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, bytes | str):
        content = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def _start(runs: Path, authored: dict[str, Any], started: str) -> tuple[Path, str]:
    """The run folder with what the loop finds there: draft, deltas, manifest, run.json."""
    folder = runs / authored["run"]
    draft = report(authored["title"], reports.PERIOD, authored)
    _write(folder / "draft.html", draft)
    _write(folder / "run.json", {"title": authored["title"], "format": "html", "started_at": started})
    _write(folder / "deltas.json", authored["deltas"])
    names = {"summary": "Summary paragraph", "chart": "Revenue chart", "outlook": "Outlook paragraph",
             "regions": "Table by region"}  # fmt: skip
    bindings = [{"node_id": node, "name": name} for node, name in names.items()]
    _write(folder / "manifest.json", {"bindings": bindings})
    return folder, draft


def _legs(verdicts: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"leg": name, "verdict": verdicts.get(name, ("pass", ""))[0], "label": "judged" if name == "V5" else "proven",
         "inference_independent": name in ("V2", "V4", "V6"), "blocking": name != "V5",
         "evidence": verdicts.get(name, ("", SAID[name]))[1], **({"repeat_count": 3} if name == "V5" else {})}
        for name in LEGS
    ]  # fmt: skip


def _receipt(run: str, at: str, verdicts: dict[str, tuple[str, str]], ttl: int = MONTH, **more: Any) -> dict[str, Any]:
    broken = [name for name, (verdict, _) in verdicts.items() if verdict in BROKEN and name != "V5"]
    gate = "FAIL" if broken else "PARTIAL" if verdicts else "PASS"
    return {
        "receipt_version": "1.0.0", "run_id": run, "format": "html", "generated_at": at, "ttl_seconds": ttl,
        "env_fingerprint": "demo-harness-1", "overall_gate": gate, "manual_residue": reports.RESIDUE,
        "legs": _legs(verdicts), **more,
    }  # fmt: skip


def _gate(*violations: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "schema": "report-regeneration/a11y-gate@1", "gate": "FAIL" if violations else "PASS",
        "counts": {"blocking": len(violations), "advisory": 0},
        "violations": [
            {"rule": rule, "wcag": "1.1.1", "impact": "serious", "blocking": True, "node": node, "detail": text}
            for rule, node, text in violations
        ],
        "manual_residue": ["Alt text says what the chart shows (WCAG 1.1.1)", "Reading order of the page (WCAG 1.3.2)"],
    }  # fmt: skip


Measured = dict[str, Any]
"""One scoring: ``judged`` medians by first letter, and optionally ``verdicts``, ``gate``, ``signals``, ``few``."""


def _drive(
    runs: Path, authored: dict[str, Any], started: str, measured: list[Measured], edits: list[tuple[str, str, str]],
    ttl: int = MONTH,
) -> Path:  # fmt: skip
    """One run through the driver: ``measured`` are the scorings in order, ``edits`` what the reviser does.

    An edit is (node, text before, text after).
    """
    folder, draft = _start(runs, authored, started)
    clock = _ticking(datetime.fromisoformat(started))
    scorings, proposals = iter(measured), iter(edits)

    def score(_draft: bytes) -> Scoring:
        now = next(clock)
        return _scoring(next(scorings), authored["run"], now, ttl)

    def revise(current: bytes, _target: str, _task: Any) -> Revision[bytes]:
        node, before, after = next(proposals)
        if before.encode() not in current:
            raise ValueError(f"{authored['run']}: {before!r} is not in the draft")
        return Revision(current.replace(before.encode(), after.encode(), 1), node)

    journal = FolderJournal(folder, folder / "draft.html", lambda _path: nullcontext())
    run_loop(draft.encode(), score, revise, journal=journal, clock=lambda: next(clock))
    return folder


def _ticking(start: datetime) -> Iterator[datetime]:
    while True:
        start += timedelta(minutes=2)
        yield start


def _scoring(measured: Measured, run: str, now: datetime, ttl: int) -> Scoring:
    at = now.astimezone(UTC).isoformat().replace("+00:00", "Z")
    receipt, gate = _receipt(run, at, measured.get("verdicts", {}), ttl), measured.get("gate", _gate())
    samples = {
        name: _spread(value)
        for name, value in zip(("dynamic", "inclusive", "polished"), measured["judged"], strict=True)
    }
    signals = {"sign_consistency": True, "format_consistency": True, **measured.get("signals", {})}
    evidence = Evidence(read_receipt(receipt), read_a11y(gate), signals, samples, "sha256:demo-judge-3-samples")
    return Scoring(score_evidence(evidence), record_extra(evidence, now), {"receipt": receipt, "a11y": gate})


def _spread(median: float) -> list[float]:
    """Three samples around a median, as a judge gives them."""
    return [median, round(min(1.0, median + 0.03), 2), round(median - 0.02, 2)]


def _harbour(runs: Path) -> None:
    """At the bar from the start: do no harm."""
    _drive(runs, reports.HARBOUR, "2026-11-24T09:10:00Z", [{"judged": (0.93, 0.9, 0.95)}], [])


def _meadow(runs: Path) -> None:
    """Really driven by the command line, with the two scripts in data/loop: PASS at 4, one revert on the way."""
    authored = reports.MEADOW
    folder, draft = _start(runs, authored, "2026-11-26T14:00:00Z")
    values = {"period": reports.PERIOD, **{key: value for key, _, value in (*authored["kpis"], *authored["table"])}}
    data = {"period": reports.PERIOD, "previous": reports.PREVIOUS, "values": values, "taint": ["Harbour", "Cedar"],
            "manual_residue": reports.RESIDUE}  # fmt: skip
    _write(folder / "template.html", draft)
    _write(folder / "data.json", data)
    _write(folder / "revisions.json", authored["revisions"])
    scripts = REPOSITORY / "data" / "loop"
    workspace = runs.parents[1]
    command = [
        sys.executable, "-m", "core", "report", "loop", authored["run"], "--workspace", str(workspace), "--now",
        "2026-11-26T14:02:00Z", "--score-cmd", f"{sys.executable} -I -S {scripts / 'score.py'}", "--revise-cmd",
        f"{sys.executable} -I -S {scripts / 'revise.py'}",
    ]  # fmt: skip
    before = (workspace / ".touchstone").exists()
    done = subprocess.run(command, cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, check=False)
    if done.returncode != 0:
        raise SystemExit(f"report loop ended with {done.returncode}")
    if not before:
        shutil.rmtree(workspace / ".touchstone", ignore_errors=True)


def _alder(runs: Path) -> None:
    """Plateau at 3: two edits of the same node that do not help; the node is frozen."""
    weak = {"judged": (0.91, 0.62, 0.9)}
    _drive(
        runs, reports.ALDER, "2026-11-27T08:30:00Z",
        [weak, {"judged": (0.91, 0.66, 0.89)}, {"judged": (0.91, 0.61, 0.9)}],
        [("chart", "Quarterly revenue as bars", "Quarterly revenue, four bars, the last one lower than the one before"),
         ("chart", "Quarterly revenue as bars", "Bars")],
    )  # fmt: skip


def _cedar(runs: Path) -> None:
    """Cap at 6: every second edit helps a little, the bar is never reached."""
    wide = {"verdicts": {"V5": ("fail", "the table by region is 1180px wide on a 1024px page")}}
    chart = [
        'Revenue by quarter">',
        'Revenue in each quarter">',
        'Revenue in four quarters">',
        'Revenue, four quarters">',
    ]
    _drive(
        runs, reports.CEDAR, "2026-11-25T10:00:00Z",
        [{"judged": (0.88, 0.55, 0.7), **wide}, {"judged": (0.88, 0.55, 0.74)}, {"judged": (0.88, 0.63, 0.74)},
         {"judged": (0.88, 0.6, 0.74)}, {"judged": (0.88, 0.71, 0.75)}, {"judged": (0.87, 0.8, 0.75)}],
        [("regions", "<table id=\"regions\">", "<table id=\"regions\" style=\"width:100%\">"),
         ("chart", chart[0], chart[1]), ("chart", chart[1], chart[2]),
         ("summary", "on agency staff", "through agency staff"), ("outlook", "first concern", "main concern")],
    )  # fmt: skip


def _birch(runs: Path) -> None:
    """Accurate unverified: no live data route, so nothing is left to revise and yet it is no pass."""
    partial = {"V1": ("PARTIAL", "no live data route: bindings are right, values were not compared")}
    same = {"judged": (0.92, 0.91, 0.9), "verdicts": partial}
    # V1 is the anchor of Dynamic as well: it stays red until a data route is back, whatever the reviser does.
    _drive(
        runs, reports.BIRCH, "2026-11-28T16:00:00Z", [same, same, same],
        [("summary", "Revenue rose 0.8%", "Revenue rose slightly, by 0.8%"),
         ("outlook", "mild so far", "mild until now")],
    )  # fmt: skip


def _fjord(runs: Path) -> None:
    """An over-claim: written by another tool, it says PASS although one blocking leg was switched off."""
    folder, _ = _start(runs, reports.FJORD, "2026-11-29T07:45:00Z")
    off = {
        "V3": ("disabled", "switched off in the harness settings"),
        "V5": ("not_captured", "no browser on this machine"),
    }
    receipt = _receipt(reports.FJORD["run"], "2026-11-29T07:52:00Z", off, overall_gate="PASS", manual_residue=[])
    _write(folder / "receipts" / "002.receipt.json", receipt)
    _write(folder / "receipts" / "002.a11y.json", _gate())
    clean = Evidence(
        read_receipt(_receipt("r", "2026-11-29T07:52:00Z", {})), read_a11y(_gate()),
        {"sign_consistency": True, "format_consistency": True},
        {"dynamic": _spread(0.9), "inclusive": _spread(0.88), "polished": _spread(0.91)},
    )  # fmt: skip
    first = {**score_evidence(clean)}
    first["inclusive"] = {**first["inclusive"], "status": "fail", "judged_score": 0.7}
    records = [
        {"index": 1, "scores": first, "content_diff_count": 0, "improved": None, "target_dim": None},
        {"index": 2, "scores": score_evidence(clean), "content_diff_count": 3, "improved": True,
         "target_dim": "inclusive", "node_id": "chart", "receipt": "receipts/002.receipt.json"},
    ]  # fmt: skip
    _write(folder / "iterations.json", records)


def _larch(runs: Path) -> None:
    """A stale receipt: it passed ten days ago and its receipt lived for an hour."""
    _drive(
        runs, reports.LARCH, "2026-11-20T11:00:00Z",
        [{"judged": (0.93, 0.9, 0.82)}, {"judged": (0.93, 0.9, 0.91)}],
        [("outlook", "Alpine bookings are far ahead.", "Alpine bookings for winter are ahead of plan.")], ttl=HOUR,
    )  # fmt: skip


def _oak(runs: Path) -> None:
    """A damaged file: the iterations break off in the middle, one receipt is cut, the other can be read."""
    folder = _drive(runs, reports.OAK, "2026-11-22T13:00:00Z", [
        {"judged": (0.9, 0.9, 0.8)}, {"judged": (0.9, 0.9, 0.84)}, {"judged": (0.9, 0.9, 0.9)},
    ], [("outlook", "The autumn list is out.", "The autumn list is out in full."),
        ("outlook", "The autumn list is out in full.", "The whole autumn list is out.")])  # fmt: skip
    lines = (folder / "iterations.jsonl").read_bytes().splitlines(keepends=True)
    lines[1] = lines[1][:180] + b"\n"
    _write(folder / "iterations.jsonl", b"".join(lines))
    cut = (folder / "receipts" / "002.receipt.json").read_bytes()
    _write(folder / "receipts" / "002.receipt.json", cut[: len(cut) // 2])


def _review(folder: Path, authored: dict[str, Any]) -> None:
    """The shipped report, the reviewer's version, and feedback.json beside the receipt."""
    shipped = (folder / "draft.html").read_bytes().decode()
    reviewed = shipped
    for before, after in authored["reviewed"]:
        if before not in reviewed:
            raise ValueError(f"{authored['run']}: {before!r} is not in what was shipped")
        reviewed = reviewed.replace(before, after, 1)
    _write(folder / "shipped.html", shipped)
    _write(folder / "reviewed.html", reviewed)
    _write(
        folder / "feedback.json", document.as_bytes(document.compare(folder / "shipped.html", folder / "reviewed.html"))
    )
