"""The cost of a save, and whether several processes lose each other's writes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure, Pair, cpu_seconds, in_turns
from benchmarks.yardstick import Yardstick
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Work = Callable[[], object]

SAVES, WARM, QUESTIONS = 1_000, 200, 400
PROCESSES, EACH = 4, 250
_WRITER = """
import sys
from hexad import Hexad
with Hexad.open(sys.argv[1], enabled=True) as hx:
    for number in range(int(sys.argv[3])):
        hx.knowledge.save(f"{sys.argv[2]}-{number}", f"entry {number} of writer {sys.argv[2]}")
        hx.knowledge.save("shared", f"{sys.argv[2]} {number}")
"""

CROWD, TURN, TURNS = 8, 2.0, 3  # processes, seconds of each turn, turns
PAUSE = 0.01  # seconds between two saves of a process, in the mean
_TIMED = """
import random, sqlite3, sys, time
from hexad import Hexad
path, name, seconds, pause, whose = sys.argv[1:]
seconds, pause, ours = float(seconds), float(pause), whose == "ours"
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
number, took, end = 0, [], time.perf_counter() + seconds
while (start := time.perf_counter()) < end:
    save(f"{name}-{number}", f"entry {number} of writer {name}")
    took.append(time.perf_counter() - start)
    number += 1
    time.sleep(pause * random.uniform(0, 2))
print(*took)
"""


def measure(folder: Path) -> Iterator[Figure]:
    """One writer, then several."""
    with Hexad.open(folder / "saving.db", enabled=True, semantic=False) as hx:
        yardstick = Yardstick(folder / "saving.fts.db")
        stored = list(entries(WARM + SAVES, seed=3))
        ours = [
            partial(
                hx.knowledge.save,
                entry.key,
                entry.content,
                category=entry.category,
                tags=entry.tags,
            )
            for entry in stored
        ]
        theirs = [partial(yardstick.save, entry) for entry in stored]
        in_turns(ours[:WARM], theirs[:WARM])
        pair = in_turns(ours[WARM:], theirs[WARM:])
        yardstick.close()
    yield Figure(
        "save, against INSERT and COMMIT into FTS5, median",
        pair.ratio(0.5),
        4.0,
        detail=pair.detail(0.5),
    )
    yield Figure(
        "save, 95th percentile", pair.ratio(0.95), 4.0, detail=pair.detail(0.95)
    )
    yield from _in_memory(folder)
    yield _together(folder / "together.db")
    yield from _crowded(folder)


def _in_memory(folder: Path) -> Iterator[Figure]:
    """Saves and questions without a file against the same with one, by CPU time: the
    disk is not what is compared.
    """
    stored = list(entries(WARM + SAVES, seed=4))
    asked = list(questions(QUESTIONS, seed=5, entries=stored))
    places = (":memory:", folder / "beside.db")
    with ExitStack() as stack:
        engines = [
            stack.enter_context(Hexad.open(place, enabled=True, semantic=False))
            for place in places
        ]
        saves = [
            [partial(hx.knowledge.save, entry.key, entry.content) for entry in stored]
            for hx in engines
        ]
        saved = _either_first(*saves)[WARM:]
        found = _either_first(
            *([partial(hx.retrieve, question) for question in asked] for hx in engines)
        )
    for name, limit, pairs in (("save", 1.0, saved), ("retrieve", 1.1, found)):
        pair = Pair(*zip(*pairs, strict=True))
        yield Figure(
            f"{name} in :memory:, against a file, CPU",
            pair.ratio(0.5),
            limit,
            detail=pair.detail(0.5),
        )


def _either_first(
    ours: Sequence[Work], theirs: Sequence[Work]
) -> list[tuple[float, float]]:
    """Both sides call by call. Each goes first half of the time: the second finds the
    text's terms in a cache.
    """
    times = []
    for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        first, second = (other, one) if place % 2 else (one, other)
        taken = cpu_seconds(first), cpu_seconds(second)
        times.append(taken[::-1] if place % 2 else taken)
    return times


def _crowded(folder: Path) -> Iterator[Figure]:
    """How long a save takes while others save too, against a bare table under the same
    writers.

    Writers that never pause make no good unit: SQLite lets one of them write on and on,
    in a fraction of a millisecond each time, while the others wait for a second. Of
    these the longest wait is compared.
    """
    Hexad.open(folder / "crowd.db", enabled=True).close()
    with closing(sqlite3.connect(folder / "crowd.bare.db")) as bare:
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute(
            "CREATE TABLE entry (number INTEGER PRIMARY KEY, key TEXT UNIQUE, content TEXT)"
        )
    pair = _contest(folder, PAUSE)
    name = f"save among {CROWD} processes that save every {PAUSE * 1000:.0f} ms, against a bare table, 99th percentile"
    yield Figure(name, pair.ratio(0.99), 3.0, detail=pair.detail(0.99))
    pair = _contest(folder, 0.0)
    longest, theirs = max(pair.ours), max(pair.theirs)
    detail = f"{longest * 1000:.0f} ms against {theirs * 1000:.0f} ms; {len(pair.ours):,} and {len(pair.theirs):,} rows"
    yield Figure(
        "the same without a pause, the longest wait",
        longest / theirs,
        None,
        detail=detail,
    )
    yield Figure(
        "the same without a pause, 99th percentile",
        pair.ratio(0.99),
        None,
        detail=pair.detail(0.99),
    )


def _contest(folder: Path, pause: float) -> Pair:
    ours, theirs = list[float](), list[float]()
    for turn in range(TURNS):
        ours += _times(folder / "crowd.db", f"{pause}-{turn}", pause, "ours")
        theirs += _times(folder / "crowd.bare.db", f"{pause}-{turn}", pause, "bare")
    return Pair(ours, theirs)


def _times(path: Path, turn: str, pause: float, whose: str) -> list[float]:
    """The seconds of every save of writers that begin together."""
    writers = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                _TIMED,
                str(path),
                f"{turn}-{number}",
                str(TURN),
                str(pause),
                whose,
            ],
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
    return [
        float(line) for writer in writers for line in writer.communicate()[0].split()
    ]


def _together(path: Path) -> Figure:
    """Each process saves rows of its own and versions of one row that all of them
    share.
    """
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), str(number), str(EACH)],
            stderr=subprocess.PIPE,
        )
        for number in range(PROCESSES)
    ]
    errors = sum(writer.communicate()[1].count(b"Error") for writer in writers)
    with Hexad.open(path, enabled=True) as hx:
        rows, versions = (
            len(hx.knowledge.list()) - 1,
            len(hx.knowledge.history("shared")),
        )
        whole = hx.audit.verify()
    expected = PROCESSES * EACH
    lost = (
        (expected - rows)
        + (expected - versions)
        + (2 * expected - whole.records)
        + errors
        + (not whole.ok)
    )
    detail = f"{rows:,} rows, {versions:,} versions of the shared one, {errors} errors, audit chain {whole.ok}"
    return Figure(
        f"{PROCESSES} processes × {EACH} saves: lost or refused", lost, 0, "", detail
    )
