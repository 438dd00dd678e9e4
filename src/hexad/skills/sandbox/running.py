"""One process with limits on its time and its output; nothing that it started is left when the call returns."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from time import monotonic
from typing import IO, TYPE_CHECKING, Final, NamedTuple, TypedDict

from hexad.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_CHUNK: Final = 2**16
_GRACE: Final = 1.0  # seconds for pipes to close after everybody who could hold them was killed
NOBODY: Final = 65534  # whom the superuser's scripts run as
_MB: Final = 2**20


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of one run; each is a whole number above 0, `seconds` may be a fraction."""

    seconds: float = 30  # from start to end, not of the processor
    memory: int = 512 * _MB  # bytes of address space, of each process
    processes: int = 64  # at the same time, the sandbox's own first one among them
    output: int = _MB  # bytes of standard output, and as many of standard error; what is beyond is dropped
    disk: int = 64 * _MB  # bytes in the working directory, home and temporary directory together; also of one file
    open_files: int = 256  # of each process

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            allowed = (int, float) if field.name == "seconds" else (int,)
            if isinstance(value, bool) or not isinstance(value, allowed) or not 0 < value < 2**53:
                raise InvalidInput(f"limits.{field.name}", f"must be a number above 0, not {value!r}")


class Stop:
    """Call it from any thread to end the runs that have it, also those that begin later.

    The thread that waits for the process reads it through a pipe and kills the process itself, so a process id that
    was reused meanwhile is never killed.
    """

    def __init__(self) -> None:
        self.said = False
        self._lock = threading.Lock()
        self._listening: set[int] = set()

    def __call__(self) -> None:
        """End the runs, without waiting for them."""
        with self._lock:
            if not self.said:
                self.said = True
                for end in self._listening:
                    os.write(end, b"!")

    @contextmanager
    def heard(self) -> Iterator[int]:
        """A descriptor that becomes readable when it is called."""
        hearing, saying = os.pipe()
        with self._lock:
            self._listening.add(saying)
            if self.said:
                os.write(saying, b"!")
        try:
            yield hearing
        finally:
            with self._lock:
                self._listening.discard(saying)
                os.close(saying)
            os.close(hearing)


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The result of a script. `exit_code` is None if it did not end by itself; 128 and more are signals, as in a shell.

    `timed_out` or `stopped` then says why.
    """

    exit_code: int | None
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


class Rights(TypedDict, total=False):
    """The user that a process runs as; empty for the current one."""

    user: int
    group: int
    extra_groups: list[int]


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


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended, and its output."""

    exit_code: int | None  # None: it was killed
    stdout: Stream
    stderr: Stream
    seconds: float
    stopped: bool = False  # by the caller, not by the deadline


def run(
    command: Sequence[str], program: Path, *, fds: Sequence[int], limits: SandboxLimits, skip: int, stop: Stop
) -> Ended:
    """Run a command until it ends, its time is over or it is stopped, then kill its remaining processes.

    ``program`` is the file that is run. The sandboxed process can see ``command``, which hides where that file is. It
    gets no environment, no input and none of our files but ``fds``. The first ``skip`` bytes of its output do not
    count. A run that was stopped before does not start.
    """
    started = monotonic()
    streams = Stream("stdout", limits.output, skip=skip), Stream("stderr", limits.output)
    with stop.heard() as heard:
        if stop.said:
            return Ended(None, *streams, monotonic() - started, stopped=True)
        process = _started(command, program, fds)
        try:
            ended = _read(process, streams, started + limits.seconds, heard)
        finally:
            _end(process)
    _close(process, streams)
    return Ended(process.returncode if ended else None, *streams, monotonic() - started, not ended and stop.said)


def _started(command: Sequence[str], program: Path, fds: Sequence[int]) -> subprocess.Popen[bytes]:
    rights = dropped()
    with ExitStack() as stack:
        outputs = [_pipe(stack, given_away=bool(rights)) for _ in range(2)]
        process = subprocess.Popen(  # noqa: S603 - the command is ours; the script is a file in it
            command,
            executable=program,
            stdin=subprocess.DEVNULL,
            stdout=outputs[0].theirs,
            stderr=outputs[1].theirs,
            env={},
            cwd="/",
            pass_fds=fds,
            start_new_session=True,  # a group of its own, which can be killed as a whole
            **rights,
        )
        process.stdout, process.stderr = (os.fdopen(os.dup(each.ours), "rb") for each in outputs)
    return process


class _Pipe(NamedTuple):
    ours: int
    theirs: int


def _pipe(stack: ExitStack, *, given_away: bool) -> _Pipe:
    """A pipe that the script owns before it starts, so that it can open /dev/stdout and /dev/stderr."""
    pipe = _Pipe(*os.pipe())
    for end in pipe:
        stack.callback(os.close, end)
    if given_away:
        os.fchown(pipe.theirs, NOBODY, NOBODY)
    return pipe


def dropped() -> Rights:
    """The options that start a process without special rights: as nobody, if we are the superuser."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def _read(process: subprocess.Popen[bytes], streams: Sequence[Stream], deadline: float, heard: int) -> bool:
    """Collect both outputs to their ends, then wait for the process; False if time or a stop came before.

    The sandbox's outer process holds both until it ends, even if the script closes its own: the wait is short.
    """
    if not _collect(process, streams, deadline, heard):
        return False
    try:
        process.wait(max(0.0, deadline - monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _collect(
    process: subprocess.Popen[bytes], streams: Sequence[Stream], deadline: float, heard: int | None = None
) -> bool:
    with selectors.DefaultSelector() as selector:
        if heard is not None:
            selector.register(heard, selectors.EVENT_READ)
        for pipe, stream in zip(_pipes(process), streams, strict=True):
            if not pipe.closed:
                selector.register(pipe, selectors.EVENT_READ, stream)
        while any(key.data for key in selector.get_map().values()):
            left = deadline - monotonic()
            if left <= 0:
                return False
            for key, _ in selector.select(left):
                if key.data is None:
                    return False
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
    """Read the output that was written before the end; no process holds a pipe any more."""
    _collect(process, streams, monotonic() + _GRACE)
    for pipe in _pipes(process):
        pipe.close()
