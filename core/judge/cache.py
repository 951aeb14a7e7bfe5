"""Samples kept by content in the workspace's `.touchstone/judge/`: only what changed is asked again.

One JSON Lines file a judge. A record holds the reply as it came, so that what a reviewer reads is what was sent, and a
score is always read from it anew by the rules of `reply`. Calls that gave no answer are kept too (their replies were
paid for and explain the gap), and are asked again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from core.files import JsonlTail, Lock
from core.files.write import append_bytes
from core.judge.prompt import digest
from core.judge.protocol import Fingerprint, Reply, Scored, Unscored, Usage
from core.judge.reply import ReplyError, parse_as
from core.workspace import STATE, Workspace

FOLDER = "judge"


@dataclass(frozen=True, slots=True)
class Kept:
    """One call's outcome as it is stored: the answer in pieces, or why there is none.

    outcome: `answered` or `failed`. origin: for an answer out of a batch, which one; collected twice, it counts once.
    """

    key: str
    request: str
    series: str
    fingerprint: str
    at: str
    outcome: str
    text: str = ""
    thinking: str = ""
    model: str = ""
    note: str = ""
    discarded: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    kind: str = ""
    reason: str = ""
    origin: str = ""


class Identity(NamedTuple):
    """A judge without its parameters: what the samples of one file have in common."""

    provider: str
    transport: str
    model: str
    endpoint: str

    @classmethod
    def of(cls, fingerprint: Fingerprint) -> Identity:
        """The judge of a fingerprint."""
        return cls(fingerprint.provider, fingerprint.transport, fingerprint.model, fingerprint.endpoint)


def cache_key(fingerprint: Fingerprint, series: str) -> str:
    """What makes two questions the same: judge, parameters, prompt, and the run's series."""
    return digest(f"{fingerprint.hash}\n{series}")[:40]


class SampleCache:
    """The samples of one workspace. Reading makes no folder; safe between threads and processes."""

    def __init__(self, folder: Path, lock: Lock, prepare: Callable[[], object] = lambda: None) -> None:
        """prepare: called before each write (a workspace makes its own folder, with what keeps it out of git)."""
        self._folder, self._lock, self._prepare = folder, lock, prepare
        self._tails: dict[str, JsonlTail] = {}
        self._indexes: dict[str, tuple[int, dict[str, list[dict[str, Any]]]]] = {}

    @classmethod
    def of(cls, workspace: Workspace) -> SampleCache:
        """The cache of a workspace."""
        return cls(workspace.root / STATE / FOLDER, workspace.lock, workspace.state_dir)

    def found(self, fingerprint: Fingerprint, series: str, reply: type[Reply], most: int) -> list[Scored[Reply]]:
        """Up to `most` stored samples of this question, oldest first, each read from its reply anew."""
        rows = self._index(Identity.of(fingerprint)).get(cache_key(fingerprint, series), [])
        samples: list[Scored[Reply]] = []
        for row in rows:
            sample = _scored(row, fingerprint, reply)
            if sample is not None and len(samples) < most:
                samples.append(sample)
        return samples

    def keep(self, judge: Identity, rows: Sequence[Kept]) -> None:
        """Append rows, all in one write. Raises OSError or Unavailable where that cannot be done."""
        self._prepare()
        self._folder.mkdir(parents=True, exist_ok=True)
        lines = b"".join(orjson.dumps(asdict(row)) + b"\n" for row in rows)
        append_bytes(self._path(judge), lines, self._lock)

    def _path(self, judge: Identity) -> Path:
        name = re.sub(r"[^A-Za-z0-9.]+", "-", judge.model)[:48].strip("-.") or "model"
        return self._folder / f"samples-{name}-{digest(chr(10).join(judge))[:8]}.jsonl"

    def _index(self, judge: Identity) -> Mapping[str, list[dict[str, Any]]]:
        path = self._path(judge)
        tail = self._tails.setdefault(path.name, JsonlTail(path))
        version = tail.refresh()
        known = self._indexes.get(path.name)
        if known and known[0] == version:
            return known[1]
        index: dict[str, list[dict[str, Any]]] = {}
        origins: set[object] = set()
        for line in tail.lines().records:
            row = line.value
            if not isinstance(row, dict) or row.get("outcome") != "answered" or row.get("origin") in origins:
                continue
            if row.get("origin"):
                origins.add(row["origin"])
            index.setdefault(str(row.get("key")), []).append(row)
        self._indexes[path.name] = (version, index)
        return index


def _scored(row: Mapping[str, Any], fingerprint: Fingerprint, reply: type[Reply]) -> Scored[Reply] | None:
    """A stored row as a sample; None for one that is damaged or whose reply does not hold by today's rules."""
    text, usage = row.get("text"), row.get("usage")
    if not isinstance(text, str) or not isinstance(usage, dict):
        return None
    parsed = parse_as(text, reply)
    if isinstance(parsed, ReplyError):
        return None
    thinking = row.get("thinking") or ""
    discarded = tuple(str(raw) for raw in row.get("discarded") or ())
    return Scored(
        value=parsed.value,
        raw=f"<think>\n{thinking}\n</think>\n{text}" if thinking else text,
        reasoning=reasoning_of(parsed.value),
        usage=_usage(usage),
        fingerprint=fingerprint,
        note=joined(str(row.get("note") or ""), parsed.note, unusable(len(discarded)), practice_note(fingerprint)),
        model=str(row.get("model") or ""),
        cached=True,
        discarded=discarded,
    )


def _usage(row: Mapping[str, Any]) -> Usage:
    names = ("calls", "input_tokens", "output_tokens", "cost_usd")
    calls, given, made, cost = (row.get(name) if isinstance(row.get(name), int | float) else None for name in names)
    return Usage(int(calls or 0), given, made, cost, row.get("cost_reported") is True)


def reasoning_of(value: object) -> str:
    """A reply's own sentence: its `reasoning`, or ""."""
    told = getattr(value, "reasoning", "")
    return told if isinstance(told, str) else ""


def joined(*notes: str) -> str:
    """Notes that say something, in one line."""
    return "; ".join(note for note in notes if note)


def unusable(count: int) -> str:
    """What is said of the replies that came before the usable one."""
    return f"{count} unusable {'reply' if count == 1 else 'replies'} before this one" if count else ""


def practice_note(fingerprint: Fingerprint) -> str:
    """What every sample of the practice judge says."""
    return "practice judge: no model, a function of the text" if fingerprint.practice else ""


def row_of_failure(sample: Unscored, *, key: str, request: str, series: str, fingerprint: str, at: str) -> Kept:
    """A call without an answer, as it is stored."""
    return Kept(
        key, request, series, fingerprint, at, "failed",
        discarded=sample.raws, usage=sample.usage, kind=sample.kind, reason=sample.reason,
    )  # fmt: skip
