"""``text init``: an eval folder to start from (text-fidelity contract, Command line)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files import write_new
from core.text_fidelity import oracle
from core.text_fidelity.oracle import Written
from core.text_fidelity.place import EVAL_DIR, at
from core.workspace import Workspace

EXAMPLE: dict[str, Any] = {
    "schema_version": 1,
    "approval_status": "draft",
    "judge": {"model": "claude-sonnet-4-6", "transport": "api", "temperature": 0.6, "max_tokens": 1024},
    "samples": {"n": 4, "k": 1.0, "delta": 0.03},
    "threshold": 0.7,
    "rubric": (
        "Score from 0 to 1 how well the text keeps to its reference in tone, required points and structure. Different "
        "words with the same meaning cost nothing. 1: every requirement is met. 0.5: the right subject, with a wrong "
        "tone or missing points. 0: it contradicts the reference or is about something else."
    ),
    "cases": [
        {
            "id": "example",
            "weight": 1.0,
            "reference": "refs/example.txt",
            "source": {"type": "file", "path": "generated/example.txt"},
        }
    ],
}
_REFERENCE = "Say here what the text must be: its tone, the points it must make, its structure, how long it may get.\n"


def init(workspace: Workspace, target: str) -> list[Written]:
    """Scaffold config.json, an example reference and score.py under TARGET; nothing that is there is overwritten.

    Raises BadInput when TARGET is no folder.
    """
    given = Path(target)
    project = next((p for p in (workspace.root / given, Path(os.path.abspath(given))) if p.is_dir()), None)
    if project is None:
        raise BadInput.of(target, "is not a folder")
    inner = project if project.as_posix().endswith("/" + EVAL_DIR) else project / EVAL_DIR
    folder = at(workspace, Path(os.path.abspath(inner)))
    written: list[Written] = []
    fresh = not folder.config.exists()
    contents = {folder.config: (json.dumps(EXAMPLE, indent=2, ensure_ascii=False) + "\n").encode()}
    if fresh:
        contents[folder.path / "refs" / "example.txt"] = _REFERENCE.encode()
    for path, content in contents.items():
        missing = not path.exists()
        if missing:
            write_new(path, content, folder.lock)
        written.append(Written(folder.file_label(path), missing))
    return written + oracle.write_launcher(folder)
