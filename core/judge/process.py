"""A child process for one call: no shell, few variables, an empty folder, killed with its children at the limit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_MOST_BYTES = 4 * 1024 * 1024
_LINGER_SECONDS = 2.0
_LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Finished:
    """How a child ended."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def last_words(self) -> str:
        """The last line of standard error (else of standard output) that says something."""
        for stream in (self.stderr, self.stdout):
            lines = [line.strip() for line in stream.decode("utf-8", "replace").splitlines() if line.strip()]
            if lines:
                return lines[-1]
        return ""


class TooMuchOutput(Exception):
    """The child wrote more than 4 MiB and was killed."""


async def run_child(
    argv: Sequence[str], *, given: bytes, environment: dict[str, str], folder: Path, seconds: float
) -> Finished:
    """Run a program to its end and give it `given` on standard input.

    Raises FileNotFoundError or PermissionError where it cannot be started, TimeoutError at the limit, TooMuchOutput.
    Whatever happens, a cancelled task included, no process of its group is left.
    """
    child = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=folder,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            return await _talk(child, given)
    finally:
        await _end(child)


async def _talk(child: asyncio.subprocess.Process, given: bytes) -> Finished:
    assert child.stdin
    assert child.stdout
    assert child.stderr
    out, err = bytearray(), bytearray()
    async with asyncio.TaskGroup() as group:
        feeding = group.create_task(_feed(child.stdin, given))
        readers = [group.create_task(_read(child.stdout, out)), group.create_task(_read(child.stderr, err))]
        code = await _exited(child)
        # A grandchild that holds the pipes open would keep us here for ever: the leader's end is the end.
        await asyncio.wait(readers, timeout=_LINGER_SECONDS)
        for task in (feeding, *readers):
            task.cancel()
    return Finished(code, bytes(out), bytes(err))


async def _exited(child: asyncio.subprocess.Process) -> int:
    """The exit code as soon as there is one; `Process.wait` waits for the pipes as well."""
    while child.returncode is None:
        await asyncio.sleep(_LOOK_SECONDS)
    return child.returncode


async def _feed(pipe: asyncio.StreamWriter, given: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a child may end without reading all of it
        pipe.write(given)
        await pipe.drain()
        pipe.close()
        await pipe.wait_closed()


async def _read(pipe: asyncio.StreamReader, into: bytearray) -> None:
    while piece := await pipe.read(65536):
        into += piece
        if len(into) > _MOST_BYTES:
            raise TooMuchOutput


async def _end(child: asyncio.subprocess.Process) -> None:
    _kill(child)
    await _exited(child)
    child._transport.close()  # type: ignore[attr-defined] # pipes that somebody else still holds open included


def _kill(child: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
