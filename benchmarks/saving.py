"""The cost of a save, and whether several processes lose each other's writes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.corpus import entries
from benchmarks.figures import Figure, Pair, in_turns
from benchmarks.yardstick import Yardstick
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAVES, WARM = 1_000, 200
PROCESSES, EACH = 4, 250
_WRITER = """
import sys
from hexad import Hexad
with Hexad.open(sys.argv[1], enabled=True) as hx:
    for number in range(int(sys.argv[3])):
        hx.knowledge.save(f"{sys.argv[2]}-{number}", f"entry {number} of writer {sys.argv[2]}")
        hx.knowledge.save("shared", f"{sys.argv[2]} {number}")
"""

CROWD, TIMES = 8, 100
_TIMED = """
import sqlite3, sys, time
from hexad import Hexad
path, name, times, ours = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "ours"
if ours:
    hx = Hexad.open(path, enabled=True, semantic=False)
else:
    bare = sqlite3.connect(path, timeout=30, isolation_level=None)
    bare.execute("PRAGMA synchronous = FULL")

def save(key, content):
    if ours:
        hx.knowledge.save(key, content)
    else:
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("INSERT INTO entry (key, content) VALUES (?, ?)", (key, content))
        bare.execute("COMMIT")

save(f"{name}-first", "the first save of a process also loads code")
print("ready", flush=True)
input()
for number in range(times):
    start = time.perf_counter()
    save(f"{name}-{number}", f"entry {number} of writer {name}")
    print(time.perf_counter() - start)
"""


def measure(folder: Path) -> Iterator[Figure]:
    """One writer, then several."""
    with Hexad.open(folder / "saving.db", enabled=True, semantic=False) as hx:
        yardstick = Yardstick(folder / "saving.fts.db")
        stored = list(entries(WARM + SAVES, seed=3))
        ours = [
            partial(hx.knowledge.save, entry.key, entry.content, category=entry.category, tags=entry.tags)
            for entry in stored
        ]
        theirs = [partial(yardstick.save, entry) for entry in stored]
        in_turns(ours[:WARM], theirs[:WARM])
        pair = in_turns(ours[WARM:], theirs[WARM:])
        yardstick.close()
    yield Figure("save, against INSERT and COMMIT into FTS5, median", pair.ratio(0.5), 4.0, detail=pair.detail(0.5))
    yield Figure("save, 95th percentile", pair.ratio(0.95), 4.0, detail=pair.detail(0.95))
    yield _together(folder / "together.db")
    yield _crowded(folder)


def _crowded(folder: Path) -> Figure:
    """How long a save takes at worst while others save too, against a bare table under the same writers."""
    Hexad.open(folder / "crowd.db", enabled=True).close()
    with closing(sqlite3.connect(folder / "crowd.bare.db")) as bare:
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("CREATE TABLE entry (number INTEGER PRIMARY KEY, key TEXT UNIQUE, content TEXT)")
    ours, theirs = list[float](), list[float]()
    for turn in range(3):
        ours += _times(folder / "crowd.db", f"{turn}", "ours")
        theirs += _times(folder / "crowd.bare.db", f"{turn}", "bare")
    pair = Pair(ours, theirs)
    name = f"save among {CROWD} processes, against a bare table, 99th percentile"
    return Figure(name, pair.ratio(0.99), 3.0, detail=pair.detail(0.99))


def _times(path: Path, turn: str, whose: str) -> list[float]:
    """The seconds of every save of writers that begin together."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _TIMED, str(path), f"{turn}-{number}", str(TIMES), whose],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(CROWD)
    ]
    for writer in writers:
        assert writer.stdout
        writer.stdout.readline()
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("\n")
        writer.stdin.flush()
    return [float(line) for writer in writers for line in writer.communicate()[0].split()]


def _together(path: Path) -> Figure:
    """Each process saves rows of its own and versions of one row that all of them share."""
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(path), str(number), str(EACH)], stderr=subprocess.PIPE)
        for number in range(PROCESSES)
    ]
    errors = sum(writer.communicate()[1].count(b"Error") for writer in writers)
    with Hexad.open(path, enabled=True) as hx:
        rows, versions = len(hx.knowledge.list()) - 1, len(hx.knowledge.history("shared"))
        whole = hx.audit.verify()
    expected = PROCESSES * EACH
    lost = (expected - rows) + (expected - versions) + (2 * expected - whole.records) + errors + (not whole.ok)
    detail = f"{rows:,} rows, {versions:,} versions of the shared one, {errors} errors, audit chain {whole.ok}"
    return Figure(f"{PROCESSES} processes × {EACH} saves: lost or refused", lost, 0, "", detail)
