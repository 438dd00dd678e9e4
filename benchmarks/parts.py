"""The parts of `make bench`. Each has a process of its own, so that what one leaves in
memory slows no other.
"""

from __future__ import annotations

import multiprocessing
import sys
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from benchmarks import (
    adk,
    caching,
    hooking,
    killing,
    learning,
    opening,
    postgres,
    prompting,
    retrieving,
    running_skills,
    sandboxing,
    saving,
    semantic,
    serving,
    weight,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection
    from pathlib import Path

    from benchmarks.figures import Figure

PARTS: dict[str, Callable[[Path, Progress], Iterable[Figure]]] = {
    "Sandboxing": lambda _folder, _progress: sandboxing.measure(),
    "Retrieving": retrieving.measure,
    "Prompts": prompting.measure,
    "Opening": lambda folder, _: opening.measure(folder),
    "Meaning": semantic.measure,
    "Saving": lambda folder, _: saving.measure(folder),
    "Learning": lambda folder, _: learning.measure(folder),
    "ADK": lambda folder, _: adk.measure(folder),
    "Prompt caching": lambda folder, _: caching.measure(folder),
    "Hooks of coding agents": lambda folder, _: hooking.measure(folder),
    "Skills": lambda folder, _: running_skills.measure(folder),
    "Sandboxing from a large process": lambda _folder, _progress: (
        sandboxing.measure_from_a_large_process()
    ),
    "Crashing": killing.measure,
    "PostgreSQL": lambda folder, _: postgres.measure(folder),
    "Server": lambda folder, _: serving.measure(folder),
    "Weight": lambda folder, _: weight.measure(folder),
}


def measured(title: str, folder: Path) -> list[Figure]:
    """The figures of a part, from a process of its own."""
    spawning = multiprocessing.get_context("spawn")
    receiving, sending = spawning.Pipe(duplex=False)
    process = spawning.Process(target=_measure, args=(title, folder, sending))
    process.start()
    sending.close()
    try:
        figures: list[Figure] = receiving.recv()
    except EOFError:
        sys.exit(f"{title} was not measured: see above")
    process.join()
    return figures


def _measure(title: str, folder: Path, sending: Connection) -> None:
    """Measure a part. A line is printed as each figure comes; a bar shows the part and
    the time it takes.
    """
    found: list[Figure] = []
    with _progress() as progress:
        progress.add_task(f"{title}: measuring", total=None)
        for figure in PARTS[title](folder, progress):
            name, value, *_ = figure.row()
            progress.console.print(f"{title}: {name}: {value}", highlight=False)
            found.append(figure)
    sending.send(found)


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, transient=True)
