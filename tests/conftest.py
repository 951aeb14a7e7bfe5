"""What every test shares."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.judge_fixture import judge_process, judge_server  # noqa: F401 - fixtures for every test

# No test may reach a real provider or pick up what a developer's shell has set.
for name in list(os.environ):
    if name.startswith(("ANTHROPIC_", "OPENAI_", "TOUCHSTONE_WORKSPACE", "TOUCHSTONE_DATABASE", "TOUCHSTONE_REVIEWER")):
        del os.environ[name]

settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")

CASES = Path(__file__).parent / "cases"


@pytest.fixture
def cases() -> Path:
    """The folder of inputs with their right answers."""
    return CASES
