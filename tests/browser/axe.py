"""axe-core on a page, with what Streamlit itself brings taken out and listed here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Page

_SCRIPT = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")

#: Violations in Streamlit 1.67's own markup: (rule, part of the target). Everything else fails a test.
STREAMLITS_OWN: list[tuple[str, str, str]] = []


@dataclass(frozen=True)
class Violation:
    """One element that breaks one rule."""

    rule: str
    target: str
    html: str
    why: str


def _known(rule: str, target: str, html: str) -> bool:
    return any(rule == one and (part in target or part in html) for one, part, _ in STREAMLITS_OWN)


def all_violations(page: Page) -> list[Violation]:
    """Every violation axe finds, Streamlit's own included."""
    page.evaluate(_SCRIPT + "\n;null")
    result: dict[str, Any] = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        Violation(
            rule["id"], " ".join(map(str, node["target"])), node["html"][:300], node.get("failureSummary", "")[:400]
        )
        for rule in result["violations"]
        for node in rule["nodes"]
    ]


def axe(page: Page) -> list[Violation]:
    """The violations that are ours."""
    return [one for one in all_violations(page) if not _known(one.rule, one.target, one.html)]
