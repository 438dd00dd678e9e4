"""The cost of search by meaning beyond search by words, in products of the matrix of
vectors with one vector.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure, cpu_seconds, quantile
from benchmarks.filling import filled
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rich.progress import Progress

SIZES = (10_000, 100_000)
QUESTIONS = 200
WIDTH = 256
MOST_PRODUCTS, MOST_MEMORY = (
    0.75,
    120.0,
)  # half of the products that it took before signs were compared first
_MEMORY = """
import resource, sys
from hexad import Hexad


def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


questions = ("when may I deploy?", "who approves the budget of the project?")
with Hexad.open(sys.argv[1], enabled=True, semantic=False) as words:
    for question in questions:
        words.retrieve(question)
hx = Hexad.open(sys.argv[1], enabled=True, layer_deadline=60.0)
assert hx.ready(60)
before = used()
for question in questions * 4:
    assert hx.retrieve(question).all()
print(used() - before)
"""


def measure(folder: Path, progress: Progress) -> Iterator[Figure]:
    """Files with many entries get their vectors; then the same questions, with and
    without them.
    """
    for size in SIZES:
        path = filled(folder, size)
        embed(path, size, progress)
        asked = list(
            questions(
                QUESTIONS, seed=2, entries=list(entries(min(size, 10_000), seed=1))
            )
        )
        yield from compare(path, asked, size, MOST_PRODUCTS)
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(folder / f"{SIZES[-1]}.db")],
        capture_output=True,
        text=True,
        check=True,
    )
    yield Figure(
        f"memory for the vectors of {SIZES[-1]:,} entries",
        float(done.stdout),
        MOST_MEMORY,
        "MB",
    )


def embed(path: Path, size: int, progress: Progress) -> None:
    task = progress.add_task(f"{size:,} vectors", total=size)
    with Hexad.open(path, enabled=True) as hx:
        hx.reindex(
            progress=lambda done, total: progress.update(
                task, completed=done, total=total
            )
        )


def compare(
    path: Path, asked: Sequence[str], size: int, limit: float | None
) -> Iterator[Figure]:
    """By words, by meaning and one product, in turns; what meaning costs more, in
    products.

    By CPU time, with one thread of BLAS (see `benchmarks`).
    """
    block = np.random.default_rng(1).standard_normal((size, WIDTH), dtype=np.float32)
    vector = np.ones(WIDTH, np.float32)
    with (
        Hexad.open(path, enabled=True, semantic=False) as words,
        Hexad.open(path, enabled=True, layer_deadline=60.0) as near,
    ):
        for question in asked[:20]:
            words.retrieve(question), near.retrieve(question), block @ vector
        rounds = [
            (
                cpu_seconds(partial(near.retrieve, question)),
                cpu_seconds(partial(words.retrieve, question)),
                cpu_seconds(lambda: block @ vector),
            )
            for question in asked
        ]
    by_meaning, by_words, product = (
        [each[place] for each in rounds] for place in range(3)
    )
    one = statistics.median(product)
    for name, share in (("median", 0.5), ("95th percentile", 0.95)):
        more = quantile(by_meaning, share) - quantile(by_words, share)
        detail = f"{quantile(by_meaning, share) * 1000:.2f} ms against {quantile(by_words, share) * 1000:.2f} ms, "
        yield Figure(
            f"retrieve by meaning, {size:,} entries, {name}: more than by words",
            more / one,
            limit if share == 0.5 and size >= 100_000 else None,
            "products",
            f"{detail}a product takes {one * 1000:.2f} ms",
        )
