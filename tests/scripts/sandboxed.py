"""Scripts in the sandbox, started by the user who runs the tests and by another; and
the same scripts outside.
"""

from __future__ import annotations

import multiprocessing
import os
import select
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from hexad.skills.sandbox import Sandbox, ScriptResult

OTHER = 65533  # some user who owns nothing, and is not the one that the superuser's scripts become


def serve(connection: Connection, sandbox: Sandbox, user: int | None) -> None:
    """Run scripts as ``user`` until the connection closes. All that is needed is
    imported before the rights go.
    """
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    try:
        while True:
            script, options = connection.recv()
            try:
                connection.send(sandbox.run(script, **options))
            except Exception as error:
                connection.send(error)
    except EOFError:
        os._exit(0)  # what runs at a normal end would write where this user may not


@dataclass(frozen=True, slots=True)
class Box:
    """A process that runs scripts in the sandbox."""

    connection: Connection
    process: Any
    user: int | None
    folder: Path = field(repr=False)  # that everybody may read and write

    def run(self, script: str, **options: Any) -> ScriptResult:
        self.connection.send((script, options))
        answer = self.connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def bare(self, script: str, *, shell: str = "bash") -> str:
        """The output of the same script without a sandbox, with the rights of the user
        who started the sandbox.
        """
        rights: dict[str, Any] = (
            {}
            if self.user is None
            else {"user": self.user, "group": self.user, "extra_groups": []}
        )
        done = subprocess.run(
            [shell, "-c", script], capture_output=True, check=False, cwd="/", **rights
        )
        return done.stdout.decode(errors="replace")


def open_box(sandbox: Sandbox, user: int | None, folder: Path) -> Box:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=serve, args=(theirs, sandbox, user), daemon=True
    )
    process.start()
    theirs.close()
    return Box(ours, process, user, folder)


def running(mark: str) -> list[int]:
    """The processes of the whole machine whose command line holds a mark."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (place / "cmdline").read_text(errors="replace").split("\0"):
                found.append(int(place.name))
        except OSError:  # it ended
            continue
    return found


def gone(mark: str) -> bool:
    """Whether nothing with this mark is left, once the kernel has buried what was
    killed.
    """
    for process in running(mark):
        try:
            handle = os.pidfd_open(process)
        except ProcessLookupError:
            continue
        ended, _, _ = select.select([handle], [], [], 120)  # only a hang takes so long
        os.close(handle)
        if not ended:
            return False
    return True
