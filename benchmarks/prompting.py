"""What a prompt costs where the entries are the user's own and stand, beside a
retrieval of the same message.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure, cpu_seconds, quantile
from benchmarks.filling import fill
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.progress import Progress

LIMITS = {20: 1.0, 1_000: 1.5, 100_000: 3.0}  # milliseconds of processor time
QUESTIONS = 200


def measure(folder: Path, progress: Progress) -> Iterator[Figure]:
    """Each size in a file of its own."""
    for size, limit in LIMITS.items():
        stored = list(entries(size, seed=1))
        path = folder / f"own-{size}.db"
        task = progress.add_task(f"{size:,} entries of the user's", total=size)
        fill(
            path,
            stored,
            lambda done, _, task=task: progress.update(task, completed=done),
            mine=True,
        )
        with Hexad.open(path, enabled=True, semantic=False) as hx:
            asked = list(questions(QUESTIONS, seed=2, entries=stored))
            for message in asked[:20]:
                hx.prompt("", message)
            prompts = [
                cpu_seconds(partial(hx.prompt, "", message)) * 1000 for message in asked
            ]
            found = [
                cpu_seconds(partial(hx.retrieve, message)) * 1000 for message in asked
            ]
            standing = len(hx.standing())
        detail = f"retrieve {quantile(found, 0.5):.2f} ms; {standing} entries stand"
        yield Figure(
            f"prompt, {size:,} own entries, CPU, median",
            quantile(prompts, 0.5),
            limit,
            "ms",
            detail,
        )
