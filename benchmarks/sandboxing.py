"""The cost of the sandbox: a script that does nothing in it, against a bare shell that
does the same.
"""

from __future__ import annotations

import json
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


def measure() -> Iterator[Figure]:
    """Against the plainest way to start a shell, from a process that has loaded little
    else.

    The superuser's scripts are started by a fork, which copies the map of the memory:
    that of a large process takes longer, and these benchmarks are one.
    """
    if sys.platform != "linux":
        return
    done = subprocess.run(
        [sys.executable, "-m", __name__], capture_output=True, text=True, check=True
    )
    ratio, detail = json.loads(done.stdout)
    yield Figure(NAME, ratio, 10.0, detail=detail)


def measure_from_a_large_process() -> Iterator[Figure]:
    if sys.platform != "linux":
        return
    held = b"x" * LARGE
    ratio, detail = _compared()
    yield Figure(
        f"the same, from a process that holds {len(held) // 10**6:,} MB",
        ratio,
        None,
        detail=detail,
    )


def _compared() -> tuple[float, str]:
    sandbox = find_sandbox()
    ours = [lambda: sandbox.run("true")] * RUNS
    bare = [lambda: subprocess.run(BARE, capture_output=True, check=True)] * RUNS
    pair = in_turns(ours, bare)
    return pair.ratio(0.5), pair.detail(0.5)


if __name__ == "__main__":
    print(json.dumps(_compared()))
