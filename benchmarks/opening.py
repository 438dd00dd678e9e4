"""What it costs to import Hexad, and to open a database that holds much; each measured in processes of its own."""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNS = 15
_IMPORT = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
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
    ours, theirs = (statistics.median(_times(_IMPORT.format(what))) for what in ("hexad", "sqlite3, json, dataclasses"))
    told = f"{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms"
    yield Figure("import hexad, against import sqlite3, json, dataclasses", ours / theirs, 3.0, detail=told)
    whole = statistics.median(_times(_IMPORT.format("hexad; hexad.Hexad")))
    yield Figure("the same with the first use of Hexad", whole / theirs, None, detail=f"{whole * 1000:.0f} ms")
    empty, full = (_opened(folder / name) for name in ("empty.db", "100000.db"))
    yield Figure("open 100,000 entries, more time than an empty one", (full[0] - empty[0]) * 1000, 50, "ms")
    yield Figure("open 100,000 entries, more memory than an empty one", full[1] - empty[1], 30, "MB")


def _times(script: str) -> list[float]:
    return [float(_run(script)) for _ in range(RUNS)]


def _opened(path: Path) -> tuple[float, float]:
    _run(_OPEN, str(path))  # the first opening creates, or wakes the disk
    pairs = [tuple(map(float, _run(_OPEN, str(path)).split())) for _ in range(RUNS)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def _run(script: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return done.stdout
