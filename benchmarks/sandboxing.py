"""What the sandbox costs: a script that does nothing in it, against a bare shell that does the same."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.figures import Figure, in_turns
from hexad.skills.sandbox import SandboxLimits, find_sandbox
from hexad.skills.sandbox.running import run

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = 60
BARE = ("/bin/sh", "-c", "true")


def measure() -> Iterator[Figure]:
    """The bare shell is started in the same manner: as the same user, its outputs collected within limits.

    What the plainest way to start one costs is told too. On a busy machine that one gains most: Python lends it the
    time that it has, while a sandbox is several processes, each of which waits for its turn.
    """
    if sys.platform != "linux":
        return
    sandbox = find_sandbox()
    ours = [lambda: sandbox.run("true")] * RUNS
    same = in_turns(ours, [lambda: run(BARE, fds=(), limits=SandboxLimits(), mark=0)] * RUNS)
    yield Figure("a sandboxed `true`, against `sh -c true`, median", same.ratio(0.5), 10.0, detail=same.told(0.5))
    plain = in_turns(ours, [lambda: subprocess.run(BARE, capture_output=True, check=True)] * RUNS)
    yield Figure("the same, against `subprocess.run`", plain.ratio(0.5), None, detail=plain.told(0.5))


if __name__ == "__main__":
    for figure in measure():
        print(*figure.row())
