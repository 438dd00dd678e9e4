"""The work of the contract's other processes. They are spawned, so all they get is how
to open the store.
"""

from __future__ import annotations

import multiprocessing
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hexad.store import Entry, Question, Store, Writing
from hexad_testing.nouns import (
    ENTRIES,
    HOME,
    MOMENT,
    audit_record,
    document,
    knowledge,
    version,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess


COUNTER: Final = "counter"


def step(store: Store) -> int:
    """One more in a counter that is kept in row, version, index, audit log and note
    alike.
    """
    with store.transaction(HOME) as unit:
        return count_in(unit)


def count_in(unit: Writing) -> int:
    """`step`, in a transaction that somebody else began."""
    row = unit.get(ENTRIES, COUNTER)
    count = row.record.use_count + 1 if row else 1
    unit.put(
        [
            Entry(
                replace(knowledge(COUNTER), use_count=count),
                document(f"count{count} counted"),
            )
        ]
    )
    unit.add_versions([version(count, COUNTER)])
    end = unit.chain_end()
    unit.append_audit([audit_record(end[0] + 1 if end else 1)])
    unit.set_note(COUNTER, str(count))
    return count


def counted(store: Store) -> int:
    """The counter, if every part of the store agrees on it."""
    with store.reading(HOME) as view:
        count = int(view.note(COUNTER) or 0)
        row, end = view.get(ENTRIES, COUNTER), view.chain_end()
        assert (row.record.use_count if row else 0) == count
        assert (end[0] if end else 0) == count
        assert len(view.audit(limit=count + 1)) == count
        assert [one.version for one in view.versions(ENTRIES, COUNTER)] == list(
            range(count, 0, -1)
        )
        terms = [f"count{number}" for number in range(count + 2)]
        known = view.evidence(Question(layers=[ENTRIES], now=MOMENT, terms=terms))[
            ENTRIES
        ].statistics.frequencies
        assert known == ({f"count{count}": 1} if count else {})
        return count


def start(work: Callable[..., None], *arguments: object) -> BaseProcess:
    """Run a function of this module in a new process."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
    process.start()
    return process


def finish(*processes: BaseProcess) -> None:
    """Wait for processes that are expected to end well."""
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * len(processes)


def count_up(reopen: Callable[[], Store], steps: int) -> None:
    """Do some steps and close."""
    store = reopen()
    for _ in range(steps):
        step(store)
    store.close()


def count_until_killed(reopen: Callable[[], Store], acknowledge: Connection) -> None:
    """Do steps for ever, and send each once it is committed."""
    store = reopen()
    while True:
        acknowledge.send(step(store))


def fork_among_writers(reopen: Callable[[], Store], forks: int) -> None:
    """Children are forked while other threads write; each does a step, and its parent
    another.
    """
    store, enough = reopen(), threading.Event()

    def write() -> None:
        while not enough.is_set():
            with store.transaction(HOME) as unit:
                unit.set_note("busy", "writing")

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(forks):
        child = multiprocessing.get_context("fork").Process(target=step, args=(store,))
        child.start()
        step(store)
        finish(child)
    enough.set()
    for thread in threads:
        thread.join()
    store.close()
