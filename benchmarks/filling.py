"""A database with many entries, filled through the public interface."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from benchmarks.corpus import entries as made_up
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.corpus import Entry


def fill(
    place: Path | str,
    entries: Sequence[Entry],
    progress: Callable[[int, int], None],
    namespace: str = "default",
    *,
    mine: bool = False,
) -> None:
    """Import the entries into one namespace of a database, by their words alone; as the
    user's if they are ``mine``.
    """
    with NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for entry in entries:
            line = {
                "type": "knowledge",
                "key": entry.key,
                "content": entry.content,
                "category": entry.category,
            }
            file.write(json.dumps({**line, "tags": list(entry.tags)}) + "\n")
        file.flush()
        with Hexad.open(place, enabled=True, namespace=namespace, semantic=False) as hx:
            hx.import_file(Path(file.name), mine=mine, progress=progress)


def filled(folder: Path, size: int) -> Path:
    """A database with that many entries: the one that an earlier part has filled, else
    a new one.
    """
    path = folder / f"{size}.db"
    if not path.exists():
        fill(path, list(made_up(size, seed=1)), lambda _done, _all: None)
    return path
