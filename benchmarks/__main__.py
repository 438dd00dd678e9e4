"""`make bench`: measure every figure in one run, print them, and write
docs/benchmarks.md.

`python -m benchmarks Saving PostgreSQL` measures some parts and writes nothing.
"""

from __future__ import annotations

import platform
import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.figures import as_markdown, show
from benchmarks.parts import PARTS, measured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.figures import Figure

ROOT = Path(__file__).parent.parent
PAGE = """# Benchmarks

`make bench` measures these figures and writes this page. A ratio (×) compares Hexad with a baseline in the same run.
The two take turns, call by call, so that a busy machine slows both. Each part runs in a process of its own. The
baseline is a plain FTS5 table over the same rows, after `optimize`, queried with every word of the question joined by
OR and ordered by rank. Both sides commit with `synchronous=FULL`. The text comes from `benchmarks/corpus.py`: about 25
words an entry, Zipf-distributed, and questions of three to eight words.

The rows "FTS5 spared the stop words" have no limit. They compare with a query tuned by hand: only the question's
keywords, which are mostly rare in this generated text. They show the cost of Hexad's own work: four layers, statistics
per namespace, and ranking with reasons, in Python.

The rows under "Meaning" use the extra `semantic`. The figure is the CPU time beyond the same question by words, in
products of the matrix of all embeddings with one embedding. BLAS has one thread: while 0.92 products were measured
here, a second thread spun for some milliseconds after each product, and this was counted for the question after it.
The limit is for 100,000 entries: half of what it took when all embeddings were compared. With 10,000 the
matrix fits the processor's cache and a product is fast, so the fixed work (embedding the question, weighing the added
rows) is several products.
`python -m benchmarks.million` measures a million entries, beside tantivy; it takes half an hour.

The unit for watching a call is one INSERT with its COMMIT into another table on the same disk, taken in turns, after
the log files of both have reached their size: while one still grows, its commits take twice as long. Five databases are
measured, and their median is taken: single ones differ by a fifth on the same program. Running a composite skill is
counted in watched calls, beyond those that it makes itself: the run is one transaction more. Error grouping and tool
failures are measured on public data that is not part of this repository, if that data lies beside it. The simulated
agent is described in [learning.md](learning.md). A script in the sandbox is compared with a bare shell, from a process
that has loaded little else: a fork copies the map of the memory.

"Saving" compares a store in memory with a file, by processor time. Then it lets eight processes write to one file. With
pauses the 99th percentile is compared. Without, SQLite lets one process write on and on in a bare table while the
others wait for a second: there the longest waits are compared. The percentile of that row has no limit: nearly all
saves that it counts for the bare table are those of the one process.

"Prompt caching" is a conversation of twelve turns, each with three tool steps, through a client with memory. The
provider is simulated: it keeps every prefix that it has seen, in blocks of 512 characters, and a cached read costs a
tenth.

"Hooks of coding agents" counts processor time: of client and server together where the connected server answers, of the
whole process where a hook is a command.

"PostgreSQL" starts a server if its binaries are installed. Round trips are counted on the wire. Processor time is that
of the client and of all processes of the server, against SQLite in turns. Kills, ten thousand tenants and storms are in
`make soak`, which prints what it measured.

The writers of one namespace commit one after the other, each with a flush of the disk of its own; those of many
namespaces share flushes, so they gain by as much as a flush takes. Where a flush is nearly free, both sides are
limited by the CPU, which clients and server share here, so that row has no limit. In the other row
`commit_delay` makes every flush wait for 5 ms first, about what a disk across a network takes.

"Server" puts the gateway between 32 clients and a provider that takes 300 ms, in turns with none, and compares pages
with the query or the retrieval that they show, in processor time. The counts beside a page are kept while the log has
no new record; the row "after a change" reads them again.

"Weight" counts the source itself: lines by folder, imports inside functions, methods of the store ports, and the SQL
statements that a retrieve and a save take on SQLite.

![Failed calls of a simulated agent, with and without Known Solutions](simulated-agent.svg)

Measured with {versions}.

{tables}
"""


def main(wanted: Sequence[str]) -> int:
    if unknown := set(wanted) - PARTS.keys():
        print(
            f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}"
        )
        return 2
    with TemporaryDirectory(prefix="hexad-bench-") as name:
        parts = {title: measured(title, Path(name)) for title in wanted or PARTS}
    for title, figures in parts.items():
        show(title, figures)
    if not wanted:
        _write(parts)
    broken = [
        figure.name
        for figures in parts.values()
        for figure in figures
        if figure.verdict == "NO"
    ]
    print(
        "every limit is kept"
        if not broken
        else f"over their limits: {'; '.join(broken)}"
    )
    return 1 if broken else 0


def _write(parts: dict[str, list[Figure]]) -> None:
    tables = "\n\n".join(
        f"## {title}\n\n{as_markdown(figures)}" for title, figures in parts.items()
    )
    versions = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
    (ROOT / "docs" / "benchmarks.md").write_text(
        PAGE.format(tables=tables, versions=versions), encoding="utf-8"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
