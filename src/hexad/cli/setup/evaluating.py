"""`eval`: measure retrieval, error grouping, tool failures, fixes and the script check on your own data."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from hexad.cli.options import AsJson
from hexad.cli.terminal import screen
from hexad.cli.terminal.screen import Wide
from hexad.errors import EvalError, InvalidInput
from hexad.evals.baselines import BASELINES, chosen
from hexad.evals.data import doubts, read_sets
from hexad.evals.kinds import measure_kinds
from hexad.evals.report import as_json as report_json
from hexad.evals.report import as_page, retrieval_tables
from hexad.evals.run import Plan, evaluate
from hexad.evals.tables import Table
from hexad.settings import EMBEDDERS, NO_EMBEDDER, STATIC

app = typer.Typer()


@app.command("eval", epilog="Example: hexad eval my-data --queries 300 --baseline fts5,like --out report.html")
def eval_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds LAYER/SET/corpus.jsonl and queries.jsonl.")],
    *,
    queries: Annotated[int | None, typer.Option(min=1, metavar="N", help="The first N questions of each set.")] = None,
    baseline: Annotated[str, typer.Option(metavar="NAMES", help=f"{', '.join(BASELINES)}; separated by commas.")] = "",
    embedder: Annotated[
        str, typer.Option(metavar="NAME", help=f"What finds by meaning: {', '.join(EMBEDDERS)}.")
    ] = STATIC,
    no_semantic: Annotated[bool, typer.Option("--no-semantic", help="The same as --embedder none.")] = False,
    feedback: Annotated[
        str, typer.Option(metavar="N[,N…]", help="Replay N uses of each item, then ask the remaining questions.")
    ] = "",
    foreign: Annotated[bool, typer.Option("--foreign", help="Ask each set the questions of other layers too.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with bars.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure recall, ranking and speed on questions with known answers; also life.jsonl, errors and scripts."""
    used = NO_EMBEDDER if no_semantic else embedder
    plan = Plan(queries, chosen(_names(baseline)), used, foreign, _numbers(feedback))
    with screen.steps() as step:
        kinds = measure_kinds(folder, step, embedder=used)
        sets = read_sets(folder, required=not kinds)
        results = evaluate(sets, plan, progress=step)
    for doubt in doubts(sets):
        screen.remark(doubt)
    tables = [*retrieval_tables(results), *(table for kind in kinds.values() for table in kind.tables())]
    if out is not None:
        _write_page(out, as_page(tables))
    if as_json:
        found = {name: kind.as_json() for name, kind in kinds.items()}
        screen.emit({**(report_json(results) if results else {}), **found})
    else:
        show(tables)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _numbers(text: str) -> list[int]:
    names = _names(text)
    if not all(name.isascii() and name.isdigit() and int(name) for name in names):
        raise InvalidInput("--feedback", f"must be whole numbers of at least 1, separated by commas, not {text!r}")
    return [int(name) for name in names]


def show(tables: Iterable[Table]) -> None:
    """Print the tables."""
    for table in tables:
        first, *more = table.head
        screen.table([Wide(first), *more], table.rows)


def _write_page(file: Path, page: str) -> None:
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EvalError(str(file), f"cannot be written: {error.strerror}; choose another place") from error
