"""Which judge grades: what was asked for, else `[judge]` in touchstone.toml, else the default of the price file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.judge.opening import spec_of
from core.judge.prices import default_model
from core.judge.protocol import PRACTICE_PREFIX, JudgeSpec
from core.workspace import SETTINGS, Workspace

SECTION = "judge"


def chosen(workspace: Workspace, wanted: Mapping[str, Any] | None = None) -> JudgeSpec:
    """The spec that grading and backtests use. `wanted` holds settings of `JudgeSpec`; those that are None are not.

    A setting that is wanted replaces the same setting of the file; another provider or transport than the file's takes
    nothing of the file's. The practice judge is used only where its model is named. Raises BadInput for settings that
    make no judge.
    """
    given = {name: value for name, value in (wanted or {}).items() if value is not None}
    in_file = dict(workspace.settings.get(SECTION, {}))
    elsewhere = any(given.get(name, in_file.get(name)) != in_file.get(name) for name in ("provider", "transport"))
    settings = given if elsewhere else {**in_file, **given}
    transport = settings.get("transport", "api")
    settings.setdefault("provider", "openai" if transport == "codex" else "anthropic")
    if settings["provider"] in ("anthropic", "openai"):
        settings.setdefault("model", default_model(settings["provider"]))
    settings.setdefault("practice", str(settings.get("model", "")).startswith(PRACTICE_PREFIX))
    return spec_of(settings, SETTINGS if in_file and not given else "command line")
