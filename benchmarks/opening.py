"""The cost of importing Hexad and of opening a large database, each measured in its own
process.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.figures import Figure
from benchmarks.filling import filled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNS = 15
_OURS, _THEIRS = "from hexad import Hexad", "import sqlite3, json, dataclasses"
_IMPORT = "import time; t = time.process_time(); {}; print(time.process_time() - t)"
_OPEN = """
import resource, sys, time
from hexad import Hexad
import hexad.store.sqlite
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20
before, t = resident(), time.perf_counter()
hx = Hexad.open(sys.argv[1], enabled=True)
print(time.perf_counter() - t, resident() - before)
"""


def measure(folder: Path) -> Iterator[Figure]:
    """Import, then open."""
    scripts = [_IMPORT.format(what) for what in (_OURS, _THEIRS)]
    _run(scripts[0])  # the first import compiles
    pairs = [
        [float(_run(script)) for script in scripts] for _ in range(RUNS)
    ]  # in turns: both meet the same load
    ours, theirs = (
        statistics.median(pair[place] for pair in pairs) for place in (0, 1)
    )
    detail = f"{ours * 1000:.0f} ms of CPU against {theirs * 1000:.0f} ms, beyond the start of Python"
    yield Figure(f"{_OURS}, against {_THEIRS}", ours / theirs, 5.0, detail=detail)
    empty, full = map(_opened, (folder / "empty.db", filled(folder, 100_000)))
    yield Figure(
        "open 100,000 entries, more time than an empty one",
        (full[0] - empty[0]) * 1000,
        50,
        "ms",
    )
    yield Figure(
        "open 100,000 entries, more memory than an empty one",
        full[1] - empty[1],
        30,
        "MB",
    )


def _opened(path: Path) -> tuple[float, float]:
    _run(_OPEN, str(path))  # the first opening creates, or wakes the disk
    pairs = [tuple(map(float, _run(_OPEN, str(path)).split())) for _ in range(RUNS)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(
        pair[1] for pair in pairs
    )


def _run(script: str, *arguments: str) -> str:
    compiled = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONDONTWRITEBYTECODE"
    }
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=compiled
    ).stdout
