"""Choosing a judge on a page: the configured one, another known model, or the practice judge under its own name."""

from __future__ import annotations

import streamlit as st

from core.errors import TouchstoneError
from core.judge import JudgeSpec
from core.judge.practice import PRACTICE_MODEL, PRACTICE_URL
from core.judge.prices import known_models
from core.suggestions.judge_choice import chosen
from core.workspace import Workspace
from pages.shared import state, text

CONFIGURED = "as configured"


def choose(workspace: Workspace, key: state.Key[str]) -> JudgeSpec | None:
    """A chooser of models; the spec it stands for, or None (and why, on the page) when the settings make no judge."""
    options = [CONFIGURED, *(f"{maker}/{name}" for maker in ("anthropic", "openai") for name in known_models(maker)),
               PRACTICE_MODEL]  # fmt: skip
    if key.get() not in options:
        key.set(CONFIGURED)
    wanted = st.selectbox("Judge", options, key=key.id, format_func=lambda one: _label(workspace, one))
    try:
        spec = spec_for(workspace, wanted or CONFIGURED)
    except TouchstoneError as error:
        text.show(text.chips(text.chip("no judge", "outline", "error"), note=error))
        return None
    if spec.practice:
        text.show(text.chips(
            text.chip("practice: no model", "orange", "school"),
            note=f"Answers follow from the text by plain rules. It must run at {spec.base_url or PRACTICE_URL}: "
                 "python -m core.judge.practice",
        ))  # fmt: skip
    return spec


def spec_for(workspace: Workspace, option: str) -> JudgeSpec:
    """The spec of an option. Raises BadInput for settings that make no judge."""
    if option == CONFIGURED:
        return chosen(workspace)
    provider, _, model = option.rpartition("/")
    return chosen(workspace, {"model": model, "provider": provider or None})


def _label(workspace: Workspace, option: str) -> str:
    if option != CONFIGURED:
        return "practice judge (no model)" if option == PRACTICE_MODEL else option.partition("/")[2]
    try:
        spec = chosen(workspace)
    except TouchstoneError:
        return "as touchstone.toml names it"
    return f"{spec.model} ({'touchstone.toml' if workspace.settings.get('judge') else 'default'})"
