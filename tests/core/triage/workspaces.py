"""Small workspaces with findings in them."""

import json
from pathlib import Path


def escalated_run(folder: Path, *, inclusive: float = 0.7, iterations: int = 6) -> None:
    """A run that stopped at its cap because one dimension stayed below the bar."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [
        {
            "index": index,
            "scores": {name: _score(name, inclusive) for name in ("accurate", "dynamic", "inclusive", "polished")},
            "content_diff_count": 0 if index == 1 else 2,
            "improved": None if index == 1 else True,
            "target_dim": "inclusive",
            "samples": {name: [0.9, 0.9, 0.9] for name in ("dynamic", "inclusive", "polished")},
        }
        for index in range(1, iterations + 1)
    ]
    (folder / "iterations.json").write_text(json.dumps(records))


def _score(name: str, inclusive: float) -> dict:
    judged = None if name == "accurate" else inclusive if name == "inclusive" else 0.9
    status = "pass" if name == "accurate" or judged >= 0.85 else "fail"
    return {
        "dimension": name, "status": status, "anchor_pass": True, "judged_score": judged, "judged_stub": False,
        "bar": 0.85, "reason": "judged",
    }  # fmt: skip


def workspace_of_runs(root: Path, count: int) -> Path:
    """A workspace with that many escalated runs, each a blocking finding."""
    for number in range(count):
        escalated_run(root / ".ravenclaude" / "runs" / f"run-{number:04d}")
    return root
