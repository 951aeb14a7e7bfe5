"""The two outside commands of `report loop`: JSON on their standard input, one JSON object on their standard output.

No shell: the command line is split into words and run as it is. A command that fails, hangs, floods or answers with
anything but one JSON object stops the loop with a reason; nothing of that iteration is kept.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from core.errors import BadInput, Unavailable
from core.files import jsontext, parse_json

_MOST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name in messages, its words, its folder, and how many seconds it may take."""

    name: str
    words: tuple[str, ...]
    folder: Path
    timeout: float

    @classmethod
    def parse(cls, name: str, line: str, folder: Path, timeout: float) -> Command:
        """Split a command line. Raises BadInput for an empty one or an open quote."""
        try:
            words = tuple(shlex.split(line))
        except ValueError as error:
            raise BadInput.of(name, f"cannot be read as a command: {error}") from None
        if not words:
            raise BadInput.of(name, "is empty")
        return cls(name, words, folder, timeout)

    def ask(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run it once with ``question`` on standard input.

        Raises Unavailable when it cannot be run, fails or takes too long, BadInput when its answer is not one JSON
        object.
        """
        output, errors, code = self._run(jsontext.encoded(json.dumps(question, ensure_ascii=False)))
        if code != 0:
            raise Unavailable(f"{self.name} ({self.words[0]}) ended with exit code {code}{_last_line(errors)}")
        if len(output) > _MOST:
            raise Unavailable(f"{self.name} answered with more than {_MOST // 1024 // 1024} MiB")
        answer = parse_json(output, f"answer of {self.name}")
        if not isinstance(answer, dict):
            raise BadInput.of(f"answer of {self.name}", "must be one JSON object")
        return answer

    def _run(self, question: bytes) -> tuple[bytes, bytes, int]:
        # Files, not pipes: a command that floods one of them can neither block nor fill memory.
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as said,
            tempfile.TemporaryFile() as complained,
        ):
            given.write(question)
            given.seek(0)
            process = self._start(self.words, given, said, complained)
            try:
                process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                raise Unavailable(f"{self.name} took longer than {self.timeout:g} s and was stopped") from None
            finally:
                _end(process)
            return _head(said, _MOST + 1), _tail(complained), process.returncode

    def _start(
        self, words: Sequence[str], given: IO[bytes], said: IO[bytes], complained: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        try:
            # Its own process group, so that whatever it started ends with it (time-out, Ctrl-C).
            return subprocess.Popen(
                words, stdin=given, stdout=said, stderr=complained, cwd=self.folder, start_new_session=True
            )
        except (OSError, ValueError) as error:
            raise Unavailable(f"{self.name} ({words[0]}) cannot be run: {error}") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):  # it ended by itself in between
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _head(stream: IO[bytes], most: int) -> bytes:
    stream.seek(0)
    return stream.read(most)


def _tail(stream: IO[bytes], most: int = 4096) -> bytes:
    stream.seek(0, os.SEEK_END)
    stream.seek(max(0, stream.tell() - most))
    return stream.read()


def _last_line(errors: bytes) -> str:
    lines = [line.strip() for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return f": {lines[-1][:300]}" if lines else ""
