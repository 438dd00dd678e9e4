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
    """Against the plainest way to start a shell; and against one that is started as the same user, within limits."""
    if sys.platform != "linux":
        return
    sandbox = find_sandbox()
    ours = [lambda: sandbox.run("true")] * RUNS
    plain = in_turns(ours, [lambda: subprocess.run(BARE, capture_output=True, check=True)] * RUNS)
    yield Figure("a sandboxed `true`, against `sh -c true`, median", plain.ratio(0.5), 10.0, detail=plain.told(0.5))
    same = in_turns(ours, [lambda: run(BARE, fds=(), limits=SandboxLimits(), mark=0)] * RUNS)
    yield Figure("the same, against a shell started alike", same.ratio(0.5), None, detail=same.told(0.5))


if __name__ == "__main__":
    for figure in measure():
        print(*figure.row())
