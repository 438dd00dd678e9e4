"""`make bench`: measures every figure as a ratio in one run, prints them, and writes docs/benchmarks.md."""

from __future__ import annotations

import platform
import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import (
    adk,
    killing,
    learning,
    meaning,
    opening,
    retrieving,
    running_skills,
    sandboxing,
    saving,
)
from benchmarks.figures import Figure, as_markdown, fill, show

ROOT = Path(__file__).parent.parent
PAGE = """# Benchmarks

`make bench` measures these and writes this page. A ratio compares Hexad with a yardstick in the same run, call by call
in turns, so that a busy machine disturbs both. The yardstick is a plain FTS5 table over the same rows, after
`optimize`, asked with every word of the question joined by OR and ordered by rank. Both sides commit with
`synchronous=FULL`. The text is made by `benchmarks/corpus.py`: about 25 words an entry, Zipf-distributed, and questions
of three to eight words.

The rows "FTS5 spared the stop words" have no limit. They compare with a query that somebody tuned by hand: only the
question's keywords, which in this made-up text are mostly rare. They show what Hexad's own work costs: four layers,
statistics per namespace, ranking with reasons, in Python.

The rows under "Meaning" are with the extra `semantic`. A question then costs one product of the matrix of all vectors
with its own vector, and some work around it; what is beyond the same question by words alone is told in such products.
The limit is for 100,000 entries. Among 10,000 the matrix stays in the processor's cache and a product takes little
time, so the fixed work (embedding the question, weighing the rows that meaning adds) is several products there.
`python -m benchmarks.million` measures a million entries, beside tantivy; it takes half an hour.

What watching costs is told in plain INSERTs with their COMMIT into a table of their own on the same disk, in turns.
What running a composite skill costs is told in the same measure, beyond calling its watched tools one after the other.
Error grouping and tool failures are measured on public data that is not part of this repository, if it lies beside it.
The simulated agent is described in [learning.md](learning.md).

A script in the sandbox is compared with a bare shell.

![Failed calls of a simulated agent, with and without Known Solutions](simulated-agent.svg)

Measured with {versions}.

{tables}
"""


def main() -> int:
    with TemporaryDirectory(prefix="hexad-bench-") as name, _progress() as progress:
        folder = Path(name)
        sandboxed = list(sandboxing.measure())  # first, while this process is small
        parts = {
            "Retrieving": list(retrieving.measure(folder, progress)),
            "Opening": list(opening.measure(folder)),
            "Meaning": list(meaning.measure(folder, progress)),
            "Saving": list(saving.measure(folder)),
            "Learning": list(learning.measure(folder)),
            "ADK": list(adk.measure(folder)),
            "Skills": list(running_skills.measure(folder)),
            "Sandboxing": [*sandboxed, *sandboxing.measure(sandboxing.LATER, None)],
            "Crashing": list(killing.measure(folder, progress)),
        }
    for title, figures in parts.items():
        show(title, figures)
    _write(parts)
    broken = [figure.name for figures in parts.values() for figure in figures if figure.verdict == "NO"]
    return 1 if broken else 0


def _write(parts: dict[str, list[Figure]]) -> None:
    tables = "\n\n".join(f"## {title}\n\n{as_markdown(figures)}" for title, figures in parts.items())
    versions = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
    (ROOT / "docs" / "benchmarks.md").write_text(PAGE.format(tables=tables, versions=versions), encoding="utf-8")
    shown = [figure for figures in parts.values() for figure in figures if figure.limit is not None]
    fill(ROOT / "README.md", as_markdown([figure for figure in shown if "percentile" not in figure.name]))


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, transient=True)


if __name__ == "__main__":
    sys.exit(main())
