"""The practice judge: a server on this machine that speaks both providers' protocols, with no model behind it.

A newcomer can try grading without a key: `python -m core.judge.practice` and a judge whose model is `practice-judge`.
Its replies follow from the text alone (rules in `rules`), so the same text gets the same reply; they are no model's
opinion, and every sample says so. It is never a default. With `--scenarios` it is the tests' counterpart and answers
to model names like `test-429` with every failure a provider can show (`scenarios`).
"""

from core.judge.protocol import PRACTICE_PREFIX, PRACTICE_URL, JudgeSpec, Provider

PRACTICE_MODEL = f"{PRACTICE_PREFIX}judge"


def practice_spec(provider: Provider = "anthropic", base_url: str | None = None) -> JudgeSpec:
    """The spec of the practice judge at its usual address, or at `base_url` (on this machine; ValueError otherwise)."""
    return JudgeSpec(provider=provider, model=PRACTICE_MODEL, base_url=base_url, practice=True)


__all__ = ["PRACTICE_MODEL", "PRACTICE_URL", "practice_spec"]
