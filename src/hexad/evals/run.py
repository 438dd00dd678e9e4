"""Measure each set in a new store, every question once, with the baselines in the same run."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from hexad.evals.baselines import chosen
from hexad.evals.feedback import split, teach
from hexad.evals.loading import load, views
from hexad.evals.metrics import Quality, mean, quality
from hexad.facade import Hexad

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from hexad.evals.baselines import Builder
    from hexad.evals.data import EvalSet, Question
    from hexad.model import Layer

    Progress: TypeAlias = Callable[[str, int, int], None]  # step, done, total

DEPTH = 10  # items asked for: what recall at ten and nDCG at ten need
FOREIGN = 150  # questions of other layers that a set is asked


@dataclass(frozen=True, slots=True)
class Measured:
    """Quality and speed of Hexad or of a baseline on a set."""

    quality: Quality
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Taught:
    """The same questions before and after uses of each item were replayed."""

    uses: int  # of each item, at most
    questions: int  # that were left to ask
    before: Measured
    after: Measured


@dataclass(frozen=True, slots=True)
class Foreign:
    """Questions of other layers: how many found nothing, and the recall that the floor costs."""

    questions: int
    unanswered: int
    recall_lost: float  # at five, of the set's own questions

    @property
    def share(self) -> float:
        """The share that found nothing."""
        return self.unanswered / self.questions if self.questions else 0.0


@dataclass(frozen=True, slots=True)
class SetResult:
    """Figures of Hexad and of the baselines on one set; after feedback, on the questions that were not replayed."""

    data: EvalSet
    questions: int
    hexad: Measured
    baselines: Mapping[str, Measured] = field(default_factory=dict)
    feedback: tuple[Taught, ...] = ()
    foreign: Foreign | None = None

    @property
    def layer(self) -> Layer:
        """The layer it was measured in."""
        return self.data.layer

    def measured(self, name: str) -> Measured:
        """The figures of a baseline, or of Hexad."""
        return self.baselines.get(name, self.hexad)


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a measurement."""

    queries: int | None = None  # only the first questions of each set
    baselines: Sequence[str] = ()
    semantic: bool = True
    feedback: Sequence[int] = ()  # uses of each item to replay, one run for each number
    foreign: bool = False


def evaluate(sets: Sequence[EvalSet], plan: Plan | None = None, *, progress: Progress) -> tuple[SetResult, ...]:
    """Measure every set."""
    wanted = plan or Plan()
    builders = chosen(wanted.baselines)
    return tuple(_evaluate(each, sets, wanted, builders, progress) for each in sets)


def _evaluate(
    data: EvalSet, sets: Sequence[EvalSet], plan: Plan, builders: Mapping[str, Builder], progress: Progress
) -> SetResult:
    learned = tuple(_learned(data, plan, uses, progress) for uses in sorted(set(plan.feedback)))
    taught = next((each for each in reversed(learned) if each.questions), None)
    asked = (split(data, taught.uses)[1] if taught else data.questions)[: plan.queries]
    with _engines(data, plan, progress) as engines:
        ours = taught.after if taught else _measure(asked, _asker(engines, data), f"{data.path}: asking", progress)
        foreign = _foreign(engines, data, sets, asked, progress) if plan.foreign else None
    others = {name: _measure_baseline(data, asked, name, build, progress) for name, build in builders.items()}
    return SetResult(data, len(asked), ours, others, learned, foreign)


@contextmanager
def _engines(data: EvalSet, plan: Plan, progress: Progress) -> Iterator[Mapping[str, Hexad]]:
    """A new store with the set's items, and an engine for each of its groups."""
    with (
        tempfile.TemporaryDirectory(prefix="hexad-eval-") as folder,
        Hexad.open(Path(folder) / "eval.db", enabled=True, semantic=plan.semantic) as hx,
    ):
        yield load(hx, data, lambda done: progress(f"{data.path}: storing", done, len(data.corpus)))


def _asker(engines: Mapping[str, Hexad], data: EvalSet) -> Callable[[Question], Sequence[str]]:
    def ask(question: Question) -> Sequence[str]:
        engine = engines.get(question.group)
        found = engine.retrieve(question.text, layers=[data.layer], max_per_layer=DEPTH) if engine else None
        return [item.key for item in found.all()] if found else ()

    for engine in list(engines.values())[:1]:
        engine.retrieve("warm up the embedder", layers=[data.layer])  # loading must not count as a question's time
    return ask


def _learned(data: EvalSet, plan: Plan, uses: int, progress: Progress) -> Taught:
    """Replay uses on a new store, and ask the remaining questions before and after."""
    lessons, left = split(data, uses)
    asked = left[: plan.queries]
    with _engines(data, plan, progress) as engines:
        ask = _asker(engines, data)
        before = _measure(asked, ask, f"{data.path}: before feedback", progress)
        teach(engines, data, lessons, lambda done: progress(f"{data.path}: {uses} uses", done, len(lessons)))
        after = _measure(asked, ask, f"{data.path}: after feedback", progress)
    return Taught(uses, len(asked), before, after)


def _foreign(
    engines: Mapping[str, Hexad], data: EvalSet, sets: Sequence[EvalSet], asked: Sequence[Question], progress: Progress
) -> Foreign:
    """Measure the floor: questions of other layers, and the set's own questions with and without it."""
    questions, unanswered = _ask_foreign(engines, data, sets, progress)
    one = next(iter(engines.values()))
    with Hexad.open(one.store.location, enabled=True, semantic=one.settings.semantic, floor=False) as hx:
        without = _measure(asked, _asker(views(hx, data), data), f"{data.path}: without the floor", progress)
    held = _measure(asked, _asker(engines, data), f"{data.path}: with the floor", progress)
    lost = without.quality.recall_at_5 - held.quality.recall_at_5
    return Foreign(questions, unanswered, lost)


def _ask_foreign(
    engines: Mapping[str, Hexad], data: EvalSet, sets: Sequence[EvalSet], progress: Progress
) -> tuple[int, int]:
    """Ask a set questions of other layers; return how many were asked and how many found nothing."""
    others = [each for each in sets if each.layer is not data.layer]
    each_gives = FOREIGN // len(others) + 1 if others else 0
    asked = [question.text for other in others for question in other.questions[:each_gives]]
    turns, unanswered = list(engines.values()), 0
    for done, text in enumerate(asked):
        unanswered += not turns[done % len(turns)].retrieve(text, layers=[data.layer])
        progress(f"{data.path}: foreign questions", done + 1, len(asked))
    return len(asked), unanswered


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
