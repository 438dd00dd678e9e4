"""`eval`: measure retrieval, error grouping, tool failures, real sessions and the
script check on your own data.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hexad._version import __version__
from hexad.cli.opening import opened
from hexad.cli.options import AsJson, Namespace, argument, flag, option
from hexad.cli.terminal import screen
from hexad.clock import utc_now
from hexad.errors import InvalidInput
from hexad.settings import EMBEDDERS, NO_EMBEDDER, STATIC
from hexad_evals.baselines import BASELINES, chosen
from hexad_evals.conversations import converse
from hexad_evals.data import CAPTURE, live_sets, read_sets
from hexad_evals.failures import replay_failures
from hexad_evals.grouping import group_errors
from hexad_evals.life import live, read_lives
from hexad_evals.newest import FOLDER as NEWEST
from hexad_evals.newest import find_newest
from hexad_evals.report import as_json as report_json
from hexad_evals.report import as_page, retrieval_tables
from hexad_evals.run import Plan, SetResult, evaluate
from hexad_evals.scripts import BENIGN, HARMFUL, check_scripts
from hexad_evals.sessions import replay_sessions
from hexad_evals.tables import Figures, FigureTable
from hexad_evals.told import FOLDER as TOLD
from hexad_evals.told import tell

app = typer.Typer()


@app.command(
    "eval",
    epilog="Example: hexad eval my-data --queries 300 --baseline fts5,like --out report.html",
)
def eval_(
    folder: Annotated[
        Path,
        argument(
            "DIR",
            "Holds LAYER/SET/corpus.jsonl and queries.jsonl, sessions/SET.jsonl, life.jsonl …",
        ),
    ],
    *,
    db: Annotated[
        str | None,
        option("FILE", "Ask this memory the questions of DIR, or of a file."),
    ] = None,
    namespace: Namespace = None,
    queries: Annotated[
        int | None, option("N", "Only N questions of each set.", min=1)
    ] = None,
    seed: Annotated[
        int, option("N", "Draw other questions, and other texts to show.")
    ] = 0,
    misses: Annotated[
        int, option("N", "List up to N missed questions of each set.", min=0)
    ] = 0,
    baseline: Annotated[
        str, option("NAMES", f"{', '.join(BASELINES)}; separated by commas.")
    ] = "",
    embedder: Annotated[
        str | None, option("NAME", f"The embedder: {', '.join(EMBEDDERS)}.")
    ] = None,
    no_semantic: Annotated[
        bool, flag("--no-semantic", "The same as --embedder none.")
    ] = False,
    foreign: Annotated[
        bool, flag("--foreign", "Also ask questions that the set cannot answer.")
    ] = False,
    examples: Annotated[
        int,
        option(
            "N", "Print N texts that replayed sessions would read.", "--show", min=0
        ),
    ] = 0,
    out: Annotated[Path | None, option("FILE", "Write a page with bars.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure recall, ranking and speed on questions with known answers.

    It also runs the folder's capture, life, error and script sets.
    """
    logging.getLogger("hexad").addHandler(
        logging.StreamHandler()
    )  # bad lines are named
    used = NO_EMBEDDER if no_semantic else embedder
    plan = Plan(
        queries,
        chosen([name.strip() for name in baseline.split(",") if name.strip()]),
        used or STATIC,
        foreign,
        seed,
    )
    if db is not None:
        if baseline or foreign:
            raise InvalidInput(
                "--db", "asks a memory as it is; leave out --baseline and --foreign"
            )
        with opened(db, namespace, embedder=used) as hx, screen.steps() as step:
            results = _finished(
                evaluate(live_sets(folder), replace(plan, live=hx), progress=step)
            )
        kinds: dict[str, Figures] = {}
    else:
        with screen.steps() as step:
            kinds = measure_kinds(
                folder, step, embedder=used or STATIC, show=examples, seed=seed
            )
            results = _finished(
                evaluate(read_sets(folder, required=not kinds), plan, progress=step)
            )
    tables = [
        *retrieval_tables(results, misses),
        *(table for kind in kinds.values() for table in kind.tables),
    ]
    if out is not None:
        out.write_text(
            as_page(tables, _about(results, used or STATIC)), encoding="utf-8"
        )
    if as_json:
        found = {name: kind.json for name, kind in kinds.items()}
        screen.emit({**(report_json(results, misses) if results else {}), **found})
    else:
        show(tables)


def measure_kinds(
    folder: Path,
    progress: Callable[[str, int, int], None],
    *,
    embedder: str = STATIC,
    show: int = 0,
    seed: int = 0,
) -> dict[str, Figures]:
    """The figures of the other kinds of evaluation that the folder has data for, by
    their names.
    """
    lives = read_lives(folder)
    found = {
        "life": live(lives, progress, embedder=embedder) if lives else None,
        CAPTURE: converse(folder, progress),
        TOLD: tell(folder, progress, embedder=embedder),
        NEWEST: find_newest(folder, progress, embedder=embedder),
        "error_grouping": group_errors(folder, progress),
        "tool_failures": replay_failures(folder, progress),
        "sessions": replay_sessions(folder, progress, show=show, seed=seed),
        BENIGN: check_scripts(folder, BENIGN, progress),
        HARMFUL: check_scripts(folder, HARMFUL, progress),
    }
    return {name: figures for name, figures in found.items() if figures is not None}


def _about(results: list[SetResult], embedder: str) -> str:
    """The line below the head of a page."""
    asked = f"{sum(result.questions for result in results):,} questions in {len(results)} sets"
    return f"{asked}, embedder {embedder}, {utc_now():%Y-%m-%d}, Hexad {__version__}"


def _finished(results: Iterator[SetResult]) -> list[SetResult]:
    """The results; if somebody interrupts, those of the sets that are finished."""
    finished: list[SetResult] = []
    try:
        for result in results:
            finished.append(result)  # noqa: PERF402 - it is kept as soon as it is there
    except KeyboardInterrupt:
        if not finished:
            raise
        screen.warn("interrupted: these are the figures of the sets that were finished")
    return finished


def show(tables: Iterable[FigureTable]) -> None:
    """Print the tables."""
    for table in tables:
        first, *more = table.head
        screen.table([screen.Wide(first), *more], table.rows)
