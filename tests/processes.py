"""The command `hexad` as a process of its own, in a pipe or on a terminal of 80
columns.

A process is forked from a server that has imported Hexad already: an interpreter takes
half a second to start.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HEXAD = [sys.executable, "-m", "hexad"]
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    ["hexad.cli.skills.commands", "hexad.cli.terminal.drawing", __name__]
)


class Forked:
    """A process that runs `hexad` with these streams; the names are those of
    `subprocess.Popen`.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *streams: int | None,
    ) -> None:
        ends = [
            None if stream is None else Connection(os.dup(stream)) for stream in streams
        ]
        self._process = _SERVER.Process(
            target=_run, args=(list(arguments), str(folder), dict(environment), ends)
        )
        self._process.start()
        self.pid = self._process.pid
        for end in ends:
            if end is not None:
                end.close()

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("hexad", timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid or 0, number)


def _run(
    arguments: list[str], folder: str, environment: dict[str, str], streams: list[Any]
) -> None:
    from hexad.cli import main

    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    sys.exit(main(arguments))


def hexad(
    folder: Path, *arguments: str, given: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a pipe; in a new interpreter if it has variables, which may
    count when modules are imported.
    """
    if environment:
        return subprocess.run(
            [*HEXAD, *arguments],
            cwd=folder,
            input=given,
            env=os.environ | environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    with (
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
    ):
        stdin.write(given.encode())
        stdin.seek(0)
        code = Forked(
            arguments,
            folder,
            os.environ,
            *(each.fileno() for each in (stdin, stdout, stderr)),
        ).wait()
        texts = []
        for stream in (stdout, stderr):
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(arguments, code, *texts)


class Terminal:
    """A pseudo-terminal of 80 columns with a command on it."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        program: Sequence[str] = (),
        **environment: str,
    ) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        names = {
            name: value
            for name, value in os.environ.items()
            if name not in {"COLUMNS", "NO_COLOR"}
        }
        names |= {"TERM": "xterm-256color", "HEXAD_LAYER_DEADLINE": "600"} | environment
        self.process: Forked | subprocess.Popen[bytes]
        if program:
            command = [*program, *arguments]
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env=names,
            )
        else:
            self.process = Forked(arguments, folder, names, theirs, theirs, theirs)
        os.close(theirs)
        self.raw = ""

    def read_until(self, words: str = "") -> str:
        """The output up to these words, or to the end."""
        shown = b""
        while not words or words.encode() not in shown:
            try:
                part = os.read(self._ours, 4096)
            except OSError:  # Linux says so when the other side is closed
                break
            if not part:
                break
            shown += part
        self.raw += shown.decode()
        return _ESCAPES.sub("", self.raw).replace("\r", "")

    def type(self, words: str) -> None:
        os.write(self._ours, words.encode())

    def end(self) -> int:
        code = self.process.wait()
        os.close(self._ours)
        return code


def on_terminal(folder: Path, *arguments: str, **environment: str) -> Terminal:
    terminal = Terminal(folder, *arguments, **environment)
    terminal.read_until()
    assert terminal.end() == 0
    return terminal
