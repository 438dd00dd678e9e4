"""Figures as tables of text, for the terminal and for the page."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.evals.life import figures
from hexad.evals.run import by_layer, overall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad.evals.failures import Replayed
    from hexad.evals.grouping import Grouped
    from hexad.evals.learning import Learned
    from hexad.evals.life import Lived
    from hexad.evals.metrics import Quality
    from hexad.evals.run import SetResult
    from hexad.model import Layer

OURS: Final = "hexad"
_OF_FIXED: Final = frozenset({"remedy_found", "retrieved_in_3"})  # counts that are shares of the fixed failures


class Table(NamedTuple):
    """The names of the columns, and the rows."""

    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


def retrieval_tables(results: Sequence[SetResult]) -> Iterator[Table]:
    """Feedback, questions of other layers, then every set, layer and the mean."""
    if any(result.feedback for result in results):
        uses = list(_feedback_rows(results))
        yield Table(("set", "uses", "questions", "R@5 before", "R@5 after", "gain"), uses)
    if any(result.foreign for result in results):
        foreign = list(_foreign_rows(results))
        yield Table(("set", "foreign", "answered with nothing", "R@5 lost by the floor"), foreign)
    if results:
        yield Table(("set", "by", "R@5", "R@10", "MRR", "nDCG", "p50ms", "p95ms"), list(_figures(results)))


def learning_tables(learned: Learned) -> Iterator[Table]:
    """A table for each other kind of evaluation that was measured."""
    if learned.life is not None:
        yield Table(("life", "given", "first", "noise", "silent"), list(_lived(learned.life)))
        if missed := list(_missed(learned.life)):
            yield Table(("not given", "message", "facts"), missed)
    if learned.grouping is not None:
        yield Table(("error grouping", OURS, *learned.grouping.baselines), list(_grouped(learned.grouping)))
    if learned.failures is not None:
        yield Table(("tool failures", "number", "share"), list(_replayed(learned.failures)))
    if learned.fixes is not None:
        figures = {name: value for name, value in learned.fixes.as_json().items() if name != "misses"}
        yield Table(("fixes", "share"), [(f"fixes: {name}", f"{value:g}") for name, value in figures.items()])
        yield Table(("missed", "fix that was offered"), [(place, fix or "none") for place, fix in learned.fixes.misses])
    judged = [
        (f"{kind}: {name}", f"{value:g}" if name == "count" else f"{value:.4f}")
        for kind, figures in (("shell_benign", learned.benign), ("shell_harmful", learned.harmful))
        if figures is not None
        for name, value in figures.as_json().items()
    ]
    if judged:
        yield Table(("scripts", "share"), list(judged))


def unanswered(results: Sequence[SetResult]) -> float:
    """The share of questions of other layers that found nothing, mean of the sets."""
    return fmean(result.foreign.share for result in results if result.foreign)


def recall_lost(results: Sequence[SetResult]) -> float:
    """The recall at five that the floor costs, mean of the layers' means."""
    layers: dict[Layer, list[float]] = {}
    for result in results:
        if result.foreign:
            layers.setdefault(result.layer, []).append(result.foreign.recall_lost)
    return fmean(fmean(lost) for lost in layers.values())


def baseline_names(results: Sequence[SetResult]) -> list[str]:
    """The baselines that ran, in the order they were asked for."""
    return list(results[0].baselines) if results else []


def quality_of(name: str) -> Callable[[SetResult], Quality]:
    """A function that reads the quality of Hexad or of a baseline from a result."""
    return lambda result: result.measured(name).quality


def _figures(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:
    names = [OURS, *baseline_names(results)]
    for result in results:
        for name in names:
            measured = result.measured(name)
            speed = f"{measured.p50_ms:.2f}", f"{measured.p95_ms:.2f}"
            yield result.data.path, name, *_shown(measured.quality), *speed
    for name in names:
        for layer, quality in by_layer(results, quality_of(name)).items():
            yield layer.value, name, *_shown(quality), "", ""
    for name in names:
        yield "mean of the layers", name, *_shown(overall(results, quality_of(name))), "", ""


def _feedback_rows(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:
    for result in results:
        for each in result.feedback:
            recall = [f"{asked.quality.recall_at_5:.3f}" for asked in (each.before, each.after)]
            figures = (*recall, f"{each.gain:+.3f}") if each.questions else ("", "", "")
            yield result.data.path, str(each.uses), str(each.questions), *figures


def _foreign_rows(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:
    for result in results:
        if result.foreign:
            figures = f"{result.foreign.share:.3f}", f"{result.foreign.recall_lost:.4f}"
            yield result.data.path, str(result.foreign.questions), *figures
    yield "mean", "", f"{unanswered(results):.3f}", f"{recall_lost(results):.4f}"


def _shown(quality: Quality) -> Iterator[str]:
    return (f"{figure:.3f}" for figure in (quality.recall_at_5, quality.recall_at_10, quality.mrr, quality.ndcg_at_10))


def _grouped(figures: Grouped) -> Iterator[tuple[str, ...]]:
    for system, own in figures.systems.items():
        others = (each[system] for each in figures.baselines.values())
        yield f"error_grouping/{system}", *(f"{value:.3f}" for value in (own, *others))
    means = (fmean(each.values()) for each in figures.baselines.values())
    yield "mean of the systems", *(f"{value:.3f}" for value in (figures.mean, *means))


def _lived(lived: Lived) -> Iterator[tuple[str, ...]]:
    every = [told for memory in lived.memories.values() for told in memory]
    for name, memory in (*lived.memories.items(), ("all messages", every)):
        found = figures(memory)
        yield name, *(f"{found[each]:.3f}" for each in ("given", "first", "noise", "silent"))


def _missed(lived: Lived) -> Iterator[tuple[str, ...]]:
    for name, memory in lived.memories.items():
        for told in memory:
            if told.missing:
                yield name, told.message.text, ", ".join(told.missing)


def _replayed(figures: Replayed) -> Iterator[tuple[str, ...]]:
    for name, value in figures.as_json().items():
        share = f"{value / figures.with_fix:.3f}" if name in _OF_FIXED and figures.with_fix else ""
        yield f"tool_failures: {name}", str(value), share
