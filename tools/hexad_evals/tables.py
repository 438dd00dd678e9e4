"""Figures as JSON and as tables of text, for the terminal and for the page."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")


class FigureTable(NamedTuple):
    """The names of the columns, of which the first is the title too, and the rows."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class Figures(NamedTuple):
    """The figures of one kind of evaluation: JSON of a documented shape, and the same
    for people.
    """

    json: Mapping[str, Any]
    tables: Sequence[FigureTable]


def mean(values: Sequence[float], otherwise: float = 0.0) -> float:
    """The mean, or the share of what is true."""
    return round(fmean(values), 4) if values else otherwise


def figures_by_set(
    title: str,
    sets: Mapping[str, Sequence[T]],
    figures: Callable[[Sequence[T]], dict[str, float]],
    *names: str,
) -> Figures:
    """The figures of all outcomes and of each set; the table has those that are named."""
    every = figures([each for outcomes in sets.values() for each in outcomes])
    shares = {name: figures(outcomes) for name, outcomes in sets.items()}
    rows = [
        (path, *(f"{each[name]:.3f}" for name in names))
        for path, each in {**shares, "all": every}.items()
    ]
    return Figures(
        {**every, "sets": shares},
        [FigureTable((title, *(name.replace("_", " ") for name in names)), rows)],
    )
