"""`eval`: how well retrieval finds things, on anyone's data."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Final

import typer

from hexad.cli import screen
from hexad.cli.options import AsJson  # noqa: TC001
from hexad.cli.screen import Column
from hexad.errors import EvalError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexad.evals.metrics import Quality
    from hexad.evals.run import SetResult

_FIGURES: Final = (
    Column("set", "fold"),
    Column("by"),
    Column("R@5"),
    Column("R@10"),
    Column("MRR"),
    Column("nDCG"),
    Column("p50ms"),
    Column("p95ms"),
)
_LEARNED: Final = (
    Column("set", "fold"),
    Column("uses"),
    Column("questions"),
    Column("R@5 before"),
    Column("R@5 after"),
    Column("gain"),
)
_FOREIGN: Final = (
    Column("set", "fold"),
    Column("foreign"),
    Column("answered with nothing"),
    Column("R@5 lost by the floor"),
)


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("eval", epilog="Example: hexad eval my-data --queries 300 --baseline fts5,like --out report.html")(
        eval_
    )


def eval_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds LAYER/SET/corpus.jsonl and queries.jsonl.")],
    *,
    queries: Annotated[int | None, typer.Option(min=1, metavar="N", help="The first N questions of each set.")] = None,
    baseline: Annotated[str, typer.Option(metavar="NAMES", help="like, fts5, bm25s, static; with commas.")] = "",
    no_semantic: Annotated[bool, typer.Option("--no-semantic", help="By words alone.")] = False,
    feedback: Annotated[
        str, typer.Option(metavar="N[,N…]", help="Replay N uses of each item, and ask the other questions.")
    ] = "",
    foreign: Annotated[bool, typer.Option("--foreign", help="Ask each set the questions of other layers too.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with charts.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure recall, ranking and speed on questions with known answers; also how errors and scripts are judged."""
    from hexad.cli import learning_figures
    from hexad.evals.data import doubts, read_sets
    from hexad.evals.learning import measure_learning
    from hexad.evals.report import as_json as told
    from hexad.evals.report import as_page
    from hexad.evals.run import Plan, evaluate

    plan = Plan(queries, _names(baseline), not no_semantic, _numbers(feedback), foreign)
    with screen.steps() as step:
        learned = measure_learning(folder, step)
        sets = read_sets(folder, required=not learned)
        results = evaluate(sets, plan, progress=step)
    for doubt in doubts(sets):
        screen.remark(doubt)
    if feedback and results:
        screen.remark("figures of sets that were taught are after the most uses, on the questions that taught nothing")
    if out is not None:
        _write_page(out, as_page(results, learned.as_json()))
    if as_json:
        screen.emit({**(told(results) if results else {}), **learned.as_json()})
    else:
        if results:
            show(results)
        learning_figures.show(learned)


def show(results: Sequence[SetResult]) -> None:
    """Every set, every layer and the mean, as a table; then what use taught, and what was answered with nothing."""
    if any(result.feedback for result in results):
        screen.table(_LEARNED, list(_learned_rows(results)))
    if any(result.foreign for result in results):
        screen.table(_FOREIGN, list(_foreign_rows(results)))
    screen.table(_FIGURES, list(_rows(results)))


def _names(told: str) -> list[str]:
    return [name.strip() for name in told.split(",") if name.strip()]


def _numbers(told: str) -> list[int]:
    names = _names(told)
    if not all(name.isascii() and name.isdigit() and int(name) for name in names):
        raise InvalidInput("--feedback", f"must be whole numbers of at least 1, with commas, not {told!r}")
    return [int(name) for name in names]


def _write_page(file: Path, page: str) -> None:
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EvalError(str(file), f"cannot be written: {error.strerror}; choose another place") from error


def _rows(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:
    from hexad.evals.report import OURS, baseline_names, quality_of
    from hexad.evals.run import by_layer, overall

    names = [OURS, *baseline_names(results)]
    for result in results:
        for name in names:
            measured = result.hexad if name == OURS else result.baselines[name]
            speed = f"{measured.p50_ms:.2f}", f"{measured.p95_ms:.2f}"
            yield result.data.path, name, *_shown(measured.quality), *speed
    for name in names:
        for layer, quality in by_layer(results, quality_of(name)).items():
            yield layer.value, name, *_shown(quality), "", ""
    for name in names:
        yield "mean of the layers", name, *_shown(overall(results, quality_of(name))), "", ""


def _learned_rows(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:
    for result in results:
        for each in result.feedback:
            before, after = each.before.quality.recall_at_5, each.after.quality.recall_at_5
            figures = (f"{before:.3f}", f"{after:.3f}", f"{after - before:+.3f}") if each.questions else ("", "", "")
            yield result.data.path, str(each.uses), str(each.questions), *figures


def _foreign_rows(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:
    from hexad.evals.report import recall_lost, unanswered

    for result in results:
        if result.foreign:
            figures = f"{result.foreign.share:.3f}", f"{result.foreign.recall_lost:.4f}"
            yield result.data.path, str(result.foreign.questions), *figures
    yield "mean", "", f"{unanswered(results):.3f}", f"{recall_lost(results):.4f}"


def _shown(quality: Quality) -> tuple[str, str, str, str]:
    figures = (quality.recall_at_5, quality.recall_at_10, quality.mrr, quality.ndcg_at_10)
    one, two, three, four = (f"{figure:.3f}" for figure in figures)
    return one, two, three, four
