"""How long a question takes as the database grows, and whether other namespaces in the
file cost anything.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure, in_turns
from benchmarks.filling import fill
from benchmarks.yardstick import Yardstick
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rich.progress import Progress

    from benchmarks.corpus import Entry

LIMITS = {1_000: 5.0, 10_000: 1.5, 100_000: 0.25}
NAMESPACES = 1_000
FEW = 20  # entries of each of the many small namespaces
QUESTIONS = 200


def measure(folder: Path, progress: Progress) -> Iterator[Figure]:
    """Each size in a file of its own, then each in a namespace of one crowded file."""
    crowded = folder / "crowded.db"
    _crowd(crowded, progress)
    for size, limit in LIMITS.items():
        stored = list(entries(size, seed=1))
        alone = folder / f"{size}.db"
        for path, namespace in ((alone, "default"), (crowded, f"size-{size}")):
            task = progress.add_task(f"{size:,} entries into {path.name}", total=size)
            fill(
                path,
                stored,
                lambda done, _, task=task: progress.update(task, completed=done),
                namespace,
            )
        yardstick = Yardstick(folder / f"{size}.fts.db", stored)
        yield from _compare(
            f"{size:,} entries",
            alone,
            "default",
            stored=stored,
            yardstick=yardstick,
            limit=limit,
        )
        among = f"{size:,} entries among {NAMESPACES:,} namespaces"
        yield from _compare(
            among,
            crowded,
            f"size-{size}",
            stored=stored,
            yardstick=yardstick,
            limit=limit,
        )
        yardstick.close()
    yield from _small(folder, crowded)


def _compare(
    name: str,
    path: Path,
    namespace: str,
    *,
    stored: Sequence[Entry],
    yardstick: Yardstick,
    limit: float,
) -> Iterator[Figure]:
    asked = list(questions(QUESTIONS, seed=2, entries=stored))
    with Hexad.open(path, enabled=True, namespace=namespace, semantic=False) as hx:
        ours = [partial(hx.retrieve, question) for question in asked]
        _warm(ours)
        pair = in_turns(ours, [partial(yardstick.ask, question) for question in asked])
        harder = in_turns(
            ours, [partial(yardstick.ask_keywords, question) for question in asked]
        )
    yield Figure(
        f"retrieve, {name}, median", pair.ratio(0.5), limit, detail=pair.detail(0.5)
    )
    yield Figure(
        f"retrieve, {name}, 95th percentile",
        pair.ratio(0.95),
        limit,
        detail=pair.detail(0.95),
    )
    yield Figure(
        f"retrieve, {name}, FTS5 spared the stop words",
        harder.ratio(0.5),
        None,
        detail=harder.detail(0.5),
    )


def _small(folder: Path, crowded: Path) -> Iterator[Figure]:
    """One of the many small namespaces, against a table that holds nothing but its
    rows.
    """
    stored = list(entries(FEW, seed=500))
    yardstick = Yardstick(folder / "small.fts.db", stored)
    among = f"{FEW} entries among {NAMESPACES:,} namespaces"
    yield from _compare(
        among, crowded, "tenant-500", stored=stored, yardstick=yardstick, limit=5.0
    )
    yardstick.close()


def _crowd(path: Path, progress: Progress) -> None:
    others = NAMESPACES - len(LIMITS)
    for number in progress.track(
        range(others), description=f"{others} small namespaces"
    ):
        fill(
            path,
            list(entries(FEW, seed=number)),
            lambda _done, _all: None,
            f"tenant-{number}",
        )


def _warm(calls: Sequence[partial[object]]) -> None:
    for call in calls[:20]:
        call()
