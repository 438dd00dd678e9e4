"""Measure each set in a new store, every question once, with the baselines in the same
run.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hexad.facade import Hexad
from hexad.model import DEFAULT_NAMESPACE, Layer
from hexad.settings import STATIC
from hexad_evals.loading import load, views
from hexad_evals.metrics import Quality, mean, quality

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from hexad_evals.baselines import Baseline
    from hexad_evals.data import EvalQuestion, EvalSet

    Progress: TypeAlias = Callable[[str, int, int], None]  # step, done, total
    Ask: TypeAlias = Callable[[EvalQuestion], Sequence[str]]

DEPTH = 10  # items asked for: what recall at ten and nDCG at ten need
FOREIGN = 150  # questions of other layers that a set is asked


class Miss(NamedTuple):
    """A question, its answers that were not among the first five, and what was found
    instead.
    """

    question: str
    missing: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """Quality and speed of Hexad or of a baseline on a set."""

    quality: Quality
    p50_ms: float
    p95_ms: float
    misses: tuple[Miss, ...] = ()  # questions that lack an answer among the first five


@dataclass(frozen=True, slots=True)
class Foreign:
    """Questions of other layers: how many found nothing, and the recall that the floor
    costs.
    """

    questions: int
    unanswered: int
    recall_lost: float  # at five, of the set's own questions

    @property
    def share(self) -> float:
        """The share that found nothing."""
        return self.unanswered / self.questions if self.questions else 0.0


@dataclass(frozen=True, slots=True)
class SetResult:
    """Figures of Hexad and of the baselines on one set."""

    data: EvalSet
    questions: int
    hexad: Measured
    baselines: Mapping[str, Measured] = field(default_factory=dict)
    foreign: Foreign | None = None

    def measured(self, name: str) -> Measured:
        """The figures of a baseline, or of Hexad."""
        return self.baselines.get(name, self.hexad)


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a measurement."""

    queries: int | None = None  # only so many questions of each set, drawn at random
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    embedder: str = STATIC
    foreign: bool = False
    seed: int = 0  # of the draw
    live: Hexad | None = (
        None  # the memory that is asked; without one, a new store with the set's items
    )

    def drawn(self, questions: Sequence[EvalQuestion]) -> Sequence[EvalQuestion]:
        """The questions to ask, in the order of the file."""
        if self.queries is None or self.queries >= len(questions):
            return questions
        places = Random(self.seed).sample(range(len(questions)), self.queries)  # noqa: S311 - a sample, no secret
        return [questions[place] for place in sorted(places)]


def evaluate(
    sets: Sequence[EvalSet], plan: Plan | None = None, *, progress: Progress
) -> Iterator[SetResult]:
    """Measure one set after the other."""
    return (Measurement(each, sets, plan or Plan(), progress).result() for each in sets)


@dataclass(frozen=True, slots=True)
class Measurement:
    """Measures one of the sets."""

    data: EvalSet
    sets: Sequence[EvalSet]
    plan: Plan
    progress: Progress

    def result(self) -> SetResult:
        """Hexad's figures and those of the baselines."""
        asked = self.plan.drawn(self.data.questions)
        with self.engines() as engines:
            ours = self.measured(asked, self.asker(engines), "asking")
            foreign = (
                self._foreign(engines, asked, ours.quality.recall_at_5)
                if self.plan.foreign
                else None
            )
        others = {
            name: self._baseline(asked, name, build)
            for name, build in self.plan.baselines.items()
        }
        return SetResult(self.data, len(asked), ours, others, foreign)

    @contextmanager
    def engines(self) -> Iterator[Mapping[str, Hexad]]:
        """A new store with the set's items, and an engine for each of its groups."""
        if self.plan.live is not None:
            live, groups = (
                self.plan.live,
                {question.group for question in self.data.questions},
            )
            yield {
                each: live if each == DEFAULT_NAMESPACE else live.scoped(namespace=each)
                for each in groups
            }
            return
        with (
            tempfile.TemporaryDirectory(prefix="hexad-eval-") as folder,
            Hexad.open(
                Path(folder) / "eval.db",
                enabled=True,
                semantic=True,
                embedder=self.plan.embedder,
            ) as hx,
        ):
            yield load(
                hx,
                self.data,
                lambda done: self._report("storing", done, len(self.data.corpus)),
            )

    def asker(self, engines: Mapping[str, Hexad]) -> Ask:
        """A function that asks the engine of a question's group."""
        layers = [self.data.layer]

        def ask(question: EvalQuestion) -> Sequence[str]:
            engine = engines.get(question.group)
            found = (
                engine.retrieve(question.text, layers=layers, max_per_layer=DEPTH)
                if engine
                else None
            )
            return [item.key for item in found.all()] if found else ()

        for engine in list(engines.values())[:1]:
            engine.retrieve(
                "warm up the embedder", layers=layers
            )  # loading must not count as a question's time
        return ask

    def _foreign(
        self, engines: Mapping[str, Hexad], asked: Sequence[EvalQuestion], recall: float
    ) -> Foreign:
        """Measure the floor: questions of other layers, and the set's own questions
        without it.
        """
        others = [each for each in self.sets if each.layer is not self.data.layer]
        each_gives = FOREIGN // len(others) + 1 if others else 0
        texts = [
            question.text
            for other in others
            for question in other.questions[:each_gives]
        ]
        turns, unanswered = list(engines.values()), 0
        for done, text in enumerate(texts):
            unanswered += not turns[done % len(turns)].retrieve(
                text, layers=[self.data.layer]
            )
            self._report("foreign questions", done + 1, len(texts))
        location, embedder = turns[0].store.location, self.plan.embedder
        with Hexad.open(
            location, enabled=True, semantic=True, embedder=embedder, floor=False
        ) as hx:
            without = self.measured(
                asked, self.asker(views(hx, self.data)), "without the floor"
            )
        return Foreign(len(texts), unanswered, without.quality.recall_at_5 - recall)

    def _baseline(
        self, asked: Sequence[EvalQuestion], name: str, build: Baseline
    ) -> Measured:
        with ExitStack() as stack:
            built = {
                group: stack.enter_context(build(each))
                for group, each in self.data.groups().items()
            }
            return self.measured(
                asked,
                lambda each: (
                    built[each.group](each.text, DEPTH) if each.group in built else ()
                ),
                name,
            )

    def measured(self, asked: Sequence[EvalQuestion], ask: Ask, what: str) -> Measured:
        """Quality and speed of the answers to some questions."""
        answers: list[tuple[Sequence[str], Collection[str]]] = []
        times: list[float] = []
        for done, question in enumerate(asked, start=1):
            started = perf_counter()
            found = ask(question)
            times.append((perf_counter() - started) * 1000)
            answers.append((found, question.relevant))
            self._report(what, done, len(asked))
        misses = (
            Miss(
                question.text,
                tuple(sorted(question.relevant - {*found[:5]})),
                tuple(found[:5]),
            )
            for question, (found, _) in zip(asked, answers, strict=True)
        )
        return Measured(
            quality(answers),
            *_percentiles(times),
            tuple(miss for miss in misses if miss.missing),
        )

    def _report(self, what: str, done: int, total: int) -> None:
        self.progress(f"{self.data.path}: {what}", done, total)


def _percentiles(times: Sequence[float]) -> tuple[float, float]:
    if len(times) < 2:
        return (times[0], times[0]) if times else (0.0, 0.0)
    cuts = quantiles(times, n=100, method="inclusive")
    return cuts[49], cuts[94]


def by_layer(
    results: Sequence[SetResult], of: Callable[[SetResult], Quality]
) -> dict[Layer, Quality]:
    """The mean of each layer's sets."""
    layers = dict.fromkeys(result.data.layer for result in results)
    return {
        layer: mean(of(result) for result in results if result.data.layer is layer)
        for layer in layers
    }


def overall(
    results: Sequence[SetResult], of: Callable[[SetResult], Quality]
) -> Quality:
    """The mean of the layers' means."""
    return mean(list(by_layer(results, of).values()))
