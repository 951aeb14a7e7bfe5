"""One command run with limits: no shell, no input, no secrets, killed with its children (text contract, Gather)."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

SECONDS = 180.0
LARGEST = 1 << 20
_STDERR_KEPT = 64 << 10
_TICK = 0.1
_AFTER_EXIT = 0.5

_KEPT = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TEMP", "TMP",
    "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONIOENCODING", "PYTHONHASHSEED",
    "NODE_PATH", "NODE_ENV", "JAVA_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT",
    "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "SOURCE_DATE_EPOCH", "CI", "NO_COLOR",
})  # fmt: skip
"""Nothing else of the environment reaches a command: a list of what is let through cannot miss a new kind of key."""


class CommandFailed(Exception):
    """The command gave no usable text; the message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed, decoded, and the last useful line of its standard error ("" for none)."""

    text: str
    note: str


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that a command may see: no API keys, no tokens (contract, Gather)."""
    return {name: value for name, value in given.items() if name in _KEPT or name.startswith("LC_")}


def run(
    argv: Sequence[str],
    folder: Path,
    *,
    seconds: float = SECONDS,
    largest: int = LARGEST,
    cancelled: Callable[[], bool] = lambda: False,
) -> Output:
    """Run ``argv`` in ``folder`` and return what it printed.

    Raises CommandFailed when it could not start, exits non-zero, takes longer than ``seconds``, prints more than
    ``largest`` bytes, or prints nothing or something that is not UTF-8; and when ``cancelled`` says so.
    """
    pipes = subprocess.PIPE
    try:
        process = subprocess.Popen(
            list(argv), cwd=folder, stdin=subprocess.DEVNULL, stdout=pipes, stderr=pipes,
            env=environment(os.environ), start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise CommandFailed(f"could not start {argv[0]!r}: {why}") from None
    read = _Reader(process, largest)
    try:
        _until_done(process, read, seconds, cancelled)
    finally:
        _kill_group(process)
        read.drain()
        process.wait()
        read.close()
    return _judge_exit(argv[0], process.returncode, read)


def _until_done(process: subprocess.Popen[bytes], read: _Reader, seconds: float, cancelled: Callable[[], bool]) -> None:
    """Read until the command has ended, or a limit is met."""
    end = time.monotonic() + seconds
    while not (read.finished() and process.poll() is not None):
        read.some(min(_TICK, max(0.0, end - time.monotonic())))
        if read.too_much:
            raise CommandFailed(f"too much output: more than {read.largest} bytes")
        if cancelled():
            raise CommandFailed("stopped")
        if process.poll() is not None:
            return  # a child left behind may hold the pipes open; it is killed with the group
        if time.monotonic() >= end:
            raise CommandFailed(f"took longer than {seconds:g} s and was killed with its children{_because(read)}")


def _judge_exit(program: str, code: int, read: _Reader) -> Output:
    note = last_useful_line(read.stderr)
    if code != 0:
        how = f"exit {code}" if code > 0 else f"killed by signal {-code}"
        raise CommandFailed(f"{program!r} failed ({how}){_because(read)}")
    if read.too_much:
        raise CommandFailed(f"too much output: more than {read.largest} bytes")
    try:
        text = bytes(read.stdout).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CommandFailed(f"output is not UTF-8 (byte {error.start})") from None
    if not text.strip():
        raise CommandFailed(f"empty output{_because(read)}")
    return Output(text, note)


def _because(read: _Reader) -> str:
    line = last_useful_line(read.stderr)
    return f": {line}" if line else ""


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def last_useful_line(stderr: bytes | bytearray) -> str:
    """The last line with a letter or digit in it, without control characters, at most 300 characters; "" for none."""
    for raw in reversed(bytes(stderr).decode("utf-8", "replace").replace("\r", "\n").split("\n")):
        line = _CONTROL.sub("", raw).strip()
        if any(char.isalnum() for char in line):
            return line[:300]
    return ""


@dataclass
class _Reader:
    """Both pipes of a process, read without blocking: all of standard output up to the limit, the end of the other."""

    process: subprocess.Popen[bytes]
    largest: int
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    too_much: bool = False
    _selector: selectors.DefaultSelector = field(default_factory=selectors.DefaultSelector)

    def __post_init__(self) -> None:
        for pipe, name in ((self.process.stdout, "stdout"), (self.process.stderr, "stderr")):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._selector.register(pipe, selectors.EVENT_READ, name)

    def finished(self) -> bool:
        return not self._selector.get_map()

    def some(self, seconds: float) -> None:
        if self.finished():
            time.sleep(min(seconds, 0.01))  # both pipes closed, the process not yet: nothing to select on
            return
        for key, _ in self._selector.select(seconds):
            self._take(key.fileobj, key.data)  # type: ignore[arg-type]  # the pipes registered above

    def _take(self, pipe: IO[bytes], name: str) -> None:
        chunk = os.read(pipe.fileno(), 1 << 16)
        if not chunk:
            self._selector.unregister(pipe)
        elif name == "stdout":
            self.stdout += chunk
            self.too_much = self.too_much or len(self.stdout) > self.largest
        else:
            self.stderr += chunk
            del self.stderr[:-_STDERR_KEPT]

    def drain(self) -> None:
        """What is still in the pipes once the group is gone."""
        end = time.monotonic() + _AFTER_EXIT
        while not self.finished() and not self.too_much and time.monotonic() < end:
            self.some(_TICK)

    def close(self) -> None:
        self._selector.close()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
