"""`eval`: measure retrieval, error grouping, tool failures, fixes and the script check on your own data."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Final

import typer

from hexad.cli.options import AsJson
from hexad.cli.terminal import screen
from hexad.cli.terminal.screen import Column
from hexad.errors import EvalError, InvalidInput
from hexad.evals.data import doubts, read_sets
from hexad.evals.failures import Replayed
from hexad.evals.grouping import Grouped
from hexad.evals.learning import Learned, measure_learning
from hexad.evals.metrics import Quality
from hexad.evals.report import OURS, as_page, baseline_names, quality_of, recall_lost, unanswered
from hexad.evals.report import as_json as report_json
from hexad.evals.run import Plan, SetResult, by_layer, evaluate, overall

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
_REPLAYED: Final = (Column("tool failures", "fold"), Column("number"), Column("share"))
_FIXES: Final = (Column("fixes", "fold"), Column("share"))
_MISSED: Final = (Column("missed"), Column("fix that was offered", "fold"))
_JUDGED: Final = (Column("scripts", "fold"), Column("share"))

app = typer.Typer()


@app.command("eval", epilog="Example: hexad eval my-data --queries 300 --baseline fts5,like --out report.html")
def eval_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds LAYER/SET/corpus.jsonl and queries.jsonl.")],
    *,
    queries: Annotated[int | None, typer.Option(min=1, metavar="N", help="The first N questions of each set.")] = None,
    baseline: Annotated[
        str, typer.Option(metavar="NAMES", help="like, fts5, bm25s, static; separated by commas.")
    ] = "",
    no_semantic: Annotated[bool, typer.Option("--no-semantic", help="Search by words only.")] = False,
    feedback: Annotated[
        str, typer.Option(metavar="N[,N…]", help="Replay N uses of each item, then ask the remaining questions.")
    ] = "",
    foreign: Annotated[bool, typer.Option("--foreign", help="Ask each set the questions of other layers too.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with charts.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure recall, ranking and speed on questions with known answers; also error grouping and the script check."""
    plan = Plan(queries, _names(baseline), not no_semantic, _numbers(feedback), foreign)
    with screen.steps() as step:
        learned = measure_learning(folder, step)
        sets = read_sets(folder, required=not learned)
        results = evaluate(sets, plan, progress=step)
    for doubt in doubts(sets):
        screen.remark(doubt)
    if feedback and results:
        screen.remark(
            "with --feedback the figures are measured after the most uses, on the questions that were not replayed"
        )
    if out is not None:
        _write_page(out, as_page(results, learned.as_json()))
    if as_json:
        screen.emit({**(report_json(results) if results else {}), **learned.as_json()})
    else:
        if results:
            show(results)
        _show_learned(learned)


def show(results: Sequence[SetResult]) -> None:
    """Print the tables: feedback, questions of other layers, then every set, layer and the mean."""
    if any(result.feedback for result in results):
        screen.table(_LEARNED, list(_learned_rows(results)))
    if any(result.foreign for result in results):
        screen.table(_FOREIGN, list(_foreign_rows(results)))
    screen.table(_FIGURES, list(_rows(results)))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _numbers(text: str) -> list[int]:
    names = _names(text)
    if not all(name.isascii() and name.isdigit() and int(name) for name in names):
        raise InvalidInput("--feedback", f"must be whole numbers of at least 1, separated by commas, not {text!r}")
    return [int(name) for name in names]


def _write_page(file: Path, page: str) -> None:
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EvalError(str(file), f"cannot be written: {error.strerror}; choose another place") from error


def _rows(results: Sequence[SetResult]) -> Iterator[tuple[str, ...]]:

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

    for result in results:
        if result.foreign:
            figures = f"{result.foreign.share:.3f}", f"{result.foreign.recall_lost:.4f}"
            yield result.data.path, str(result.foreign.questions), *figures
    yield "mean", "", f"{unanswered(results):.3f}", f"{recall_lost(results):.4f}"


def _shown(quality: Quality) -> tuple[str, str, str, str]:
    figures = (quality.recall_at_5, quality.recall_at_10, quality.mrr, quality.ndcg_at_10)
    one, two, three, four = (f"{figure:.3f}" for figure in figures)
    return one, two, three, four


def _show_learned(learned: Learned) -> None:
    """Print a table for each kind that was measured."""
    if learned.grouping is not None:
        names = ("hexad", *learned.grouping.baselines)
        columns = (Column("error grouping", "fold"), *(Column(name) for name in names))
        screen.table(columns, list(_grouped(learned.grouping)))
    if learned.failures is not None:
        screen.table(_REPLAYED, list(_replayed(learned.failures)))
    if learned.fixes is not None:
        figures = {name: value for name, value in learned.fixes.as_json().items() if name != "misses"}
        screen.table(_FIXES, [(f"fixes: {name}", f"{value:g}") for name, value in figures.items()])
        screen.table(_MISSED, [(place, fix or "(none)") for place, fix in learned.fixes.misses])
    judged = [
        (f"{kind}: {name}", f"{value:g}" if name == "count" else f"{value:.4f}")
        for kind, scripts in (("shell_benign", learned.benign), ("shell_harmful", learned.harmful))
        if scripts is not None
        for name, value in scripts.as_json().items()
    ]
    if judged:
        screen.table(_JUDGED, judged)


def _grouped(figures: Grouped) -> Iterator[tuple[str, ...]]:
    for system, own in figures.systems.items():
        others = (each[system] for each in figures.baselines.values())
        yield f"error_grouping/{system}", *(f"{value:.3f}" for value in (own, *others))
    means = (fmean(each.values()) for each in figures.baselines.values())
    yield "mean of the systems", *(f"{value:.3f}" for value in (figures.mean, *means))


def _replayed(figures: Replayed) -> Iterator[tuple[str, str, str]]:
    for name, value in figures.as_json().items():
        share = (
            f"{value / figures.with_fix:.3f}" if name in {"remedy_found", "retrieved_in_3"} and figures.with_fix else ""
        )
        yield f"tool_failures: {name}", str(value), share
