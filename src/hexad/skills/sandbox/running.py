"""One process with limits on its time and its output; nothing that it started is left
when the call returns.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields
from functools import partial
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from hexad.errors import InvalidInput
from hexad.skills.waiting import Halt, Halted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_CHUNK: Final = 2**16
_GRACE: Final = (
    1.0  # seconds for pipes to close after everybody who could hold them was killed
)
NOBODY: Final = 65534  # whom the superuser's scripts run as
_MB: Final = 2**20


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of one run; each is a whole number above 0, `seconds` may be a fraction."""

    seconds: float = 30  # from start to end, not of the processor
    memory: int = 512 * _MB  # bytes of address space, of each process
    processes: int = 64  # at the same time, the sandbox's own first one among them
    output: int = _MB  # bytes of standard output, and as many of standard error; what is beyond is dropped
    disk: int = (
        64 * _MB
    )  # bytes in the working directory, home and temporary directory together; also of one file
    open_files: int = 256  # of each process

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            allowed = (int, float) if field.name == "seconds" else (int,)
            if (
                isinstance(value, bool)
                or not isinstance(value, allowed)
                or not 0 < value < 2**53
            ):
                raise InvalidInput(
                    f"limits.{field.name}", f"must be a number above 0, not {value!r}"
                )


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The result of a script. An exit code of 128 and more is a signal, as in a shell."""

    exit_code: (
        int | None
    )  # None if it did not end by itself: it timed out or was stopped
    stdout: str
    stderr: str
    cut: tuple[str, ...]  # a sentence for each output that was longer than its limit
    timed_out: bool
    seconds: float
    sandbox: str  # its name and version
    stopped: bool = False  # by who called

    @property
    def ok(self) -> bool:
        """Whether the script ended by itself and says that it succeeded."""
        return self.exit_code == 0


class Stream:
    """An output of which the beginning is kept."""

    def __init__(self, name: str, limit: int, *, skip: int = 0) -> None:
        self.name = name
        self.content = bytearray()
        self._limit = limit
        self._skip = skip  # our own bytes at its beginning, which do not count
        self._dropped = 0

    def add(self, part: bytes) -> None:
        """Keep what there is room for."""
        room = self._limit + self._skip - len(self.content)
        self.content += part[:room]
        self._dropped += max(0, len(part) - room)

    @property
    def cut(self) -> str:
        """A sentence about dropped output; empty if nothing was dropped."""
        if not self._dropped:
            return ""
        return f"{self.name} was cut after {self._limit:,} bytes; {self._dropped:,} more were dropped"


class Ended(NamedTuple):
    """How a process ended, and its output."""

    exit_code: int | None  # None: it was killed
    stdout: Stream
    stderr: Stream
    seconds: float


def run(
    command: Sequence[str],
    program: Path,
    *,
    fds: Sequence[int],
    limits: SandboxLimits,
    skip: int,
    halt: Halt,
) -> Ended:
    """Run a command until it ends, its time is over or it is halted, then kill its
    remaining processes.

    ``program`` is the file that is run. The sandboxed process can see ``command``,
    which hides where that file is. It gets no environment, no input and none of our
    files but ``fds``. The first ``skip`` bytes of its output do not count. A run that
    was halted before does not start.
    """
    started, exit_code = monotonic(), None
    streams = (
        Stream("stdout", limits.output, skip=skip),
        Stream("stderr", limits.output),
    )
    with suppress(Halted):
        halt.check()
        process, pipes = _started(command, program, fds)
        readers = [
            threading.Thread(target=_keep, args=pair, daemon=True)
            for pair in zip(pipes, streams, strict=True)
        ]
        try:
            for reader in readers:
                reader.start()
            with halt.stopping(
                partial(_kill, process)
            ):  # nobody waits for it meanwhile, so its id stays its own
                is_over = _joined(readers, started + limits.seconds)
            exit_code = (
                process.wait() if is_over else None
            )  # the sandbox's outer process held both outputs to its end
        finally:
            if process.returncode is None:
                _kill(process)
                process.wait()
            _joined(readers, monotonic() + _GRACE)
    return Ended(exit_code, *streams, monotonic() - started)


def _started(
    command: Sequence[str], program: Path, fds: Sequence[int]
) -> tuple[subprocess.Popen[bytes], list[IO[bytes]]]:
    """The process, and the pipes that bring its two outputs."""
    rights = dropped()
    with ExitStack() as theirs, ExitStack() as ours:
        ends: list[int] = []
        pipes: list[IO[bytes]] = []
        for _ in range(2):
            reading, writing = os.pipe()
            pipes.append(ours.enter_context(os.fdopen(reading, "rb", buffering=0)))
            ends.append(writing)
            theirs.callback(os.close, writing)
            if rights:
                os.fchown(
                    writing, NOBODY, NOBODY
                )  # so that the script can open /dev/stdout and /dev/stderr
        process = subprocess.Popen(  # noqa: S603 - the command is ours; the script is a file in it
            command,
            executable=program,
            stdin=subprocess.DEVNULL,
            stdout=ends[0],
            stderr=ends[1],
            env={},
            cwd="/",
            pass_fds=fds,
            start_new_session=True,  # a group of its own, which can be killed as a whole
            **rights,
        )
        ours.pop_all()
    return process, pipes


def dropped() -> dict[str, Any]:
    """The options that start a process without special rights: as nobody, if we are the
    superuser.
    """
    return (
        {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        if os.geteuid() == 0
        else {}
    )


def _keep(pipe: IO[bytes], stream: Stream) -> None:
    """Read an output to its end."""
    with pipe:
        while part := pipe.read(_CHUNK):
            stream.add(part)


def _joined(readers: Sequence[threading.Thread], deadline: float) -> bool:
    """Wait for the ends of both outputs; False if the time was over before."""
    for reader in readers:
        reader.join(max(0.0, deadline - monotonic()))
    return not any(reader.is_alive() for reader in readers)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole group: the sandbox's outer process takes everything inside with
    it.
    """
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
