"""`make eval`: measure retrieval on the shared data; print tables and write them into
docs/retrieval.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import bm25s
from rich.progress import Progress

from benchmarks.figures import fill
from hexad.cli.setup.evaluating import show
from hexad.model import Item
from hexad.semantic import ENCODER_PACKAGES, installed
from hexad.settings import ENCODER
from hexad_evals.baselines import BASELINES
from hexad_evals.data import EvalQuestion, EvalSet, read_sets
from hexad_evals.report import (
    OURS,
    baseline_names,
    quality_of,
    recall_lost,
    retrieval_tables,
    unanswered,
)
from hexad_evals.run import Measured, Measurement, Plan, SetResult, evaluate, overall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from hexad_evals.baselines import Answer
    from hexad_evals.data import EvalItem

    Configurations: TypeAlias = Mapping[str, tuple[SetResult, ...]]

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "evals"
USES = (3, 10, 30)
TAUGHT = "tool_registry/metatool"  # the one set with so many questions for each item


def main() -> int:
    if not DATA.is_dir():
        print(
            "There is no evaluation data at ../shared/evals; run `hexad eval` on your own folder."
        )
        return 0
    sets = read_sets(DATA)
    whole = _run(sets, Plan(baselines={**BASELINES, "bm25s": bm25}, foreign=True))
    words = _run(sets, Plan(embedder="none", foreign=True))
    encoder = (
        _run(sets, Plan(embedder=ENCODER, foreign=True))
        if installed(ENCODER_PACKAGES)
        else ()
    )
    taught = next(each for each in sets if each.path == TAUGHT)
    configurations = {
        "static": whole,
        "words alone": words,
        **({"encoder": encoder} if encoder else {}),
    }
    for results in configurations.values():
        show(retrieval_tables(results))
    page = ROOT / "docs" / "retrieval.md"
    fill(page, _table(configurations))
    fill(page, _foreign(configurations), "foreign")
    fill(page, _feedback(measure_feedback(taught, USES)), "feedback")
    return 0


@contextmanager
def bm25(documents: Sequence[EvalItem]) -> Iterator[Answer]:
    """The package bm25s with its defaults; rows that score 0 are no answer."""

    def tokens(texts: list[str]) -> object:
        return bm25s.tokenize(texts, stopwords="en", show_progress=False)

    index = bm25s.BM25()
    index.index(tokens([each.text for each in documents]), show_progress=False)

    def answer(question: str, limit: int) -> Sequence[str]:
        most = min(limit, len(documents))
        places, scores = index.retrieve(tokens([question]), k=most, show_progress=False)
        return [
            documents[place].id
            for place, score in zip(places[0], scores[0], strict=True)
            if score > 0
        ]

    yield answer


def _run(
    sets: tuple[EvalSet, ...] | list[EvalSet], plan: Plan
) -> tuple[SetResult, ...]:
    with _progress() as step:
        return tuple(evaluate(sets, plan, progress=step))


class Taught(NamedTuple):
    """The same questions before and after some uses of each item were replayed."""

    uses: int  # of each item, at most
    questions: int  # that were left to ask
    before: Measured
    after: Measured

    @property
    def gain(self) -> float:
        """The recall at five that the uses brought."""
        return self.after.quality.recall_at_5 - self.before.quality.recall_at_5


def measure_feedback(
    data: EvalSet, uses: Sequence[int], plan: Plan | None = None
) -> Iterator[Taught]:
    """For each number: the first questions of each item are reported as uses of it, the
    others are asked.
    """
    with _progress() as step:
        measurement = Measurement(data, [data], plan or Plan(), step)
        for most in uses:
            lessons, left = _split(data, most)
            with measurement.engines() as engines:
                before = measurement.measured(
                    left, measurement.asker(engines), "before feedback"
                )
                for done, (question, key) in enumerate(lessons, start=1):
                    item = Item(
                        layer=data.layer, id=key, key=key, content="", category=""
                    )
                    engines[question.group].used(item, question.text)
                    step(f"{most} uses", done, len(lessons))
                after = measurement.measured(
                    left, measurement.asker(engines), "after feedback"
                )
            yield Taught(most, len(left), before, after)


def _split(
    data: EvalSet, uses: int
) -> tuple[list[tuple[EvalQuestion, str]], list[EvalQuestion]]:
    """The first ``uses`` questions of each item with its id, and the remaining
    questions.
    """
    lessons, left, taught = (
        list[tuple[EvalQuestion, str]](),
        list[EvalQuestion](),
        Counter[tuple[str, str]](),
    )
    for question in data.questions:
        wanting = [
            each
            for each in sorted(question.relevant)
            if taught[question.group, each] < uses
        ]
        taught.update((question.group, each) for each in wanting)
        lessons += [(question, each) for each in wanting]
        left += [] if wanting else [question]
    return lessons, left


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    with Progress(transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )


def _recall(results: tuple[SetResult, ...], name: str) -> float:
    return overall(results, quality_of(name)).recall_at_5


def _table(configurations: Configurations) -> str:
    """Recall of each configuration and baseline, then the median milliseconds of a
    retrieve with each configuration.
    """
    whole = configurations["static"]
    names = baseline_names(whole)
    titles = (
        *configurations,
        *(f"{name} *" for name in names),
        *(f"ms, {name}" for name in configurations),
    )
    lines = [f"| recall@5 | {' | '.join(titles)} |", "|---|" + "---|" * len(titles)]
    for place, each in enumerate(whole):
        ours = [results[place].hexad for results in configurations.values()]
        qualities = [
            *(measured.quality for measured in ours),
            *(quality_of(name)(each) for name in names),
        ]
        recalls = [f"{quality.recall_at_5:.3f}" for quality in qualities]
        times = [f"{measured.p50_ms:.1f}" for measured in ours]
        lines.append(f"| {each.data.path} | {' | '.join((*recalls, *times))} |")
    means = [
        *(_recall(results, OURS) for results in configurations.values()),
        *(_recall(whole, name) for name in names),
    ]
    last = (*(f"**{mean:.3f}**" for mean in means), *([""] * len(configurations)))
    return "\n".join([*lines, f"| mean of the layers' means | {' | '.join(last)} |"])


def _foreign(configurations: Configurations) -> str:
    titles = [f"{name}: nothing | recall@5 lost" for name in configurations]
    lines = [f"| set | {' | '.join(titles)} |", "|---|" + "---|---|" * len(titles)]
    for place, each in enumerate(configurations["static"]):
        found = [results[place].foreign for results in configurations.values()]
        shown = [f"{one.share:.2f} | {one.recall_lost:.3f}" for one in found if one]
        lines.append(f"| {each.data.path} | {' | '.join(shown)} |")
    means = [
        f"**{unanswered(each):.3f}** | **{recall_lost(each):.3f}**"
        for each in configurations.values()
    ]
    return "\n".join([*lines, f"| mean | {' | '.join(means)} |"])


def _feedback(learned: Iterable[Taught]) -> str:
    lines = [
        "| set | uses of each item | questions left | before | after | gain |",
        "|---|---|---|---|---|---|",
    ]
    rows = [
        f"| {TAUGHT} | {each.uses} | {each.questions:,} | {each.before.quality.recall_at_5:.3f} "
        f"| {each.after.quality.recall_at_5:.3f} | {each.gain:+.3f} |"
        for each in learned
    ]
    return "\n".join([*lines, *rows])


if __name__ == "__main__":
    sys.exit(main())
