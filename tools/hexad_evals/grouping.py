"""Error grouping: the share of lines that get exactly the right group.

The format is `error_grouping/<system>.jsonl` with a line ``{"text", "template"}`` for
each occurrence. Lines pass once, in order, through the same patterns that the engine
learns with. A line is right if the lines that share its pattern are exactly those that
share its template.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Final

from hexad.calls.error_words import words_of
from hexad.errors import EvalError
from hexad.learning.pattern import fitting, place
from hexad_evals.data import readable
from hexad_evals.tables import Figures, FigureTable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from pathlib import Path

    from hexad.calls.error_words import Words
    from hexad_evals.run import Progress

FOLDER: Final = "error_grouping"


def group_errors(folder: Path, progress: Progress) -> Figures | None:
    """Group every system's lines; None if the folder has none."""
    files = sorted((folder / FOLDER).glob("*.jsonl"))
    systems: dict[str, float] = {}
    for done, file in enumerate(files, start=1):
        lines = list(
            readable(file, lambda line: (line.text("text"), line.text("template")))
        )
        if not lines:
            raise EvalError(str(file), "has no lines")
        texts, templates = zip(*lines, strict=True)
        systems[file.stem] = round(accuracy(grouped(texts), templates), 4)
        progress(f"{FOLDER}/{file.stem}", done, len(files))
    if not systems:
        return None
    mean = round(fmean(systems.values()), 4)
    rows = [(f"{FOLDER}/{name}", f"{value:.3f}") for name, value in systems.items()]
    table = FigureTable(
        ("error grouping", "accuracy"), [*rows, ("mean of the systems", f"{mean:.3f}")]
    )
    return Figures({"mean": mean, "systems": systems}, [table])


def accuracy(found: Sequence[Hashable], right: Sequence[str]) -> float:
    """The share of lines whose group has exactly the right lines.

    >>> accuracy([1, 1, 2, 3], ["a", "a", "b", "b"])
    0.5
    """
    wanted, groups = defaultdict(list), defaultdict(list)
    for at, (own, name) in enumerate(zip(found, right, strict=True)):
        groups[own].append(at)
        wanted[name].append(at)
    exact = (places for places in groups.values() if places == wanted[right[places[0]]])
    return sum(map(len, exact)) / len(right)


def grouped(errors: Iterable[str]) -> list[Words]:
    """The template of each error, once all of them were seen in this order; the engine
    keeps these in its store.

    >>> one, other = grouped(["user 17 is locked", "user 18 is locked"])
    >>> one == other
    True
    """
    lines = [words_of(error) for error in errors]
    buckets: dict[int, set[Words]] = {}
    for line in lines:
        bucket = buckets.setdefault(len(line), set())
        where = place(line, bucket)
        bucket.difference_update(where.replaced)
        bucket.add(where.template)
    templates = {line: fitting(line, buckets[len(line)]) or line for line in set(lines)}
    return [templates[line] for line in lines]
