"""The sandbox: how bubblewrap is started, and what its script returned."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.errors import InvalidInput, NoSandbox, UnknownChoice
from hexad.skills.sandbox import inputs, layout, seccomp
from hexad.skills.sandbox.running import Ended, SandboxLimits, ScriptResult, run
from hexad.skills.waiting import Halt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SHELLS: Final = {
    "sh": ("/bin/sh", 512),
    "bash": ("/bin/bash", 1024),
}  # and in what it counts a file's size
_READY: Final = (
    b"ready\n"  # the first words of a sandbox that came about; the script's own follow
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A bubblewrap that works here; `find_sandbox` gives one. It holds nothing open and
    may be kept and shared.
    """

    program: Path
    version: str

    @property
    def name(self) -> str:
        """The name of this sandbox, for results and for people."""
        return f"bubblewrap {self.version}"

    def run(
        self,
        script: str,
        *,
        shell: str = "sh",
        environment: Mapping[str, str] | None = None,
        files: Mapping[str, bytes | tuple[bytes, bool]] | None = None,
        limits: SandboxLimits | None = None,
        network: bool = False,
        writable: Sequence[Path] = (),
        hidden: Sequence[Path] = (),
        halt: Halt | None = None,
    ) -> ScriptResult:
        """Run a script and wait for its end; a script that fails is a result, not an
        error.

        ``files`` (content, or content and whether it can be executed) lie in its
        working directory. ``writable`` folders are seen where they are, and written to.
        ``hidden`` paths cannot be reached by it in any case. Who calls ``halt``, from
        another thread, ends it with all that it started.

        Raises:
            InvalidInput: something given cannot be had in a sandbox.
            NoSandbox: the sandbox did not come about; the script was not started.
        """
        limits = limits or SandboxLimits()
        layout.refuse_visible(hidden)
        program, block = _shell(shell)
        variables = inputs.environment(environment or {})
        own = inputs.files(files or {}, room=limits.disk)
        system = {
            **layout.etc(network=network),
            layout.SCRIPT: inputs.encoded("script", script),
        }
        with _Handed() as handed:
            options = (
                *layout.namespaces(network=network),
                *layout.system(network=network),
                *layout.private(limits.disk),
                *_files(
                    handed,
                    {f"{layout.WORK}/{path}": each for path, each in own.items()},
                ),
                *_each("--bind", inputs.folders(writable, hidden)),
                *_files(
                    handed,
                    {path: (content, "0444") for path, content in system.items()},
                ),
                *_each("--setenv", {**layout.FIXED, **variables}.items()),
                *_last(handed, network=network),
            )
            joined = "\0".join(options).encode(
                errors="surrogateescape"
            )  # paths may hold other bytes than text
            command = (self.program.name, "--args", str(handed.over(joined)), "--")
            inside = (program, "-c", _prologue(limits, block), layout.SCRIPT)
            halt = halt or Halt()
            ended = run(
                (*command, *inside),
                self.program,
                fds=handed.fds,
                limits=limits,
                skip=len(_READY),
                halt=halt,
            )
        return self._result(ended, stopped=halt.called)

    def _result(self, ended: Ended, *, stopped: bool) -> ScriptResult:
        killed, out, err = (
            ended.exit_code is None,
            bytes(ended.stdout.content),
            bytes(ended.stderr.content),
        )
        if not killed and not out.startswith(_READY):
            raise NoSandbox(
                f"{self.name} made none: {_text(err).strip() or 'it gives no reason'}"
            )
        return ScriptResult(
            exit_code=ended.exit_code,
            stdout=_text(out.removeprefix(_READY)),
            stderr=_text(err),
            cut=tuple(
                stream.cut for stream in (ended.stdout, ended.stderr) if stream.cut
            ),
            timed_out=killed and not stopped,
            stopped=killed and stopped,
            seconds=ended.seconds,
            sandbox=self.name,
        )


class _Handed(ExitStack):
    """Bytes that another process reads from a descriptor: no name, no size limit,
    nothing on a disk.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fds: list[int] = []

    def over(self, content: bytes) -> int:
        fd = os.memfd_create("hexad")
        self.callback(os.close, fd)
        with open(fd, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        self.fds.append(fd)
        return fd


def _shell(name: str) -> tuple[str, int]:
    if name not in SHELLS:
        raise UnknownChoice("shell", name, SHELLS)
    program, block = SHELLS[name]
    if not Path(program).exists():
        raise InvalidInput(
            "shell",
            f"{name} is not installed here; install it, or write the script for sh",
        )
    return program, block


def _prologue(limits: SandboxLimits, block: int) -> str:
    """Shell code that runs before the script: limits are set inside, where only its own
    processes count.
    """
    commands = (
        f"{{ ulimit -u {limits.processes} || ulimit -p {limits.processes}; }} 2>/dev/null",  # bash says u, dash says p
        f"ulimit -v {max(1, limits.memory // 1024)}",
        f"ulimit -n {limits.open_files}",
        f"ulimit -f {-(-limits.disk // block)}",
        "ulimit -c 0",
        f"echo {_READY.decode().strip()}",
    )
    return f'{" && ".join(commands)} || exit 125; . "$0"'


def _files(handed: _Handed, contents: Mapping[str, tuple[bytes, str]]) -> Iterator[str]:
    for path, (content, mode) in contents.items():
        yield from ("--perms", mode, "--file", str(handed.over(content)), path)


def _each(option: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for one, other in pairs:
        yield from (option, one, other)


def _last(handed: _Handed, *, network: bool) -> Iterator[str]:
    """Start in the working directory; nothing else of the sandbox's own tree can be
    written; few system calls.
    """
    yield from ("--chdir", layout.WORK, "--remount-ro", "/")
    if program := seccomp.program(network=network):
        yield from ("--seccomp", str(handed.over(program)))


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
