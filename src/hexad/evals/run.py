"""Sets → figures: each set in a fresh store, every question asked once, baselines beside it in the same run."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from hexad.bootstrap import Hexad
from hexad.evals.baselines import chosen
from hexad.evals.loading import load
from hexad.evals.metrics import Quality, mean, quality

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from hexad.evals.baselines import Builder
    from hexad.evals.data import EvalSet, Question
    from hexad.model import Layer

    Progress: TypeAlias = Callable[[str, int, int], None]  # what, done, of how many

DEPTH = 10  # items asked for: what recall at ten and nDCG at ten need


@dataclass(frozen=True, slots=True)
class Measured:
    """How well and how fast one way answered a set's questions."""

    quality: Quality
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class SetResult:
    """Hexad's figures on one set, and the baselines'."""

    data: EvalSet
    questions: int
    hexad: Measured
    baselines: Mapping[str, Measured] = field(default_factory=dict)

    @property
    def layer(self) -> Layer:
        """The layer it was measured in."""
        return self.data.layer


def evaluate(
    sets: Sequence[EvalSet], *, queries: int | None = None, baselines: Sequence[str] = (), progress: Progress
) -> tuple[SetResult, ...]:
    """Measure every set; ``queries`` takes the first so many questions of each."""
    builders = chosen(baselines)
    return tuple(_evaluate(each, queries, builders, progress) for each in sets)


def _evaluate(data: EvalSet, queries: int | None, builders: Mapping[str, Builder], progress: Progress) -> SetResult:
    asked = data.questions[:queries]
    ours = _measure_hexad(data, asked, progress)
    others = {name: _measure_baseline(data, asked, name, build, progress) for name, build in builders.items()}
    return SetResult(data, len(asked), ours, others)


def _measure_hexad(data: EvalSet, asked: Sequence[Question], progress: Progress) -> Measured:
    with (
        tempfile.TemporaryDirectory(prefix="hexad-eval-") as folder,
        Hexad.open(Path(folder) / "eval.db", enabled=True) as hx,
    ):
        engines = load(hx, data, lambda done: progress(f"{data.path}: storing", done, len(data.corpus)))

        def ask(question: Question) -> Sequence[str]:
            engine = engines.get(question.group)
            found = engine.retrieve(question.text, layers=[data.layer], max_per_layer=DEPTH) if engine else None
            return [item.key for item in found.all()] if found else ()

        return _measure(asked, ask, f"{data.path}: asking", progress)


def _measure_baseline(
    data: EvalSet, asked: Sequence[Question], name: str, build: Builder, progress: Progress
) -> Measured:
    built = {group: build(documents) for group, documents in data.groups().items()}

    def ask(question: Question) -> Sequence[str]:
        baseline = built.get(question.group)
        return baseline.ask(question.text, DEPTH) if baseline else ()

    try:
        return _measure(asked, ask, f"{data.path}: {name}", progress)
    finally:
        for baseline in built.values():
            baseline.close()


def _measure(
    asked: Sequence[Question],
    ask: Callable[[Question], Sequence[str]],
    what: str,
    progress: Progress,
) -> Measured:
    answers: list[tuple[Sequence[str], Collection[str]]] = []
    times: list[float] = []
    for done, question in enumerate(asked, start=1):
        started = perf_counter()
        found = ask(question)
        times.append((perf_counter() - started) * 1000)
        answers.append((found, question.relevant))
        progress(what, done, len(asked))
    return Measured(quality(answers), *_percentiles(times))


def _percentiles(times: Sequence[float]) -> tuple[float, float]:
    if len(times) < 2:
        return (times[0], times[0]) if times else (0.0, 0.0)
    cuts = quantiles(times, n=100, method="inclusive")
    return cuts[49], cuts[94]


def by_layer(results: Sequence[SetResult], of: Callable[[SetResult], Quality]) -> dict[Layer, Quality]:
    """The mean of each layer's sets."""
    layers = dict.fromkeys(result.layer for result in results)
    return {layer: mean([of(result) for result in results if result.layer is layer]) for layer in layers}


def overall(results: Sequence[SetResult], of: Callable[[SetResult], Quality]) -> Quality:
    """The mean of the layers' means."""
    return mean(list(by_layer(results, of).values()))
