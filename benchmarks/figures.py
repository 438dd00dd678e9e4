"""A figure with its limit, and how figures are shown: on the terminal, and as a page."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """One number against its limit; a limit of None is for information."""

    name: str
    value: float
    limit: float | None
    unit: str = "×"
    detail: str = ""

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return "–"
        return "yes" if self.value <= self.limit else "NO"

    def row(self) -> tuple[str, str, str, str, str]:
        limit = (
            "" if self.limit is None else f"≤ {_digits(self.limit)} {self.unit}".strip()
        )
        return (
            self.name,
            f"{_digits(self.value)} {self.unit}".strip(),
            limit,
            self.verdict,
            self.detail,
        )


def _digits(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.3g}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Times of two ways to do the same work, taken in turns, in seconds."""

    ours: Sequence[float]
    theirs: Sequence[float]

    def ratio(self, share: float) -> float:
        return quantile(self.ours, share) / quantile(self.theirs, share)

    def detail(self, share: float) -> str:
        ours, theirs = (
            quantile(self.ours, share) * 1000,
            quantile(self.theirs, share) * 1000,
        )
        return f"{ours:.2f} ms against {theirs:.2f} ms"


def in_turns(
    ours: Sequence[Callable[[], object]], theirs: Sequence[Callable[[], object]]
) -> Pair:
    """Time both sides call by call, one after the other: what disturbs one of them
    disturbs both.
    """
    pairs = [
        (seconds(one), seconds(other)) for one, other in zip(ours, theirs, strict=True)
    ]
    return Pair([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def seconds(call: Callable[[], object]) -> float:
    started = perf_counter()
    call()
    return perf_counter() - started


def cpu_seconds(call: Callable[[], object]) -> float:
    """The time that all threads of the process worked."""
    started = process_time()
    call()
    return process_time() - started


def quantile(values: Sequence[float], share: float) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[
        round(share * 100) - 1
    ]


def show(title: str, figures: Sequence[Figure]) -> None:
    table = Table(title=title, title_justify="left")
    for heading in ("figure", "measured", "limit", "held", "detail"):
        table.add_column(heading)
    for figure in figures:
        colour = {"yes": "green", "NO": "bold red"}.get(figure.verdict, "dim")
        name, value, limit, verdict, detail = figure.row()
        table.add_row(name, value, limit, f"[{colour}]{verdict}[/{colour}]", detail)
    Console().print(table)


def as_markdown(figures: Sequence[Figure]) -> str:
    lines = ["| figure | measured | limit | held | detail |", "|---|---|---|---|---|"]
    return "\n".join(
        [*lines, *(f"| {' | '.join(figure.row())} |" for figure in figures)]
    )


def fill(page: Path, text: str, marker: str = "figures") -> None:
    """Put a text between the markers of a page."""
    old = page.read_text(encoding="utf-8")
    marked = re.compile(
        rf"(<!-- {marker} -->\n).*?(<!-- /{marker} -->)", flags=re.DOTALL
    )
    page.write_text(
        marked.sub(lambda found: f"{found[1]}{text}\n{found[2]}", old), encoding="utf-8"
    )
