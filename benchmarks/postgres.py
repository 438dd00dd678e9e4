"""PostgreSQL beside SQLite: round trips on the wire, processor time of client and
server, index bytes, many writers.

Kills, ten thousand tenants and storms are soak tests
(`tests/store/test_postgres_load.py`).
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure
from hexad import Hexad, store
from hexad.memory.index.indexing import document_of
from hexad_testing.nouns import knowledge
from tests.store.postgres_load import in_processes
from tests.store.postgres_server import NoPostgresServer, PostgresServer
from tests.store.postgres_wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.corpus import Entry

SIZES = (3_000, 100_000)
OPERATIONS = 300
SMALL, IN_EACH = 100, 100  # namespaces, and entries of each
WRITERS, PROCESSES, MANY, SECONDS = 16, 4, 1_000, 8.0
_FLUSH_OF_5_MS = "&options=-c%20commit_delay%3D5000%20-c%20commit_siblings%3D0"
_INDEX = ("head", "stale", "leaf", "block")
_SQLITE_INDEX = ("hexad_scope", "hexad_fresh", "hexad_posting")


def measure(folder: Path) -> Iterator[Figure]:
    """Every figure, if a server can be started here."""
    try:
        server = PostgresServer(durable=True)
    except NoPostgresServer as error:
        yield Figure(f"not measured: {error}", 0, None, "")
        return
    with server:
        yield from _round_trips(server)
        for size in SIZES:
            yield from _processor_time(server, folder, size)
        yield _small_indexes(server, folder)
        yield _writers(server, "", "", None)
        yield _writers(
            server, " with a flush of 5 ms, as on a network disk", _FLUSH_OF_5_MS, 0.2
        )


def _round_trips(server: PostgresServer) -> Iterator[Figure]:
    """A turn, a save and an observation, in a namespace that holds every kind of thing.

    The engine that fills it merges the index before it is closed: nobody waits for
    that, and it is not counted.
    """
    with _opened(f"{server.url}?schema=trips") as hx:
        hx.knowledge.save("tone", "Answer briefly", category="rule", pinned=True)
        for number, entry in enumerate(entries(400, seed=5)):
            hx.knowledge.save(entry.key, entry.content, thread="t", position=number)
        hx.references.save(
            "runbook", location="https://example.com", summary="how to deploy a release"
        )
        hx.observe(tool="mail", result="sent", args={"to": "anna"}, session="s")
    with Wire(server.url) as wire, _opened(f"{wire.url}?schema=trips") as hx:
        asked = list(questions(40, seed=6, entries=list(entries(400, seed=5))))
        turns = [
            wire.trips(partial(hx.prompt, "You help.", question)) for question in asked
        ]
        saves = []
        for number, question in enumerate(
            asked[:20]
        ):  # each after a turn: what that used is written along
            hx.prompt("You help.", question)
            saves.append(
                wire.trips(partial(hx.knowledge.save, f"new{number}", f"said {number}"))
            )
        outcomes = [
            {"error": f"Error: no region {n % 3}"} if n % 4 else {"result": "sent"}
            for n in range(24)
        ]
        observed = [
            wire.trips(
                partial(hx.observe, tool="mail", args={"a": 1}, session="s", **o)
            )
            for o in outcomes
        ]
    for name, trips, limit in (
        ("a turn", turns, 2),
        ("a save", saves, 2),
        ("an observation", observed, 3),
    ):
        mean = sum(trips) / len(trips)
        yield Figure(
            f"round trips of {name}, the most",
            max(trips),
            limit,
            "",
            f"{mean:.2f} in the mean of {len(trips)}",
        )


def _processor_time(
    server: PostgresServer, folder: Path, size: int
) -> Iterator[Figure]:
    """The same questions and saves on both; what the client's thread and all processes
    of the server used.
    """
    stored = list(entries(size, seed=1))
    file, url = folder / f"beside-{size}.db", f"{server.url}?schema=size_{size}"
    for place in (file, url):
        _fill(place, stored)
    asked = list(questions(OPERATIONS, seed=2, entries=stored))
    more = list(entries(size + OPERATIONS, seed=9))[size:]
    with _opened(file) as sqlite, _opened(url) as postgres:
        _settle(server, f"size_{size}")
        for name, limit, calls in (
            ("retrieve", 2.0, _asking(asked)),
            ("save", 3.0, _saving(more)),
        ):
            here, there = _in_turns(server, calls(sqlite), calls(postgres))
            detail = f"{1000 * sum(there):.2f} ms (client {1000 * there[0]:.2f}) against {1000 * here:.2f} ms"
            yield Figure(
                f"{name}, {size:,} entries: processor time",
                sum(there) / here,
                limit,
                detail=detail,
            )
    if size == SIZES[-1]:
        ours, theirs = _bytes_on_server(server, f"size_{size}"), _bytes_in_file(file)
        detail = f"{ours / size:.0f} against {theirs / size:.0f} an entry"
        yield Figure(
            f"index bytes, {size:,} entries in one namespace",
            ours / theirs,
            0.8,
            detail=detail,
        )


def _small_indexes(server: PostgresServer, folder: Path) -> Figure:
    file, url = folder / "small.db", f"{server.url}?schema=small"
    for number in range(SMALL):
        for place in (file, url):
            _fill(place, list(entries(IN_EACH, seed=number)), f"tenant-{number}")
    ours, theirs = _bytes_on_server(server, "small"), _bytes_in_file(file)
    detail = (
        f"{ours / SMALL / IN_EACH:.0f} against {theirs / SMALL / IN_EACH:.0f} an entry"
    )
    return Figure(
        f"index bytes, {IN_EACH} entries in each of {SMALL} namespaces",
        ours / theirs,
        0.1,
        detail=detail,
    )


def _writers(
    server: PostgresServer, name: str, options: str, limit: float | None
) -> Figure:
    """How often 16 threads of four processes commit in one namespace, in parts of what
    they commit in many.

    One namespace has one writer at a time, who waits for a flush of the disk; writers
    of different namespaces share flushes. Each process has namespaces of its own.
    `commit_delay` lets every flush wait for five milliseconds first.
    """
    url, rates, busy = (
        f"{server.url}?schema=writers&pool={WRITERS // PROCESSES}{options}",
        [],
        [],
    )
    with _opened(url):
        pass
    for namespaces in (1, MANY):
        together = multiprocessing.get_context("spawn").Barrier(PROCESSES)
        names = [f"{place} of {namespaces}{name}" for place in range(namespaces)]
        found = in_processes(PROCESSES, _write, url, names, together)
        rates.append(sum(saved for saved, _ in found) / SECONDS)
        busy.append(max(share for _, share in found))
    detail = (
        f"{rates[1]:.0f} commits/s with {busy[1]:.0%} of {os.cpu_count()} processors busy, "
        f"against {rates[0]:.0f} with {busy[0]:.0%}"
    )
    return Figure(
        f"{WRITERS} writers{name}: one namespace, in those of {MANY:,}",
        rates[0] / rates[1],
        limit,
        "",
        detail,
    )


def _write(
    number: int, queue: Any, url: str, names: Sequence[str], together: Any
) -> None:
    """The writers of one process."""
    own = range(number, WRITERS, PROCESSES)
    saved = dict.fromkeys(own, 0)
    with _opened(url) as hx:
        scopes = [hx.scoped(namespace=name) for name in names]
        hx.knowledge.save(
            f"first of {number}", "a process's first save also loads code"
        )
        together.wait()
        end = time.monotonic() + SECONDS
        before = _idle_seconds()

        def write(writer: int) -> None:
            while time.monotonic() < end:
                scope = scopes[(writer + WRITERS * saved[writer]) % len(scopes)]
                scope.knowledge.save(
                    f"w{writer}-{saved[writer]}", f"said by writer {writer}"
                )
                saved[writer] += 1

        threads = [threading.Thread(target=write, args=(writer,)) for writer in own]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        busy = 1 - (_idle_seconds() - before) / SECONDS / (os.cpu_count() or 1)
    queue.put((sum(saved.values()), busy))


def _idle_seconds() -> float:
    """How long the machine's processors have had nothing to do, or only waited for a
    disk, since it started.
    """
    _, _, _, _, idle, waiting, *_ = Path("/proc/stat").read_text().split()
    return (int(idle) + int(waiting)) / os.sysconf("SC_CLK_TCK")


def _fill(
    place: str | Path, stored: Sequence[Entry], namespace: str = "default"
) -> None:
    """Store entries by the thousand, as a migration does: an import would look each one
    up.
    """
    with _opened(place) as hx:
        for start in range(0, len(stored), 1000):
            part = stored[start : start + 1000]
            records = [
                knowledge(
                    each.key, each.content, category=each.category, tags=each.tags
                )
                for each in part
            ]
            with hx.store.transaction(namespace) as unit:
                unit.put(
                    [store.Entry(record, document_of(record)) for record in records]
                )


def _asking(asked: Sequence[str]) -> Callable[[Hexad], list[Callable[[], object]]]:
    return lambda hx: [partial(hx.retrieve, question) for question in asked]


def _saving(more: Sequence[Entry]) -> Callable[[Hexad], list[Callable[[], object]]]:
    return lambda hx: [
        partial(hx.knowledge.save, each.key, each.content, category=each.category)
        for each in more
    ]


def _in_turns(
    server: PostgresServer,
    ours: Sequence[Callable[[], object]],
    theirs: Sequence[Callable[[], object]],
) -> tuple[float, tuple[float, float]]:
    """Processor seconds of a call: SQLite's; PostgreSQL's, of this process with its
    merging and of the server.
    """
    for call in (*ours[:20], *theirs[:20]):
        call()
    ours, theirs, sqlite = ours[20:], theirs[20:], 0.0
    server_before, before = _server_seconds(server), time.process_time()
    for one, other in zip(ours, theirs, strict=True):
        started = time.thread_time()
        one()
        sqlite += time.thread_time() - started
        other()
    client = time.process_time() - before - sqlite
    return sqlite / len(ours), (
        client / len(ours),
        (_server_seconds(server) - server_before) / len(ours),
    )


def _server_seconds(server: PostgresServer) -> float:
    """What the processes that the server has now used so far; Linux counts nanoseconds."""
    total = 0
    for folder in Path("/proc").iterdir():
        try:
            if (
                folder.name == str(server.pid)
                or f"PPid:\t{server.pid}\n" in (folder / "status").read_text()
            ):
                total += int((folder / "schedstat").read_text().split()[0])
        except (OSError, ValueError):
            continue
    return total / 1e9


def _settle(server: PostgresServer, schema: str) -> None:
    """The state of a database that has been in use: analysed, its log on disk."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        for (table,) in connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)
        ).fetchall():
            connection.execute(f"VACUUM ANALYZE {schema}.{table}")
        connection.execute("CHECKPOINT")


def _bytes_on_server(server: PostgresServer, schema: str) -> int:
    with psycopg.connect(server.url) as connection:
        names = [f"{schema}.{table}" for table in _INDEX]
        sizes = "SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) AS name"
        return int(connection.execute(sizes, (names,)).fetchall()[0][0])


def _bytes_in_file(path: Path) -> int:
    import sqlite3

    connection = sqlite3.connect(path)
    names = ",".join(f"'{name}'" for name in _SQLITE_INDEX)
    parts = f"SELECT name FROM sqlite_master WHERE tbl_name IN ({names})"
    found = connection.execute(
        f"SELECT sum(pgsize) FROM dbstat WHERE name IN ({parts})"
    ).fetchone()[0]
    connection.close()
    return int(found)


@contextmanager
def _opened(place: str | Path, **settings: Any) -> Iterator[Hexad]:
    with Hexad.open(
        place, enabled=True, semantic=False, max_knowledge=1_000_000, **settings
    ) as hx:
        yield hx
