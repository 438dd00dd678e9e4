"""The figures of retrieval: JSON of a documented shape, tables, and a page."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment

from hexad_evals.run import Measured, SetResult, by_layer, overall
from hexad_evals.tables import FigureTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hexad.model import Layer
    from hexad_evals.metrics import Quality

OURS: Final = "hexad"
_PAGE: Final = Path(__file__).with_name("report.html")


def as_json(results: Sequence[SetResult], misses: int = 0) -> dict[str, Any]:
    """The documented shape: overall, each layer, each set with its baselines; and some
    misses of each set.
    """
    ours = quality_of(OURS)
    document: dict[str, Any] = {
        **overall(results, ours)._asdict(),
        "layers": {
            layer.value: quality._asdict()
            for layer, quality in by_layer(results, ours).items()
        },
        "sets": {result.data.path: _set_json(result) for result in results},
        "baselines": {
            name: overall(results, quality_of(name))._asdict()
            for name in baseline_names(results)
        },
    }
    if misses:
        document["misses"] = {
            result.data.path: [miss._asdict() for miss in result.hexad.misses[:misses]]
            for result in results
        }
    if any(result.foreign for result in results):
        document["foreign"] = {
            "unanswered": unanswered(results),
            "recall_lost": recall_lost(results),
        }
    return document


def as_page(tables: Iterable[FigureTable], note: str) -> str:
    """A page that needs nothing else, with a note under its title. A share from 0 to 1
    is also a bar.
    """
    environment = Environment(autoescape=True)
    environment.filters["share"] = lambda text: (
        float(text) if re.fullmatch(r"[01]\.\d+", text) else 0.0
    )
    return environment.from_string(_PAGE.read_text(encoding="utf-8")).render(
        tables=tables, note=note
    )


def retrieval_tables(
    results: Sequence[SetResult], misses: int = 0
) -> Iterator[FigureTable]:
    """Questions of other layers, then every set, layer and the mean."""
    if any(result.foreign for result in results):
        foreign = list(_foreign_rows(results))
        yield FigureTable(
            ("set", "foreign", "answered with nothing", "R@5 lost by the floor"),
            foreign,
        )
    if results:
        yield FigureTable(
            ("set", "by", "R@5", "R@10", "MRR", "nDCG", "p50", "p95"),
            list(_figures(results)),
        )
    missed = [
        (
            result.data.path,
            miss.question,
            ", ".join(miss.missing),
            ", ".join(miss.found),
        )
        for result in results
        for miss in result.hexad.misses[:misses]
    ]
    if missed:
        yield FigureTable(("missed", "question", "answer", "found instead"), missed)


def unanswered(results: Sequence[SetResult]) -> float:
    """The share of questions of other layers that found nothing, mean of the sets."""
    return fmean(result.foreign.share for result in results if result.foreign)


def recall_lost(results: Sequence[SetResult]) -> float:
    """The recall at five that the floor costs, mean of the layers' means."""
    layers: dict[Layer, list[float]] = {}
    for result in results:
        if result.foreign:
            layers.setdefault(result.data.layer, []).append(result.foreign.recall_lost)
    return fmean(fmean(lost) for lost in layers.values())


def baseline_names(results: Sequence[SetResult]) -> list[str]:
    """The baselines that ran, in the order they were asked for."""
    return list(results[0].baselines) if results else []


def quality_of(name: str) -> Callable[[SetResult], Quality]:
    """A function that reads the quality of Hexad or of a baseline from a result."""
    return lambda result: result.measured(name).quality


def _set_json(result: SetResult) -> dict[str, Any]:
    document: dict[str, Any] = {
        **_measured(result.hexad),
        "queries": result.questions,
        "baselines": {
            name: _measured(measured) for name, measured in result.baselines.items()
        },
    }
    if result.foreign:
        document["foreign"] = {
            "queries": result.foreign.questions,
            "unanswered": round(result.foreign.share, 4),
            "recall_lost": round(result.foreign.recall_lost, 4),
        }
    return document


def _measured(measured: Measured) -> dict[str, float]:
    return {
        **measured.quality._asdict(),
        "p50_ms": round(measured.p50_ms, 4),
        "p95_ms": round(measured.p95_ms, 4),
    }


def _figures(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:
    names = [OURS, *baseline_names(results)]
    for result in results:
        for name in names:
            measured = result.measured(name)
            speed = f"{measured.p50_ms:.2f} ms", f"{measured.p95_ms:.2f} ms"
            yield result.data.path, name, *_shown(measured.quality), *speed
    for name in names:
        for layer, quality in by_layer(results, quality_of(name)).items():
            yield layer.value, name, *_shown(quality), "", ""
    for name in names:
        yield (
            "mean of the layers",
            name,
            *_shown(overall(results, quality_of(name))),
            "",
            "",
        )


def _foreign_rows(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:
    for result in results:
        if result.foreign:
            figures = f"{result.foreign.share:.3f}", f"{result.foreign.recall_lost:.4f}"
            yield result.data.path, str(result.foreign.questions), *figures
    yield "mean", "", f"{unanswered(results):.3f}", f"{recall_lost(results):.4f}"


def _shown(quality: Quality) -> Iterator[str]:
    return (f"{figure:.3f}" for figure in quality)
