"""Kills, storms and thousands of tenants on PostgreSQL: a few in every run, all of them
in `make soak`.
"""

from __future__ import annotations

import threading
import time
from random import Random
from statistics import quantiles
from typing import TYPE_CHECKING

import pytest

from hexad.errors import CommitInDoubt, StoreError
from tests.store.postgres import drop_schema, new_schema, server_url
from tests.store.postgres_load import (
    IN_EACH,
    ask_and_save,
    fill_tenants,
    in_processes,
    storm,
)
from tests.store.postgres_server import PostgresServer
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad

soak = pytest.mark.soak
WRITERS = 4


@pytest.fixture
def url() -> Iterator[str]:
    made = new_schema()
    yield made
    drop_schema(made)


class Writer(threading.Thread):
    """Saves one entry after the other, and notes the outcome of each."""

    def __init__(self, hx: Hexad, number: int) -> None:
        super().__init__()
        self._hx = hx.scoped(namespace=f"n{number % 2}")
        self._number = number
        self.stop = threading.Event()
        self.acknowledged: list[str] = []
        self.refused: list[str] = []
        self.in_doubt: list[str] = []

    def run(self) -> None:
        turn = 0
        while not self.stop.is_set():
            turn += 1
            key = f"w{self._number}-{turn}"
            try:
                self._hx.knowledge.save(
                    key, f"said by writer {self._number}, turn {turn}"
                )
                self.acknowledged.append(key)
            except CommitInDoubt:
                self.in_doubt.append(key)
            except StoreError:
                self.refused.append(key)
                time.sleep(0.01)


@requirement("PG-03")
@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=soak)])
def test_a_killed_server_loses_nothing_it_acknowledged_and_every_commit_in_doubt_is_resolved(
    kills: int,
) -> None:
    server_url()  # skips where there is none
    chance = Random(8)  # noqa: S311
    with (
        PostgresServer(durable=True) as server,
        opened(server.url, max_knowledge=1_000_000) as hx,
    ):
        writers = [Writer(hx, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        for _ in range(kills):
            before = sum(len(writer.acknowledged) for writer in writers)
            while sum(len(writer.acknowledged) for writer in writers) < before + 5:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.05))
            server.kill()
            server.start()
        for writer in writers:
            writer.stop.set()
        for writer in writers:
            writer.join()
        scopes = [hx.scoped(namespace=f"n{number}") for number in range(2)]
        stored = [{entry.key for entry in scope.knowledge.list()} for scope in scopes]
        for writer in writers:
            held = stored[writer._number % 2]
            assert not writer.in_doubt
            assert set(writer.acknowledged) <= held
            assert not held & set(writer.refused)
        assert all(scope.audit.verify().ok for scope in scopes)
        acknowledged, refused = (
            sum(len(w.acknowledged) for w in writers),
            sum(len(w.refused) for w in writers),
        )
        print(
            f"\n{kills} kills: {acknowledged:,} saves acknowledged, 0 lost; {refused:,} refused, none stored"
        )


@requirement("PG-01")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize(
    ("processes", "rounds"), [(2, 5), pytest.param(8, 60, marks=soak)]
)
def test_processes_that_do_everything_at_once_see_no_error(
    kind: str, processes: int, rounds: int, url: str, tmp_path: Path
) -> None:
    place = url if kind == "postgresql" else str(tmp_path / "storm.db")
    started = time.monotonic()
    errors = [
        error
        for found in in_processes(processes, storm, place, rounds)
        for error in found
    ]
    assert not errors
    seconds = time.monotonic() - started
    with opened(place) as hx:
        for namespace in hx.store.namespaces():
            assert hx.scoped(namespace=namespace).audit.verify().ok
        kept = len(
            [entry for entry in hx.knowledge.list() if entry.key.startswith("p")]
        )
        assert kept == processes * (rounds - len(range(0, rounds, 4)))
    print(
        f"\n{kind}: {processes} processes x {rounds} rounds of 10 actions in {seconds:.0f} s, 0 errors"
    )


@requirement("PG-01")
@pytest.mark.parametrize(
    ("tenants", "processes", "clients", "each"),
    [(40, 2, 3, 20), pytest.param(10_000, 4, 8, 400, marks=soak)],
)
def test_thousands_of_tenants_ask_and_save_without_an_error(
    url: str, tenants: int, processes: int, clients: int, each: int
) -> None:
    in_processes(2, fill_tenants, url, tenants, 2)
    started = time.monotonic()
    found = in_processes(processes, ask_and_save, url, tenants, clients, each)
    elapsed = time.monotonic() - started
    seconds = [second for times, _ in found for second in times]
    assert not [error for _, errors in found for error in errors]
    assert len(seconds) == processes * clients * each
    cuts = quantiles(seconds, n=100)
    print(
        f"\n{tenants:,} tenants, {tenants * IN_EACH:,} entries, {processes * clients} clients: "
        f"{len(seconds) / elapsed:,.0f} operations/s, median {cuts[49] * 1000:.1f} ms, 99 % {cuts[98] * 1000:.1f} ms"
    )
