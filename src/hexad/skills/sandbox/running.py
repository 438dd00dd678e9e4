"""One process with limits on its time and its output; nothing that it started is left when the call returns."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import IO, TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hexad.skills.sandbox.limits import SandboxLimits

_CHUNK: Final = 2**16
_GRACE: Final = 1.0  # seconds for pipes to close after everybody who could hold them was killed
NOBODY: Final = 65534  # whom the superuser's scripts run as


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """What came of a script. `exit_code` is None if it was stopped; 128 and more are signals, as in a shell."""

    exit_code: int | None
    stdout: str
    stderr: str
    cut: tuple[str, ...]  # a sentence for each output that was longer than its limit
    timed_out: bool
    seconds: float
    sandbox: str  # its name and version

    @property
    def ok(self) -> bool:
        """Whether the script ended by itself and says that it succeeded."""
        return self.exit_code == 0


class Rights(TypedDict, total=False):
    """Whom a process is started as; empty: as who we are."""

    user: int
    group: int
    extra_groups: list[int]


class Stream:
    """An output of which the beginning is kept."""

    def __init__(self, name: str, limit: int, *, mark: int = 0) -> None:
        self.name = name
        self.content = bytearray()
        self._limit = limit
        self._mark = mark  # bytes that are ours, and not counted
        self._dropped = 0

    def add(self, part: bytes) -> None:
        """Keep what there is room for."""
        room = self._limit + self._mark - len(self.content)
        self.content += part[:room]
        self._dropped += max(0, len(part) - room)

    @property
    def cut(self) -> str:
        """What was dropped, as a sentence; empty if nothing was."""
        if not self._dropped:
            return ""
        return f"{self.name} was cut after {self._limit:,} bytes; {self._dropped:,} more were dropped"


@dataclass(frozen=True, slots=True)
class Ended:
    """What is left of a process."""

    exit_code: int | None  # None: it was stopped
    stdout: Stream
    stderr: Stream
    seconds: float


def run(command: Sequence[str], program: Path, *, fds: Sequence[int], limits: SandboxLimits, mark: int) -> Ended:
    """Run a command until it ends or its time is over, then kill whatever is left of it.

    ``program`` is the file that is run; the command, which what runs in the sandbox can see, does not tell where it is.
    It gets no environment, no input and none of our files but ``fds``. The first ``mark`` bytes of its output are not
    counted.
    """
    started = monotonic()
    process = subprocess.Popen(  # noqa: S603 - the command is ours; the script is a file in it
        command,
        executable=program,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
        cwd="/",
        pass_fds=fds,
        start_new_session=True,  # a group of its own, which can be killed as a whole
        **dropped(),
    )
    streams = Stream("stdout", limits.output, mark=mark), Stream("stderr", limits.output)
    try:
        timed_out = not _read(process, streams, started + limits.seconds)
    finally:
        _end(process)
    _close(process, streams)
    return Ended(None if timed_out else process.returncode, *streams, monotonic() - started)


def dropped() -> Rights:
    """How a process is started that has no more rights than anybody: as nobody, if we are the superuser."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def _read(process: subprocess.Popen[bytes], streams: Sequence[Stream], deadline: float) -> bool:
    """Collect both outputs to their ends, then wait for the process; False if that was not within the time."""
    if not _collect(process, streams, deadline):
        return False
    try:
        process.wait(max(0.0, deadline - monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _collect(process: subprocess.Popen[bytes], streams: Sequence[Stream], deadline: float) -> bool:
    with selectors.DefaultSelector() as selector:
        for pipe, stream in zip(_pipes(process), streams, strict=True):
            if not pipe.closed:
                selector.register(pipe, selectors.EVENT_READ, stream)
        while selector.get_map():
            left = deadline - monotonic()
            if left <= 0:
                return False
            for key, _ in selector.select(left):
                part = os.read(key.fd, _CHUNK)
                key.data.add(part)
                if not part:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]  # it is the pipe that was registered
    return True


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdout is None or process.stderr is None:  # pragma: no cover - both were asked for
        raise RuntimeError("a process without pipes")
    return process.stdout, process.stderr


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole group: the sandbox's outer process takes everything inside with it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _close(process: subprocess.Popen[bytes], streams: Sequence[Stream]) -> None:
    """Take what was written before the end; who still held a pipe is dead by now."""
    _collect(process, streams, monotonic() + _GRACE)
    for pipe in _pipes(process):
        pipe.close()
