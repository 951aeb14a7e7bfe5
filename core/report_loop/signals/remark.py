"""One thing a signal found in a draft."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """``text`` is the offending text as it stands, ``line`` counts from 1, ``node`` is the element (HTML) or block."""

    kind: str
    text: str
    reason: str
    line: int
    node: str

    def as_dict(self) -> dict[str, str | int]:
        """The form in JSON output."""
        return {
            "kind": self.kind, "text": self.text, "reason": self.reason, "line": self.line, "node": self.node,
        }  # fmt: skip
