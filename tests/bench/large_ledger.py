"""A ledger of 200,000 records as servo writes them: two definitions, three cases of four samples."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.core.text_fidelity.evals import config

ROWS = 200_000
_CASES = ("welcome_email", "release_note", "support_reply")


def write(root: Path) -> Path:
    """Write the eval folder ``root`` and return it. The same bytes each time."""
    chance = random.Random(7)
    at = datetime(2020, 1, 1, tzinfo=UTC)
    with (root / "ledger.jsonl").open("w") as out:
        for number in range(ROWS):
            at += timedelta(minutes=15)
            cases = []
            for name in _CASES:
                samples = [round(chance.random(), 3) for _ in range(4)]
                cases.append({"id": name, "samples": samples, "lower_bound": round(sum(samples) / 4, 4)})
            record = {
                "at": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "model": "m", "transport": "api",
                "composite": round(chance.random(), 4),
                "definition_hash": "sha256:" + ("a" if number < 120_000 else "b") * 64, "cases": cases,
            }  # fmt: skip
            out.write(json.dumps(record) + "\n")
    (root / "config.json").write_text(json.dumps(config()))
    return root
