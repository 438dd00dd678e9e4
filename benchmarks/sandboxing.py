"""What the sandbox costs: a script that does nothing in it, against a bare shell that does the same."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.figures import Figure, in_turns
from hexad.skills.sandbox import find_sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = 100


def measure() -> Iterator[Figure]:
    """Both are started from this process, with their outputs in pipes."""
    if sys.platform != "linux":
        return
    sandbox = find_sandbox()
    pair = in_turns([lambda: sandbox.run("true")] * RUNS, [_bare] * RUNS)
    yield Figure("a sandboxed `true`, against `sh -c true`, median", pair.ratio(0.5), 10.0, detail=pair.told(0.5))


def _bare() -> None:
    subprocess.run(["/bin/sh", "-c", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=True)


if __name__ == "__main__":
    for figure in measure():
        print(*figure.row())
