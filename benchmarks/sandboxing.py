"""What the sandbox costs: a script that does nothing in it, against a bare shell that does the same."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.figures import Figure, in_turns
from hexad.skills.sandbox import find_sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = 60
BARE = ("/bin/sh", "-c", "true")


def measure() -> Iterator[Figure]:
    """Against the plainest way to start a shell."""
    if sys.platform != "linux":
        return
    sandbox = find_sandbox()
    ours = [lambda: sandbox.run("true")] * RUNS
    bare = [lambda: subprocess.run(BARE, capture_output=True, check=True)] * RUNS
    pair = in_turns(ours, bare)
    yield Figure("a sandboxed `true`, against `sh -c true`, median", pair.ratio(0.5), 10.0, detail=pair.told(0.5))


if __name__ == "__main__":
    for figure in measure():
        print(*figure.row())
