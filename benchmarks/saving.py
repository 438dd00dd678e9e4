"""The cost of a save, and whether several processes lose each other's writes."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.corpus import entries
from benchmarks.figures import Figure, in_turns
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
