"""SIGKILL at random moments during saves: what was acknowledged is there, every
reopening works, the chain verifies.
"""

from __future__ import annotations

import subprocess
import sys
import time
from random import Random
from typing import TYPE_CHECKING

from benchmarks.figures import Figure
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.progress import Progress

KILLS = 200
_SAVER = """
import sys
from hexad import Hexad
hx = Hexad.open(sys.argv[1], enabled=True)
number = 0
while True:
    key = f"{sys.argv[2]}-{number}"
    hx.knowledge.save(key, f"what was said in round {key}, and a few more words to index")
    print(key, flush=True)
    number += 1
"""


def measure(folder: Path, progress: Progress) -> Iterator[Figure]:
    """Kill, reopen, look; again and again on one file."""
    random, path, acknowledged, missing, broken = (
        Random(4),
        folder / "killed.db",
        0,
        0,
        0,
    )
    for number in progress.track(range(KILLS), description=f"{KILLS} kills"):
        said = _killed(path, number, random.uniform(0.0, 0.05))
        acknowledged += len(said)
        with Hexad.open(path, enabled=True) as hx:
            stored = {entry.key for entry in hx.knowledge.list()}
            found = (
                {
                    item.key
                    for item in hx.retrieve(f"round {said[-1]}", max_per_layer=5).all()
                }
                if said
                else {None}
            )
            missing += len(set(said) - stored)
            broken += (not hx.audit.verify().ok) + (not found)
    detail = f"{acknowledged:,} acknowledged saves"
    yield Figure(
        f"{KILLS} kills: acknowledged saves that are missing", missing, 0, "", detail
    )
    yield Figure(
        f"{KILLS} kills: reopenings with a broken chain or index", broken, 0, ""
    )


def _killed(path: Path, number: int, after: float) -> list[str]:
    """The output of the process before it was killed, some time after its first word."""
    command = [sys.executable, "-c", _SAVER, str(path), str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(after)
        child.kill()
        rest = child.stdout.read()
    return [line for line in (first + rest).split("\n")[:-1] if line]
