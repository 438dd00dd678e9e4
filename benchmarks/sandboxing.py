"""The cost of the sandbox: a script that does nothing in it, against a bare shell that does the same."""

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


LARGE = 500_000_000  # bytes
NAME = "a sandboxed `true`, against `sh -c true`, median"


def measure_from_a_large_process() -> Iterator[Figure]:
    held = b"x" * LARGE
    yield from measure(f"the same, from a process that holds {len(held) // 10**6:,} MB", None)


def measure(name: str = NAME, limit: float | None = 10.0) -> Iterator[Figure]:
    """Against the plainest way to start a shell. The superuser's scripts are started by a fork, which copies the map of
    the memory: that of a large process takes longer.
    """
    if sys.platform != "linux":
        return
    sandbox = find_sandbox()
    ours = [lambda: sandbox.run("true")] * RUNS
    bare = [lambda: subprocess.run(BARE, capture_output=True, check=True)] * RUNS
    pair = in_turns(ours, bare)
    yield Figure(name, pair.ratio(0.5), limit, detail=pair.detail(0.5))


if __name__ == "__main__":
    for figure in measure():
        print(*figure.row())
